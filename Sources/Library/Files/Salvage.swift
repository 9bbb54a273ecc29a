import GRDB
import Quran

/// Copies the rows that SQLite can read of a damaged library.
enum Salvage {
  /// How single rows are read if reading them in order fails.
  private enum Search { case byRow, byAyah, bySurah, none }

  private struct Table {
    let name: String
    let key: String
    let search: Search
    /// Whether the user is told the number of its rows.
    var isCounted = true
  }

  /// The copied tables, the most important ones first. The state of sync is not copied: if a part
  /// of it were missing, records would be deleted on the server.
  private static let tables = [
    Table(name: "note", key: "rowid", search: .byRow),
    Table(name: "draft", key: "rowid", search: .byRow),
    Table(name: "favorite", key: "surah, ayah", search: .byAyah),
    Table(name: "progress", key: "surah", search: .bySurah),
    Table(name: "setting", key: "key", search: .none),
    Table(name: "trash", key: "rowid", search: .byRow),
    Table(name: "readingDay", key: "day", search: .none),
    Table(name: "device", key: "key", search: .none, isCounted: false),
    Table(name: "imported", key: "id", search: .none, isCounted: false),
    Table(name: "outbox", key: "kind, key", search: .none, isCounted: false),
    Table(name: "noteCopy", key: "id", search: .none, isCounted: false),
  ]

  /// Returns the number of rows of the counted tables.
  static func count(_ database: Database) throws -> Int {
    try tables.filter(\.isCounted).reduce(0) {
      try $0 + (Int.fetchOne(database, sql: "SELECT count(*) FROM \($1.name)") ?? 0)
    }
  }

  /// Copies to an empty library every valid row of a damaged library that can be read. The damaged
  /// file is not changed.
  ///
  /// - Returns: The number of copied rows of the counted tables.
  /// - Throws: `diskFull` if there is no room for a working copy.
  static func copy(_ old: String, to target: DatabaseQueue) throws -> Int {
    guard let copy = WorkingCopy.of(old) else { throw LibraryFailure.diskFull }
    defer { withExtendedLifetime(copy) {} }
    copy.clearPageCount()
    guard let source = try? DatabaseQueue(path: copy.path, configuration: .library) else {
      return 0
    }
    copy.discard()
    defer { try? source.close() }
    return try source.unsafeRead { source in
      try target.write { try copyTables(from: source, to: $0) }
    }
  }

  private static func copyTables(from source: Database, to target: Database) throws -> Int {
    var count = 0
    for table in tables {
      guard var copier = try Copier(table, from: source, to: target) else { continue }
      try copier.copy()
      if table.isCounted { count += copier.count }
    }
    // Remove the unsent saves of things that were not copied: sync would send them as deletions.
    try target.execute(
      sql: """
        DELETE FROM outbox WHERE op = 'save' AND NOT CASE kind
          WHEN 'note' THEN EXISTS (SELECT 1 FROM note WHERE id = outbox.key)
          WHEN 'favorite' THEN EXISTS (
            SELECT 1 FROM favorite WHERE surah = CAST(outbox.key AS INTEGER)
              AND ayah = CAST(substr(outbox.key, instr(outbox.key, ':') + 1) AS INTEGER))
          WHEN 'progress' THEN
            EXISTS (SELECT 1 FROM progress WHERE surah = CAST(outbox.key AS INTEGER))
          WHEN 'setting' THEN EXISTS (SELECT 1 FROM setting s WHERE s.key = outbox.key)
        END
        """)
    return count
  }

  /// Copies one table.
  private struct Copier {
    let table: Table
    let source: Database
    let target: Database
    let insertion: Statement
    /// The names of the copied columns, as SQL.
    let columns: String
    private(set) var count = 0

    /// Nil if the source has no such table, or its columns cannot be read.
    init?(_ table: Table, from source: Database, to target: Database) throws {
      guard (try? SchemaCheck.isTable(table.name, in: source)) == true,
        let columns = try? source.columns(in: table.name).map(\.name)
      else { return nil }
      // A damaged file may have damaged names of columns. The others are copied.
      let known = Set(try target.columns(in: table.name).map(\.name))
      let shared = columns.filter(known.contains)
      guard !shared.isEmpty else { return nil }
      let placeholders = shared.map { _ in "?" }.joined(separator: ", ")
      let names = shared.map { "\"\($0)\"" }.joined(separator: ", ")
      self.table = table
      self.source = source
      self.target = target
      self.columns = names
      insertion = try target.makeStatement(
        sql: "INSERT OR IGNORE INTO \(table.name) (\(names)) VALUES (\(placeholders))")
    }

    mutating func copy() throws {
      // The rows are read from both ends, because a damaged page ends the query.
      let (isWhole, last) = copy("ASC")
      if isWhole { return }
      let (_, first) = copy("DESC")
      guard first != nil || last != nil else { return }
      switch table.search {
      case .byRow:
        // A damaged file may have any row ID.
        let low = min(last ?? 0, .max - 100_000)
        let high = min(first ?? low + 10_000, low + 100_000)
        for row in low...max(low, high) { copy(where: "rowid = ?", [row]) }
      case .byAyah:
        for ayah in AyahID.first...AyahID.last {
          // The second query reads backward, because a row may be between a readable page and a
          // damaged one.
          copy(where: "surah = ? AND ayah = ?", [ayah.surah.rawValue, ayah.ayah])
          copy(
            where: "surah = ? AND ayah <= ? ORDER BY ayah DESC LIMIT 1",
            [ayah.surah.rawValue, ayah.ayah])
        }
      case .bySurah:
        for surah in SurahNumber.all { copy(where: "surah = ?", [surah.rawValue]) }
      case .none: break
      }
    }

    /// Copies rows in order until the query fails.
    ///
    /// - Returns: Whether all rows were read, and the row ID of the last row that was read; nil if
    ///   there was none, 0 for a table that is not searched by row ID.
    private mutating func copy(_ order: String) -> (Bool, Int?) {
      let rowID = table.search == .byRow ? "rowid" : "0"
      let sorting = table.key.split(separator: ",").map { "\($0) \(order)" }
      var last: Int?
      do {
        let rows = try Row.fetchCursor(
          source,
          sql: """
            SELECT \(columns), \(rowID) FROM \(table.name)
            ORDER BY \(sorting.joined(separator: ", "))
            """)
        while let row = try rows.next() {
          last = row[row.count - 1]
          insert(row.databaseValues.dropLast())
        }
        return (true, last)
      } catch {
        return (false, last)
      }
    }

    private mutating func copy(where condition: String, _ arguments: [Int]) {
      let row = try? Row.fetchOne(
        source.cachedStatement(sql: "SELECT \(columns) FROM \(table.name) WHERE \(condition)"),
        arguments: StatementArguments(arguments))
      if let row { insert(row.databaseValues) }
    }

    /// Inserts a row, unless it violates a constraint of the table.
    private mutating func insert(_ values: some Sequence<DatabaseValue>) {
      do {
        try insertion.execute(arguments: StatementArguments(values))
        count += target.changesCount
      } catch {}
    }
  }
}
