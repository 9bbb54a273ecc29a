/// How the SQL of the two engines differs.
enum SQLDialect {
  case sqlite
  /// PostgreSQL, where several transactions write at the same time.
  ///
  /// - Parameter locksRows: whether the transaction locks rows that it reads and relies on.
  case postgresql(locksRows: Bool)

  var isSQLite: Bool { if case .sqlite = self { true } else { false } }

  /// The SQL of a table. On SQLite, it also names the index by which rows must be found.
  func table(_ table: String, by index: String) -> String {
    isSQLite ? "\(table) INDEXED BY \(index)" : table
  }

  /// The SQL of a column in a condition for which SQLite must not use an index.
  func withoutIndex(_ column: String) -> String { isSQLite ? "+\(column)" : column }

  /// The SQL that joins another table to the tables before it, whose rows are scanned first.
  func join(_ table: String, as alias: String, where condition: String) -> String {
    switch self {
    case .sqlite: " CROSS JOIN \(table) \(alias) ON \(condition)"
    case .postgresql:
      " CROSS JOIN LATERAL (SELECT * FROM \(table) \(alias) WHERE \(condition)\(endOfSubquery)) \(alias)"
    }
  }

  /// The end of a subquery that is carried out for each row of the query around it. Without it,
  /// PostgreSQL makes a join of the two and may scan the rows of the subquery first.
  var endOfSubquery: String { isSQLite ? "" : " OFFSET 0" }

  /// The SQL that looks up rows by several values of a column. The values are bound before the
  /// arguments of the condition. On PostgreSQL, the result also has the column `place`, the
  /// position of the value among the values.
  func lookup(
    _ columns: String, in table: String, as alias: String, by column: String, count: Int,
    where condition: String
  ) -> String {
    switch self {
    case .sqlite:
      let list = Array(repeating: "?", count: count).joined(separator: ", ")
      return
        "SELECT \(columns) FROM \(table) \(alias) WHERE \(column) IN (\(list)) AND \(condition)"
    // With IN, PostgreSQL may scan all rows that meet the condition.
    case .postgresql:
      let list = (1...count).map { "(?, \($0))" }.joined(separator: ", ")
      return "SELECT \(columns) FROM (VALUES \(list)) AS value (wanted, place)"
        + join(table, as: alias, where: "\(column) = value.wanted AND \(condition)")
    }
  }

  /// The SQL of a page of records. After the arguments of the condition, the maximum number of
  /// records is bound and, on PostgreSQL, a size: the page then ends with the record at which the
  /// total size of the stored fields reaches it. SQLite reads each row only when it is asked for
  /// it; PostgreSQL sends all of them.
  ///
  /// - Parameters:
  ///   - table: the table of records, with the alias `r`.
  ///   - key: the column whose order the records have.
  func page(
    _ columns: String, of table: String, where condition: String, by key: String
  ) -> String {
    let order = "ORDER BY r.\(key)"
    return switch self {
    case .sqlite: "SELECT \(columns) FROM \(table) WHERE \(condition) \(order) LIMIT ?"
    case .postgresql:
      """
      SELECT \(columns) FROM (
        SELECT r.*, sum(stored) OVER (\(order)) - stored AS bytes_before FROM (
          SELECT *, octet_length(content) + coalesce(octet_length(sealed), 0) AS stored
          FROM \(table) WHERE \(condition) \(order) LIMIT ?) r) r
      WHERE r.bytes_before < ? \(order)
      """
    }
  }

  /// Whether a transaction must lock an owner before it reads the owner's rows. A transaction that
  /// writes must do so if others can write at the same time, unless it is serializable.
  var locksRows: Bool {
    switch self {
    case .sqlite: false
    case .postgresql(let locksRows): locksRows
    }
  }

  /// The end of a SELECT whose rows no other transaction can lock or change until this one ends;
  /// empty unless `locksRows`.
  var forUpdate: String { locksRows ? " FOR UPDATE" : "" }

  /// The statement that locks a table until the transaction ends; nil unless `locksRows`. Other
  /// transactions can read the table, but must wait before they lock its rows.
  ///
  /// An update of a row waits for all transactions that share the row (`sharing`). PostgreSQL lets
  /// further ones share it meanwhile, so the update could wait forever. For the lock of a table,
  /// transactions wait in a queue.
  func lock(_ table: String) -> String? {
    locksRows ? "LOCK TABLE \(table) IN EXCLUSIVE MODE" : nil
  }

  /// The end of a SELECT whose rows of one table no other transaction can change until this one
  /// ends; empty unless `locksRows`.
  func sharing(_ table: String) -> String { locksRows ? " FOR SHARE OF \(table)" : "" }
}
