import CloudRecords
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The locks for which transactions of several processes wait in a PostgreSQL database.
@Suite(.onlyPostgreSQL, .timeLimit(.minutes(2))) struct PostgreSQLLockTests {
  private let database: TestDatabase
  /// The storages of two processes.
  private let storages: [PostgreSQLTestStorage]
  private let services: [RecordService]

  init() async throws {
    database = try PostgreSQLServer.shared.get().makeDatabase()
    storages = [
      try await PostgreSQLTestStorage(database), try await PostgreSQLTestStorage(database),
    ]
    services = storages.map { RecordService(on: $0, at: 1_700_000_000_000) }
    try await services[0].addContainer(
      ServiceFixture.container, schema: Schema(parsing: ServiceFixture.schema))
  }

  /// A transaction that has executed a statement and remains open.
  private struct OpenTransaction {
    private let task: Task<Void, any Error>
    private let end = DispatchSemaphore(value: 0)

    init(_ database: any SQLDatabase, _ sql: String) async {
      let hasBegun = NIOLockedValueBox(false)
      task = Task { [end] in
        try await database.write { connection in
          _ = try connection.rows(sql) { _ in true }
          hasBegun.withLockedValue { $0 = true }
          end.wait()
        }
      }
      while !hasBegun.withLockedValue({ $0 }) { await Task.yield() }
    }

    func commit() async throws {
      end.signal()
      try await task.value
    }
  }

  /// Returns when at least this number of transactions wait for a lock.
  private func untilWaiting(_ count: Int) async throws {
    let sql = """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'
      """
    var waiting: Int64 = 0
    while waiting < Int64(count) {
      waiting =
        try await storages[1].storage.database.read(within: nil) { connection in
          try connection.row(sql) { try $0[0] as Int64 }
        } ?? 0
    }
  }

  @discardableResult
  private func save(
    _ name: String, type: String = "Note", by caller: Caller = ServiceFixture.an, process: Int = 0
  ) async throws -> [String] {
    try await services[process].modify(
      .init(
        operations: [
          Operation(.create, RecordInput(name, type: type, fields: ["text": Field(.string("t"))]))
        ]), at: ServiceFixture.development, by: caller
    ).records.summary
  }

  // MARK: Schemas

  /// Writers that come later wait behind a change of the schema, which otherwise would never get
  /// its turn.
  @Test func laterWritersWaitForAChangeOfTheSchema() async throws {
    try await save("known", by: ServiceFixture.binh)
    let writer = await OpenTransaction(
      storages[1].storage.database, "SELECT 1 FROM environment FOR SHARE")
    async let changed = save("new", type: "Fresh")
    try await untilWaiting(1)
    async let saved = save("later", by: ServiceFixture.binh)
    try await untilWaiting(2)
    try await writer.commit()
    #expect(try await changed == ["new"])
    #expect(try await saved == ["later"])
  }

  /// Transactions that add the same record type do not wait for each other.
  @Test func aTypeIsAddedByManyAtOnce() async throws {
    for round in 0..<3 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<8 {
          let caller = index < 5 ? ServiceFixture.an : ServiceFixture.binh
          group.addTask {
            let name = "r\(round)-\(index)"
            let saved = try await save(
              name, type: "Round\(round)", by: caller, process: index % 2)
            #expect(saved == [name])
          }
        }
        try await group.waitForAll()
      }
    }
  }

  // MARK: Accounts

  /// An account can be changed while it saves records.
  @Test func writersDoNotHoldTheAccount() async throws {
    let accounts = try await storages[0].accounts
    let password = PasswordHash(cost: .standard, salt: [1], key: Array(repeating: 1, count: 32))
    guard
      case .inserted(let account) = try await accounts.insert(
        NewAccount(
          name: AccountName("an"), password: password, seed: Array(repeating: 7, count: 16),
          createdAt: 1), invitation: nil)
    else { throw AccountFixture.Unexpected() }
    let caller = Caller(account: account.id, userRecordName: "_an")
    try await save("first", by: caller)
    let hasBegun = NIOLockedValueBox(false)
    let end = DispatchSemaphore(value: 0)
    async let isWritten: Void = storages[0].write { [service = services[0]] transaction in
      _ = try service.context(
        at: ServiceFixture.development, account.id, caller, in: transaction)
      hasBegun.withLockedValue { $0 = true }
      end.wait()
    }
    while !hasBegun.withLockedValue({ $0 }) { await Task.yield() }
    #expect(try await accounts.setPassword(password, ofAccount: account.id))
    end.signal()
    try await isWritten
  }

  // MARK: Waiting for long

  /// Writes that wait for a lock leave connections for reads, and for writes of other accounts.
  @Test func waitingWritesLeaveConnections() async throws {
    try await save("known")
    let writer = await OpenTransaction(
      storages[1].storage.database, "SELECT id FROM owner FOR UPDATE")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<2 * PostgreSQLPool.size {
        group.addTask { _ = try await save("n\(index)") }
      }
      try await untilWaiting(PostgreSQLPool.writersOfAccount)
      let found = try await services[0].lookup(
        .init(records: [.init("known")]), at: ServiceFixture.development, by: ServiceFixture.an)
      #expect(found.records.summary == ["known"])
      #expect(try await save("other", by: ServiceFixture.binh) == ["other"])
      try await writer.commit()
      try await group.waitForAll()
    }
  }

  /// No transaction waits without end for a process that is frozen in another transaction.
  @Test func waitsAndIdleTransactionsEnd() async throws {
    let limits = try await storages[0].storage.database.read(within: nil) { connection in
      try ["lock_timeout", "idle_in_transaction_session_timeout"].map { name in
        try connection.row("SELECT current_setting(?)", [name]) { try $0[0] as String }
      }
    }
    #expect(limits == ["10s", "15s"])
  }

  /// A replica that is not promoted yet, and a database that its host has made read-only, count as
  /// unreachable.
  @Test func aReadOnlyDatabaseIsNoFailureOfTheService() async throws {
    try await save("known")
    _ = try await storages[0].storage.database.write { connection in
      try connection.run(
        """
        DO $$ BEGIN
          EXECUTE 'ALTER DATABASE ' || current_database()
            || ' SET default_transaction_read_only = on';
        END $$
        """, [])
    }
    try await storages[1].storage.database.endOtherConnections()
    let error = await thrownError { try await save("refused") } as? ServiceError
    #expect(error?.code == .tryAgainLater)
  }
}
