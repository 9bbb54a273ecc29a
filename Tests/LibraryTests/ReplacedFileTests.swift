import Foundation
import GRDB
import Quran
import TestSupport
import Testing

@testable import Library

/// A library whose file is replaced: beside the WAL of the former file, or while it is open.
struct ReplacedFileTests {
  private let place: TemporaryLibrary

  init() throws {
    place = try TemporaryLibrary()
  }

  /// How a file is replaced by another.
  enum Way: CaseIterable {
    case written, moved
  }

  private func note(_ number: Int) throws -> Change {
    .addNote(.numbered(number), ayah("2:255"), try .of("ghi chú \(number)"))
  }

  /// Copies a file by another process, because this process may have it open: see `OpenFile`.
  private func copy(_ source: String, _ target: String) throws {
    let copy = try WriterProcess([source, target], program: "/bin/cp")
    #expect(copy.wait() == 0)
  }

  private func replace(_ way: Way, by file: String) throws {
    switch way {
    case .written: try copy(file, place.path)
    case .moved:
      try copy(file, place.path + ".moving")
      try #require(rename(place.path + ".moving", place.path) == 0)
    }
  }

  /// A connected library and an older file of it. The newest changes are only in the WAL that a
  /// killed process left.
  private struct Killed {
    var old: String
    var everything: [String]
    var wal: Data
  }

  enum Older: CaseIterable {
    case copy, backup, copyWithOneNote, former
  }

  private func killed(_ older: Older) throws -> Killed {
    let copyPath = place.directory.path + "/older"
    var killed = Killed(old: copyPath, everything: [], wal: Data())
    if older == .former {
      let queue = try DatabaseQueue(path: copyPath)
      try LibrarySchema.migrator.migrate(queue, upTo: "3")
      try queue.close()
    }
    let account = SyncAccount(
      origin: "https://records.example.org", container: "iCloud.org.example",
      environment: "production", userRecordName: "_an", isConfirmed: true)
    try place.using { library in
      try library.commit([note(1)], at: 1)
      _ = try library.sync { try $0.setAccount(account) }
    }
    if older == .copyWithOneNote { try copy(place.path, copyPath) }
    try place.using { library in
      try library.commit((2...200).map(note), at: 1)
      if older == .backup {
        killed.old = Backups(of: place.path).path(try library.backUp(at: 1))
      }
    }
    if older == .copy { try copy(place.path, copyPath) }
    if older != .former {
      let old = try TemporaryLibrary()
      try copy(killed.old, old.path)
      killed.everything = try old.using { try $0.everything() }
    }
    let left = place.directory.path + "/left"
    for round in 1...3 {
      // The library is closed after each round, so the newest file differs from the copy.
      let library = try place.open()
      try library.commit((round * 1000...round * 1000 + 50).map(note), at: 1)
      _ = try library.sync { transaction in
        var account = try #require(try transaction.account())
        account.listing += 1
        try transaction.setAccount(account)
      }
      if round == 3 { try copy(place.path + "-wal", left) }
      library.close()
    }
    try copy(left, place.path + "-wal")
    killed.wal = try Data(contentsOf: URL(filePath: left))
    return killed
  }

  @Test(arguments: Older.allCases, Way.allCases)
  func anOlderFileIsOpenedWithoutANewerWAL(older: Older, way: Way) throws {
    let killed = try killed(older)
    try replace(way, by: killed.old)
    let opening = try Library.open(place.path, at: 5)
    defer { opening.library.close() }
    guard case .walSetAside(let aside) = opening.notices.first, opening.notices.count == 1 else {
      Issue.record("\(opening.notices)")
      return
    }
    #expect(try Data(contentsOf: URL(filePath: aside)) == killed.wal)
    #expect(try opening.library.everything() == killed.everything)
    #expect(try opening.library.isSound)
    // Nothing is asked about a file from before the library was connected.
    if older != .former {
      #expect(try opening.library.syncAccount()?.restoration == .undecided)
    }
    try opening.library.commit([note(7)], at: 1)
  }

