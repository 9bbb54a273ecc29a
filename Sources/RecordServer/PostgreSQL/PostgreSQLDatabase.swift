import FoundationEssentials
import Glibc

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
  /// How long a statement of a transaction with a budget may take, in milliseconds. That is long
  /// enough for the largest page of a query, and for most servers to look at more rows than a
  /// budget allows.
  var timeLimit = 10_000

  /// How often a transaction is tried.
  private static let attempts = 20

  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await transaction(
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", .postgresql(locksRows: false), .read,
      budget, body)
  }

  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await transaction(
      "BEGIN ISOLATION LEVEL \(isolation.rawValue)",
      .postgresql(locksRows: isolation == .locking), .write(account), nil, body)
  }

  /// Runs a transaction, again if it has conflicted with another one or found its connection lost.
  private func transaction<Value: Sendable>(
    _ begin: String, _ dialect: SQLDialect, _ purpose: PostgreSQLPool.Purpose,
    _ budget: RowBudget?,
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await pool.run(purpose) { lease in
      var attempt = 1
      var (wasDuplicate, wasDisconnected) = (false, false)
      while true {
        var isCommitting = false
        do {
          return try lease.use { connection in
            try connection.send(begin)
            let meter = try budget.map {
              try PostgreSQLRowMeter($0, connection, timeLimit: timeLimit)
            }
            let transaction = PostgreSQLTransaction(connection, dialect, meter, lease)
            do {
              let value =
                try meter?.charging { try body(transaction) } ?? body(transaction)
              guard case .write = purpose else {
                try connection.endReading()
                return value
              }
              // Waits until BEGIN has succeeded. If the connection is found lost here, the
              // transaction can be repeated; after a COMMIT was sent, its outcome is unknown.
              if !transaction.hasBegun { try connection.synchronize() }
              isCommitting = true
              try connection.commit()
              return value
            } catch {
              // If this fails, the connection is not used again.
              if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
              throw error
            }
          }
        } catch let error as PostgreSQLError {
          // Without an answer to COMMIT, or to a statement before it, it is unknown whether the
          // server has carried out the COMMIT. If one of them has failed, it has not.
          let isOutcomeKnown = !isCommitting || error.isAnswer
          let isRepeatable =
            error.isConflict && attempt < Self.attempts || error.isDuplicate && !wasDuplicate
            || error.isDisconnection && isOutcomeKnown && !wasDisconnected
          guard isOutcomeKnown else {
            throw StorageFailure.commitUnanswered
          }
          guard isRepeatable else {
            // The time limit of a statement ends it as a cancellation does.
            throw error.isStopped && !lease.isCancelled
              ? StorageFailure.slow : StorageFailure(error)
          }
          wasDuplicate = wasDuplicate || error.isDuplicate
          wasDisconnected = wasDisconnected || error.isDisconnection
          // Transactions that conflict and are repeated at the same moment conflict again.
          if error.isConflict { usleep(.random(in: 0...1000 * UInt32(attempt))) }
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
  /// Counts the rows that statements look at; nil if they are not limited.
  private let meter: PostgreSQLRowMeter?
  private let lease: PostgreSQLPool.Lease
  /// How often the results of the connection were read before the transaction.
  private let formerSynchronizations: Int

  /// Whether the server has answered a statement of the transaction.
  var hasBegun: Bool { connection.synchronizations > formerSynchronizations }

  init(
    _ connection: PostgreSQLConnection, _ dialect: SQLDialect, _ meter: PostgreSQLRowMeter?,
    _ lease: PostgreSQLPool.Lease
  ) {
    self.connection = connection
    self.dialect = dialect
    self.meter = meter
    self.lease = lease
    formerSynchronizations = connection.synchronizations
  }

  func run(_ sql: String, _ arguments: [any SQLArgument]) throws {
    try connection.send(sql, arguments)
  }

  func changedRows(_ sql: String, _ arguments: [any SQLArgument]) throws -> Int {
    try execute(sql, arguments, .connection).changedRows
  }

  func forEachRow(
    _ sql: String, _ arguments: [any SQLArgument], lifetime: SQLStatementLifetime,
    _ body: (any SQLRow) throws -> Bool
  ) throws {
    let result = try execute(sql, arguments, lifetime)
    try meter?.statementEnded()
    for row in result.rows { guard try body(row) else { break } }
  }

  private func execute(
    _ sql: String, _ arguments: [any SQLArgument], _ lifetime: SQLStatementLifetime
  ) throws -> PostgreSQLResult {
    // A cancellation between two statements stops neither of them.
    try lease.checkCancellation()
    return try connection.execute(sql, arguments, lifetime: lifetime)
  }

  func hasTable(_ name: String) throws -> Bool {
    try row("SELECT to_regclass(?) IS NOT NULL", [name]) { try $0[0] as Bool } ?? false
  }
}
