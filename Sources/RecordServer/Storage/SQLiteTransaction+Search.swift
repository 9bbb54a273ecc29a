import CloudRecords
import FoundationEssentials
import GRDB

extension SQLiteTransaction {
  func search(_ search: RecordSearch, in scope: Scope) throws -> [RecordSearch.Position] {
    var statement = SearchStatement(search, in: scope)
    let (sql, arguments) = statement.build()
    // Not a cached one: there is no end of different queries.
    let rows = try Row.fetchCursor(database.makeStatement(sql: sql), arguments: arguments)
    var positions: [RecordSearch.Position] = []
    while let row = try rows.next() {
      let keys = (1..<row.count).map { IndexKey(bytes: row[$0]) }
      positions.append(RecordSearch.Position(keys: keys, name: row[0]))
    }
    return positions
  }

  func count(
    _ test: RecordSearch.Test, of field: FieldID, in scope: Scope, upTo limit: Int
  ) throws -> Int {
    var statement = SearchStatement(RecordSearch(type: "", limit: limit), in: scope)
    let (sql, arguments) = statement.count(test, of: field)
    return try Int.fetchOne(database.makeStatement(sql: sql), arguments: arguments) ?? 0
  }
}

/// A search in SQL.
///
/// CROSS JOIN keeps SQLite from going through the tables in another order than this one.
private struct SearchStatement {
  private let search: RecordSearch
  private let scope: Scope
  /// In the order in which the text is put together.
  private var arguments: [any DatabaseValueConvertible] = []

  init(_ search: RecordSearch, in scope: Scope) {
    self.search = search
    self.scope = scope
  }

  mutating func count(
    _ test: RecordSearch.Test, of field: FieldID
  ) -> (String, StatementArguments) {
    let sql = """
      SELECT count(*) FROM (
        SELECT 1 FROM entry e WHERE \(entry("e", of: field)) AND \(passing("e", test)) LIMIT ?)
      """
    arguments.append(search.limit)
    return (sql, StatementArguments(arguments))
  }

  /// - Returns: a statement whose rows are names and the keys of their positions.
  mutating func build() -> (String, StatementArguments) {
    var from: String
    var keys: [String] = []
    var used: Int?
    switch search.path {
    case .type:
      from = "record e INDEXED BY record_by_type WHERE e.owner_id = ? AND e.zone = ?"
      from += " AND e.type = ? AND e.deleted = 0"
      arguments += [scope.owner.rawValue, scope.incarnation, search.type]
    case .condition(let index):
      let condition = search.conditions[index]
      used = index
      (from, keys) = joined(condition.field)
      if let test = condition.tests.first { from += " AND \(passing("e", test))" }
    case .order:
      (from, keys) = joined(search.order.first?.field ?? FieldID(rawValue: 0))
    }
    for (index, condition) in search.conditions.enumerated() where index != used {
      from += " AND \(holding(condition))"
    }
    if let creator = search.creator {
      from += " AND EXISTS (SELECT 1 FROM record c WHERE c.owner_id = ? AND c.zone = ?"
      from += " AND c.name = e.name AND c.creator = ?)"
      arguments += [scope.owner.rawValue, scope.incarnation, creator]
    }
    if let after = search.after { from += " AND \(following(after, keys))" }
    let order =
      zip(keys, directions).map { "\($0) \($1 ? "ASC" : "DESC")" }
      + ["e.name \(search.isNameDescending ? "DESC" : "ASC")"]
    arguments.append(search.limit)
    let sql = """
      SELECT \((["e.name"] + keys).joined(separator: ", ")) FROM \(from)
      ORDER BY \(order.joined(separator: ", ")) LIMIT ?
      """
    return (sql, StatementArguments(arguments))
  }

  /// For each key whether it ascends.
  private var directions: [Bool] {
    search.order.isEmpty ? [true] : search.order.map(\.ascending)
  }

  /// The entries of a field with those of the fields that are ordered by.
  ///
  /// - Returns: the text, and the columns of the order.
  private mutating func joined(_ field: FieldID) -> (String, keys: [String]) {
    var from = "entry e"
    var keys: [String] = search.order.isEmpty ? ["e.key"] : []
    var others: [(alias: String, field: FieldID)] = []
    for (index, order) in search.order.enumerated() {
      if order.field == field {
        keys.append("e.key")
      } else {
        others.append(("s\(index)", order.field))
        keys.append("s\(index).key")
        from += " CROSS JOIN entry s\(index)"
      }
    }
    from += " WHERE \(entry("e", of: field))"
    for (alias, field) in others {
      from += " AND \(entry(alias, of: field)) AND \(alias).name = e.name"
    }
    return (from, keys)
  }

  private mutating func entry(_ alias: String, of field: FieldID) -> String {
    arguments += [scope.owner.rawValue, scope.incarnation, field.rawValue]
    return "\(alias).owner_id = ? AND \(alias).zone = ? AND \(alias).field = ?"
  }

  private mutating func passing(_ alias: String, _ test: RecordSearch.Test) -> String {
    switch test {
    case .keys(let keys):
      arguments += keys.map(\.bytes)
      if keys.isEmpty { return "0" }
      if keys.count == 1 { return "\(alias).key = ?" }
      return "\(alias).key IN (\(keys.map { _ in "?" }.joined(separator: ", ")))"
    case .range(let range):
      arguments += [range.lowerBound.bytes, range.upperBound.bytes]
      return "\(alias).key >= ? AND \(alias).key < ?"
    }
  }

  private mutating func holding(_ condition: RecordSearch.Condition) -> String {
    let tests = condition.tests.map { test in
      "EXISTS (SELECT 1 FROM entry x WHERE \(entry("x", of: condition.field))"
        + " AND x.name = e.name AND \(passing("x", test)))"
    }
    let all = tests.isEmpty ? "1" : tests.joined(separator: " AND ")
    return condition.isNegated ? "NOT (\(all))" : all
  }

  /// What comes after a position: later in one key, and the same in all before it.
  private mutating func following(_ position: RecordSearch.Position, _ keys: [String]) -> String {
    let columns =
      zip(zip(keys, directions), position.keys).map {
        (column: $0.0, ascends: $0.1, value: $1.bytes as any DatabaseValueConvertible)
      } + [(column: "e.name", ascends: !search.isNameDescending, value: position.name)]
    guard let first = columns.first else { return "1" }
    // The first is said once more by itself, for the index.
    let text = "\(first.column) \(first.ascends ? ">=" : "<=") ? AND ("
    arguments.append(first.value)
    let steps = columns.indices.map { index in
      let same = columns[..<index].map { column in
        arguments.append(column.value)
        return "\(column.column) = ? AND "
      }
      arguments.append(columns[index].value)
      let isLast = index == columns.count - 1
      let sign =
        (columns[index].ascends ? ">" : "<") + (isLast && search.includesPosition ? "=" : "")
      return "(\(same.joined())\(columns[index].column) \(sign) ?)"
    }
    return text + steps.joined(separator: " OR ") + ")"
  }
}
