import Foundation
import GRDB
import Quran
import Testing

@testable import Library

struct SyncTransactionTests {
  private let library: Library
  private let note = Note(
    id: .numbered(1), ayah: ayah("2:255"), text: try! .of("một"), createdAt: 1, modifiedAt: 2)

  init() throws {
    library = try .inMemory()
  }

  private func account(_ user: String = "_an") -> SyncAccount {
    SyncAccount(
      origin: "https://records.example.org", container: "iCloud.org.example",
      environment: "production", userRecordName: user)
  }

  private func state(_ name: String, of thing: Thing, listing: Int = 0) -> RecordState {
    RecordState(name: name, thing: thing, tag: "1", base: Data("{}".utf8), listing: listing)
  }

  @Test func changesOfOtherDevicesAreNotSentBack() throws {
    let (_, commit) = try library.sync { transaction in
      try transaction.apply(.note(note), as: .note(note.id))
      try transaction.apply(.note(note), as: .note(note.id))
    }
    #expect(commit.edits == [Edit(.note(note.id), from: nil, to: .note(note))])
    #expect(try library.note(note.id) == note)
    #expect(try library.outbox() == [])
    #expect(try library.sync { try $0.notes(of: ayah("2:255")) }.value == [note])
    #expect(try library.sync { try $0.notes(of: ayah("2:254")) }.value == [])
    try library.sync { try $0.apply(nil, as: .note(note.id)) }
    #expect(try library.note(note.id) == nil)
    #expect(try library.outbox() == [])
  }

  @Test func mergedEntriesAreSent() throws {
    let (_, commit) = try library.sync { try $0.save(.note(note), at: 5) }
    #expect(commit.edits.count == 1)
    #expect(try library.outbox() == ["note \(note.id) save 1"])
  }

