import GRDB
import GRDBSQLite
import Synchronization

/// Stops the statements of a transaction when its task is cancelled, or when they have looked at
/// more rows than its budget allows.
///
/// A statement reports its work after every 256 rows. Shorter statements report nothing and are not
/// charged, so cancellation is also checked before each statement.
final class StatementLimits: Sendable {
  /// The number of steps of SQLite's virtual machine that count as one row. Looking up one row of
  /// an index takes between 10 and 20 steps.
  private static let stepsPerRow = 16
  /// The number of rows after which a statement reports its work.
  private static let reportedRows = 256
  fileprivate static let interval = Int32(reportedRows * stepsPerRow)

  private let budget: RowBudget?
  private let isCancelled = Atomic(false)

  init(budget: RowBudget?) {
    self.budget = budget
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// - Throws: `StorageFailure.cancelled` if the task was cancelled.
  func check() throws(StorageFailure) {
    if isCancelled.load(ordering: .relaxed) { throw .cancelled }
  }

  fileprivate var isExceeded: Bool { budget.map { $0.spent > $0.limit } ?? false }

  /// Charges the work that a statement reports.
  ///
  /// - Returns: whether the statement may go on.
  fileprivate func charge() -> Bool {
    (budget?.spend(Self.reportedRows) ?? true) && !isCancelled.load(ordering: .relaxed)
  }
}

extension SQLiteDatabase {
  /// Limits the statements of `body` on a connection.
  ///
  /// - Throws: what `body` throws, such as an interruption if the task was cancelled;
  ///   `StorageFailure.exhausted` if the budget was exceeded.
  static func limit<Value>(
    _ connection: Database, by limits: StatementLimits, _ body: () throws -> Value
  ) throws -> Value {
    sqlite3_progress_handler(
      connection.sqliteConnection, StatementLimits.interval,
      { context in
        guard let context else { return 0 }
        let limits = Unmanaged<StatementLimits>.fromOpaque(context).takeUnretainedValue()
        // A result other than 0 interrupts the statement.
        return limits.charge() ? 0 : 1
      }, Unmanaged.passUnretained(limits).toOpaque())
    defer { sqlite3_progress_handler(connection.sqliteConnection, 0, nil, nil) }
    do {
      return try withExtendedLifetime(limits) { try body() }
    } catch {
      throw limits.isExceeded ? StorageFailure.exhausted : error
    }
  }
}
