import CloudRecords
import Crypto
import Foundation
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Requests that are signed with a server-to-server key.
struct SignedRequestTests {
  /// A program with its private key.
  private struct Program {
    let web: WebFixture
    let privateKey = P256.Signing.PrivateKey()
    let account: Account
    var keyID = ""

    init(
      _ web: WebFixture, _ name: String = "dev", container: ContainerID? = nil,
      environment: ContainerEnvironment? = nil
    ) async throws {
      self.web = web
      account = try await web.person(name).account
      let key = try await web.accountService.createServerToServerKey(
        ServerToServerKeyTerms(
          label: "import", container: container ?? web.container, environment: environment,
          account: account, pem: privateKey.publicKey.pemRepresentation))
      keyID = key.keyID
    }

    func path(
      _ route: Route, _ database: DatabaseScope = .public,
      _ environment: ContainerEnvironment = .production
    ) -> String { route.path(web.container, environment, database) }

    func headers(
      _ path: String, _ body: Data, secondsAgo: Int64 = 0, emptyHash: String? = nil
    ) throws -> [(String, String)] {
      let time = Double(web.clock.now / 1000 - secondsAgo)
      let date = Date(timeIntervalSince1970: time).formatted(.iso8601)
      let hash = emptyHash ?? Data(SHA256.hash(data: body)).base64EncodedString()
      let signature = try privateKey.signature(for: Data("\(date):\(hash):\(path)".utf8))
      return [
        ("X-Apple-CloudKit-Request-KeyID", keyID),
        ("X-Apple-CloudKit-Request-ISO8601Date", date),
        (
          "X-Apple-CloudKit-Request-SignatureV1",
          signature.derRepresentation.base64EncodedString()
        ),
      ]
    }

    /// Sends a signed request.
    func send(
      _ path: String, _ body: Data, method: String = "POST", headers: [(String, String)]? = nil
    ) async throws -> WebFixture.Reply {
      try await web.send(
        method, path, body: method == "GET" ? nil : body,
        headers: headers ?? self.headers(path, body))
    }
  }

