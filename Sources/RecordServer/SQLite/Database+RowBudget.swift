import GRDB
import GRDBSQLite

extension Database {
  /// The number of steps of SQLite's virtual machine that count as one row. Looking up one row of
  /// an index takes between 10 and 20 steps.
  private static let stepsPerRow = 16
  /// The number of steps after which a statement reports its work.
  private static let interval = 256 * stepsPerRow

  /// Charges the statements of `body` to a budget, and stops the statement that exceeds it.
  ///
  /// Statements report their work only in multiples of 256 rows. Shorter ones cost nothing.
  ///
  /// - Throws: what `body` throws; `StorageFailure.exhausted` if the budget was exceeded.
  func spending<Value>(_ budget: RowBudget, _ body: () throws -> Value) throws -> Value {
    reportSteps(to: budget)
    defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
    do {
      return try withExtendedLifetime(budget) { try body() }
    } catch {
      throw budget.spent > budget.limit ? StorageFailure.exhausted : error
    }
  }

  private func reportSteps(to budget: RowBudget) {
    sqlite3_progress_handler(
      sqliteConnection, Int32(Self.interval),
      { context in
        guard let context else { return 0 }
        let budget = Unmanaged<RowBudget>.fromOpaque(context).takeUnretainedValue()
        // A result other than 0 interrupts the statement.
        return budget.spend(Database.interval / Database.stepsPerRow) ? 0 : 1
      }, Unmanaged.passUnretained(budget).toOpaque())
  }
}
