import Foundation
import GRDB
import Quran
import Synchronization
import TestSupport
import Testing

@testable import Library

/// The replies of a `LibraryOwner` in their order.
final class Replies: Sendable {
  private let replies = Mutex<[LibraryReply]>([])

  func take(_ reply: LibraryReply) { replies.withLock { $0.append(reply) } }
  var all: [LibraryReply] { replies.withLock { $0 } }

  var snapshots: [Snapshot] {
    all.compactMap { if case .refreshed(let snapshot) = $0 { snapshot } else { nil } }
  }

  func writer(_ path: String?) -> LibraryOwner {
    LibraryOwner(path: path, now: { 1_000 }, post: { [self] in take($0) })
  }
}

struct SharingTests {
  private let place: TemporaryLibrary

  init() throws {
    place = try TemporaryLibrary()
  }

  private func mark(_ index: Int, _ isFavorite: Bool = true) throws -> Change {
    .setFavorite(try #require(AyahID(index: index)), isFavorite)
  }

  @Test func twoOpenLibrariesSeeEachOthersChanges() throws {
    let one = try place.open()
    let two = try place.open()
    for index in 1...20 {
      try (index % 2 == 0 ? one : two).commit([mark(index)], at: 1)
      #expect(try one.snapshot() == two.snapshot())
    }
    #expect(try two.snapshot().favoriteCount == 20)
    #expect(try two.outbox().count == 20)
    one.close()
    two.close()
    #expect(try place.contents == ["library.sqlite", "library.sqlite.lock"])
    try place.using { try #expect($0.snapshot().favoriteCount == 20) }
  }

  @Test func writersWaitForEachOther() throws {
    let one = try place.open()
    let two = try place.open()
    let reader = try place.open()
    defer { for library in [one, two, reader] { library.close() } }
    let hasBegun = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let hasCommitted = Mutex(false)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      try? one.write { database in
        try database.execute(sql: "INSERT INTO device VALUES ('a', 'b')")
        hasBegun.signal()
        mayEnd.wait()
      }
    }
    hasBegun.wait()
    let isWriting = DispatchSemaphore(value: 0)
    DispatchQueue.global().async(group: group) {
      isWriting.signal()
      _ = try? two.commit([.setFavorite(.first, true)], at: 1)
      hasCommitted.withLock { $0 = true }
    }
    isWriting.wait()
    // A connection that only reads does not wait.
    #expect(try reader.everything() == [])
    #expect(!hasCommitted.withLock { $0 })
    mayEnd.signal()
    group.wait()
    #expect(try reader.everything() == ["favorite 1 1 1", "device a b"])
  }

  @Test func aWriterThatWaitsTooLongFailsWithBusy() throws {
    let one = try place.open()
    let two = try place.open()
    defer {
      one.close()
      two.close()
    }
    try two.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA busy_timeout = 10") }
    try one.write { _ in
      #expect(throws: LibraryFailure.busy) { try two.commit([mark(1)], at: 1) }
      #expect(throws: LibraryFailure.busy) { try two.setDeviceValues(["a": "b"]) }
      try #expect(two.snapshot().favoriteCount == 0)
    }
    try two.commit([mark(1)], at: 1)
    #expect(try one.snapshot().favoriteCount == 1)
  }

  @Test func manyProcessesMakeOneLibrary() throws {
    for round in 0..<40 {
      let place = try TemporaryLibrary(round % 2 == 0 ? "library.sqlite" : "a/b/c/library.sqlite")
      let writers = try (1...8).map {
        try WriterProcess(["--open", place.path, "\(round * 8 + $0)"])
      }
      for writer in writers {
        #expect(writer.remainingLines() == ["done"])
        #expect(writer.wait() == 0)
      }
      let opening = try Library.open(place.path, at: 1)
      #expect(opening.notices.isEmpty)
      #expect(opening.snapshot.favorites.map(\.ayah.index) == (1...8).map { round * 8 + $0 })
      #expect(try opening.library.outbox().count == 8)
      #expect(try opening.library.isSound)
      opening.library.close()
      let directory = URL(filePath: place.path).deletingLastPathComponent().path
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
          == ["library.sqlite", "library.sqlite.lock"])
    }
  }

