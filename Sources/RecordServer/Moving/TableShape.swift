/// A table that a service has on SQLite and on PostgreSQL, as the SQLite file declares it.
struct TableShape: Hashable {
  let name: String
  let columns: [Column]
  /// Whether the rows get IDs that are never used again.
  let hasIDs: Bool

  struct Column: Hashable {
    let name: String
    let type: ValueType
  }

  /// The type of the values that are not null.
  enum ValueType: String {
    case integer = "INTEGER"
    case text = "TEXT"
    case bytes = "BLOB"
  }

  /// Returns all tables of a service in an SQLite database, in the order in which they were
  /// created. So a table with a foreign key comes after the table that the key refers to.
  ///
  /// - Throws: a `StorageFailure`, also if a column has a type that is not known here.
  static func all(in database: any SQLConnection) throws -> [TableShape] {
    // The tables of GRDB's and SQLite's own are left out.
    try database.rows(
      """
      SELECT name, sql LIKE '%AUTOINCREMENT%' FROM sqlite_schema WHERE type = 'table'
      AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'grdb%' ORDER BY rowid
      """
    ) { row in (try row[0] as String, try row[1] as Bool) }.map { name, hasIDs in
      let columns = try database.rows(
        "SELECT name, type FROM pragma_table_info(?) ORDER BY cid", [name]
      ) { row in
        let column: String = try row[0]
        guard let type = ValueType(rawValue: try row[1]) else {
          throw StorageFailure.failed(.damaged(.column(column)))
        }
        return Column(name: column, type: type)
      }
      return TableShape(name: name, columns: columns, hasIDs: hasIDs)
    }
  }

  /// The names of the columns, separated by commas.
  var columnList: String { columns.map(\.name).joined(separator: ", ") }

  /// Returns the values of a row of this table, in the order of `columns`.
  func values(of row: any SQLRow) throws -> [SQLValue] {
    try columns.indices.map { index in
      if row.isNull(index) { return .null }
      return switch columns[index].type {
      case .integer: .integer(try row.integer(index))
      case .text: .text(try row.text(index))
      case .bytes: .bytes(try row.bytes(index))
      }
    }
  }
}
