import CloudRecords
import Foundation
import RecordServer
import TestSupport
import Testing

@Suite struct KeyCommandTests {
  /// A public key as `openssl ec -pubout` writes it: the base point of P-256.
  private static let pem = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt
    6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==
    -----END PUBLIC KEY-----

    """

  @Test func aKeyIsCreatedListedAndRevoked() async throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    try await home.withService { _ = try await $0.account("an") }
    let file = try home.write(Self.pem, to: "eckey.pub")
    let created = try home.run(
      "key", "create", "Nightly", file, "--user", "an", "--environment", "development")
    #expect(created.status == 0, "\(created)")
    let keyID = try #require(created.lines.first)
    #expect(created.lines.count == 1 && keyID.utf8.count == 64)
    let row = try #require(home.run("key", "list", "--json").objects.first)
    #expect(row["keyID"] as? String == keyID && row["user"] as? String == "an")
    #expect(row["label"] as? String == "Nightly" && row["environment"] as? String == "development")
    #expect(try home.run("key", "list").output.contains(keyID))
    #expect(try home.run("key", "revoke", "1").status == 0)
    #expect(try home.run("key", "revoke", "1").status == 1)
    #expect(try home.run("key", "list", "--json").output == "[]\n")
  }

  @Test func whatIsNoPublicKeyIsRefused() async throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    try await home.withService { _ = try await $0.account("an") }
    for (text, words) in [
      ("", "not an ECDSA public key"),
      (Self.pem.replacing("QcDQgAE", with: "QcDQgAA"), "not an ECDSA public key"),
      ("-----BEGIN EC PRIVATE KEY-----\n", "private key"),
    ] {
      let outcome = try home.run(
        "key", "create", "x", try home.write(text, to: "key"), "--user", "an")
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.errors.contains(words))
    }
    let good = try home.write(Self.pem, to: "key")
    #expect(try home.run("key", "create", "x", good, "--user", "none").status == 1)
    #expect(try home.run("key", "create", " ", good, "--user", "an").status == 2)
    #expect(try home.run("key", "create", "x", home.path + "/none", "--user", "an").status == 1)
    #expect(try home.run("key", "list", "--json").output == "[]\n")
  }
}
