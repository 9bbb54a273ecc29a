import Foundation
import RecordClient
import Sync
import TestSupport
import Testing

@Suite struct CredentialFileTests {
  private let directory: TemporaryDirectory
  private let file: CredentialFile
  private let content = CredentialFile.Content(
    origin: "https://records.example.org", container: "iCloud.org.example",
    environment: "production", apiToken: "secret-api", webAuthToken: "secret-web")

  init() throws {
    directory = try TemporaryDirectory()
    file = CredentialFile(beside: directory.path + "/library.sqlite")
  }

  @Test func keepsWhatItIsGivenForItsOwnerAlone() async throws {
    #expect(try file.load() == nil)
    await #expect(throws: CredentialFile.Problem.missing) { try await file.read() }
    try file.save(content)
    #expect(try file.load() == content)
    #expect(
      try await file.read() == Credentials(apiToken: "secret-api", webAuthToken: "secret-web"))
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    try await file.keep(webAuthToken: "newer")
    #expect(try await file.read().webAuthToken == "newer")
    try file.change { $0.webAuthToken = nil }
    #expect(try await file.read() == Credentials(apiToken: "secret-api"))
    file.remove()
    #expect(try file.load() == nil)
    // What nobody is connected to is not made by a token that comes late.
    try await file.keep(webAuthToken: "late")
    #expect(try file.load() == nil)
  }

  @Test func refusesWhatOthersMayRead() throws {
    try file.save(content)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    #expect(throws: CredentialFile.Problem.exposed(path: file.path)) { try file.load() }
  }

  @Test func refusesWhatIsSomethingElse() throws {
    try Data("{".utf8).write(to: URL(filePath: file.path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    #expect(throws: CredentialFile.Problem.damaged(path: file.path)) { try file.load() }
    file.remove()
    let elsewhere = directory.path + "/elsewhere"
    try Data().write(to: URL(filePath: elsewhere))
    try FileManager.default.createSymbolicLink(
      atPath: file.path, withDestinationPath: elsewhere)
    #expect(throws: CredentialFile.Problem.self) { try file.load() }
  }

  @Test func nothingSecretIsPrinted() {
    var dumped = ""
    dump(content, to: &dumped)
    for text in ["\(content)", String(reflecting: content), dumped] {
      #expect(!text.contains("secret"), "\(text)")
    }
  }
}