  /// The WAL may be moved only if no other process needs it.
  @Test func withoutSetsAsideTheWALIsNotMoved() throws {
    let killed = try killed(.copy)
    try replace(.written, by: killed.old)
    #expect(throws: LibraryFailure.damaged(path: place.path)) {
      _ = try Library.open(place.path, at: 5, setsAside: false)
    }
    #expect(try place.bytes("-wal") == killed.wal)
    #expect(try place.bytes() == Data(contentsOf: URL(filePath: killed.old)))
  }

  /// A WAL that was set aside in the same second has the name that the contents would get.
  @Test func savedContentsGetANameWithoutAForeignWAL() throws {
    let library = try place.open()
    defer { library.close() }
    try library.commit([note(1)], at: 1)
    let other = try TemporaryLibrary()
    try other.using { _ in }
    let taken = LibraryFile(path: place.path).unusedNameAside(at: 5000)
    try Data("wal".utf8).write(to: URL(filePath: taken + "-wal"))
    try replace(.moved, by: other.path)
    guard case .replaced(let former?) = library.closeReplaced(at: 5000) else {
      Issue.record("the contents were not saved")
      return
    }
    #expect(former != taken && access(former + "-wal", F_OK) != 0)
    let saved = try Library.open(former, at: 1).library
    defer { saved.close() }
    #expect(try saved.snapshot().noteCount == 1)
  }

  /// After any operations of a process that is killed, its WAL belongs to its file.
  @Test(arguments: 1...20) func theWALOfAKilledProcessIsAlwaysUsed(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var libraries = [try place.open()]
    defer { for library in libraries { library.close() } }
    var number = 0
    for _ in 1...40 {
      let library = try #require(libraries.last)
      libraries.shuffle(using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0 where libraries.count < 3: libraries.append(try place.open())
      case 1 where libraries.count > 1:
        libraries.removeAll { $0 === library }
        library.close()
        continue
      case 2: try library.database.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
      case 3: try library.database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      case 4:
        // A transaction that is rolled back changes nothing.
        #expect(throws: LibraryFailure.busy) {
          try library.write { database in
            try database.execute(sql: "DELETE FROM note")
            throw LibraryFailure.busy
          }
        }
      case 5:
        // Changes the size of the WAL at which SQLite makes a checkpoint.
        let pages = Int.random(in: 1...50, using: &random)
        try library.database.writeWithoutTransaction {
          try $0.execute(sql: "PRAGMA wal_autocheckpoint = \(pages)")
        }
      default:
        number += 1
        try library.commit(
          [.addNote(.numbered(number), .first, .of(String(repeating: "x", count: number * 500)))],
          at: 1)
      }
      let copied = try TemporaryLibrary()
      try copy(place.path, copied.path)
      if LibraryFile(path: place.path).size(place.path + "-wal") > 0 {
        try copy(place.path + "-wal", copied.path + "-wal")
      }
      let opening = try Library.open(copied.path, at: 1)
      defer { opening.library.close() }
      #expect(opening.notices == [])
      #expect(try opening.library.everything() == library.everything())
    }
  }

  // MARK: While it is open

  private func filled() throws -> (library: Library, old: String) {
    let old = place.directory.path + "/old"
    _ = try place.using { try $0.commit([note(1)], at: 1) }
    try copy(place.path, old)
    _ = try place.using { try $0.commit((2...100).map(note), at: 1) }
    let library = try place.open()
    try library.commit([note(101)], at: 1)
    return (library, old)
  }

  @Test(arguments: Way.allCases) func nothingIsWrittenToAFileThatWasReplaced(way: Way) throws {
    let (library, old) = try filled()
    try replace(way, by: old)
    #expect(library.isReplaced)
    #expect(throws: LibraryFailure.replaced(path: place.path)) {
      try library.commit([note(102)], at: 1)
    }
    library.close()
    #expect(try place.bytes() == Data(contentsOf: URL(filePath: old)))
    try place.using { try #expect($0.noteList().count == 1) }
  }

  private func notices(_ replies: Replies) -> [Notice] {
    replies.all.flatMap { reply -> [Notice] in
      if case .opened(_, let notices) = reply { notices } else { [] }
    }
  }

  private func isOpenedAgain(_ replies: Replies) -> Bool {
    replies.all.count { if case .opened = $0 { true } else { false } } == 2
  }

  @Test(arguments: Way.allCases) func anOwnerContinuesWithTheNewFile(way: Way) throws {
    let (library, old) = try filled()
    let everything = try library.everything()
    library.close()
    let replies = Replies()
    let writer = replies.writer(place.path)
    defer { writer.close() }
    writer.drain()
    try replace(way, by: old)
    let request = LibraryRequest.commit([try note(500)])
    writer.send(request)
    writer.drain()
    #expect(eventually { isOpenedAgain(replies) })
    writer.drain()
    #expect(
      replies.all.contains { if case .done(request, _) = $0 { true } else { false } },
      "\(replies.all.map { "\($0)".prefix(300) })")
    let found = notices(replies)
    writer.close()
    try place.using { try #expect($0.noteList().map(\.id) == [.numbered(1), .numbered(500)]) }
    switch (way, found.last) {
    case (.written, .replaced(nil)): break
    case (.moved, .replaced(let former?)):
      let aside = try Library.open(former, at: 1).library
      defer { aside.close() }
      #expect(try aside.everything() == everything)
      #expect(try permissions(of: former) == 0o600)
    default: Issue.record("\(found)")
    }
  }

  @Test(arguments: [false, true]) func anOwnerRecreatesARemovedFile(withDirectory: Bool) throws {
    let inner = place.directory.path + "/inner"
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
    let path = inner + "/library.sqlite"
    let replies = Replies()
    let writer = replies.writer(path)
    defer { writer.close() }
    for number in 1...3 { writer.send(.commit([try note(number)])) }
    writer.drain()
    if withDirectory {
      // Renamed first: otherwise the writer would write to the directory during the removal.
      try #require(rename(inner, inner + "-removed") == 0)
      try FileManager.default.removeItem(atPath: inner + "-removed")
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    writer.send(.commit([try note(4)]))
    #expect(eventually { isOpenedAgain(replies) })
    writer.drain()
    #expect(notices(replies) == [.removed])
    writer.close()
    let library = try Library.open(path, at: 1).library
    defer { library.close() }
    #expect(try library.noteList().count == 4)
    #expect(try library.isSound)
    let left = try FileManager.default.contentsOfDirectory(atPath: inner)
    #expect(left.filter { $0.contains("aside") || $0.contains("new") } == [])
  }
}
