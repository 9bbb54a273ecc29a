import CloudRecords
import Foundation
import GRDB
import NIOConcurrencyHelpers
import Synchronization
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Writes that share a commit.
@Suite(.onlySQLite) struct SQLiteWriteQueueTests {
  private struct Refused: Error {}

  private let directory: TemporaryDirectory
  private let database: DatabasePool
  private let commits = CommitCounter()
  /// A clock that stands still, so that all writes that wait share a transaction.
  private let now: @Sendable () -> ContinuousClock.Instant

  init() throws {
    let start = ContinuousClock.now
    now = { start }
    directory = try TemporaryDirectory()
    database = try DatabasePool(path: directory.path + "/things.sqlite")
    try database.write { database in
      try database.execute(
        sql: """
          CREATE TABLE thing (
            id INTEGER PRIMARY KEY, text TEXT, other INTEGER REFERENCES thing (id)
            DEFERRABLE INITIALLY DEFERRED)
          """)
    }
    database.add(transactionObserver: commits, extent: .databaseLifetime)
  }

  private static func insert(
    _ id: Int, _ text: String = "", other: Int? = nil
  ) -> @Sendable (Database) throws -> Int {
    {
      try $0.execute(sql: "INSERT INTO thing VALUES (?, ?, ?)", arguments: [id, text, other])
      return id
    }
  }

  private var ids: [Int] {
    get async throws {
      try await database.read { try Int.fetchAll($0, sql: "SELECT id FROM thing ORDER BY id") }
    }
  }

  /// Carries out writes that have waited together, and returns their results; nil for a failed one.
  private func results(
    of bodies: [@Sendable (Database) throws -> Int], in queue: SQLiteWriteQueue
  ) async -> [Int?] {
    let waiting = WaitingWrites<Int>(queue, of: database)
    for body in bodies { await waiting.add { try await queue.write(body) } }
    return await waiting.results().map { try? $0.get() }
  }

  @Test func accountsTakeTurns() {
    var queue = RoundRobinQueue<String>()
    for element in ["a1", "a2", "a3", "b1", "c1", "b2"] {
      queue.append(element, for: Int64(element.utf8.first ?? 0))
    }
    queue.append("service", for: nil)
    var order: [String] = []
    #expect(queue.popFirst { $0 == Int64(UInt8(ascii: "b")) } == "b1")
    while let element = queue.popFirst() { order.append(element) }
    #expect(order == ["a1", "c1", "service", "b2", "a2", "a3"])
    #expect(queue.isEmpty && queue.popFirst() == nil)
  }

  @Test func waitingWritesShareACommit() async throws {
    let queue = SQLiteWriteQueue(database, now: now)
    let found = await results(of: (1...5).map { Self.insert($0) }, in: queue)
    #expect(found == [1, 2, 3, 4, 5])
    #expect(try await ids == [1, 2, 3, 4, 5])
    #expect(commits.count == 1)
  }

  @Test(arguments: 1...3) func aFailingWriteUndoesOnlyItsOwnChanges(failing: Int) async throws {
    let found = await results(
      of: (1...3).map { id in
        {
          let id = try Self.insert(id)($0)
          if id == failing { throw Refused() }
          return id
        }
      }, in: SQLiteWriteQueue(database, now: now))
    #expect(found == (1...3).map { $0 == failing ? nil : $0 })
    #expect(try await ids == (1...3).filter { $0 != failing })
  }

