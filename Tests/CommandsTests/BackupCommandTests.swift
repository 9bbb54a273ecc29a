import Foundation
import Library
import Messages
import Testing

@testable import Commands

struct BackupCommandTests {
  private struct Entry: Decodable {
    let name: String
    let path: String
    let size: Int
  }

  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
  }

  private func restore(
    _ name: String? = nil, isConfirmed: Bool = false, asJSON: Bool = false,
    ask: ((String) -> String?)? = nil
  ) throws -> Output {
    try fixture.backup(
      .restore(name: name, isConfirmed: isConfirmed), asJSON: asJSON, ask: ask)
  }

  /// Makes two backups and then changes the library. Returns the names of the backups.
  private func makeTwoBackups() throws -> [String] {
    var names: [String] = []
    for place in ["1:1", "2:255"] {
      try fixture.favorite(.add, place)
      names += try fixture.backup(.make, asJSON: true).decoded([Entry].self).map(\.name)
      fixture.now += 5000
    }
    try fixture.favorite(.add, "114:6")
    return names
  }

  @Test func aBackupIsMadeAndListed() throws {
    try fixture.favorite(.add, "1:1")
    let path = try #require(try fixture.backup(.make).lines.first?.split(separator: " ").last)
    #expect(FileManager.default.fileExists(atPath: String(path)))
    let entries = try fixture.backup(.list, asJSON: true).decoded([Entry].self)
    #expect(entries.map(\.path) == [String(path)])
    #expect(entries[0].size > 4096)
    let size = fixture.messages.fileSize(entries[0].size)
    #expect(try fixture.backup(.list).lines == ["\(entries[0].name)  \(size)"])
  }

  @Test func withoutALibraryNothingIsBackedUp() throws {
    #expect(
      try failure { try fixture.backup(.make) }
        == CommandFailure(.notFound, fixture.messages.noLibraryYet))
    #expect(try fixture.backup(.list).text == "")
    #expect(try fixture.backup(.list, asJSON: true).text == "[]\n")
    #expect(fixture.warnings == [fixture.messages.noBackups])
    #expect(
      try failure { try restore(isConfirmed: true) }
        == CommandFailure(.notFound, fixture.messages.noBackups))
    #expect(try fixture.isEmpty)
    #expect(try failure { try fixture.backup(.make, path: .some(nil)) }.status == .badData)
  }

  @Test func theNewestBackupIsRestoredAndTheLibrarySetAside() throws {
    _ = try makeTwoBackups()
    let lines = try restore(isConfirmed: true).lines
    #expect(try fixture.snapshot().favorites.map { "\($0.ayah)" } == ["1:1", "2:255"])
    #expect(lines.count == 2)
    let former = try #require(lines.last?.split(separator: " ").last)
    #expect(FileManager.default.fileExists(atPath: String(former)))
  }

  @Test func anyBackupIsRestoredByItsName() throws {
    struct Restored: Decodable {
      let name: String
      let former: String?
    }
    let names = try makeTwoBackups()
    let restored = try restore(names[0], isConfirmed: true, asJSON: true).decoded([Restored].self)
    #expect(restored.map(\.name) == [names[0]] && restored[0].former != nil)
    #expect(try fixture.snapshot().favorites.map { "\($0.ayah)" } == ["1:1"])
  }

  @Test func onlyBackupsAreRestored() throws {
    _ = try makeTwoBackups()
    for name in ["x", "../library.sqlite", "", "/etc/passwd"] {
      #expect(
        try failure { try restore(name, isConfirmed: true) }
          == CommandFailure(.notFound, fixture.messages.noSuchBackup(name)))
    }
    #expect(try fixture.snapshot().favoriteCount == 3)
  }

  @Test func restoringAsksForConfirmation() throws {
    let names = try makeTwoBackups()
    #expect(
      try failure { try restore() }
        == CommandFailure(.usage, fixture.messages.restoringNeedsConfirmation))
    for answer in ["", "n", "x", "no", nil] {
      var asked = ""
      #expect(
        try restore(ask: {
          asked = $0
          return answer
        }).lines == [fixture.messages.nothingChanged])
      #expect(asked == "Replace the library with the backup \(names[1])? [y/N] ")
    }
    #expect(try fixture.snapshot().favoriteCount == 3)
    // The JSON output has no sentences; they are written to standard error.
    #expect(try restore(asJSON: true, ask: { _ in "n" }).text == "[]\n")
    #expect(fixture.warnings == [fixture.messages.nothingChanged])
    _ = try restore(ask: { _ in "Y" })
    #expect(try fixture.snapshot().favoriteCount == 2)
  }

  // MARK: A library that is synced

  private var restoration: SyncAccount.Restoration? {
    get throws {
      let library = try fixture.library()
      defer { library.close() }
      return try library.syncAccount()?.restoration
    }
  }

  /// Makes a backup of a library that is synced.
  private func backUpSyncedLibrary() throws {
    try fixture.favorite(.add, "1:1")
    let library = try fixture.library()
    defer { library.close() }
    try library.sync { transaction in
      try transaction.setAccount(
        SyncAccount(
          origin: "https://records.example.org", container: "iCloud.org.example",
          environment: "production", userRecordName: "_an", isConfirmed: true))
    }
    _ = try library.backUp(at: fixture.now)
  }

  @Test(arguments: [
    ("1", SyncAccount.Restoration.keepRestored), ("2", .keepService), ("", .undecided),
    ("x", .undecided), ("12", .undecided),
    (" 1 ", .keepRestored),
  ])
  func restoringAsksWhichDataToKeep(_ answer: String, _ wanted: SyncAccount.Restoration) throws {
    try backUpSyncedLibrary()
    var questions: [String] = []
    let lines = try restore(ask: { question in
      questions.append(question)
      return questions.count == 1 ? "y" : answer
    }).lines
    #expect(questions.last == fixture.messages.askRestored + " ")
    #expect(
      lines.suffix(2).contains(fixture.messages.syncRestoredChoice) == (wanted == .undecided),
      "\(lines)")
    #expect(try restoration == wanted)
  }

  @Test func withoutAPromptTheChoiceIsExplained() throws {
    try backUpSyncedLibrary()
    #expect(
      try restore(isConfirmed: true).lines.suffix(2)
        == [fixture.messages.syncRestored, fixture.messages.syncRestoredChoice])
    #expect(try restoration == .undecided)
    // The JSON output has no such lines; the explanation is written to standard error.
    _ = try restore(isConfirmed: true, asJSON: true).decoded([[String: String]].self)
    #expect(fixture.warnings.contains(fixture.messages.syncRestoredChoice))
  }

  @Test func aGivenRestorationChoiceIsNotAskedFor() throws {
    try backUpSyncedLibrary()
    for answer in [SyncAccount.Restoration.keepRestored, .keepService] {
      try fixture.backup(.restore(name: nil, isConfirmed: true, restoration: answer))
      #expect(try restoration == answer)
    }
  }

  @Test func restoringFailsWhileAnotherProcessSyncs() throws {
    try backUpSyncedLibrary()
    let lease = try FileLock(fixture.path + ".sync", .exclusive)
    #expect(
      try failure { try restore(isConfirmed: true) }
        == CommandFailure(.badData, fixture.messages.libraryIsOpenElsewhere))
    withExtendedLifetime(lease) {}
    #expect(try restoration == nil)
  }

  @Test func aLibraryInUseIsNotReplaced() throws {
    _ = try makeTwoBackups()
    let library = try fixture.library()
    #expect(
      try failure { try restore(isConfirmed: true) }
        == CommandFailure(.badData, fixture.messages.libraryIsOpenElsewhere))
    library.close()
    #expect(try fixture.snapshot().favoriteCount == 3)
  }
}
