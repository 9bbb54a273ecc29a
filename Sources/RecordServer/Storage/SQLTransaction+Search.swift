import CloudRecords
import FoundationEssentials

extension SQLTransaction {
  /// Returns the positions of the records that a search finds.
  func search(_ search: RecordSearch, in scope: Scope) throws -> [RecordSearch.Position] {
    var statement = SearchStatement(search: search, scope: scope, dialect: connection.dialect)
    let (sql, arguments) = statement.build()
    return try connection.rows(sql, arguments, lifetime: .transaction, Self.position)
  }

  /// Whether looking up rows one by one takes a large part of a request's time. PostgreSQL takes
  /// 2.5 µs for a row that is looked up from a row of another table, SQLite 0.4 µs.
  var hasSlowLookups: Bool { !connection.dialect.isSQLite }

  /// Returns the position of a row that a search scans, whether or not its conditions hold; nil if
  /// the search scans fewer rows.
  ///
  /// - Parameters:
  ///   - number: the number of the row; the first is 1.
  ///   - search: a search that `canStopAnywhere`.
  func position(
    ofRow number: Int, scannedBy search: RecordSearch, in scope: Scope
  ) throws -> RecordSearch.Position? {
    var statement = SearchStatement(search: search, scope: scope, dialect: connection.dialect)
    let (sql, arguments) = statement.row(number)
    return try connection.row(sql, arguments, lifetime: .transaction, Self.position)
  }

  private static func position(_ row: any SQLRow) throws -> RecordSearch.Position {
    try RecordSearch.Position(
      keys: (1..<row.count).map { IndexKey(bytes: try row[$0]) }, name: row[0])
  }

  /// Counts the index entries of a field that pass all tests, up to a limit.
  func count(
    _ tests: [RecordSearch.Test], of field: FieldID, in scope: Scope, upTo limit: Int
  ) throws -> Int {
    var statement = SearchStatement(
      search: RecordSearch(type: "", limit: limit), scope: scope, dialect: connection.dialect)
    let (sql, arguments) = statement.count(tests, of: field)
    return try connection.row(sql, arguments, lifetime: .transaction) { try $0[0] } ?? 0
  }
}

/// Builds the SQL of a search. Its statements are kept only until the transaction ends, because the
/// number of different searches is unlimited. A search of many zones uses the same few statements.
///
/// The rows that a search scans are the first table. SQLite does not reorder CROSS JOINs.
private struct SearchStatement {
  let search: RecordSearch
  let scope: Scope
  let dialect: SQLDialect
  /// The arguments, in the order of their placeholders in the SQL. Each method appends the
  /// arguments of the SQL that it returns, so the methods must be called in the order of the SQL.
  private(set) var arguments: [any SQLArgument] = []

  /// The SQL that counts the entries of a field that pass all tests, up to the limit of the search.
  mutating func count(
    _ tests: [RecordSearch.Test], of field: FieldID
  ) -> (String, [any SQLArgument]) {
    var terms = [entry("e", of: field)]
    for test in tests { terms.append(passing("e.key", test)) }
    let sql = """
      SELECT count(*) FROM (
        SELECT 1 FROM entry e WHERE \(terms.joined(separator: " AND ")) LIMIT ?) AS found
      """
    arguments.append(search.limit)
    return (sql, arguments)
  }

  /// The SQL of the search. Its rows are the record names and the keys of the positions.
  mutating func build() -> (String, [any SQLArgument]) {
    var (from, keys) = scan()
    for (index, condition) in search.conditions.enumerated()
    where index != search.scannedCondition {
      if case .firstRows(count: _, condition: index, entries: let count) = search.path {
        from += " AND \(holding(condition, for: count))"
      } else {
        from += " AND \(holding(condition))"
      }
    }
    if search.path != .creator, let creator = search.creator {
      from += " AND EXISTS (SELECT 1 FROM record c WHERE c.owner_id = ? AND c.zone = ?"
      from += " AND c.name = e.name AND c.creator = ?\(dialect.endOfSubquery))"
      arguments += [scope.owner.rawValue, scope.incarnation, creator]
    }
    arguments.append(search.limit)
    return (positions(keys, from) + " LIMIT ?", arguments)
  }

  /// The SQL of the position of one scanned row, whether or not the conditions hold for it.
  ///
  /// - Parameter number: the number of the row; the first is 1.
  mutating func row(_ number: Int) -> (String, [any SQLArgument]) {
    let (from, keys) = scan()
    arguments.append(number - 1)
    return (positions(keys, from) + " LIMIT 1 OFFSET ?", arguments)
  }

  /// The SQL that selects positions in the order of the search.
  private func positions(_ keys: [String], _ from: String) -> String {
    let order =
      zip(keys, directions).map { "\($0) \($1 ? "ASC" : "DESC")" }
      + ["e.name \(search.isNameDescending ? "DESC" : "ASC")"]
    return """
      SELECT \((["e.name"] + keys).joined(separator: ", ")) FROM \(from)
      ORDER BY \(order.joined(separator: ", "))
      """
  }

