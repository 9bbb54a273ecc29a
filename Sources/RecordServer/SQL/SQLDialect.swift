/// What an engine writes differently in the SQL of statements.
enum SQLDialect {
  case sqlite

  /// The name of a table whose rows are to be found by one of its indexes.
  func table(_ table: String, by index: String) -> String {
    switch self {
    case .sqlite: "\(table) INDEXED BY \(index)"
    }
  }

  /// A column in a condition for which no index is to be used.
  func withoutIndex(_ column: String) -> String {
    switch self {
    case .sqlite: "+\(column)"
    }
  }
}
