import CloudRecords
import FoundationEssentials

// Records and their index entries and references. The column `zone` is the incarnation of the zone,
// not its name.
extension SQLTransaction {
  /// The columns that `record(_:)` reads, in its order.
  static let recordColumns = [
    "name", "type", "number", "deleted", "content", "sealed", "bytes", "created_at", "created_by",
    "modified_at", "modified_by", "creator", "parent", "mark", "deleted_number", "deleted_mark",
  ].map { "r.\($0)" }.joined(separator: ", ")

  /// The number of names that a statement looks up at once. All its records are in memory together,
  /// and each can have `Limits.pageBytes` of stored fields.
  fileprivate static let namesPerStatement = 20

  static func record(_ row: any SQLRow) throws -> RecordRow {
    try RecordRow(
      name: row[0], type: row[1], number: row[2], mark: mark(row[13]), isDeleted: row[3],
      content: row[4], sealed: row[5], bytes: row[6], createdAt: row[7], createdBy: row[8],
      modifiedAt: row[9], modifiedBy: row[10], creator: row[11], parent: row[12],
      deletedVersion: (row[14] as Int64?).map { RecordVersion(number: $0, mark: mark(try row[15])) }
    )
  }

  private static func mark(_ stored: Int64?) -> Mark? { stored.map(Mark.init(stored:)) }

  /// Returns the records and tombstones with the given names, by name.
  ///
  /// - Parameter bytes: a limit of the total size of the stored fields. The names after the record
  ///   that makes the total reach this number of bytes are ignored.
  func records(
    _ names: [String], in scope: Scope, bytes: Int
  ) throws -> [String: RecordRow] {
    try lock(scope.owner)
    var records: [String: RecordRow] = [:]
    var sum = 0
    var rest = names.filter(Self.isText)[...]
    while sum < bytes, !rest.isEmpty {
      let part = rest.prefix(namesAtOnce(of: rest.count))
      rest = rest.dropFirst(part.count)
      let found: [RecordRow]
      if part.count > Self.namesPerStatement {
        found = try page(of: part, in: scope, bytes: bytes - sum)
      } else {
        var rows: [String: RecordRow] = [:]
        try lookUp(Self.recordColumns, in: "record", by: "name", part, in: scope) { row in
          let record = try Self.record(row)
          rows[record.name] = record
        }
        found = part.compactMap { rows[$0] }
      }
      for record in found where sum < bytes {
        records[record.name] = record
        sum += record.storedBytes
      }
    }
    return records
  }

  /// The number of names that the next statement looks up.
  ///
  /// - Parameter count: the number of names that are left.
  private func namesAtOnce(of count: Int) -> Int {
    if count < Self.namesPerStatement { return 1 }
    // On PostgreSQL, the statement itself limits the size of many records (`SQLDialect.page`).
    let isPage = !connection.dialect.isSQLite && count > 3 * Self.namesPerStatement
    return isPage ? Limits.pageRecords : Self.namesPerStatement
  }

  /// Returns the records of these names, in the order of the names, until the sum of their sizes
  /// reaches `bytes`; the last one may exceed it.
  ///
  /// - Parameter names: at most `Limits.pageRecords`.
  private func page(
    of names: ArraySlice<String>, in scope: Scope, bytes: Int
  ) throws -> [RecordRow] {
    let names = Self.padded(names, to: Limits.pageRecords)
    let table = connection.dialect.lookup(
      "r.*, place", in: "record", as: "r", by: "r.name", count: names.count,
      where: "r.owner_id = ? AND r.zone = ?")
    return try page(
      "(\(table)) r", where: "TRUE", by: "place",
      names + [scope.owner.rawValue, scope.incarnation] as [any SQLArgument], in: scope,
      limit: names.count, bytes: bytes)
  }

  /// Adds empty names, which no record has. With a fixed number of names, the same prepared
  /// statement is used for fewer names.
  private static func padded(_ names: ArraySlice<String>, to count: Int) -> [String] {
    Array(names) + Array(repeating: "", count: count - names.count)
  }