  private static func run(
    _ body: @escaping @Sendable (WebFixture) async throws -> Void
  ) async throws {
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
    } _: {
      try await body($0)
    }
  }

  private static func save(_ name: String, type: String = "Post") throws -> Data {
    try Wire.encode(
      RecordsModify.Request(operations: [
        Operation(.forceReplace, note(name, ["text": .string("x")], type: type))
      ]))
  }

  private static let lookup = Data(#"{"records":[{"recordName":"p"}]}"#.utf8)

  @Test func aSignedRequestActsAsTheAccount() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let saved = try await program.send(
        program.path(.recordsModify), Self.save("p"))
      #expect(saved.status == 200, "\(saved.text)")
      #expect(saved.header("X-Apple-CloudKit-Web-Auth-Token") == nil)
      let user = program.account.userRecordName(in: web.container)
      #expect(saved.text.contains(user))
      let caller = try await program.send(
        program.path(.usersCaller), Data(), method: "GET")
      #expect(caller.status == 200 && caller.text.contains(user))
      let read = try await program.send(program.path(.recordsLookup), Self.lookup)
      #expect(read.status == 200 && read.text.contains("recordChangeTag"))
      // The type Note grants CREATE only to the creator.
      let denied = try await program.send(
        program.path(.recordsModify), Self.save("n", type: "Note"))
      #expect(denied.text.contains("ACCESS_DENIED"))
    }
  }

  /// CloudKit JS signs the query, others do not; and the hash of no body is written in two ways.
  @Test func theWaysOfClientsAreAccepted() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let path = program.path(.recordsLookup)
      let query = path + "?clientId=a%20b&ckjsVersion=2.6.4"
      for signed in [path, query] {
        let reply = try await program.send(
          query, Self.lookup, headers: program.headers(signed, Self.lookup))
        #expect(reply.status == 200, "\(reply.text)")
      }
      let caller = program.path(.usersCaller)
      for hash in [nil, ""] {
        let reply = try await program.send(
          caller, Data(), method: "GET",
          headers: program.headers(caller, Data(), emptyHash: hash))
        #expect(reply.status == 200, "\(reply.text)")
      }
      // A request with a body must have the hash of that body.
      let wrong = try await program.send(
        path, Self.lookup, headers: program.headers(path, Self.lookup, emptyHash: ""))
      #expect(wrong.status == 401)
    }
  }

  @Test func whatTheSignatureDoesNotFitIsRefused() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let other = try await Program(web, "other")
      let path = program.path(.recordsLookup)
      let good = try program.headers(path, Self.lookup)
      func reason(
        _ path: String, _ body: Data, _ headers: [(String, String)]
      ) async throws -> String {
        let reply = try await program.send(path, body, headers: headers)
        return "\(reply.status) \(reply.error?.summary ?? reply.text)"
      }
      let wrong =
        "401 AUTHENTICATION_FAILED: the signature does not fit the date, the body and the path"
      #expect(try await reason(path, Self.lookup, good).hasPrefix("200"))
      #expect(try await reason(program.path(.recordsQuery), Self.lookup, good) == wrong)
      #expect(try await reason(path, Self.lookup + Data(" ".utf8), good) == wrong)
      #expect(
        try await reason(program.path(.recordsLookup, .public, .development), Self.lookup, good)
          == wrong)
      #expect(
        try await reason(
          path, Self.lookup, [good[0], good[1], ("X-Apple-CloudKit-Request-SignatureV1", "AAAA")])
          == wrong)
      // The ID of another key, and the signature of another key.
      let others = try other.headers(path, Self.lookup)
      #expect(try await reason(path, Self.lookup, [others[0], good[1], good[2]]) == wrong)
      #expect(try await reason(path, Self.lookup, [good[0], others[1], others[2]]) == wrong)
      let unknown = ("X-Apple-CloudKit-Request-KeyID", String(repeating: "a", count: 64))
      #expect(
        try await reason(path, Self.lookup, [unknown, good[1], good[2]])
          == "401 AUTHENTICATION_FAILED: no such key for this container and environment")
      for date in ["", "2023", "2023-11-14T22:13:20.5Z", "2023-11-14T22:13:20+0", "x"] {
        let headers = [good[0], ("X-Apple-CloudKit-Request-ISO8601Date", date), good[2]]
        #expect(try await reason(path, Self.lookup, headers).hasPrefix("401"), "\(date)")
      }
      #expect(try await reason(path, Self.lookup, [good[0]]).hasPrefix("401"))
      #expect(
        try await reason(path + "?ckAPIToken=\(web.apiToken)", Self.lookup, good)
          == "401 AUTHENTICATION_FAILED: a signed request must not have ckAPIToken or "
          + "ckWebAuthToken")
      // Signed requests are served only in the public database.
      let privatePath = program.path(.recordsLookup, .private)
      #expect(
        try await reason(privatePath, Self.lookup, program.headers(privatePath, Self.lookup))
          == "400 BAD_REQUEST: signed requests are served in the public database only")
      let tokens = "/device/1/\(web.container)/production/tokens/create"
      #expect(
        try await reason(tokens, Data("{}".utf8), program.headers(tokens, Data("{}".utf8)))
          .hasPrefix("400"))
    }
  }

  @Test func aKeyIsForItsContainerAndEnvironment() async throws {
    try await Self.run { web in
      let elsewhere = try #require(ContainerID("iCloud.org.example.elsewhere"))
      for (program, database) in [
        (try await Program(web, container: elsewhere), "public"),
        (try await Program(web, environment: .development), "public"),
      ] {
        let path = program.path(.recordsLookup)
        let reply = try await program.send(path, Self.lookup)
        #expect(reply.status == 401, "\(database) \(reply.text)")
        #expect(reply.error?.reason == "no such key for this container and environment")
      }
      let program = try await Program(web, environment: .development)
      let path = program.path(.recordsLookup, .public, .development)
      #expect(try await program.send(path, Self.lookup).status == 200)
    }
  }

  @Test func aClockThatIsWrongIsNamed() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let path = program.path(.recordsLookup)
      for seconds: Int64 in [0, 600, -600] {
        let headers = try program.headers(path, Self.lookup, secondsAgo: seconds)
        #expect(try await program.send(path, Self.lookup, headers: headers).status == 200)
      }
      for (seconds, word) in [(3600, "before"), (-3600, "after"), (601, "before")]
        as [(Int64, String)]
      {
        let headers = try program.headers(path, Self.lookup, secondsAgo: seconds)
        let reply = try await program.send(path, Self.lookup, headers: headers)
        #expect(
          reply.error?.summary
            == "AUTHENTICATION_FAILED: the date of the request is \(abs(seconds)) seconds \(word) the "
            + "clock of the service, at most 600 are allowed")
      }
    }
  }

  /// A request that was recorded changes nothing a second time.
  @Test func aRepeatedSignatureIsRefused() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let path = program.path(.recordsModify)
      let body = try Self.save("p")
      let headers = try program.headers(path, body)
      #expect(try await program.send(path, body, headers: headers).status == 200)
      let repeated = try await program.send(path, body, headers: headers)
      #expect(
        repeated.error?.summary
          == "AUTHENTICATION_FAILED: a request with this signature was received already")
      // Anyone can compute another valid signature from this one: s becomes n - s.
      var malleable = headers
      let signature = try P256.Signing.ECDSASignature(
        derRepresentation: #require(Data(base64Encoded: headers[2].1)))
      malleable[2].1 = try P256.Signing.ECDSASignature(
        rawRepresentation: Self.negated(signature.rawRepresentation)
      ).derRepresentation.base64EncodedString()
      #expect(try await program.send(path, body, headers: malleable).status == 401)
      // The request can be signed again, and a request that only reads can be repeated.
      #expect(try await program.send(path, body).status == 200)
      let lookup = program.path(.recordsLookup)
      let reading = try program.headers(lookup, Self.lookup)
      for _ in 0..<2 {
        #expect(try await program.send(lookup, Self.lookup, headers: reading).status == 200)
      }
      // After the window, the signature is too old.
      web.clock.advance(SignedRequest.window + 1000)
      #expect(try await program.send(path, body, headers: headers).status == 401)
    }
  }

  /// The signature with its second half s replaced by n - s.
  private static func negated(_ signature: Data) -> Data {
    let order: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC,
      0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    let bytes = Array(signature)
    var result = Array(bytes[..<32]) + Array(repeating: 0, count: 32)
    var borrow = 0
    for index in (0..<32).reversed() {
      let digit = Int(order[index]) - Int(bytes[32 + index]) - borrow
      borrow = digit < 0 ? 1 : 0
      result[32 + index] = UInt8(truncatingIfNeeded: digit)
    }
    return Data(result)
  }

  @Test func aRevokedKeyOrADeletedAccountIsRefused() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let other = try await Program(web, "other")
      let path = program.path(.recordsLookup)
      for (program, end) in [(program, "revoke"), (other, "remove")] {
        #expect(try await program.send(path, Self.lookup).status == 200)
        if end == "revoke" {
          let keys = try await web.accountService.serverToServerKeys()
          let id = try #require(keys.first { $0.key.keyID == program.keyID }?.key.id)
          #expect(try await web.accountService.revoke(serverToServerKey: id))
        } else {
          #expect(try await web.accountService.remove(program.account))
        }
        #expect(try await program.send(path, Self.lookup).status == 401)
      }
      #expect(try await web.accountService.serverToServerKeys().isEmpty)
    }
  }

  @Test func aRefusedRequestCanBeSentAgain() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let path = program.path(.recordsModify)
      let body = Data(#"{"operations": 1}"#.utf8)
      let headers = try program.headers(path, body)
      for _ in 0..<2 {
        let reply = try await program.send(path, body, headers: headers)
        #expect(reply.error?.code == .badRequest)
      }
    }
  }

  /// A client that knows only the ID of a key can send requests whose signature is then refused.
  @Test func forgedRequestsAreNotChargedToTheAccount() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let path = program.path(.recordsLookup)
      var headers = try program.headers(path, Self.lookup)
      headers[2].1 = Data("forged".utf8).base64EncodedString()
      var statuses: Set<Int> = []
      for _ in 0..<700 {
        statuses.insert(try await program.send(path, Self.lookup, headers: headers).status)
      }
      #expect(statuses == [401, 429])
      #expect(try await program.send(path, Self.lookup).status == 200)
    }
  }

  /// The signature is not checked where nothing is served.
  @Test func requestsForWhatIsNotServedAreNotChargedToTheAccount() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let path = program.path(.recordsLookup)
      let unserved = path.replacingOccurrences(of: "records/lookup", with: "records/resolve")
      let headers = try program.headers(unserved, Self.lookup)
      var statuses: Set<Int> = []
      for _ in 0..<700 {
        statuses.insert(try await program.send(unserved, Self.lookup, headers: headers).status)
      }
      #expect(statuses == [400, 429])
      #expect(try await program.send(path, Self.lookup).status == 200)
    }
  }

  /// A program has no session to end, and the signature is not checked.
  @Test func signedRequestsThatEndASessionAreCharged() async throws {
    try await Self.run { web in
      let program = try await Program(web)
      let path = "/session/1/\(web.container.name)/production/end"
      let headers = try program.headers(path, Data())
      var statuses: Set<Int> = []
      for _ in 0..<700 {
        statuses.insert(try await program.send(path, Data(), headers: headers).status)
      }
      #expect(statuses == [421, 429])
      #expect(try await program.send(program.path(.recordsLookup), Self.lookup).status == 200)
    }
  }

  @Test func usedSignaturesAreBounded() {
    let used = UsedSignatures()
    func replayID(_ number: Int) -> Data { Data(bigEndian: Int64(number)) }
    for key in 0..<4 {
      for number in 0..<UsedSignatures.share {
        let id = replayID(key * UsedSignatures.share + number)
        #expect(used.use(id, of: Int64(key), until: 10, at: 0) == .first)
      }
      #expect(used.use(replayID(-1), of: Int64(key), until: 10, at: 0) == .full)
    }
    #expect(used.use(replayID(-1), of: 9, until: 10, at: 0) == .full)
    #expect(used.use(replayID(0), of: 0, until: 10, at: 0) == .repeated)
    used.forget(replayID(0))
    #expect(used.use(replayID(0), of: 0, until: 10, at: 0) == .first)
    #expect(used.use(replayID(-1), of: 0, until: 2000, at: 1500) == .first)
    #expect(used.use(replayID(-1), of: 0, until: 2000, at: 1500) == .repeated)
  }
}
