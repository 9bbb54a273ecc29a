import CSQLite
import Digests
import GRDB
import Glibc

/// The result of a comparison of a database's schema with the schemas of all library versions.
enum SchemaCheck: Hashable {
  /// The schema is that of a library version, which is the value.
  case version(Int)
  /// Tables or other objects are missing, because the file is damaged.
  case incomplete
  /// There are objects that no version has.
  case strange

  /// Checks the schema of a database. Only the schema is read, so that no view or trigger of a
  /// hostile file runs.
  init(_ database: Database) throws {
    // Running the migrations takes longer than the rest of opening a library. If the fingerprint is
    // that of the current version, they are not needed.
    guard try Self.fingerprint(of: database) != LibrarySchema.fingerprint else {
      self = .version(LibrarySchema.version)
      return
    }
    let found = try Self.objects(of: database)
    let versions = (1...LibrarySchema.version).reversed()
    if let version = versions.first(where: { Self.expected($0) == found }) {
      self = .version(version)
    } else {
      self = versions.contains { Self.expected($0).isSuperset(of: found) } ? .incomplete : .strange
    }
  }

  /// Returns the SHA-256 of the definitions of all objects, in hexadecimal digits.
  static func fingerprint(of database: Database) throws -> String {
    let parts = try database.rows(
      """
      SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema
      ORDER BY type, name LIMIT \(limit)
      """
    ) { row in (0..<4).map(row.string) }
    // Each part begins with its length, so that the concatenation is unambiguous.
    let text = parts.filter { statistics[$0[1]] != $0[3] }.joined()
      .map { "\($0.utf8.count):\($0)" }.joined()
    return SHA256.hex(of: Array(text.utf8))
  }

  /// Checks a file without its WAL, without locks, and without creating files beside it.
  ///
  /// - Returns: Nil if the schema cannot be read.
  static func ofFile(_ file: LibraryFile) -> SchemaCheck? {
    file.readWithoutWAL { try SchemaCheck($0) }
  }

  /// A table, index, view or trigger. In its SQL, each run of white space is one space.
  private struct Object: Hashable {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  /// The greatest number of objects that are read, more than any library has.
  private static let limit = 1000

  private static func objects(of database: Database) throws -> Set<Object> {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT \(limit)")
    var objects: Set<Object> = []
    while let row = try rows.next() {
      func text(_ column: Int) -> String {
        let value: DatabaseValue = row[column]
        return String.fromDatabaseValue(value) ?? ""
      }
      let object = Object(
        type: text(0), name: text(1), table: text(2),
        sql: text(3).split(whereSeparator: \.isWhitespace).joined(separator: " "))
      // The tables that ANALYZE creates are ignored.
      if object.type == "table", statistics[object.name] == object.sql { continue }
      objects.insert(object)
    }
    return objects
  }

  private static let statistics = [
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
  ]

  // MARK: Expected

  private static func expected(_ version: Int) -> Set<Object> {
    version == LibrarySchema.version ? current : former[version] ?? []
  }

  /// This is separate from `former`, because most libraries are of this version.
  private static let current = made(by: LibrarySchema.version)
  private static let former = Dictionary(
    uniqueKeysWithValues: (1..<LibrarySchema.version).map { ($0, made(by: $0)) })

  private static func made(by version: Int) -> Set<Object> {
    do {
      let queue = try DatabaseQueue()
      try LibrarySchema.migrator.migrate(queue, upTo: "\(version)")
      return try queue.inDatabase { try objects(of: $0) }
    } catch {
      // This fails only without memory. A library that is compared with the result is then refused.
      return []
    }
  }

  /// Whether there is an ordinary table with a name. Reading such a table does not run anything
  /// that the file defines. Its columns may be damaged.
  static func isTable(_ name: String, in database: Database) throws -> Bool {
    let found = try database.rows("SELECT type, sql FROM sqlite_schema WHERE name = ?", name) {
      (type: $0.string(0), words: $0.string(1).split(maxSplits: 2, whereSeparator: \.isWhitespace))
    }
    return found.count == 1 && found[0].type == "table"
      && found[0].words.prefix(2).map { $0.uppercased() } == ["CREATE", "TABLE"]
  }
}

extension GRDB.Configuration {
  /// The configuration for opening any library. SQLite then treats the file's schema as untrusted,
  /// so views and triggers in it do not run.
  static var library: GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(Library.busyTimeout)
    configuration.prepareDatabase { try $0.configure(sqlite_distrust_schema) }
    return configuration
  }

  /// The configuration for opening any library without changing it.
  static var readOnlyLibrary: GRDB.Configuration {
    var configuration = library
    configuration.readonly = true
    return configuration
  }
}

extension Database {
  /// Writes a copy of the database to a new file, which the caller renames. The caller must have
  /// checked the schema of the database, because this function trusts it.
  ///
  /// - Parameter path: The path to which the caller renames the file.
  /// - Returns: The path of the file.
  func writeCopy(beside path: String) throws -> String {
    // Another process or thread may write a copy at the same time.
    let copy = "\(path).\(UInt64.random(in: .min ... .max)).new"
    // SQLite writes to an existing empty file, so that its permissions are 0600.
    let descriptor = Glibc.open(copy, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LibraryFailure(code: errno, path: copy) }
    defer { Glibc.close(descriptor) }
    do {
      try vacuum(into: copy)
      guard fsync(descriptor) == 0 else { throw LibraryFailure(code: errno, path: copy) }
    } catch {
      unlink(copy)
      unlink(copy + "-journal")
      throw error
    }
    return copy
  }

  /// Writes a copy of the database to an empty file.
  private func vacuum(into path: String) throws {
    try configure { sqlite_set_trusted_schema($0, 1) }
    defer { try? configure { sqlite_set_trusted_schema($0, 0) } }
    try execute(sql: "VACUUM INTO ?", arguments: [path])
    let copy = try DatabaseQueue(path: path, configuration: .library)
    defer { try? copy.close() }
    try copy.writeWithoutTransaction { copy in
      // VACUUM moves pages, so the library's WAL does not fit the copy.
      guard try copy.tableExists("checkpointMark") else { return }
      try copy.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
      try copy.execute(sql: "UPDATE checkpointMark SET current = random(), former = 0")
    }
    try copy.close()
  }

  fileprivate func configure(_ set: (OpaquePointer) -> Int32) throws {
    guard let connection = sqliteConnection else { return }
    let code = set(connection)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}
