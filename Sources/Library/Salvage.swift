import GRDB
import Quran

/// Saves what can be read of a damaged library.
enum Salvage {
  /// How single rows are looked for where reading them in order stops.
  private enum Search { case byRow, byAyah, bySurah, none }

  private struct Table {
    let name: String
    let key: String
    let search: Search
    /// Whether its rows are what the reader put there, and not only books kept of it.
    var isCounted = true
  }

  /// What matters most first. What is known of a server is not worth saving: where some of it
  /// were missing, deletions would be made of that.
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

  /// How many rows a library holds, those apart that only keep its books.
  static func count(_ database: Database) throws -> Int {
    try tables.filter(\.isCounted).reduce(0) {
      try $0 + (Int.fetchOne(database, sql: "SELECT count(*) FROM \($1.name)") ?? 0)
    }
  }

  /// Copies into an empty library every row of an old one that can be read and is sound.
  /// The old file is not touched.
  ///
  /// - Returns: how many rows those were, those apart that only keep its books.
  /// - Throws: `diskFull` where there is no room to work in.
  static func copy(_ old: String, to target: DatabaseQueue) throws -> Int {
    if let found = try rows(of: old, to: target) { return found }
    // Nothing could be read: the tables may only have lost their names.
    var best: (replacement: PageReplacement, count: Int)?
    for replacement in [PageReplacement.ofLibrary, .ofBackup] {
      let count = try rows(of: old, to: target, after: replacement, isTrial: true) ?? 0
      if count > best?.count ?? 0 { best = (replacement, count) }
    }
    return try best.flatMap { try rows(of: old, to: target, after: $0.replacement) } ?? 0
  }

  /// - Returns: nil where no table could be read, nor anything found in it.
  private static func rows(
    of old: String, to target: DatabaseQueue, after replacement: PageReplacement? = nil,
    isTrial: Bool = false
  ) throws -> Int? {
    guard let copy = WorkingCopy.of(old) else { throw LibraryFailure.diskFull }
    defer { withExtendedLifetime(copy) {} }
    try replacement?.apply(to: copy)
    guard let source = try? DatabaseQueue(path: copy.path, configuration: .library) else {
      return nil
    }
    copy.discard()
    defer { try? source.close() }
    var count: Int?
    try source.unsafeRead { source in
      try target.writeWithoutTransaction { target in
        try target.inTransaction {
          count = try copyTables(from: source, to: target)
          return isTrial ? .rollback : .commit
        }
      }
    }
    return count
  }

  /// - Returns: nil where no table could be read, nor anything found in it.
  private static func copyTables(from source: Database, to target: Database) throws -> Int? {
    var count: Int?
    for table in tables {
      guard var copier = try Copier(table, from: source, to: target) else { continue }
      try copier.copy()
      if copier.isWhole || copier.count > 0 {
        count = (count ?? 0) + (table.isCounted ? copier.count : 0)
      }
    }
    // To send a thing that was lost would be to delete it elsewhere.
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
    /// The names of the columns that are copied, as SQL.
    let columns: String
    private(set) var count = 0
    private(set) var isWhole = false

    /// Nil where the source has no such table, or tells nothing of it.
    init?(_ table: Table, from source: Database, to target: Database) throws {
      guard (try? SchemaCheck.isTable(table.name, in: source)) == true,
        let columns = try? source.columns(in: table.name).map(\.name)
      else { return nil }
      // A damaged file may have damaged names. The other columns of the row are as good as ever.
      let known = Set(try target.columns(in: table.name).map(\.name))
      let shared = columns.filter(known.contains)
      guard !shared.isEmpty else { return nil }
      let places = shared.map { _ in "?" }.joined(separator: ", ")
      let names = shared.map { "\"\($0)\"" }.joined(separator: ", ")
      self.table = table
      self.source = source
      self.target = target
      self.columns = names
      insertion = try target.makeStatement(
        sql: "INSERT OR IGNORE INTO \(table.name) (\(names)) VALUES (\(places))")
    }

    mutating func copy() throws {
      // From both ends: a damaged page stops either way.
      let (isWhole, last) = copy("ASC")
      self.isWhole = isWhole
      if isWhole { return }
      let (_, first) = copy("DESC")
      guard first != nil || last != nil else { return }
      switch table.search {
      case .byRow:
        let low = last ?? 0
        let high = min(first ?? low + 10_000, low + 100_000)
        for row in low...max(low, high) { copy(where: "rowid = ?", [row]) }
      case .byAyah:
        for ayah in AyahID.first...AyahID.last {
          // From either side: a row may stand between a sound page and a damaged one.
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

    /// - Returns: whether it went to the end, and where in the table it came.
    private mutating func copy(_ order: String) -> (Bool, Int?) {
      let place = table.search == .byRow ? "rowid" : "0"
      let sorting = table.key.split(separator: ",").map { "\($0) \(order)" }
      var last: Int?
      do {
        let rows = try Row.fetchCursor(
          source,
          sql: """
            SELECT \(columns), \(place) FROM \(table.name)
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

    /// What the table does not allow is left out.
    private mutating func insert(_ values: some Sequence<DatabaseValue>) {
      do {
        try insertion.execute(arguments: StatementArguments(values))
        count += target.changesCount
      } catch {}
    }
  }
}