  /// SQLite undoes the whole transaction when the disk is full. Only writes that do not fit fail.
  @Test func aFullDiskFailsOnlyWritesThatDoNotFit() async throws {
    try await database.writeWithoutTransaction { database in
      let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages)")
    }
    let large = String(repeating: "x", count: 500_000)
    let failures = NIOLockedValueBox<[StorageFailure]>([])
    let sqlite = SQLiteDatabase(database: database, now: now)
    let transactions = SQLTransactions(database: sqlite) { failure in
      failures.withLockedValue { $0.append(failure) }
    }
    let waiting = WaitingWrites<Int>(sqlite.writes, of: database)
    for (id, text) in [(1, ""), (2, large), (3, ""), (4, large), (5, "")] {
      await waiting.add {
        try await transactions.write { transaction in
          try transaction.connection.run("INSERT INTO thing VALUES (?, ?, NULL)", [id, text])
          return id
        }
      }
    }
    let found = await waiting.results()
    #expect(found.map { try? $0.get() } == [1, nil, 3, nil, 5])
    for failed in [found[1], found[3]] {
      #expect(throws: StorageFailure.full) { try failed.get() }
    }
    #expect(try await ids == [1, 3, 5])
    #expect(failures.withLockedValue { $0 } == [.full, .full])
  }

  /// The database checks the reference when it commits.
  @Test func aFailingCommitFailsOnlyItsCause() async throws {
    let found = await results(
      of: [Self.insert(1), Self.insert(2, other: 9), Self.insert(3, other: 1)],
      in: SQLiteWriteQueue(database, now: now))
    #expect(found == [1, nil, 3])
    #expect(try await ids == [1, 3])
    #expect(commits.count == 2)
  }

  /// A transaction ends after some time, so the writes before a long one do not wait for the next
  /// one as well. Others that use the connection then have their turn.
  @Test func aTransactionAdmitsWritesForALimitedTime() async throws {
    let start = ContinuousClock.now
    let milliseconds = Atomic(0)
    let queue = SQLiteWriteQueue(database) {
      start + .milliseconds(milliseconds.load(ordering: .relaxed))
    }
    let order = NIOLockedValueBox<[Int]>([])
    let found = await results(
      of: (1...5).map { id in
        { [database] connection in
          if id == 1 {
            database.asyncWriteWithoutTransaction { _ in order.withLockedValue { $0.append(0) } }
          }
          order.withLockedValue { $0.append(id) }
          milliseconds.add(1, ordering: .relaxed)
          return try Self.insert(id)(connection)
        }
      }, in: queue)
    #expect(found == [1, 2, 3, 4, 5])
    // After two writes, two milliseconds have passed.
    #expect(order.withLockedValue { $0 } == [1, 2, 0, 3, 4, 5])
    #expect(commits.count == 3)
  }

  /// After a long write of an account, other accounts write before its next write, and do not share
  /// a commit with that write.
  @Test(arguments: [false, true])
  func anAccountWithLongWritesLetsOthersWriteFirst(fails: Bool) async throws {
    let start = ContinuousClock.now
    let milliseconds = Atomic(0)
    let queue = SQLiteWriteQueue(database) {
      start + .milliseconds(milliseconds.load(ordering: .relaxed))
    }
    // The names of the writes of each commit.
    let order = NIOLockedValueBox<[[String]]>([])
    let note: @Sendable (String) -> Void = { [commits] name in
      order.withLockedValue { order in
        while order.count <= commits.count { order.append([]) }
        order[commits.count].append(name)
      }
    }
    let others = NIOLockedValueBox<[Task<Int, any Error>]>([])
    let waiting = WaitingWrites<Int>(queue, of: database)
    await waiting.add {
      try await queue.write(for: 1) { database in
        note("long 1")
        milliseconds.add(1000, ordering: .relaxed)
        for (name, account) in [("a", 2), ("b", 3)] {
          let task = Task {
            try await queue.write(for: Int64(account)) { database in
              note(name)
              return try Self.insert(account)(database)
            }
          }
          others.withLockedValue { $0.append(task) }
          while queue.waitingCount < account { sched_yield() }
        }
        if fails { throw StorageFailure.busy }
        return try Self.insert(1)(database)
      }
    }
    await waiting.add {
      try await queue.write(for: 1) { database in
        note("long 2")
        return try Self.insert(4)(database)
      }
    }
    let results = await waiting.results()
    #expect(results.map { (try? $0.get()) == nil } == [fails, false])
    for task in others.withLockedValue({ $0 }) { _ = try await task.value }
    // A write that fails has no commit.
    let expected =
      fails ? [["long 1", "a", "b"], ["long 2"]] : [["long 1"], ["a", "b"], ["long 2"]]
    #expect(order.withLockedValue { $0 } == expected)
  }

  @Test func aCancelledWriteThatWaitsIsNotCarriedOut() async throws {
    let queue = SQLiteWriteQueue(database, now: now)
    let waiting = WaitingWrites<Int>(queue, of: database)
    for id in 1...3 { await waiting.add { try await queue.write(Self.insert(id)) } }
    waiting.cancel(1)
    let found = await waiting.results()
    #expect(found.map { try? $0.get() } == [1, nil, 3])
    #expect(throws: CancellationError.self) { try found[1].get() }
    #expect(try await ids == [1, 3])
  }

  /// The second change sees the first one, as it would after a commit.
  @Test func changesOfAZoneThatShareACommitFollowEachOther() async throws {
    let fixture = try await ServiceFixture(.onDisk) { $0.randomNumber = { 7 } }
    try await fixture.makeZone()
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    let sqlite = SQLiteDatabase(database: storage.database, now: now)
    let service = RecordService(
      storage: try TracedStorage(storage, over: sqlite),
      signer: fixture.service.signer, now: fixture.service.now, options: fixture.service.options)
    storage.database.add(transactionObserver: commits, extent: .databaseLifetime)
    let waiting = WaitingWrites<[ErrorCode?]>(sqlite.writes, of: storage.database)
    for name in ["a", "b", "c"] {
      await waiting.add {
        let results = try await service.modify(
          .init(
            operations: [Operation(.create, note(name)), Operation(.create, note("first"))],
            zoneID: ServiceFixture.zone, atomic: false),
          at: ServiceFixture.private, by: ServiceFixture.an
        ).records
        return results.map { $0.error?.code }
      }
    }
    let codes = try await waiting.results().map { try $0.get() }
    #expect(commits.count == 1)
    #expect(codes == [[nil, nil], [nil, .exists], [nil, .exists]])
    let (rows, marks) = try await storage.read { transaction in
      let owner = try #require(
        try transaction.owner(of: ServiceFixture.private, account: ServiceFixture.an.account))
      let zone = try #require(try transaction.zone(ServiceFixture.zone.zoneName, of: owner.id))
      let rows = try transaction.changes(
        in: Scope(zone, isPublic: false), after: -1, limit: 10, bytes: .max)
      return (rows, try rows.map { try transaction.mark(of: $0.number, in: zone.history) })
    }
    #expect(rows.map(\.name) == ["a", "first", "b", "c"])
    #expect(rows.map(\.number) == rows.map(\.number).sorted())
    // Each mark follows from the one before it.
    #expect(rows.map(\.mark) == marks)
    let source = MarkSource(random: 7, time: fixture.clock.now)
    for (former, row) in zip(rows.dropFirst(), rows.dropFirst(2)) {
      #expect(row.mark == source.mark(after: former.mark) { $0.add(row) })
    }
    #expect(try await storage.faults() == [])
  }
}

