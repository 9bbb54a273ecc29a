/// Charges the rows that a reading transaction looks at to a budget.
///
/// PostgreSQL counts for each index how often it was searched, and how many entries that returned
/// (https://www.postgresql.org/docs/current/monitoring-stats.html). A lookup that finds one row is
/// one row of the budget, like a lookup that finds none. The counts are those of the connection; it
/// does not reset them within a transaction.
///
/// The counts can be read only between statements. A single statement is therefore ended by a time
/// limit. It has looked at too many rows if the counts say so; otherwise the server is slow, and
/// the client can try again.
final class PostgreSQLRowMeter {
  private let connection: PostgreSQLConnection
  private let budget: RowBudget
  /// The count that was charged last.
  private var count: Int
  /// When `statementEnded` charged rows last, or when counting began.
  private var time = ContinuousClock.now

  /// The minimum time between two readings by `statementEnded`. A reading takes as long as a short
  /// statement.
  private static let interval = Duration.milliseconds(5)

  /// The SQL of the count.
  private static let counting = """
    SELECT CAST(sum(greatest(
      pg_stat_get_xact_numscans(id), pg_stat_get_xact_tuples_returned(id))) AS BIGINT) FROM (
      SELECT indexrelid AS id FROM pg_index WHERE indrelid IN ('record'::regclass, 'entry'::regclass)
      UNION ALL VALUES ('record'::regclass::oid), ('entry'::regclass::oid)) AS relation
    """

  /// Begins to count, in a transaction that has just begun.
  ///
  /// - Parameter timeLimit: the time limit of a statement in milliseconds.
  init(_ budget: RowBudget, _ connection: PostgreSQLConnection, timeLimit: Int) throws {
    self.budget = budget
    self.connection = connection
    try connection.send("SAVEPOINT beginning")
    try connection.send("SET LOCAL statement_timeout = \(timeLimit)")
    count = try connection.execute(Self.counting, lifetime: .connection).number ?? 0
  }

  /// Charges the rows that the statements of `body` look at, also if it fails.
  ///
  /// - Throws: what `body` throws; `StorageFailure.exhausted` if the budget is exceeded.
  func charging<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      let value = try body()
      try charge()
      return value
    } catch StorageFailure.exhausted {
      throw StorageFailure.exhausted
    } catch {
      // After a failed statement, the server executes no other one until this.
      if (try? connection.execute("ROLLBACK TO SAVEPOINT beginning")) != nil { try charge() }
      throw error
    }
  }

  /// Charges the rows of a statement, unless rows were charged a moment ago.
  ///
  /// - Throws: `StorageFailure.exhausted` if the budget is exceeded.
  func statementEnded() throws {
    guard ContinuousClock.now - time >= Self.interval else { return }
    try charge()
    time = .now
  }

  private func charge() throws {
    let former = count
    count = try connection.execute(Self.counting, lifetime: .connection).number ?? former
    guard budget.spend(count - former) else { throw StorageFailure.exhausted }
  }
}