  /// Returns the type and creator of a record, without reading its fields; nil if the record does
  /// not exist or is deleted.
  ///
  /// - Parameter account: the account that wants to read it.
  func heading(of name: String, in scope: Scope, for account: Int64?) throws -> RecordHeading? {
    guard Self.isText(name) else { return nil }
    try lock(scope.owner)
    let arguments: [any SQLArgument] = [scope.owner.rawValue, scope.incarnation, name]
    // The columns are those before `content` in the table: SQLite reads a row from its beginning,
    // and the fields of a record can fill a thousand pages.
    let type = try connection.row(
      """
      SELECT type FROM record WHERE owner_id = ? AND zone = ? AND name = ? AND deleted = 0
      """, arguments
    ) { try $0[0] as String }
    guard let type else { return nil }
    guard scope.isPublic, let account else { return RecordHeading(type: type, creator: nil) }
    let table = connection.dialect.table("record", by: "record_by_creator")
    let isOwn =
      try connection.row(
        "SELECT 1 FROM \(table) WHERE owner_id = ? AND zone = ? AND name = ? AND creator = ?",
        arguments + [account]
      ) { try $0[0] as Int } != nil
    return RecordHeading(type: type, creator: isOwn ? account : nil)
  }

  /// Returns records and tombstones with greater sequence numbers than `number`, in the order of
  /// the numbers.
  ///
  /// - Parameter bytes: a limit of the total size of the stored fields. The page ends with the
  ///   record that makes the total reach this number of bytes.
  func changes(
    in scope: Scope, after number: Int64, limit: Int, bytes: Int
  ) throws -> [RecordRow] {
    try page(
      "record r", where: "r.owner_id = ? AND r.zone = ? AND r.number > ?", by: "number",
      [scope.owner.rawValue, scope.incarnation, number], in: scope, limit: limit, bytes: bytes)
  }

  /// Returns records until the sum of their sizes reaches `bytes`; the last one may exceed it.
  ///
  /// - Parameters:
  ///   - table: the table of records, with the alias `r`.
  ///   - key: the column whose order the records have.
  private func page(
    _ table: String, where condition: String, by key: String, _ arguments: [any SQLArgument],
    in scope: Scope, limit: Int, bytes: Int
  ) throws -> [RecordRow] {
    guard bytes > 0 else { return [] }
    try lock(scope.owner)
    let sql = connection.dialect.page(Self.recordColumns, of: table, where: condition, by: key)
    let limits: [any SQLArgument] = connection.dialect.isSQLite ? [limit] : [limit, bytes]
    var page: [RecordRow] = []
    var sum = 0
    try connection.forEachRow(sql, arguments + limits, lifetime: .connection) { row in
      let record = try Self.record(row)
      sum += record.storedBytes
      page.append(record)
      return sum < bytes
    }
    return page
  }

  /// Returns the records of a type whose names follow `name`, in the order of their names.
  ///
  /// - Parameter bytes: a limit of the total size of the stored fields. The page ends with the
  ///   record that makes the total reach this number of bytes.
  func records(
    of type: String, in scope: Scope, after name: String, limit: Int, bytes: Int
  ) throws -> [RecordRow] {
    try page(
      connection.dialect.table("record r", by: "record_by_type"),
      where: "r.owner_id = ? AND r.zone = ? AND r.type = ? AND r.deleted = 0 AND r.name > ?",
      by: "name", [scope.owner.rawValue, scope.incarnation, type, name], in: scope, limit: limit,
      bytes: bytes)
  }

  /// Returns at most `limit` references to a record, one for each source, in the order of the
  /// sources' names.
  func references(
    to target: String, _ action: ConstrainedReference.Action, in scope: Scope, limit: Int
  ) throws -> [ConstrainedReference] {
    try lock(scope.owner)
    return try connection.rows(
      """
      SELECT holder, min(field) FROM reference
      WHERE owner_id = ? AND zone = ? AND target = ? AND action = ?
      GROUP BY holder ORDER BY holder LIMIT ?
      """, [scope.owner.rawValue, scope.incarnation, target, action.rawValue, limit]
    ) { try ConstrainedReference(target: target, source: $0[0], field: $0[1], action: action) }
  }

