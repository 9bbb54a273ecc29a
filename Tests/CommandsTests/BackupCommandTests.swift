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

  private let desktop: LibraryDesktop

  init() throws {
    desktop = try LibraryDesktop()
  }

  private func restore(
    _ name: String? = nil, isConfirmed: Bool = false, asJSON: Bool = false,
    ask: ((String) -> String?)? = nil
  ) throws -> Output {
    try desktop.backup(
      .restore(name: name, isConfirmed: isConfirmed), asJSON: asJSON, ask: ask)
  }

  /// Two backups, and a library that is neither.
  private func threeStates() throws -> [String] {
    var names: [String] = []
    for place in ["1:1", "2:255"] {
      try desktop.favorite(.add, place)
      names += try desktop.backup(.make, asJSON: true).decoded([Entry].self).map(\.name)
      desktop.now += 5000
    }
    try desktop.favorite(.add, "114:6")
    return names
  }

  @Test func aBackupIsMadeAndListed() throws {
    try desktop.favorite(.add, "1:1")
    let path = try #require(try desktop.backup(.make).lines.first?.split(separator: " ").last)
    #expect(FileManager.default.fileExists(atPath: String(path)))
    let entries = try desktop.backup(.list, asJSON: true).decoded([Entry].self)
    #expect(entries.map(\.path) == [String(path)])
    #expect(entries[0].size > 4096)
    #expect(
      try desktop.backup(.list).lines == ["\(entries[0].name)  \(entries[0].size / 1024) KiB"])
  }

  @Test func withoutALibraryThereIsNothingToCopy() throws {
    #expect(
      try failure { try desktop.backup(.make) }
        == CommandFailure(.notFound, desktop.messages.noLibraryYet))
    #expect(try desktop.backup(.list).text == "")
    #expect(try desktop.backup(.list, asJSON: true).text == "[]\n")
    #expect(try desktop.backup(.list, isTerminal: true).lines == [desktop.messages.noBackups])
    #expect(
      try failure { try restore(isConfirmed: true) }
        == CommandFailure(.notFound, desktop.messages.noBackups))
    #expect(try desktop.isEmpty)
    #expect(try failure { try desktop.backup(.make, path: .some(nil)) }.status == .badData)
  }

  @Test func theNewestIsRestoredAndTheFormerSetAside() throws {
    _ = try threeStates()
    let lines = try restore(isConfirmed: true).lines
    #expect(try desktop.snapshot().favorites.map { "\($0.ayah)" } == ["1:1", "2:255"])
    #expect(lines.count == 2)
    let former = try #require(lines.last?.split(separator: " ").last)
    #expect(FileManager.default.fileExists(atPath: String(former)))
  }

  @Test func anyBackupIsRestoredByItsName() throws {
    struct Restored: Decodable {
      let name: String
      let former: String?
    }
    let names = try threeStates()
    let restored = try restore(names[0], isConfirmed: true, asJSON: true).decoded([Restored].self)
    #expect(restored.map(\.name) == [names[0]] && restored[0].former != nil)
    #expect(try desktop.snapshot().favorites.map { "\($0.ayah)" } == ["1:1"])
  }

  @Test func onlyBackupsAreRestored() throws {
    _ = try threeStates()
    for name in ["x", "../library.sqlite", "", "/etc/passwd"] {
      #expect(
        try failure { try restore(name, isConfirmed: true) }
          == CommandFailure(.notFound, desktop.messages.noSuchBackup(name)))
    }
    #expect(try desktop.snapshot().favoriteCount == 3)
  }

  @Test func itIsAskedFirst() throws {
    let names = try threeStates()
    #expect(
      try failure { try restore() } == CommandFailure(.usage, desktop.messages.restoringNeedsYes))
    for answer in ["", "n", "x", "no", nil] {
      var asked = ""
      #expect(
        try restore(ask: {
          asked = $0
          return answer
        }).lines == [desktop.messages.nothingChanged])
      #expect(asked == "Put the backup \(names[1]) in the place of the library? [y/N] ")
    }
    #expect(try desktop.snapshot().favoriteCount == 3)
    _ = try restore(ask: { _ in "Y" })
    #expect(try desktop.snapshot().favoriteCount == 2)
  }

  // MARK: A library that is synced

  private var restoration: SyncAccount.Restoration? {
    get throws {
      let library = try desktop.library()
      defer { library.close() }
      return try library.syncAccount()?.restoration
    }
  }

  /// A backup of a library that is synced.
  private func connect() throws {
    try desktop.favorite(.add, "1:1")
    let library = try desktop.library()
    defer { library.close() }
    try library.sync { transaction in
      try transaction.setAccount(
        SyncAccount(
          origin: "https://records.example.org", container: "iCloud.org.example",
          environment: "production", userRecordName: "_an", isConfirmed: true))
    }
    _ = try library.backUp(at: desktop.now)
  }

  @Test(arguments: [
    ("1", SyncAccount.Restoration.keepRestored), ("2", .keepService), ("", .asked), ("x", .asked),
    ("12", .asked),
    (" 1 ", .keepRestored),
  ])
  func whatCountsIsAsked(_ answer: String, _ wanted: SyncAccount.Restoration) throws {
    try connect()
    var questions: [String] = []
    let lines = try restore(ask: { question in
      questions.append(question)
      return questions.count == 1 ? "y" : answer
    }).lines
    #expect(questions.last == desktop.messages.askRestored + " ")
    #expect(
      lines.suffix(2).contains(desktop.messages.syncRestoredChoice) == (wanted == .asked),
      "\(lines)")
    #expect(try restoration == wanted)
  }

  @Test func whoCannotBeAskedIsToldHowToAnswer() throws {
    try connect()
    #expect(
      try restore(isConfirmed: true).lines.suffix(2)
        == [desktop.messages.syncRestored, desktop.messages.syncRestoredChoice])
    #expect(try restoration == .asked)
    // A script's output is what it was; it is told beside it.
    _ = try restore(isConfirmed: true, asJSON: true).decoded([[String: String]].self)
    #expect(desktop.warnings.contains(desktop.messages.syncRestoredChoice))
  }

  @Test func nothingIsAskedWhereTheAnswerIsGiven() throws {
    try connect()
    for answer in [SyncAccount.Restoration.keepRestored, .keepService] {
      try desktop.backup(.restore(name: nil, isConfirmed: true, restoration: answer))
      #expect(try restoration == answer)
    }
  }

  @Test func nobodyRestoresWhileAnotherProcessSyncs() throws {
    try connect()
    let lease = try FileLock(desktop.path + ".sync", .exclusive)
    #expect(
      try failure { try restore(isConfirmed: true) }
        == CommandFailure(.badData, desktop.messages.restoringNeedsClosing))
    withExtendedLifetime(lease) {}
    #expect(try restoration == nil)
  }

  @Test func aLibraryInUseIsNotReplaced() throws {
    _ = try threeStates()
    let library = try desktop.library()
    #expect(
      try failure { try restore(isConfirmed: true) }
        == CommandFailure(.badData, desktop.messages.restoringNeedsClosing))
    library.close()
    #expect(try desktop.snapshot().favoriteCount == 3)
  }
}
