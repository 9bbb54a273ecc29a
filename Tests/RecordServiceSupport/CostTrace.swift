import GRDB
import GRDBSQLite
import NIOConcurrencyHelpers

/// Records the statements that SQLite executes, with their costs.
final class CostTrace: Sendable {
  struct Statement: Sendable {
    let sql: String
    /// The SQL with its values.
    let expanded: String
    /// Steps of SQLite's virtual machine. An examined row takes 5 to 50 of them.
    let steps: Int
    /// Rows that were examined by full scans of tables.
    let scanned: Int
  }

  private let statements = NIOLockedValueBox<[Statement]>([])

  var prepare: @Sendable (Database) throws -> Void {
    { [self] database in
      // GRDB's own trace has neither of these numbers.
      sqlite3_trace_v2(
        database.sqliteConnection, UInt32(SQLITE_TRACE_PROFILE),
        { _, context, statement, _ in
          guard let context, let statement else { return 0 }
          let trace = Unmanaged<CostTrace>.fromOpaque(context).takeUnretainedValue()
          trace.add(OpaquePointer(statement))
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  private func add(_ statement: OpaquePointer) {
    let expanded = sqlite3_expanded_sql(statement)
    defer { sqlite3_free(expanded) }
    let sql = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    // GRDB looks at the schema once for each connection.
    guard !sql.contains("sqlite_master") else { return }
    let entry = Statement(
      sql: sql, expanded: expanded.map { String(cString: $0) } ?? sql,
      steps: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)),
      scanned: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)))
    statements.withLockedValue { $0.append(entry) }
  }

  /// Removes and returns the statements since the last call.
  func removeAll() -> [Statement] {
    statements.withLockedValue { statements in
      defer { statements = [] }
      return statements
    }
  }
}