  @Test func aFailureChangesNothing() throws {
    struct Failure: Error {}
    #expect(throws: LibraryFailure.self) {
      try library.sync { transaction in
        try transaction.apply(.note(note), as: .note(note.id))
        try transaction.setAccount(account())
        throw Failure()
      }
    }
    #expect(try library.note(note.id) == nil)
    #expect(try library.syncAccount() == nil)
  }

  @Test func deletedNotesAreKeptInTheTrash() throws {
    try library.sync { transaction in
      try transaction.addToTrash(note, at: 9)
      try transaction.addToTrash(note, at: 10)
    }
    #expect(
      try library.rows("SELECT id, surah, ayah, createdAt, modifiedAt, deletedAt, text FROM trash")
        == ["\(note.id) 2 255 1 2 10 một"])
  }

  /// A clock that was wrong by a year must not expire the stored deletions or empty the trash.
  @Test func deletionsAreKeptForNinetyDaysOfUse() throws {
    let day: Int64 = 86_400_000
    let deleted = DeletedRecord(name: "x", thing: .note(note.id), tags: ["1"], deletedAt: day)
    try library.sync { transaction in
      try transaction.store(deleted)
      try transaction.addToTrash(note, at: day)
    }
    func endOfRound(on number: Int64) throws -> Bool {
      try library.sync { transaction in
        try transaction.deleteExpired(at: number * day)
        return try transaction.deletedRecord(named: "x") != nil
      }.value
    }
    for number in [401, 2, 402, 3] { #expect(try endOfRound(on: Int64(number))) }
    #expect(try library.trash().count == 1)
    for number in 4...90 { #expect(try endOfRound(on: Int64(number))) }
    #expect(try !endOfRound(on: 91))
    #expect(try library.trash() == [])
  }

  // MARK: The outbox

  @Test func aResponseDequeuesOnlyTheSentGeneration() throws {
    let thing = Thing.note(note.id)
    try library.commit([.addNote(note.id, note.ayah, note.text)], at: 5)
    let sent = try #require(try library.sync { try $0.pending(thing) }.value)
    #expect(!sent.isDeletion && sent.generation == 1 && sent.changedAt == 5 && sent.attempts == 0)
    // The note is edited while the change is being sent.
    try library.commit([.editNote(note.id, note.ayah, .of("hai"), basedOn: note.text)], at: 6)
    #expect(try library.sync { try $0.dequeue(thing, generation: sent.generation) }.value == false)
    #expect(try library.outbox() == ["note \(note.id) save 2"])
    #expect(try library.sync { try $0.dequeue(thing, generation: 2) }.value)
    #expect(try library.outbox() == [])
    #expect(try library.sync { try $0.dequeue(thing) }.value == false)
  }

  @Test func theNextChangeClearsTheStateOfAttempts() throws {
    let thing = Thing.note(note.id)
    try library.commit([.addNote(note.id, note.ayah, note.text)], at: 5)
    var change = try #require(try library.sync { try $0.pending(thing) }.value)
    change.attempts = 3
    change.wait = Wait(since: 50, until: 100)
    change.sent = Data([1, 2])
    change.parked = .recordTooLarge(bytes: 2_000_000)
    change.lastError = .service(code: "BAD_REQUEST", reason: "no")
    try library.sync { try $0.update(change) }
    #expect(try library.sync { try $0.pending(thing) }.value == change)
    #expect(try library.outboxSummary().count == 0)
    #expect(try library.pendingChanges(isParked: true) == [change])
    #expect(try library.pendingChanges(isParked: false) == [])
    try library.commit([.editNote(note.id, note.ayah, .of("hai"), basedOn: note.text)], at: 6)
    let next = try #require(try library.sync { try $0.pending(thing) }.value)
    #expect(next.parked == nil && next.wait == nil && next.attempts == 0)
    #expect(next.lastError == nil)
    // The service may have received the record that was sent.
    #expect(next.sent == Data([1, 2]))
    #expect(try library.outboxSummary().count == 1)
    // The update of an outdated change is ignored.
    try library.sync { try $0.update(change) }
    #expect(try library.sync { try $0.pending(thing) }.value == next)
    try library.sync { try $0.clearSent(thing) }
    #expect(try library.sync { try $0.pending(thing) }.value?.sent == nil)
  }

  @Test func changesThatWaitAreNotDue() throws {
    try library.commit(
      (1...5).map { .setFavorite(ayah("1:\($0)"), true) } + [.set("theme", "1")], at: 5)
    try library.sync { transaction in
      for (key, end) in [("1:1", 100), ("1:2", 101)] {
        var change = try #require(try transaction.pending(.favorite(ayah(key))))
        change.wait = Wait(since: 90, until: Int64(end))
        try transaction.update(change)
      }
    }
    func due(_ now: Int64, _ limit: Int = 9) throws -> [String] {
      try library.sync { try $0.due(at: now, limit: limit) }.value.map(\.thing.key)
    }
    #expect(try due(99) == ["1:3", "1:4", "1:5", "theme"])
    #expect(try due(100) == ["1:1", "1:3", "1:4", "1:5", "theme"])
    #expect(try due(101, 2) == ["1:1", "1:2"])
  }

  @Test func everythingIsSentToANewAccount() throws {
    try library.commit(
      [
        .setFavorite(ayah("2:255"), true), .addNote(note.id, note.ayah, note.text),
        .setProgress(surah(2), to: 7), .set("theme", "1"), .setFavorite(ayah("1:1"), true),
      ], at: 5)
    try library.commit([.setFavorite(ayah("1:1"), false)], at: 6)
    let before = try library.outbox()
    try library.sync { try $0.enqueueEverything() }
    #expect(try library.outbox() == before)
    try library.sync { transaction in
      for change in try transaction.due(at: 9, limit: 9) { try transaction.dequeue(change.thing) }
      try transaction.enqueueEverything()
    }
    #expect(
      try library.outbox() == [
        "favorite 2:255 save 1", "note \(note.id) save 1", "progress 2 save 1",
        "setting theme save 1",
      ])
  }

  // MARK: The server

  @Test(arguments: [
    ("name", UnreadableRecord.Problem.name), ("missing noteText", .missing(field: "noteText")),
    ("type of surahNumber", .wrongType(field: "surahNumber")),
    ("value of favoritedAt", .outOfRange(field: "favoritedAt")), ("other", .unknown),
    ("", .unknown),
    ("{\"code\":\"new\"}", .unknown), ("{\"code\":\"missing\"}", .unknown),
  ])
  func problemsOfOtherVersionsAreRead(_ stored: String, _ problem: UnreadableRecord.Problem) throws
  {
    try library.sync { transaction in
      try transaction.setUnreadable(
        UnreadableRecord(name: "x", type: "AyahNote", problem: .name), named: "x")
      try transaction.database.execute(
        sql: "UPDATE unreadRecord SET problem = ?", arguments: [stored])
    }
    #expect(try library.unreadableRecords().map(\.problem) == [problem])
  }

  @Test(arguments: [
    (UnreadableRecord.Problem.name, #"{"code":"name"}"#),
    (.missing(field: "noteText"), #"{"code":"missing","field":"noteText"}"#),
    (.wrongType(field: "a"), #"{"code":"wrongType","field":"a"}"#),
    (.outOfRange(field: "a"), #"{"code":"outOfRange","field":"a"}"#),
    (.unknown, #"{"code":"unknown"}"#),
  ])
  func problemsAreStoredAsCodes(_ problem: UnreadableRecord.Problem, _ stored: String) throws {
    try library.sync { transaction in
      try transaction.setUnreadable(
        UnreadableRecord(name: "x", type: "AyahNote", problem: problem), named: "x")
      #expect(
        try String.fetchOne(transaction.database, sql: "SELECT problem FROM unreadRecord")
          == stored)
    }
    #expect(try library.unreadableRecords().map(\.problem) == [problem])
  }

  /// A damaged file can have NULL where the schema forbids it.
  @Test func unreadableRecordsOfADamagedLibraryAreReturned() throws {
    try library.database.write {
      try $0.execute(
        sql: """
          DROP TABLE unreadRecord;
          CREATE TABLE unreadRecord (name, type, problem);
          INSERT INTO unreadRecord VALUES (NULL, NULL, NULL)
          """)
    }
    #expect(
      try library.unreadableRecords() == [UnreadableRecord(name: "", type: "", problem: .unknown)])
  }

  @Test func changingTheAccountDeletesTheSyncState() throws {
    let thing = Thing.favorite(ayah("1:1"))
    var mine = account()
    mine.name = "an"
    mine.hasFeed = true
    mine.syncToken = "abc"
    mine.listing = 3
    mine.listedAt = 5
    mine.syncedAt = 6
    mine.isConfirmed = true
    try library.commit([.setFavorite(ayah("1:1"), true)], at: 1)
    try library.sync { transaction in
      try transaction.setAccount(mine)
      try transaction.store(state("favorite-_an-1:1", of: thing))
      try transaction.setUnreadable(
        UnreadableRecord(name: "x", type: "AyahNote", problem: .name), named: "x")
      var change = try #require(try transaction.pending(thing))
      change.sent = Data([1])
      change.parked = .recordUnreadable
      try transaction.update(change)
    }
    #expect(try library.syncAccount() == mine)
    // The same account with a newer token.
    mine.syncToken = "abd"
    try library.sync { try $0.setAccount(mine) }
    #expect(try library.syncAccount() == mine)
    #expect(try library.sync { try $0.states(of: thing) }.value.count == 1)
    #expect(try library.unreadableRecords().map(\.name) == ["x"])
    try library.sync { try $0.setAccount(account("_binh")) }
    #expect(try library.syncAccount() == account("_binh"))
    #expect(try library.sync { try $0.states(of: thing) }.value == [])
    #expect(try library.unreadableRecords() == [])
    let pending = try #require(try library.sync { try $0.pending(thing) }.value)
    #expect(pending.sent == nil)
    // The change was parked because of a record of the other account.
    #expect(pending.parked == nil)
    try library.sync { try $0.setAccount(nil) }
    #expect(try library.syncAccount() == nil)
  }

  @Test func aThingMayHaveSeveralRecords() throws {
    let thing = Thing.favorite(ayah("1:1"))
    var first = state("favorite-_an-1:1", of: thing)
    let second = state("favorite-_defaultOwner-1:1", of: thing, listing: 2)
    try library.sync { transaction in
      try transaction.store(first)
      try transaction.store(second)
      first.tag = nil
      first.base = Data("{\"a\":1}".utf8)
      try transaction.store(first)
      #expect(try transaction.states(of: thing) == [first, second])
      #expect(try transaction.state(named: second.name) == second)
      #expect(try transaction.syncedEntryCount(kind: .favorite) == 0)
      try transaction.apply(.favorite(Favorite(ayah("1:1"), favoritedAt: 1)), as: thing)
      #expect(try transaction.syncedEntryCount(kind: .favorite) == 1)
      #expect(try transaction.states(missingFrom: 2, kind: .favorite) == [first])
      #expect(try transaction.states(missingFrom: 2, kind: .note) == [])
      try transaction.markListed(first.name, in: 2)
      #expect(try transaction.states(missingFrom: 2, kind: .favorite) == [])
      try transaction.removeState(named: first.name)
      #expect(try transaction.states(of: thing) == [second])
      try transaction.deleteRecordStates()
      #expect(try transaction.states(of: thing) == [])
    }
  }

  @Test(arguments: [
    SyncProblem.service(code: "THROTTLED", reason: "slow down"),
    .service(code: "NOT_FOUND", reason: nil), .recordNotCreated(reason: "no"),
    .unreachable(network: "noNetwork"), .answerLost(network: "tooSlow"),
    .unexpectedAnswer(status: 200, problem: "unreadable", contentType: "text/html"),
    .unexpectedAnswer(status: 0, problem: "notHTTP", contentType: nil),
    .untrustedURL(problem: "scheme"), .credentials(problem: "notStored"), .endlessPages(count: 100),
    .unfinishedPages(count: 5000), .storageLimitReached(records: 1_000_000, bytes: 8_000_000_000),
    .recordTooLarge(bytes: 1_200_000), .recordUnreadable,
    .massDeletion(counts: [.note: 30], isProfileGone: true), .unknown,
  ])
  func aProblemIsStoredAsACodeWithFacts(_ problem: SyncProblem) throws {
    var account = account("_an")
    account.failure = problem
    account.failingSince = 5
    account.wait = Wait(since: 6, until: 7)
    try library.sync { try $0.setAccount(account) }
    #expect(try library.syncAccount() == account)
  }

  @Test func problemsAreEncodedAsJSON() {
    #expect(
      SyncProblem.service(code: "THROTTLED", reason: "slow down").json
        == #"{"code":"THROTTLED","reason":"slow down"}"#)
    #expect(
      SyncProblem.recordTooLarge(bytes: 5).json == #"{"bytes":5,"code":"recordTooLarge"}"#)
    #expect(
      SyncProblem.massDeletion(counts: [.note: 30, .favorite: 1], isProfileGone: true).json
        == #"{"code":"massDeletion","counts":{"favorite":1,"note":30},"isProfileGone":true}"#)
    for text in ["", "BAD_REQUEST: no", "{}", #"{"code":"recordTooLarge"}"#, #"{"code":1}"#] {
      #expect(SyncProblem(json: text) == .unknown, "\(text)")
    }
  }

  /// One of the waits is longer than `Int64.max`.
  @Test(
    arguments: [
      (0, 10, 5, 5), (0, 10, 10, 0), (0, 10, 11, 0), (0, 10, -1, 0), (0, Int64.max, 1, .max - 1),
      (.min, .max, 7, .max - 7),
    ] as [(Int64, Int64, Int64, Int64)])
  func theRemainingTimeOfAWait(_ since: Int64, _ until: Int64, _ now: Int64, _ left: Int64) {
    #expect(Wait(since: since, until: until).left(at: now) == left)
  }

  @Test func noTimeIsLaterThanTheYear9998() throws {
    try library.commit([.addNote(note.id, note.ayah, note.text)], at: .max)
    try library.commit([.setFavorite(ayah("1:1"), true), .set("theme", "1")], at: .latestTime + 1)
    try library.commit([.set("theme", "2")], at: .latestTime)
    #expect(try library.note(note.id)?.modifiedAt == .latestTime)
    #expect(try library.snapshot().favorites.map(\.favoritedAt) == [.latestTime])
    #expect(
      try library.sync { try $0.entry(.setting("theme")) }.value
        == .setting(Setting(key: "theme", value: "2", lastModifiedAt: .latestTime)))
    for change in try library.pendingChanges(isParked: false) {
      #expect(change.changedAt <= .latestTime)
    }
  }

  // MARK: Older libraries

  /// In version 2, reasons were English sentences, and waits had no beginning.
  @Test func parkedChangesOfVersion2AreTriedAgain() throws {
    let place = try TemporaryLibrary()
    let queue = try DatabaseQueue(path: place.path)
    try LibrarySchema.migrator.migrate(queue, upTo: "2")
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO favorite VALUES (2, 255, 5);
          INSERT INTO outbox (kind, key, op, generation, changedAt, attempts, parked, lastError)
          VALUES ('favorite', '2:255', 'save', 3, 5, 8, 'BAD_REQUEST: no', 'BAD_REQUEST: no');
          INSERT INTO outbox (kind, key, op, generation, changedAt, attempts, notBefore, lastError)
          VALUES ('favorite', '2:256', 'delete', 1, 5, 2, 9000000000000, 'THROTTLED');
          """)
    }
    try queue.close()
    try place.using { (library: Library) throws in
      let changes = try library.pendingChanges(isParked: false)
      #expect(changes.map(\.thing.key) == ["2:255", "2:256"])
      #expect(changes.allSatisfy { $0.attempts == 0 && $0.wait == nil && $0.lastError == nil })
    }
  }

  @Test func libraryOfTheFirstVersionIsBroughtUpToDate() throws {
    let place = try TemporaryLibrary()
    let queue = try DatabaseQueue(path: place.path)
    try LibrarySchema.migrator.migrate(queue, upTo: "1")
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO favorite VALUES (2, 255, 5);
          INSERT INTO note VALUES ('\(note.id)', 2, 255, 1, 2, 'một');
          INSERT INTO outbox (kind, key, op, generation, changedAt)
          VALUES ('favorite', '2:255', 'save', 3, 5);
          """)
    }
    try queue.close()
    try place.using { (library: Library) throws in
      #expect(try library.number("PRAGMA user_version") == LibrarySchema.version)
      #expect(try library.note(note.id) == note)
      #expect(try library.outbox() == ["favorite 2:255 save 3"])
      #expect(try library.syncAccount() == nil)
      #expect(try library.pendingChanges(isParked: false).first?.generation == 3)
      #expect(try library.isSound)
    }
    // A backup of the library was made before the migration.
    #expect(try place.contents.contains { $0.contains("backup") })
  }
}