/// Writes that wait in a queue until all of them were added.
private final class WaitingWrites<Value: Sendable> {
  private let queue: SQLiteWriteQueue
  private let gate = DispatchSemaphore(value: 0)
  private var tasks: [Task<Value, any Error>] = []

  /// Keeps the connection that writes busy.
  init(_ queue: SQLiteWriteQueue, of database: any DatabaseWriter) {
    self.queue = queue
    database.asyncWriteWithoutTransaction { [gate] _ in gate.wait() }
  }

  /// Adds a write behind the others.
  func add(_ write: @escaping @Sendable () async throws -> Value) async {
    tasks.append(Task { try await write() })
    while queue.waitingCount < tasks.count { await Task.yield() }
  }

  func cancel(_ index: Int) { tasks[index].cancel() }

  /// Lets the connection write, and returns the results in the order of the writes.
  func results() async -> [Result<Value, any Error>] {
    gate.signal()
    var results: [Result<Value, any Error>] = []
    for task in tasks { results.append(await task.result) }
    return results
  }
}

/// Counts the commits of a database.
private final class CommitCounter: TransactionObserver, Sendable {
  private let commits = Atomic(0)
  var count: Int { commits.load(ordering: .relaxed) }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) { commits.add(1, ordering: .relaxed) }
  func databaseDidRollback(_ db: Database) {}
}