  /// If the locks of this process were released, another process that closes the library would
  /// assume that it is the last one, and delete the WAL that is in use.
  @Test func aSecondOpeningInAProcessKeepsTheLocks() throws {
    let one = try place.open()
    defer { one.close() }
    try one.commit([mark(1)], at: 1)
    let backup = try one.backUp(at: 1)
    for index in 2..<8 {
      let two = try place.open()
      if index % 2 == 0 { two.close() }
      #expect(throws: LibraryFailure.busy) {
        try Backups(of: place.path).restore(backup, at: 1)
      }
      _ = LibraryFile(path: place.path).inspect()
      _ = SchemaCheck.ofFile(LibraryFile(path: place.path))
      #expect(try WriterProcess.run(["--open", place.path, "\(index * 10)"]) == ["done"])
      try one.commit([mark(index)], at: 1)
    }
    // Another process shows what is in the files.
    let shown = try WriterProcess.run(["--show", place.path])
    #expect(shown == ["favorites 13", "notes 0", "last 2:63 0", "changed"])
    #expect(try one.snapshot().favoriteCount == 14)
    #expect(try one.isSound)
  }

  @Test func commitsToARemovedFileAreRefused() throws {
    let library = try place.open()
    defer { library.close() }
    try library.commit([mark(1)], at: 1)
    try FileManager.default.removeItem(atPath: place.path)
    let failure = LibraryFailure.replaced(path: place.path)
    #expect(throws: failure) { try library.commit([mark(2)], at: 1) }
    // They are also refused if another file has the library's name.
    try place.write(Data("x".utf8))
    #expect(throws: failure) { try library.commit([mark(2)], at: 1) }
    #expect(try library.snapshot().favoriteCount == 1)
  }

  @Test func aClosedLibraryRefusesRequestsAndHoldsNoLock() throws {
    let library = try place.open()
    try library.commit([mark(1)], at: 1)
    library.close()
    library.close()
    #expect(throws: LibraryFailure.self) { try library.commit([mark(2)], at: 1) }
    #expect(throws: LibraryFailure.self) { try library.snapshot() }
    #expect(isUnlocked())
    #expect(try place.contents == ["library.sqlite", "library.sqlite.lock"])
  }

  /// Whether no process has locked the library. A program that another test starts holds the open
  /// files of this process for a moment.
  private func isUnlocked() -> Bool {
    eventually { (try? FileLock(place.path + ".lock", .exclusive)) != nil }
  }

  @Test func aReleasedLibraryIsClosed() throws {
    try place.open().commit([mark(1)], at: 1)
    #expect(try place.contents == ["library.sqlite", "library.sqlite.lock"])
    #expect(isUnlocked())
  }

  // MARK: LibraryOwner

  @Test func repliesComeInOrder() throws {
    let replies = Replies()
    let writer = replies.writer(place.path)
    let requests: [LibraryRequest] = [
      .commit([try mark(1)]), .noteList, .commit([try mark(1)]), .undo, .undo, .redo,
      .notes(.first), .saveReading(ReadingChanges()),
    ]
    for request in requests { writer.send(request) }
    writer.close()
    writer.send(.noteList)
    writer.drain()
    let all = replies.all
    guard case .opened(let snapshot, let notices) = all.first else {
      Issue.record("\(all)")
      return
    }
    #expect(snapshot == Snapshot())
    #expect(notices.isEmpty)
    let counts = all.dropFirst().map {
      switch $0 {
      case .done(_, let commit): commit.edits.count
      case .refused(_, .database(_, "closed")): -1
      default: 7
      }
    }
    #expect(counts == [1, 7, 0, 1, 0, 1, 7, 0, -1])
    try place.using { try #expect($0.snapshot().favorites.map(\.ayah) == [.first]) }
  }

  @Test func changesOfAnotherProcessAreReported() throws {
    let replies = Replies()
    let writer = replies.writer(place.path)
    defer { writer.close() }
    writer.waitUntilOpen(milliseconds: 60_000)
    for index in 1...3 {
      #expect(try WriterProcess.run(["--open", place.path, "\(index)"]) == ["done"])
      #expect(eventually { replies.snapshots.last?.favoriteCount == index })
    }
  }

  @Test func ownChangesAreNotReported() throws {
    let replies = Replies()
    let writer = replies.writer(place.path)
    writer.waitUntilOpen(milliseconds: 60_000)
    for index in 1...100 { writer.send(.commit([try mark(index)])) }
    writer.drain()
    // Another process makes a change: own changes would have been reported before this one.
    #expect(try WriterProcess.run(["--open", place.path, "500"]) == ["done"])
    #expect(eventually { !replies.snapshots.isEmpty })
    #expect(replies.snapshots.map(\.favoriteCount) == [101])
    writer.close()
  }

  /// Once the library is opened, no change of another process is missed.
  @Test func changesDuringOpeningAreReported() throws {
    let other = try place.open()
    let replies = Replies()
    let writer = LibraryOwner(
      path: place.path, now: { 1_000 },
      post: { reply in
        replies.take(reply)
        // The file is not watched yet.
        guard case .opened = reply else { return }
        _ = try? other.commit([.setFavorite(.last, true)], at: 1)
      })
    writer.waitUntilOpen(milliseconds: 60_000)
    #expect(eventually { replies.snapshots.last?.isFavorite(.last) == true })
    #expect(try other.snapshot().favoriteCount == 1)
    writer.close()
    other.close()
  }

  @Test func damageFoundByTheCheckIsReported() throws {
    let found = try LibraryFixture.make()
    try found.write(to: place, damaging: [try #require(found.pages("note leaf").first)])
    let replies = Replies()
    let writer = replies.writer(place.path)
    #expect(eventually { replies.all.contains(.noticed(.damaged)) })
    // The library is used until it is closed. The next opening repairs it.
    writer.send(.commit([try mark(1, false)]))
    writer.close()
    let next = Replies()
    let other = next.writer(place.path)
    other.close()
    guard case .opened(_, let notices) = next.all.first, case .setAside? = notices.first else {
      Issue.record("\(next.all.count)")
      return
    }
  }

  @Test func withoutAUsablePathTheLibraryIsUnavailable() throws {
    let replies = Replies()
    let writer = replies.writer(nil)
    writer.send(.undo)
    writer.drain()
    #expect(replies.all == [.unavailable(.noHomeDirectory), .refused(.undo, .noHomeDirectory)])
    let other = Replies()
    try place.write(Data("x".utf8), ".blocks")
    let blocked = other.writer(place.path + ".blocks/a/library.sqlite")
    blocked.drain()
    #expect(
      other.all
        == [.unavailable(.unreadable(path: place.path + ".blocks/a/library.sqlite", code: ENOTDIR))]
    )
  }

  @Test func aReleasedOwnerClosesItsLibrary() throws {
    let replies = Replies()
    do {
      let writer = replies.writer(place.path)
      writer.send(.commit([try mark(1)]))
      writer.drain()
    }
    #expect(isUnlocked())
  }
}