  /// The rows that the search scans, from the position `after` to the position `through`.
  ///
  /// - Returns: the SQL that follows FROM, and the columns of the keys of the positions.
  private mutating func scan() -> (from: String, keys: [String]) {
    var from: String
    var keys: [String] = []
    switch search.path {
    case .type:
      from = "\(dialect.table("record e", by: "record_by_type")) WHERE \(record("e"))"
    case .creator:
      (from, keys) = ordered(
        dialect.table("record e", by: "record_by_creator"), { $0.record("e") }, nil)
      from += " AND e.creator = ?"
      arguments.append(search.creator)
    case .firstRows(let count, _, _):
      let rows = entry("e", of: search.order[0].field)
      let after = search.after.map { following($0, ["e.key"]) } ?? "TRUE"
      arguments.append(count)
      return (
        "(\(positions(["e.key"], "entry e WHERE \(rows) AND \(after)")) LIMIT ?) e WHERE TRUE",
        ["e.key"]
      )
    case .condition, .order:
      (from, keys) = joined(search.scannedField ?? FieldID(rawValue: 0))
      if let test = search.scannedCondition.flatMap({ search.conditions[$0].tests.first }) {
        from += " AND \(scannedKeyTest(test, keys))"
      }
    }
    if let after = search.after { from += " AND \(following(after, keys))" }
    if let through = search.through { from += " AND \(notAfter(through, keys))" }
    return (from, keys)
  }

  /// For each key, whether it is in ascending order.
  private var directions: [Bool] {
    search.order.isEmpty ? [true] : search.order.map(\.ascending)
  }

  /// The entries of a field, joined with the entries of the fields that the search sorts by.
  ///
  /// - Returns: the SQL that follows FROM, and the columns of the sort keys.
  private mutating func joined(_ field: FieldID) -> (String, keys: [String]) {
    let (from, keys) = ordered("entry e", { $0.entry("e", of: field) }, field)
    return (from, search.order.isEmpty ? ["e.key"] : keys)
  }

  /// The rows of a table, joined with the entries of the fields that the search sorts by.
  ///
  /// - Parameters:
  ///   - rows: returns the SQL condition that selects rows of the table.
  ///   - field: the field whose entries the rows are; nil if the rows are records.
  /// - Returns: the SQL that follows FROM, and the columns of the sort keys.
  private mutating func ordered(
    _ table: String, _ rows: (inout Self) -> String, _ field: FieldID?
  ) -> (String, keys: [String]) {
    var from = table
    var keys: [String] = []
    for (index, order) in search.order.enumerated() {
      if order.field == field {
        keys.append("e.key")
      } else {
        let alias = "s\(index)"
        keys.append("\(alias).key")
        from += dialect.join(
          "entry", as: alias,
          where: "\(entry(alias, of: order.field)) AND \(alias).name = e.name")
      }
    }
    return (from + " WHERE \(rows(&self))", keys)
  }

  /// The SQL condition that selects the live records of the search's type.
  private mutating func record(_ alias: String) -> String {
    arguments += [scope.owner.rawValue, scope.incarnation, search.type]
    return ["owner_id", "zone", "type"].map { "\(alias).\($0) = ?" }.joined(separator: " AND ")
      + " AND \(alias).deleted = 0"
  }

  /// The SQL condition that selects the entries of a field.
  private mutating func entry(_ alias: String, of field: FieldID) -> String {
    arguments += [scope.owner.rawValue, scope.incarnation, field.rawValue]
    return "\(alias).owner_id = ? AND \(alias).zone = ? AND \(alias).field = ?"
  }

  /// The SQL that tests the key of an entry.
  ///
  /// - Parameter key: the column of the key.
  private mutating func passing(_ key: String, _ test: RecordSearch.Test) -> String {
    switch test {
    case .keys(let keys):
      arguments += keys.map(\.bytes)
      if keys.isEmpty { return "FALSE" }
      if keys.count == 1 { return "\(key) = ?" }
      return "\(key) IN (\(keys.map { _ in "?" }.joined(separator: ", ")))"
    case .range(let range):
      arguments += [range.lowerBound.bytes, range.upperBound.bytes]
      return "\(key) >= ? AND \(key) < ?"
    }
  }

  /// The SQL that tests whether a condition of the search holds for the record of the current row.
  private mutating func holding(_ condition: RecordSearch.Condition) -> String {
    let text: String
    switch condition.tests.count {
    case 0: text = "TRUE"
    case 1 where condition.isSingleValued && condition.field == search.scannedField:
      // The current row is the only entry of the field.
      text = passing("e.key", condition.tests[0])
      return condition.isNegated ? "NOT (\(text))" : text
    case 1:
      // Reads the only entry of the record once. With the index, SQLite would look up each of the
      // keys.
      let key = condition.isSingleValued ? dialect.withoutIndex("x.key") : "x.key"
      text =
        "EXISTS (SELECT 1 FROM entry x WHERE \(entry("x", of: condition.field))"
        + " AND x.name = e.name AND \(passing(key, condition.tests[0]))\(dialect.endOfSubquery))"
    default:
      // One condition for each key would exceed SQLite's limit on the depth of an expression.
      let keys = Set(
        condition.tests.flatMap { test in
          if case .keys(let keys) = test { keys } else { [IndexKey]() }
        }
      ).sorted()
      text =
        "(SELECT count(*) FROM entry x WHERE \(entry("x", of: condition.field))"
        + " AND x.name = e.name AND \(passing("x.key", .keys(keys)))) = \(keys.count)"
    }
    return condition.isNegated ? "NOT (\(text))" : text
  }