  /// Calls a closure with each row of a table that belongs to one of some records.
  ///
  /// - Parameters:
  ///   - column: the column with the name of the record.
  ///   - names: different names, at most `namesPerStatement`.
  fileprivate func lookUp(
    _ columns: String, in table: String, by column: String, _ names: ArraySlice<String>,
    in scope: Scope, _ body: (any SQLRow) throws -> Void
  ) throws {
    guard !names.isEmpty else { return }
    let condition = "r.owner_id = ? AND r.zone = ?"
    var names = Array(names)
    let sql: String
    if names.count == 1 {
      sql = "SELECT \(columns) FROM \(table) r WHERE r.\(column) = ? AND \(condition)"
    } else {
      names = Self.padded(names[...], to: Self.namesPerStatement)
      sql = connection.dialect.lookup(
        columns, in: table, as: "r", by: "r.\(column)", count: names.count, where: condition)
    }
    try connection.forEachRow(
      sql, names + [scope.owner.rawValue, scope.incarnation] as [any SQLArgument],
      lifetime: .connection
    ) { row in
      try body(row)
      return true
    }
  }

  /// Returns the number of stored tombstones.
  func tombstoneCount(in scope: Scope) throws -> Int {
    try lock(scope.owner)
    return try connection.row(
      """
      SELECT count(*) FROM \(connection.dialect.table("record", by: "record_tombstone"))
      WHERE owner_id = ? AND zone = ? AND deleted = 1
      """, [scope.owner.rawValue, scope.incarnation]
    ) { try $0[0] as Int } ?? 0
  }
}

extension SQLWriteTransaction {
  /// The maximum number of rows that one statement inserts.
  private static let rowsPerStatement = 50

