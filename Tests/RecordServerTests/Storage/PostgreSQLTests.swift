import CloudRecords
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// What several processes do with one PostgreSQL database, and what happens without one.
@Suite(.onlyPostgreSQL) struct PostgreSQLTests {
  private func database() throws -> TestDatabase {
    try PostgreSQLServer.shared.get().makeDatabase()
  }

  /// A service of a storage, like that of another process.
  private func service(_ storage: any RecordStorage) -> RecordService {
    RecordService(
      storage: storage, signer: TokenSigner(secret: ServiceFixture.secret),
      now: { 1_700_000_000_000 })
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
      _ = try connection.run("INSERT INTO migration VALUES ('records-99')", [])
    }
    await #expect(throws: StorageFailure.failed(.newerTables)) {
      try await PostgreSQLTestStorage(database)
    }
  }

  /// What libpq says of an address that it cannot read has parts of it.
  @Test(arguments: ["@[::1/db", "@[]/db", "%00@/db", "@/db?password=a&secret"])
  func unreadableAddressesAreNotRepeated(_ rest: String) async throws {
    await #expect(throws: StorageFailure.failed(.unreadableAddress)) {
      _ = try await PostgreSQLRecordStorage("postgresql://an:secret\(rest)")
    }
  }

  // MARK: Connections

  @Test func aLostConnectionIsOpenedAgain() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("a")
    _ = try await fixture.database.write { connection in
      try connection.rows(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """
      ) { try $0[0] as Bool }
    }
    for index in 0..<2 * PostgreSQLPool.size { try await fixture.save("b\(index)") }
    #expect(try await fixture.lookup(["a", "b0"]).summary == ["a", "b0"])
  }

  @Test func withoutAServerRequestsCanBeTriedAgain() async throws {
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

  /// A statement is prepared again if that has failed, or was skipped after another failure.
  @Test func statementsAreUsableAfterAFailure() async throws {
    let place = try database()
    defer { withExtendedLifetime(place) {} }
    let database = PostgreSQLDatabase(pool: PostgreSQLPool(place.address), isolation: .locking)
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

  /// A transaction whose connection was lost before it is repeated, also if it only writes. One whose
  /// connection was lost during the COMMIT is not: it may be committed.
  @Test func aLostCommitIsNotRepeated() async throws {
    let place = try database()
    defer { withExtendedLifetime(place) {} }
    let database = PostgreSQLDatabase(pool: PostgreSQLPool(place.address), isolation: .locking)
    let other = PostgreSQLDatabase(pool: PostgreSQLPool(place.address), isolation: .locking)
    try await database.write { try $0.run("CREATE TABLE thing (id BIGINT)", []) }
    let connection = try await database.write { connection in
      try connection.row("SELECT pg_backend_pid()") { try $0[0] as Int }
    }
    @Sendable func end(_ connection: Int?) async throws {
      _ = try await other.write {
        try $0.row("SELECT pg_terminate_backend(?::int, 10000)", [connection]) { _ in true }
      }
    }
    try await end(connection)
    let runs = NIOLockedValueBox(0)
    try await database.write { connection in
      runs.withLockedValue { $0 += 1 }
      try connection.run("INSERT INTO thing VALUES (1)", [])
    }
    #expect(runs.withLockedValue { $0 } == 2)
    let isEnded = DispatchSemaphore(value: 0)
    let current = NIOLockedValueBox<Int?>(nil)
    async let lost: Void = database.write { connection in
      runs.withLockedValue { $0 += 1 }
      let id = try connection.row("SELECT pg_backend_pid()") { try $0[0] as Int }
      current.withLockedValue { $0 = id }
      isEnded.wait()
      try connection.run("INSERT INTO thing VALUES (2)", [])
    }
    while current.withLockedValue({ $0 }) == nil { await Task.yield() }
    try await end(current.withLockedValue { $0 })
    isEnded.signal()
    var failure: StorageFailure?
    do { try await lost } catch { failure = error as? StorageFailure }
    guard case .disconnected? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(runs.withLockedValue { $0 } == 3)
    let ids = try await database.read(within: nil) { connection in
      try connection.rows("SELECT id FROM thing") { try $0[0] as Int }
    }
    #expect(ids == [1])
  }

  // MARK: Budgets

  /// A statement that takes too long has looked at too many rows, or the server is slow.
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
    await #expect(throws: StorageFailure.cancelled) {
      try await database.read(within: other) { connection in
        _ = try connection.count(to: 10)
        // Only the time limit ends this statement; the test does not wait for it.
        return try connection.row("SELECT pg_sleep(3600) IS NULL") { try $0[0] as Bool }
      }
    }
    #expect(other.spent == 10)
  }

  // MARK: Several processes

  /// Whoever reads the feed of a zone while several processes write to it sees every record: numbers
  /// are in the order of the commits.
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
    print("PostgreSQL: \(seen.count) records of \(writers) writers in 2 pools, none missed")
    let faults = try await first.storage.database.read(within: nil) { try $0.inconsistencies() }
    #expect(faults == [])
  }

  /// A session is created for the password that was verified, also if another process changes the
  /// password at the same time.
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
    var created = 0
    for _ in 0..<25 {
      let verified = account
      created += try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<6 {
          group.addTask { () async throws -> Int in
            let session = try await accounts[index % 2].insertSession(
              NewWebSession(
                account: verified, apiTokenID: app.id, container: AccountFixture.quran,
                environment: nil, nonce: Array(repeating: 9, count: 16), createdAt: 1,
                rotation: TokenRotation(lifetime: 1000, at: 1), limit: 4))
            return session == nil ? 0 : 1
          }
        }
        group.addTask { () async throws -> Int in
          #expect(try await accounts[1].setPassword(password, ofAccount: verified.id))
          return 0
        }
        return try await group.reduce(0, +)
      }
      #expect(try await accounts[0].sessions(ofAccount: account.id, at: 1) == [])
      account = try #require(try await accounts[0].account(account.id))
    }
    print("PostgreSQL: \(created) sessions of 2 pools ended with their passwords")
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
