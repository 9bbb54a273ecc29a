/// Stores records in a PostgreSQL database. Any number of processes can use it at the same time.
public final class PostgreSQLRecordStorage: RecordStorage {
  let pool: PostgreSQLPool
  private let transactions: SQLTransactions
  /// The database.
  var database: any SQLDatabase { transactions.database }
  /// The permanent ID of the service, stored with its data: 32 hexadecimal digits.
  public let serviceID: String

  /// Opens a database, and creates or upgrades its tables.
  ///
  /// - Parameters:
  ///   - address: the address of the database, `postgresql://USER:PASSWORD@HOST/NAME`, or a
  ///     connection string of libpq.
  ///   - createsTables: whether to create tables in a database that has none. Otherwise such a
  ///     database is refused.
  ///   - onFailure: called with each later failure, including its cause, which is not sent to
  ///     clients.
  /// - Throws: a `StorageFailure`, also if the database was upgraded by a newer version.
  public init(
    _ address: String, createsTables: Bool = true,
    onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in }
  ) async throws(StorageFailure) {
    pool = PostgreSQLPool(address)
    transactions = SQLTransactions(
      database: PostgreSQLDatabase(pool: pool, isolation: .locking), onFailure: onFailure)
    do {
      try await PostgreSQLTables.migrate(pool, .records, createsTables: createsTables)
      serviceID = try await transactions.read(within: nil) { try $0.serviceID() }
    } catch {
      throw StorageFailure(error)
    }
  }

  /// The name of the database.
  public func name() async throws -> String {
    try await database.read(within: nil) { connection in
      try connection.row("SELECT current_database()") { try $0[0] }
    } ?? ""
  }

  public func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws -> Value {
    try await transactions.read(within: budget, body)
  }

  public func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value {
    try await transactions.write(for: account, body)
  }
}