  /// Saves records with their index entries and references. In a private database, a tombstone
  /// takes the place of a deleted record; in a public one, the row of the record is deleted.
  func save(_ records: [IndexedRecord], in scope: Scope) throws {
    try restrictChanges(to: scope.owner)
    var added: [(name: String, entry: IndexEntry)] = []
    // In parts, so that the stored entries of all records are not in memory at the same time.
    var rest = records[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.namesPerStatement)
      rest = rest.dropFirst(part.count)
      added += try deleteOutdatedRows(of: part, in: scope)
    }
    try save(records.map(\.row).filter { !$0.isDeleted || !scope.isPublic }, in: scope)
    try insert(added, in: scope)
    try connection.insert(
      records.flatMap(\.references).map { reference in
        [
          scope.owner.rawValue, scope.incarnation, reference.target, reference.source,
          reference.field, reference.action.rawValue,
        ]
      }, into: "reference", atOnce: Self.rowsPerStatement)
  }

  /// Deletes the stored rows that are out of date when records are saved: index entries that the
  /// records no longer have, all their references, and, in the public database, the rows of deleted
  /// records.
  ///
  /// - Parameter records: at most `namesPerStatement`.
  /// - Returns: the index entries of the records that are not stored yet.
  private func deleteOutdatedRows(
    of records: ArraySlice<IndexedRecord>, in scope: Scope
  ) throws -> [(name: String, entry: IndexEntry)] {
    let names = records.map(\.row.name)[...]
    let entries = try entries(of: names, in: scope)
    let holders = try holders(among: names, in: scope)
    var added: [(name: String, entry: IndexEntry)] = []
    for record in records {
      let name = record.row.name
      if record.row.isDeleted, scope.isPublic {
        try connection.run(
          "DELETE FROM record WHERE owner_id = ? AND zone = ? AND name = ?",
          [scope.owner.rawValue, scope.incarnation, name])
      }
      added += try deleteEntries(
        entries[name] ?? [], except: record.entries, of: name, in: scope
      ).map { (name, $0) }
      if holders.contains(name) {
        try connection.run(
          "DELETE FROM reference WHERE owner_id = ? AND zone = ? AND holder = ?",
          [scope.owner.rawValue, scope.incarnation, name])
      }
    }
    return added
  }

  private func save(_ rows: [RecordRow], in scope: Scope) throws {
    try connection.insert(
      rows.map { row in
        [
          scope.owner.rawValue, scope.incarnation, row.name, row.type, row.number, row.isDeleted,
          row.content, row.sealed, row.bytes, row.createdAt, row.createdBy, row.modifiedAt,
          row.modifiedBy, row.creator, row.parent, row.mark?.stored, row.deletedVersion?.number,
          row.deletedVersion?.mark?.stored,
        ]
      }, into: "record", atOnce: Self.rowsPerStatement,
      """
      ON CONFLICT (owner_id, zone, name) DO UPDATE SET
      type = excluded.type, number = excluded.number, deleted = excluded.deleted,
      content = excluded.content, sealed = excluded.sealed, bytes = excluded.bytes,
      created_at = excluded.created_at, created_by = excluded.created_by,
      modified_at = excluded.modified_at, modified_by = excluded.modified_by,
      creator = excluded.creator, parent = excluded.parent, mark = excluded.mark,
      deleted_number = excluded.deleted_number, deleted_mark = excluded.deleted_mark
      """)
  }

  /// Replaces the index entries of a record.
  func save(_ entries: [IndexEntry], of name: String, in scope: Scope) throws {
    try restrictChanges(to: scope.owner)
    let stored = try self.entries(of: [name], in: scope)[name] ?? []
    let added = try deleteEntries(stored, except: entries, of: name, in: scope)
    try insert(added.map { (name, $0) }, in: scope)
  }

  /// Deletes the stored index entries of a record that are not among the new ones.
  ///
  /// - Returns: the new entries that are not stored.
  private func deleteEntries(
    _ stored: Set<IndexEntry>, except entries: [IndexEntry], of name: String, in scope: Scope
  ) throws -> [IndexEntry] {
    // Most changes of a record leave most of its entries as they are.
    let kept = stored.intersection(entries)
    if kept.isEmpty, !stored.isEmpty {
      try connection.run(
        "DELETE FROM entry WHERE owner_id = ? AND zone = ? AND name = ?",
        [scope.owner.rawValue, scope.incarnation, name])
    } else {
      for entry in stored where !kept.contains(entry) {
        try connection.run(
          "DELETE FROM entry WHERE owner_id = ? AND zone = ? AND field = ? AND key = ? AND name = ?",
          [
            scope.owner.rawValue, scope.incarnation, entry.field.rawValue, entry.key.bytes, name,
          ])
      }
    }
    return entries.filter { !kept.contains($0) }
  }

  private func insert(_ entries: [(name: String, entry: IndexEntry)], in scope: Scope) throws {
    try connection.insert(
      entries.map { name, entry in
        [scope.owner.rawValue, scope.incarnation, entry.field.rawValue, entry.key.bytes, name]
      }, into: "entry", atOnce: Self.rowsPerStatement,
      // A list may contain the same value twice.
      "ON CONFLICT DO NOTHING")
  }

  /// The stored index entries of at most `namesPerStatement` records, by name.
  private func entries(
    of names: ArraySlice<String>, in scope: Scope
  ) throws -> [String: Set<IndexEntry>] {
    var entries: [String: Set<IndexEntry>] = [:]
    try lookUp("name, field, key", in: "entry", by: "name", names, in: scope) { row in
      let entry = try IndexEntry(
        field: FieldID(rawValue: row[1]), key: IndexKey(bytes: row[2]))
      entries[try row[0], default: []].insert(entry)
    }
    return entries
  }

  /// The names of those of at most `namesPerStatement` records that hold references.
  private func holders(among names: ArraySlice<String>, in scope: Scope) throws -> Set<String> {
    var holders: Set<String> = []
    try lookUp("holder", in: "reference", by: "holder", names, in: scope) { row in
      holders.insert(try row[0])
    }
    return holders
  }

  /// Deletes records and tombstones of an owner; once none are left, their assets; and then their
  /// history. It leaves no tombstones.
  ///
  /// - Parameters:
  ///   - incarnation: the incarnation of a zone; nil for all zones that the owner ever had.
  ///   - limit: the maximum number of rows to delete.
  /// - Returns: the usage of what was deleted; nil if there was nothing left to delete.
  func purge(_ owner: OwnerID, _ incarnation: Int64?, limit: Int) throws -> Usage? {
    try restrictChanges(to: owner)
    let records = try connection.rows(
      """
      SELECT name, zone, bytes, deleted FROM record
      WHERE owner_id = ?\(incarnation == nil ? "" : " AND zone = ?") LIMIT ?
      """,
      incarnation.map { [owner.rawValue, $0, limit] } ?? [owner.rawValue, limit]
    ) { try ($0[0] as String, $0[1] as Int64, $0[2] as Int, $0[3] as Bool) }
    guard !records.isEmpty else {
      // The assets after the records, so that no record is without its assets.
      if let bytes = try purgeAssets(owner, incarnation, limit: limit) {
        return Usage(bytes: bytes)
      }
      return try purgeHistory(of: owner, incarnation, limit: limit) ? Usage() : nil
    }
    var purged = Usage()
    for (name, zone, bytes, isDeleted) in records {
      try erase(
        name, in: Scope(owner: owner, incarnation: zone, zoneName: "", isPublic: false))
      purged.bytes += bytes
      purged.records += isDeleted ? 0 : 1
    }
    return purged
  }

  /// Deletes at most `limit` of the records that an account created in a public database.
  ///
  /// - Returns: the number of deleted records; 0 if there were none left.
  func purge(createdBy account: Int64, in scope: Scope, limit: Int) throws -> Int {
    try restrictChanges(to: scope.owner)
    let names = try connection.rows(
      """
      SELECT name FROM \(connection.dialect.table("record", by: "record_by_creator"))
      WHERE owner_id = ? AND zone = ? AND creator = ? LIMIT ?
      """, [scope.owner.rawValue, scope.incarnation, account, limit]
    ) { try $0[0] as String }
    for name in names { try erase(name, in: scope) }
    return names.count
  }

  /// Deletes a record with its index entries and references, without a tombstone.
  private func erase(_ name: String, in scope: Scope) throws {
    let arguments: [any SQLArgument] = [scope.owner.rawValue, scope.incarnation, name]
    try connection.run("DELETE FROM record WHERE owner_id = ? AND zone = ? AND name = ?", arguments)
    try connection.run("DELETE FROM entry WHERE owner_id = ? AND zone = ? AND name = ?", arguments)
    try connection.run(
      "DELETE FROM reference WHERE owner_id = ? AND zone = ? AND holder = ?", arguments)
  }

  /// Deletes at most `limit` tombstones of deletions before `time`, oldest first.
  ///
  /// - Parameter time: milliseconds since 1970.
  /// - Returns: the number of deleted tombstones.
  func deleteTombstones(in scope: Scope, before time: Int64, limit: Int) throws -> Int {
    try restrictChanges(to: scope.owner)
    let tombstones = try connection.rows(
      """
      SELECT name, number FROM \(connection.dialect.table("record", by: "record_tombstone"))
      WHERE owner_id = ? AND zone = ? AND deleted = 1 AND modified_at < ?
      ORDER BY modified_at LIMIT ?
      """, [scope.owner.rawValue, scope.incarnation, time, limit]
    ) { try ($0[0] as String, $0[1] as Int64) }
    for (name, number) in tombstones {
      try erase(name, in: scope)
      try connection.run(
        "UPDATE zone SET floor = ? WHERE owner_id = ? AND name = ? AND floor < ?",
        [number, scope.owner.rawValue, scope.zoneName, number])
    }
    return tombstones.count
  }
}
