import Foundation
import Library
import RecordClient
import TestSupport
import Testing

@testable import Sync

@Suite struct CredentialFileTests {
  private let directory: TemporaryDirectory
  private let file: CredentialFile
  private let content = CredentialFile.Content(
    origin: "https://records.example.org", container: "iCloud.org.example",
    environment: "production", apiToken: "secret-api", webAuthToken: "secret-web",
    userRecordName: "an")

  init() throws {
    directory = try TemporaryDirectory()
    file = CredentialFile(beside: directory.path + "/library.sqlite")
  }

  private let account = SyncAccount(
    origin: "https://records.example.org", container: "iCloud.org.example",
    environment: "production", userRecordName: "an")

  @Test func credentialsAreStoredReadableOnlyByTheOwner() async throws {
    #expect(try file.load() == nil)
    try file.save(content)
    #expect(try file.load() == content)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    try file.change { $0.webAuthToken = nil }
    #expect(try file.load()?.webAuthToken == nil)
    #expect(try file.load()?.apiToken == "secret-api")
  }

  /// The file is first written under another name. An old file of that name must not become the
  /// credential file: it would keep its permissions, and a process that has it open could read the
  /// credentials.
  @Test func anUnfinishedFileIsNotUsed() throws {
    let unfinished = "\(file.path).\(getpid()).new"
    #expect(FileManager.default.createFile(atPath: unfinished, contents: Data()))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: unfinished)
    let open = try #require(FileHandle(forReadingAtPath: unfinished))
    try file.save(content)
    #expect(try open.readToEnd() ?? Data() == Data())
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    #expect(!FileManager.default.fileExists(atPath: unfinished))
  }

  @Test func aNewTokenReplacesOnlyThePreviousOne() async throws {
    let credentials = AccountCredentials(file: file, account: account)
    // A late token does not create a file.
    try await credentials.store(webAuthToken: "late", replacing: nil)
    #expect(try file.load() == nil)
    await #expect(throws: CredentialFile.Problem.missing) { try await credentials.read() }
    try file.save(content)
    let asSaved = Credentials(apiToken: "secret-api", webAuthToken: "secret-web")
    #expect(try await credentials.read() == asSaved)
    try await credentials.store(webAuthToken: "newer", replacing: "secret-web")
    #expect(try await credentials.read().webAuthToken == "newer")
    // Another process stored a newer token.
    try await credentials.store(webAuthToken: "late", replacing: "secret-web")
    #expect(try await credentials.read().webAuthToken == "newer")
    // A user who signed out stays signed out.
    try file.change { $0.webAuthToken = nil }
    try await credentials.store(webAuthToken: "late", replacing: "newer")
    #expect(try await credentials.read() == Credentials(apiToken: "secret-api"))
  }

  @Test(arguments: ["origin", "container", "environment", "user"])
  func tokensOfAnotherAccountAreNotUsed(_ difference: String) async throws {
    var other = content
    switch difference {
    case "origin": other.origin = "https://elsewhere.example.org"
    case "container": other.container = "iCloud.org.elsewhere"
    case "environment": other.environment = "development"
    default: other.userRecordName = "binh"
    }
    try file.save(other)
    let credentials = AccountCredentials(file: file, account: account)
    await #expect(throws: CredentialFile.Problem.otherAccount) { try await credentials.read() }
    #expect(throws: ClientFactory.Problem.credentials(.otherAccount)) {
      try ClientFactory.open(file, for: account, processEnvironment: [:])
    }
  }

  @Test func aLinkedLibraryUsesTheCredentialsOfItsTarget() throws {
    let library = directory.path + "/library.sqlite"
    try Data().write(to: URL(filePath: library))
    let link = directory.path + "/link.sqlite"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: library)
    #expect(CredentialFile(beside: link).path == Library.resolved(library) + ".credentials")
  }

  @Test func aFileThatOthersMayReadIsRefused() throws {
    try file.save(content)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    #expect(throws: CredentialFile.Problem.exposed(path: file.path)) { try file.load() }
  }

  @Test func damagedFilesAndLinksAreRefused() throws {
    try Data("{".utf8).write(to: URL(filePath: file.path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    #expect(throws: CredentialFile.Problem.damaged(path: file.path)) { try file.load() }
    try FileManager.default.removeItem(atPath: file.path)
    let elsewhere = CredentialFile(beside: directory.path + "/elsewhere")
    try elsewhere.save(content)
    try FileManager.default.createSymbolicLink(
      atPath: file.path, withDestinationPath: elsewhere.path)
    #expect(throws: CredentialFile.Problem.unreadable(path: file.path, code: ELOOP)) {
      try file.load()
    }
  }

  @Test func nothingSecretIsPrinted() {
    var dumped = ""
    dump(content, to: &dumped)
    for text in ["\(content)", String(reflecting: content), dumped] {
      #expect(!text.contains("secret"), "\(text)")
    }
  }
}