  /// The SQL that tests whether a condition of one test holds for the record of the current row.
  /// The names of all records for which it holds are collected first.
  ///
  /// - Parameter count: the number of entries that pass the test.
  private mutating func holding(_ condition: RecordSearch.Condition, for count: Int) -> String {
    let entries = entry("x", of: condition.field)
    let test = passing("x.key", condition.tests[0])
    arguments.append(count)
    // Without IS TRUE, PostgreSQL makes a join and sorts all of its rows. The LIMIT tells it that
    // the names fit in memory.
    return "(e.name IN (SELECT x.name FROM entry x WHERE \(entries) AND \(test) LIMIT ?)) IS TRUE"
  }

  /// The SQL condition that selects the rows after a position in the order of the search.
  private mutating func following(_ position: RecordSearch.Position, _ keys: [String]) -> String {
    var columns =
      zip(zip(keys, directions), position.keys).map {
        (column: $0.0, ascends: $0.1, value: $1.bytes as any SQLArgument)
      } + [(column: "e.name", ascends: !search.isNameDescending, value: position.name)]
    // If all rows have the same key, SQLite can use the index by keys for the name. PostgreSQL
    // would take the index by names then, unless another sort is compared with the name.
    let comparesKey = columns.count == 2 && !dialect.isSQLite
    if isOfOneKey, keys.first == "e.key", !comparesKey { columns.removeFirst() }
    let equal = search.includesPosition ? "=" : ""
    guard let first = columns.first else { return "TRUE" }
    // A comparison of row values lets SQLite start at the position in the index, however many rows
    // have the same key.
    if columns.allSatisfy({ $0.ascends == first.ascends }) {
      arguments += columns.map(\.value)
      let names = columns.map(\.column).joined(separator: ", ")
      let values = columns.map { _ in "?" }.joined(separator: ", ")
      return "(\(names)) \(first.ascends ? ">" : "<")\(equal) (\(values))"
    }
    // The condition on the first column is repeated by itself, so that SQLite can use the index.
    let text = "\(first.column) \(first.ascends ? ">=" : "<=") ? AND ("
    arguments.append(first.value)
    let steps = columns.indices.map { index in
      let same = columns[..<index].map { column in
        arguments.append(column.value)
        return "\(column.column) = ? AND "
      }
      arguments.append(columns[index].value)
      let sign = (columns[index].ascends ? ">" : "<") + (index == columns.count - 1 ? equal : "")
      return "(\(same.joined())\(columns[index].column) \(sign) ?)"
    }
    return text + steps.joined(separator: " OR ") + ")"
  }

  /// The SQL condition that selects the rows up to a position, including it, in the order of a
  /// search that can stop anywhere.
  private mutating func notAfter(_ position: RecordSearch.Position, _ keys: [String]) -> String {
    let sign = search.isNameDescending ? ">=" : "<="
    // For names alone, PostgreSQL may use the index by names (`entry_by_record`), although the
    // index by keys also has the names in order.
    guard let key = position.keys.first, let column = keys.first,
      !isOfOneKey || !dialect.isSQLite
    else {
      arguments.append(position.name)
      return "e.name \(sign) ?"
    }
    arguments += [key.bytes, position.name] as [any SQLArgument]
    return "(\(column), e.name) \(sign) (?, ?)"
  }

  // MARK: Scanning

  /// Whether all scanned entries have the same key.
  private var isOfOneKey: Bool {
    guard let scannedCondition = search.scannedCondition,
      case .keys(let keys)? = search.conditions[scannedCondition].tests.first
    else { return false }
    return keys.count == 1
  }

  /// The SQL that tests the keys of the scanned entries. If the search begins after a position or
  /// ends at one, that bound of a range is left out: SQLite could otherwise scan from or to the
  /// bound instead of the position.
  private mutating func scannedKeyTest(_ test: RecordSearch.Test, _ keys: [String]) -> String {
    guard keys.first == "e.key", case .range(let range) = test else {
      return passing("e.key", test)
    }
    let ascends = directions.first ?? true
    var bounds: [String] = []
    if (ascends ? search.after : search.through) == nil {
      arguments.append(range.lowerBound.bytes)
      bounds.append("e.key >= ?")
    }
    if (ascends ? search.through : search.after) == nil {
      arguments.append(range.upperBound.bytes)
      bounds.append("e.key < ?")
    }
    return bounds.isEmpty ? "TRUE" : bounds.joined(separator: " AND ")
  }
}
