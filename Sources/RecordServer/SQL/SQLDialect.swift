/// What an engine writes differently in the SQL of statements.
enum SQLDialect {
  case sqlite
  /// Several transactions write at the same time.
  ///
  /// - Parameter locksRows: whether the transaction locks rows that it reads and relies on.
  case postgresql(locksRows: Bool)

  /// The name of a table whose rows are to be found by one of its indexes.
  func table(_ table: String, by index: String) -> String {
    switch self {
    case .sqlite: "\(table) INDEXED BY \(index)"
    case .postgresql: table
    }
  }

  /// A column in a condition for which no index is to be used.
  func withoutIndex(_ column: String) -> String {
    switch self {
    case .sqlite: "+\(column)"
    case .postgresql: column
    }
  }

  /// Whether a comparison of an entry's name alone can make the engine take the index of entries by
  /// names, although the index by keys has the names in order as well.
  var mistakesIndexOfNames: Bool {
    switch self {
    case .sqlite: false
    case .postgresql: true
    }
  }

  /// Whether it takes much longer to look up a row from a row of another table than to read the next
  /// row of an index: 2.5 instead of 0.3 µs on PostgreSQL. SQLite takes 0.4 and 0.05 µs, which is little
  /// beside the rest of a request.
  var hasSlowLookups: Bool {
    switch self {
    case .sqlite: false
    case .postgresql: true
    }
  }

  /// The SQL that joins each row so far with rows of another table. The rows before it are scanned
  /// first.
  func join(_ table: String, as alias: String, where condition: String) -> String {
    switch self {
    case .sqlite: " CROSS JOIN \(table) \(alias) ON \(condition)"
    case .postgresql:
      " CROSS JOIN LATERAL (SELECT * FROM \(table) \(alias) WHERE \(condition)\(endOfSubquery)) \(alias)"
    }
  }

  /// The end of a subquery that is carried out for each row of the query around it. Without it,
  /// PostgreSQL makes a join of the two and may scan the rows of the subquery first.
  var endOfSubquery: String {
    switch self {
    case .sqlite: ""
    case .postgresql: " OFFSET 0"
    }
  }

  /// The SQL that looks up rows by several values of a column. It takes the values before the
  /// arguments of the condition. PostgreSQL also has the column `place`, the position of the value
  /// among the values.
  func lookup(
    _ columns: String, in table: String, as alias: String, by column: String, count: Int,
    where condition: String
  ) -> String {
    switch self {
    case .sqlite:
      let list = Array(repeating: "?", count: count).joined(separator: ", ")
      return
        "SELECT \(columns) FROM \(table) \(alias) WHERE \(column) IN (\(list)) AND \(condition)"
    // PostgreSQL could test a list on all rows that meet the condition.
    case .postgresql:
      let list = (1...count).map { "(?, \($0))" }.joined(separator: ", ")
      return "SELECT \(columns) FROM (VALUES \(list)) AS value (wanted, place)"
        + join(table, as: alias, where: "\(column) = value.wanted AND \(condition)")
    }
  }

  /// The SQL of a page of records, which ends with the record that makes the total of the sizes of
  /// their stored fields reach a limit. After the arguments of the condition it takes the maximum
  /// number of records and, if `limitsBytes`, that total.
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

  /// Whether the SQL limits the total size of a page. SQLite reads each row only when it is asked
  /// for it; PostgreSQL sends all of them.
  var limitsBytes: Bool {
    switch self {
    case .sqlite: false
    case .postgresql: true
    }
  }

  /// Whether a transaction must lock an owner before it reads the owner's rows. A transaction that
  /// writes must do so if others can write at the same time.
  var locksRows: Bool {
    switch self {
    case .sqlite: false
    case .postgresql(let locksRows): locksRows
    }
  }

  /// The end of a SELECT whose rows no other transaction can lock or change until this one ends.
  var forUpdate: String { locksRows ? " FOR UPDATE" : "" }

  /// The statement that locks a table until the transaction ends; nil if no other transaction can write
  /// meanwhile. Other transactions can read the table, but must wait before they lock its rows.
  ///
  /// A transaction that updates a row waits until nobody shares it (`sharing`), and PostgreSQL lets
  /// others share it meanwhile, so it could wait for ever. For the lock of a table, transactions queue.
  func lock(_ table: String) -> String? {
    locksRows ? "LOCK TABLE \(table) IN EXCLUSIVE MODE" : nil
  }

  /// The end of a SELECT whose rows of one table no other transaction can change until this one
  /// ends.
  func sharing(_ table: String) -> String { locksRows ? " FOR SHARE OF \(table)" : "" }
}
