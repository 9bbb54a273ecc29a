import CloudRecords
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Connections to PostgreSQL, transactions that fail or whose connections are lost, and several
/// processes that use one database.
@Suite(.onlyPostgreSQL) struct PostgreSQLTests {
  private func database() throws -> TestDatabase {
    try PostgreSQLServer.shared.get().makeDatabase()
  }

  /// A service of a storage, like that of another process.
  private func service(_ storage: any RecordStorage) -> RecordService {
    RecordService(on: storage, at: 1_700_000_000_000)
  }

  // MARK: Migrations

  @Test func processesThatStartTogetherMigrateOnce() async throws {
    let database = try database()
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<6 {
        group.addTask { try await PostgreSQLTestStorage(database).storage.serviceID }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    #expect(ids.first?.count == 32)
  }

  @Test func newerDatabasesAreRefused() async throws {
    let database = try database()
    let storage = try await PostgreSQLTestStorage(database)
    try await storage.storage.database.write { connection in
      try connection.run("INSERT INTO migration VALUES ('records-99')", [])
    }
    await #expect(throws: StorageFailure.failed(.newerTables)) {
      try await PostgreSQLTestStorage(database)
    }
  }

  /// The message of libpq about an address that it cannot parse contains parts of it, such as the
  /// password.
  @Test(arguments: ["@[::1/db", "@[]/db", "%00@/db", "@/db?password=a&secret"])
  func errorsDoNotContainTheAddress(_ rest: String) async throws {
    await #expect(throws: StorageFailure.failed(.unreadableAddress)) {
      _ = try await PostgreSQLRecordStorage("postgresql://an:secret\(rest)")
    }
  }

  // MARK: Connections

  @Test func aLostConnectionIsOpenedAgain() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("a")
    try await fixture.database.endOtherConnections()
    for index in 0..<2 * PostgreSQLPool.size { try await fixture.save("b\(index)") }
    #expect(try await fixture.lookup(["a", "b0"]).summary == ["a", "b0"])
  }

  @Test func requestsFailWithTryAgainLaterIfTheDatabaseIsGone() async throws {
    let failures = NIOLockedValueBox<[StorageFailure]>([])
    let database = try database()
    let storage = try await PostgreSQLRecordStorage(
      database.address, onFailure: { failure in failures.withLockedValue { $0.append(failure) } })
    let service = service(storage)
    try await service.addContainer(
      ServiceFixture.container, schema: Schema(parsing: ServiceFixture.schema))
    try database.drop()
    let error = await serviceError {
      try await service.lookup(
        .init(records: [.init("a")]), at: ServiceFixture.private, by: ServiceFixture.an)
    }
    #expect(error?.code == .tryAgainLater)
    guard case .disconnected(let message)? = failures.withLockedValue({ $0.last }) else {
      Issue.record("\(failures.withLockedValue { $0 })")
      return
    }
    #expect(message.contains("does not exist"))
    await #expect(throws: StorageFailure.self) {
      try await PostgreSQLRecordStorage("postgresql:///nothing?host=/no/such/directory")
    }
  }

  /// Requests must not wait one after the other until each has found out that the server does not
  /// answer.
  @Test(.timeLimit(.minutes(2))) func waitingRequestsFailTogetherIfTheServerDoesNotAnswer()
    async throws
  {
    // The kernel accepts connections to this socket, and no process reads from them.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 256) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    try #require(isListening)
    let port = UInt16(bigEndian: address.sin_port)
    let database = PostgreSQLDatabase(
      pool: PostgreSQLPool("postgresql://127.0.0.1:\(port)/none?connect_timeout=2&sslmode=disable"),
      isolation: .locking)
    let failures = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 {
        group.addTask {
          let failure = await thrownError { try await database.read(within: nil) { _ in } }
          guard case .disconnected? = failure as? StorageFailure else { return false }
          return true
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(failures == 100)
    var connections = 0
    while case let connection = accept(listener, nil, nil), connection >= 0 {
      close(connection)
      connections += 1
    }
    // Each request tries twice.
    #expect(PostgreSQLPool.size...40 ~= connections, "\(connections) of 200")
  }

  /// A stopped server keeps its connections open.
  @Test(.timeLimit(.minutes(2))) func aServerThatDoesNotAnswerIsGivenUp() async throws {
    let server = try PostgreSQLServer()
    let testDatabase = try server.makeDatabase()
    let database = PostgreSQLDatabase(
      pool: PostgreSQLPool(
        testDatabase.address + "&connect_timeout=2", silenceLimit: .milliseconds(200)),
      isolation: .locking
    )
    func answer() async throws -> Int? {
      try await database.read(within: nil) { connection in
        try connection.row("SELECT 1 FROM pg_sleep(1)") { try $0[0] as Int }
      }
    }
    // The budget of a read counts the rows of these tables.
    for table in ["record", "entry"] {
      try await database.write { try $0.run("CREATE TABLE \(table) (id BIGINT)", []) }
    }
    // A server that answers late is not given up.
    #expect(try await answer() == 1)

    let runs = NIOLockedValueBox(0)
    /// Stops the server in the first run of a transaction.
    let stop: @Sendable () throws -> Void = {
      let run = runs.withLockedValue { runs in
        runs += 1
        return runs
      }
      if run == 1 { try server.signal(SIGSTOP) }
    }
    func stopped(_ work: () async throws -> Void) async throws -> StorageFailure? {
      defer { try? server.signal(SIGCONT) }
      runs.withLockedValue { $0 = 0 }
      return await thrownError { try await work() } as? StorageFailure
    }
    // A read is repeated with another connection, which cannot be opened.
    let read = try await stopped {
      _ = try await database.read(within: RowBudget(limit: 1000)) { connection in
        try stop()
        return try connection.row("SELECT 1") { try $0[0] as Int }
      }
    }
    guard case .disconnected? = read else {
      Issue.record("\(String(describing: read))")
      return
    }
    // It is not known whether the COMMIT was carried out.
    let write = try await stopped {
      try await database.write { connection in
        _ = try connection.row("SELECT 1") { try $0[0] as Int }
        try stop()
      }
    }
    #expect(write == .commitUnanswered)
    #expect(runs.withLockedValue { $0 } == 1)
    #expect(try await answer() == 1)
  }

  /// A statement that has failed cannot be ignored: the server would roll the transaction back.
  @Test func aFailedStatementFailsTheTransaction() async throws {
    let fixture = try await ServiceFixture()
    let database = try fixture.database
    await #expect(throws: StorageFailure.failed(.postgresql(state: "25P02", message: ""))) {
      try await database.write { connection in
        _ = try? connection.row("SELECT id FROM nothing") { _ in true }
      }
    }
    let message = #"relation "nothing" does not exist"#
    await #expect(throws: StorageFailure.failed(.postgresql(state: "42P01", message: message))) {
      try await database.write { try? $0.run("INSERT INTO nothing VALUES (1)", []) }
    }
  }

  /// A statement is prepared again if its preparation failed or was skipped after another failure.
  @Test func statementsAreUsableAfterAFailure() async throws {
    let testDatabase = try database()
    defer { withExtendedLifetime(testDatabase) {} }
    let database = PostgreSQLDatabase(
      pool: PostgreSQLPool(testDatabase.address), isolation: .locking)
    let insertions = ["early", "late"].map { "INSERT INTO \($0) VALUES (1)" }
    try await database.write { try $0.run("CREATE TABLE late (id BIGINT)", []) }
    await #expect(throws: StorageFailure.self) {
      try await database.write { connection in for sql in insertions { try connection.run(sql, []) }
      }
    }
    try await database.write { try $0.run("CREATE TABLE early (id BIGINT)", []) }
    try await database.write { connection in for sql in insertions { try connection.run(sql, []) } }
    let count = try await database.read(within: nil) { connection in
      try connection.row("SELECT (SELECT count(*) FROM early) + (SELECT count(*) FROM late)") {
        try $0[0] as Int
      }
    }
    #expect(count == 2)
  }

  // MARK: Lost connections and commits

  /// A database with a table `item`, whose connections can be ended.
  private struct EndableDatabase {
    let testDatabase: TestDatabase
    let database: PostgreSQLDatabase
    private let other: PostgreSQLDatabase
    /// How often transactions were run.
    let runs = NIOLockedValueBox(0)

    init(_ testDatabase: TestDatabase) async throws {
      self.testDatabase = testDatabase
      let address = testDatabase.address
      database = PostgreSQLDatabase(pool: PostgreSQLPool(address), isolation: .locking)
      other = PostgreSQLDatabase(pool: PostgreSQLPool(address), isolation: .locking)
      try await database.write { try $0.run("CREATE TABLE item (id BIGINT)", []) }
    }

    /// Counts a run of a transaction.
    ///
    /// - Returns: the number of runs so far.
    @discardableResult
    func countRun() -> Int {
      runs.withLockedValue { runs in
        runs += 1
        return runs
      }
    }

    var ids: [Int] {
      get async throws {
        try await database.read(within: nil) { connection in
          try connection.rows("SELECT id FROM item ORDER BY id") { try $0[0] as Int }
        }
      }
    }

    /// Ends a connection, and waits until it has ended.
    func end(_ connection: Int?) async throws {
      _ = try await other.write {
        try $0.row("SELECT pg_terminate_backend(?::int, 10000)", [connection]) { _ in true }
      }
    }

    /// Waits until a connection waits for an event.
    ///
    /// - Returns: the connection; nil if `isOver` has become true before.
    func connection(
      waitingFor event: String, until isOver: NIOLockedValueBox<Bool>
    ) async throws -> Int? {
      while !isOver.withLockedValue({ $0 }) {
        let found = try await other.read(within: nil) { connection in
          try connection.row(
            """
            SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = ?
            """, [event]
          ) { try $0[0] as Int }
        }
        if let found { return found }
      }
      return nil
    }
  }

  /// A transaction is repeated if its connection was lost before the transaction began, even if it
  /// only writes, or before the server received its COMMIT.
  @Test func aTransactionOfALostConnectionIsRepeated() async throws {
    let endable = try await EndableDatabase(try database())
    try await endable.end(
      try await endable.database.write { connection in
        try connection.row("SELECT pg_backend_pid()") { try $0[0] as Int }
      })
    try await endable.database.write { connection in
      endable.countRun()
      try connection.run("INSERT INTO item VALUES (1)", [])
    }
    #expect(endable.runs.withLockedValue { $0 } == 2)
    let isEnded = DispatchSemaphore(value: 0)
    let (connections, continuation) = AsyncStream.makeStream(of: Int.self)
    let lost = Task {
      defer { continuation.finish() }
      try await endable.database.write { connection in
        let run = endable.countRun()
        let id = try connection.row("SELECT pg_backend_pid()") { try $0[0] as Int }
        if run == 3, let id {
          continuation.yield(id)
          isEnded.wait()
        }
        try connection.run("INSERT INTO item VALUES (2)", [])
      }
    }
    for await connection in connections {
      defer { isEnded.signal() }
      try await endable.end(connection)
    }
    try await lost.value
    #expect(endable.runs.withLockedValue { $0 } == 4)
    #expect(try await endable.ids == [1, 2])
  }

  /// If a statement fails because the server has become read-only, the server skips the COMMIT that
  /// was sent after it.
  @Test func aTransactionWithASkippedCommitIsRepeated() async throws {
    let endable = try await EndableDatabase(try database())
    @Sendable func write(readOnly: @escaping @Sendable (_ run: Int) -> Bool) async throws {
      try await endable.database.write { connection in
        let isReadOnly = readOnly(endable.countRun())
        _ = try connection.row("SELECT 1") { try $0[0] as Int }
        if isReadOnly { try connection.run("SET TRANSACTION READ ONLY", []) }
        try connection.run("INSERT INTO item VALUES (1)", [])
      }
    }
    try await write { $0 == 1 }
    #expect(endable.runs.withLockedValue { $0 } == 2)
    let failure = await thrownError { try await write { _ in true } } as? StorageFailure
    #expect(
      failure
        == .disconnected(message: "cannot execute INSERT in a read-only transaction"))
    #expect(endable.runs.withLockedValue { $0 } == 4)
    #expect(try await endable.ids == [1])
  }

  /// A COMMIT without an answer may have been carried out. Here it is carried out, but its answer
  /// waits for a replica that does not exist until the connection is ended.
  @Test(.timeLimit(.minutes(2))) func aLostCommitIsNotRepeated() async throws {
    // The setting is one of the whole server, and other tests must not wait for that replica.
    let endable = try await EndableDatabase(try PostgreSQLServer().makeDatabase())
    let settings = try PostgreSQLConnection(endable.testDatabase.address)
    try settings.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    defer {
      _ = try? settings.execute("ALTER SYSTEM RESET synchronous_standby_names")
      _ = try? settings.execute("SELECT pg_reload_conf()")
    }
    try settings.execute("SELECT pg_reload_conf()")
    let isOver = NIOLockedValueBox(false)
    let writes = NIOLockedValueBox(0)
    let failure = Task { () -> StorageFailure? in
      defer { isOver.withLockedValue { $0 = true } }
      while true {
        // Until the server has read the setting, transactions do not wait.
        let number = writes.withLockedValue { writes in
          writes += 1
          return writes
        }
        let error = await thrownError {
          try await endable.database.write { connection in
            endable.countRun()
            try connection.run("SET LOCAL synchronous_commit = on", [])
            try connection.run("INSERT INTO item VALUES (?)", [number])
          }
        }
        if let error { return error as? StorageFailure }
      }
    }
    try await endable.end(try await endable.connection(waitingFor: "SyncRep", until: isOver))
    #expect(await failure.value == .commitUnanswered)
    let count = writes.withLockedValue { $0 }
    #expect(endable.runs.withLockedValue { $0 } == count)
    #expect(try await endable.ids == Array(1...count))
  }

  /// A read returns before the end of its transaction is confirmed. If the connection is lost then,
  /// the next transaction uses another one.
  @Test func aTransactionAfterALostReadSucceeds() async throws {
    let endable = try await EndableDatabase(try database())
    try await endable.end(
      try await endable.database.read(within: nil) { connection in
        try connection.row("SELECT pg_backend_pid()") { try $0[0] as Int }
      })
    try await endable.database.write { try $0.run("INSERT INTO item VALUES (1)", []) }
    #expect(try await endable.ids == [1])
  }

  @Test(.timeLimit(.minutes(2))) func aCancelledWriteLeavesTheConnectionsUsable() async throws {
    let endable = try await EndableDatabase(try database())
    let isOver = NIOLockedValueBox(false)
    let write = Task {
      defer { isOver.withLockedValue { $0 = true } }
      try await endable.database.write { connection in
        try connection.run("INSERT INTO item VALUES (0)", [])
        try connection.run("SELECT pg_sleep(3600)", [])
        try connection.run("INSERT INTO item VALUES (0)", [])
      }
    }
    #expect(try await endable.connection(waitingFor: "PgSleep", until: isOver) != nil)
    write.cancel()
    await #expect(throws: StorageFailure.cancelled) { try await write.value }
    let ids = Array(1...2 * PostgreSQLPool.size)
    for id in ids {
      try await endable.database.write { try $0.run("INSERT INTO item VALUES (?)", [id]) }
    }
    #expect(try await endable.ids == ids)
  }

  /// A cancellation that arrives between two statements ends the transaction before the second one.
  @Test func aCancelledTransactionBeginsNoOtherStatement() async throws {
    let endable = try await EndableDatabase(try database())
    let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
    let isCancelled = DispatchSemaphore(value: 0)
    let write = Task {
      try await endable.database.write { connection in
        _ = try connection.row("SELECT 1") { try $0[0] as Int }
        continuation.finish()
        isCancelled.wait()
        _ = try connection.row("SELECT 2") { try $0[0] as Int }
        endable.countRun()
      }
    }
    for await _ in begun {}
    write.cancel()
    isCancelled.signal()
    await #expect(throws: StorageFailure.cancelled) { try await write.value }
    #expect(endable.runs.withLockedValue { $0 } == 0)
  }

  /// Each of the two errors allows one more attempt, even if both occur.
  @Test func aDuplicateKeyAfterALostConnectionIsRepeated() async throws {
    let endable = try await EndableDatabase(try database())
    try await endable.database.write { connection in
      switch endable.countRun() {
      case 1: throw PostgreSQLError(state: "", message: "lost")
      case 2: throw PostgreSQLError(state: "23505", message: "duplicate key")
      default: try connection.run("INSERT INTO item VALUES (1)", [])
      }
    }
    #expect(endable.runs.withLockedValue { $0 } == 3)
    #expect(try await endable.ids == [1])
  }

  /// Clients that read all the time leave connections for writes.
  @Test(.timeLimit(.minutes(2))) func aWriteDoesNotWaitForAllReads() async throws {
    let testDatabase = try database()
    defer { withExtendedLifetime(testDatabase) {} }
    let pool = PostgreSQLPool(testDatabase.address)
    let order = NIOLockedValueBox<[String]>([])
    let isReleased = DispatchSemaphore(value: 0)
    @Sendable func run(_ purpose: PostgreSQLPool.Purpose, _ name: String) async throws {
      try await pool.run(purpose) { _ in
        order.withLockedValue { $0.append(name) }
        if name == "first" { isReleased.wait() }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<PostgreSQLPool.size { group.addTask { try await run(.read, "first") } }
      while order.withLockedValue({ $0.count }) < PostgreSQLPool.size { await Task.yield() }
      for _ in 0..<20 { group.addTask { try await run(.read, "read") } }
      while pool.waiting < 20 { await Task.yield() }
      group.addTask { try await run(.write(1), "write") }
      while pool.waiting < 21 { await Task.yield() }
      for _ in 0..<PostgreSQLPool.size { isReleased.signal() }
      try await group.waitForAll()
    }
    let names = order.withLockedValue { $0 }.dropFirst(PostgreSQLPool.size)
    #expect(names.prefix(PostgreSQLPool.size).contains("write"), "\(names)")
  }

  /// A statement that libpq refuses to send is not reported as a lost connection, so clients do not
  /// try again.
  @Test func aRefusedStatementIsNotRepeated() async throws {
    let endable = try await EndableDatabase(try database())
    let count = 70_000
    let failure =
      await thrownError {
        try await endable.database.write { connection in
          endable.countRun()
          try connection.run(
            "INSERT INTO item VALUES \(Array(repeating: "(?)", count: count).joined(separator: ", "))",
            Array(1...count))
        }
      } as? StorageFailure
    guard case .failed(.postgresql("XX000", _))? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(endable.runs.withLockedValue { $0 } == 1)
    try await endable.database.write { try $0.run("INSERT INTO item VALUES (1)", []) }
    #expect(try await endable.ids == [1])
  }

  // MARK: Budgets

  /// A statement that takes too long fails as `exhausted` if it has looked at too many rows,
  /// otherwise as `slow`.
  @Test func aTimeLimitEndsAStatement() async throws {
    let storage = try await PostgreSQLTestStorage()
    defer { withExtendedLifetime(storage) {} }
    let database = PostgreSQLDatabase(
      pool: PostgreSQLPool(storage.database.address), isolation: .locking, timeLimit: 200)
    let budget = RowBudget(limit: 1000)
    await #expect(throws: StorageFailure.exhausted) {
      try await database.read(within: budget) { try $0.count(to: .max) }
    }
    #expect(budget.spent > budget.limit)
    let other = RowBudget(limit: 1000)
    await #expect(throws: StorageFailure.slow) {
      try await database.read(within: other) { connection in
        _ = try connection.count(to: 10)
        // Only the time limit ends this statement; the test does not wait for it.
        return try connection.row("SELECT pg_sleep(3600) IS NULL") { try $0[0] as Bool }
      }
    }
    #expect(other.spent == 10)
  }

  // MARK: Several processes

  /// A reader of a zone's feed sees every record while several processes write to the zone:
  /// numbers are in the order of the commits.
  @Test func noReaderOfTheFeedMissesARecord() async throws {
    let database = try database()
    let first = try await PostgreSQLTestStorage(database)
    let services = [service(first), service(try await PostgreSQLTestStorage(database))]
    try await services[0].addContainer(
      ServiceFixture.container, schema: Schema(parsing: ServiceFixture.schema))
    _ = try await services[0].zonesModify(
      .init(operations: [.init(.create, ServiceFixture.zone)]), at: ServiceFixture.private,
      by: ServiceFixture.an)
    let writers = 6
    let each = 25
    let finished = NIOLockedValueBox(0)
    let seen = try await withThrowingTaskGroup(of: Set<String>.self) { group in
      for writer in 0..<writers {
        group.addTask {
          for index in 0..<each {
            let answer = try await services[writer % 2].modify(
              .init(
                operations: [Operation(.create, note("w\(writer)-\(index)"))],
                zoneID: ServiceFixture.zone), at: ServiceFixture.private, by: ServiceFixture.an)
            #expect(answer.records.summary == ["w\(writer)-\(index)"])
          }
          finished.withLockedValue { $0 += 1 }
          return []
        }
      }
      group.addTask {
        var names: Set<String> = []
        var token: String?
        var isLast = false
        while true {
          let page = try await services[1].changesZone(
            .init(zones: [.init(ServiceFixture.zone, syncToken: token)]),
            at: ServiceFixture.private, by: ServiceFixture.an
          ).zones[0].get()
          names.formUnion(page.records.map(\.summary))
          token = page.syncToken
          if isLast, !page.moreComing { return names }
          isLast = finished.withLockedValue { $0 } == writers
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(seen.count == writers * each)
    let inconsistencies = try await first.storage.database.read(within: nil) {
      try $0.inconsistencies()
    }
    #expect(inconsistencies == [])
  }

  /// No session is created if another process has changed the password since it was verified, and a
  /// change of the password ends the sessions.
  @Test func noSessionOutlivesItsPassword() async throws {
    let database = try database()
    let storages = [
      try await PostgreSQLTestStorage(database), try await PostgreSQLTestStorage(database),
    ]
    let accounts = [try await storages[0].accounts, try await storages[1].accounts]
    let app = try await accounts[0].insertAPIToken(
      SecretHash(of: "app"), APITokenTerms(label: "app", container: AccountFixture.quran), at: 1)
    let password = PasswordHash(cost: .standard, salt: [1], key: Array(repeating: 1, count: 32))
    guard
      case .inserted(var account) = try await accounts[0].insert(
        NewAccount(
          name: AccountName("an"), password: password, seed: Array(repeating: 7, count: 16),
          createdAt: 1), invitation: nil)
    else { throw AccountFixture.Unexpected() }
    for _ in 0..<25 {
      let verified = account
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<6 {
          group.addTask {
            _ = try await accounts[index % 2].insertSession(
              NewWebSession(
                account: verified, apiTokenID: app.id, container: AccountFixture.quran,
                environment: nil, nonce: Array(repeating: 9, count: 16), createdAt: 1,
                rotation: TokenRotation(lifetime: 1000, at: 1), limit: 4))
          }
        }
        group.addTask { () async throws in
          let isSet = try await accounts[1].setPassword(password, ofAccount: verified.id)
          #expect(isSet)
        }
        try await group.waitForAll()
      }
      #expect(try await accounts[0].sessions(ofAccount: account.id, at: 1) == [])
      account = try #require(try await accounts[0].account(account.id))
    }
  }

  /// Processes that create the same database of a user at the same time create one.
  @Test func anOwnerIsCreatedOnce() async throws {
    let database = try database()
    let storages = [
      try await PostgreSQLTestStorage(database), try await PostgreSQLTestStorage(database),
    ]
    try await service(storages[0]).addContainer(
      ServiceFixture.container, schema: Schema(parsing: ServiceFixture.schema))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        group.addTask {
          let answer = try await service(storages[index % 2]).modify(
            .init(operations: [Operation(.create, note("n\(index)"))]),
            at: ServiceFixture.private, by: ServiceFixture.an)
          #expect(answer.records.summary == ["n\(index)"])
        }
      }
      try await group.waitForAll()
    }
    let counts = try await storages[0].storage.database.rowCounts()
    #expect(counts["owner"] == 1)
    #expect(counts["record"] == 8)
  }
}
