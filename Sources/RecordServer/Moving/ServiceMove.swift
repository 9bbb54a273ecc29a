import FoundationEssentials
import GRDB
import Glibc

/// Copies a whole service from an SQLite file to a PostgreSQL database, or back: everything that it
/// stores, with all IDs, numbers and marks, and its key. Its clients do not notice. The contents of
/// the source stay as they are, except that tables of an earlier version are upgraded, as by every
/// command.
///
/// What a service on SQLite holds in memory, and one on PostgreSQL in tables that SQLite lacks, is
/// not copied: the notifications that wait for long polls, which are only hints, the polls, and the
/// failures and addresses that limit sign-ins (`PostgreSQLTables`).
public enum ServiceMove {
  /// What was copied.
  public struct Moved: Hashable, Sendable {
    /// The number of rows in all tables.
    public let rows: Int
    public let accounts: Int
    /// The number of records, without tombstones.
    public let records: Int
  }

  /// Called for each step of a move, with the number of steps so far and the number of all steps.
  public typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

  /// Copies the service in an SQLite file to a PostgreSQL database, in one transaction.
  ///
  /// - Parameters:
  ///   - address: the address of a database without tables.
  ///   - database: the path of the file. No server may have it open.
  ///   - key: the path of the file with the key of the service.
  /// - Throws: `MoveFailure`, `StorageFailure`, `ServerKeyFailure`. The database was not changed.
  ///   After `StorageFailure.commitUnanswered`, however, it may contain the service.
  @discardableResult
  public static func toPostgreSQL(
    _ address: String, fromSQLite database: String, key: String,
    progress: @escaping Progress = { _, _ in }
  ) async throws -> Moved {
    let key = try ServerKey.existing(path: key)
    let storage = try SQLiteRecordStorage(path: database)
    defer { try? storage.close() }
    _ = try AccountStorage(storage.database)
    let file = storage.database
    return try await inPostgreSQL(address) { target in
      guard try target.isWithoutTables() else { throw MoveFailure.databaseNotEmpty }
      for part in PostgreSQLTables.Part.allCases { try PostgreSQLTables.migrate(target, part) }
      try target.run(
        "UPDATE secret SET value = ? WHERE name = ?", [Data(key.bytes), ServerKey.rowName])
      return try file.read { source in
        let source = SQLiteConnection(source)
        return try copy(TableShape.all(in: source), from: source, to: target, progress)
      }
    }
  }

  /// Copies the service in a PostgreSQL database to an SQLite file. The files appear in the
  /// directory when they are complete, first the one with the database: a service without a key
  /// does not start.
  ///
  /// - Parameters:
  ///   - directory: an empty directory.
  ///   - database: the path of the new file in the directory.
  ///   - key: the path of the new file with the key.
  ///   - address: the address of the PostgreSQL database. No server may use it.
  /// - Throws: `MoveFailure`, `StorageFailure`, `ServerKeyFailure`. The directory has no new
  ///   files then. If the file of the key cannot be renamed, however, that of the database remains.
  @discardableResult
  public static func toSQLite(
    in directory: String, database: String, key: String, fromPostgreSQL address: String,
    progress: @escaping Progress = { _, _ in }
  ) async throws -> Moved {
    let unfinished = UnfinishedFiles(directory: directory)
    try unfinished.begin()
    defer { unfinished.remove() }
    let newDatabase = unfinished.path(for: database)
    let newKey = unfinished.path(for: key)
    let storage = try SQLiteRecordStorage(path: newDatabase)
    defer { try? storage.close() }
    _ = try AccountStorage(storage.database)
    let file = storage.database
    let moved = try await inPostgreSQL(address) { source in
      for part in PostgreSQLTables.Part.allCases {
        try PostgreSQLTables.migrate(source, part, createsTables: false)
      }
      let bytes = try source.serverKey().bytes
      _ = try ServerKey.load(path: newKey) { _ in bytes }
      return try file.write { target in
        let target = SQLiteConnection(target)
        return try copy(TableShape.all(in: target), from: source, to: target, progress)
      }
    }
    try await storage.finish(newDatabase)
    try unfinished.finish([database, key])
    return moved
  }

  /// Runs a transaction during which no other process uses the service in a PostgreSQL database.
  private static func inPostgreSQL(
    _ address: String, _ body: @escaping @Sendable (any SQLConnection) throws -> Moved
  ) async throws -> Moved {
    let pool = PostgreSQLPool(address, sharesService: false)
    return try await PostgreSQLDatabase(pool: pool, isolation: .locking).write { connection in
      // PostgreSQL waits here while SQLite counts or commits many rows.
      try connection.run("SET LOCAL idle_in_transaction_session_timeout = 0", [])
      try PostgreSQLServiceLock.takeAlone(connection)
      do {
        return try body(connection)
      } catch let error as DatabaseError {
        throw StorageFailure(error)
      }
    }
  }

  private static func copy(
    _ tables: [TableShape], from source: any SQLConnection, to target: any SQLConnection,
    _ progress: Progress
  ) throws -> Moved {
    func count(_ table: String, in database: any SQLConnection) throws -> Int {
      try database.row("SELECT count(*) FROM \(table)") { try $0[0] as Int } ?? 0
    }
    // Each row is copied and compared.
    let total = try tables.reduce(0) { $0 + 2 * (try count($1.name, in: source)) }
    var done = 0
    var rows = 0
    for table in tables {
      let copy = TableCopy(table: table, source: source, target: target)
      rows += try copy.run {
        done += 1
        progress(done, total)
      }
      try copy.continueIDs()
    }
    return Moved(
      rows: rows, accounts: try count("account WHERE removed_at IS NULL", in: target),
      records: try count("record WHERE deleted = 0", in: target))
  }
}

extension SQLConnection {
  /// Whether a PostgreSQL database has no tables in the schema that the service would use.
  fileprivate func isWithoutTables() throws -> Bool {
    try row("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") {
      try $0[0] as Int == 0
    } ?? false
  }
}
