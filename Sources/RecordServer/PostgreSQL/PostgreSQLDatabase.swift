import FoundationEssentials

/// A PostgreSQL database, in which transactions are run.
struct PostgreSQLDatabase: SQLDatabase {
  /// How transactions that write are kept apart.
  enum Isolation: String, Sendable {
    /// The transaction locks the owner whose rows it reads and changes (`SQLDialect.lock`); after
    /// that, its statements see everything that was committed before.
    case locking = "READ COMMITTED"
    /// PostgreSQL finds out whether transactions could have run one after the other.
    case serializable = "SERIALIZABLE"
  }

  let pool: PostgreSQLPool
  let isolation: Isolation

  /// How often a transaction is tried.
  private static let attempts = 20
  /// The number of rows that count as looked at for each millisecond that a statement takes. It is
  /// so low that a server with a slow disk can answer every honest query.
  private static let rowsPerMillisecond = 100

  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    var begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    if let budget {
      let limit = max(1, (budget.limit - budget.spent) / Self.rowsPerMillisecond)
      begin += "; SET LOCAL statement_timeout = \(min(limit, Int(Int32.max)))"
    }
    return try await transaction(begin, .postgresql(locksRows: false), budget, body)
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await transaction(
      "BEGIN ISOLATION LEVEL \(isolation.rawValue)",
      .postgresql(locksRows: isolation == .locking), nil, body)
  }

  /// Runs a transaction, again if it has conflicted with another one or found its connection lost.
  private func transaction<Value: Sendable>(
    _ begin: String, _ dialect: SQLDialect, _ budget: RowBudget?,
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await pool.run { lease in
      var attempt = 1
      while true {
        var isCommitting = false
        do {
          return try lease.use { connection in
            try connection.execute(begin)
            do {
              let value = try body(
                PostgreSQLTransaction(connection, dialect, budget, Self.rowsPerMillisecond))
              isCommitting = true
              try connection.commit()
              return value
            } catch {
              // If this fails, the connection is not used again.
              if !isCommitting { try? connection.execute("ROLLBACK") }
              throw error
            }
          }
        } catch let error as PostgreSQLError {
          // After a lost COMMIT nobody knows whether it was carried out.
          let isRepeatable =
            error.isConflict && attempt < Self.attempts || error.isDuplicate && attempt == 1
            || error.isDisconnection && !isCommitting && attempt == 1
          guard isRepeatable else { throw StorageFailure(error) }
          attempt += 1
        }
      }
    }
  }
}

/// A connection in one transaction.
private final class PostgreSQLTransaction: SQLConnection {
  private let connection: PostgreSQLConnection
  let dialect: SQLDialect
  private let budget: RowBudget?
  private let rowsPerMillisecond: Int

  init(
    _ connection: PostgreSQLConnection, _ dialect: SQLDialect, _ budget: RowBudget?,
    _ rowsPerMillisecond: Int
  ) {
    self.connection = connection
    self.dialect = dialect
    self.budget = budget
    self.rowsPerMillisecond = rowsPerMillisecond
  }

  func run(_ sql: String, _ arguments: [any SQLArgument]) throws -> Int {
    try connection.execute(sql, arguments, .connection).changedRows
  }

  func forEachRow(
    _ sql: String, _ arguments: [any SQLArgument], lifetime: SQLStatementLifetime,
    _ body: (any SQLRow) throws -> Bool
  ) throws {
    let result = try spending { try connection.execute(sql, arguments, lifetime) }
    for row in result.rows { guard try body(row) else { break } }
  }

  func hasTable(_ name: String) throws -> Bool {
    try row("SELECT to_regclass(?) IS NOT NULL", [name]) { try $0[0] as Bool } ?? false
  }

  /// Charges the time that a statement takes to the budget.
  private func spending(_ body: () throws -> PostgreSQLResult) throws -> PostgreSQLResult {
    guard let budget else { return try body() }
    let begin = ContinuousClock.now
    let result = Result { try body() }
    let time = (ContinuousClock.now - begin) / .milliseconds(1)
    guard budget.spend(1 + Int(time * Double(rowsPerMillisecond))) else {
      throw StorageFailure.exhausted
    }
    return try result.get()
  }
}
