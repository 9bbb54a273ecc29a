/// The tables of records and accounts in a PostgreSQL database. They have the migrations of SQLite
/// files, with the types of PostgreSQL.
enum PostgreSQLTables {
  /// The advisory lock of migrations: the characters "RcSv".
  private static let lock: Int64 = 0x5263_5376

  /// The tables that are migrated together.
  enum Part: CaseIterable {
    case records, accounts

    /// The migrations, oldest first.
    fileprivate var migrations: [(name: String, sql: String)] {
      switch self {
      case .records:
        RecordTables.migrations
          + [(name: secretMigration, sql: secrets), (name: "entries-1", sql: entriesByRecord)]
      case .accounts:
        AccountTables.migrations
          + [
            (name: "notifications-1", sql: notifications), (name: "sign-ins-1", sql: signIns),
            (name: "polls-1", sql: polls),
          ]
      }
    }
  }

  /// The migration that adds the secrets, which a service on SQLite keeps in files.
  private static let secretMigration = "secrets-1"

  private static let secrets = """
    CREATE TABLE secret (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL);
    """

  /// Lets only statements that compare the name use an index of entries: see `statements`. While an
  /// index is created others can read the table, but not while one is deleted. So the old one is
  /// deleted when the new one is complete.
  private static let entriesByRecord = """
    CREATE UNIQUE INDEX entry_by_record_new ON entry (owner_id, zone, name, field, key)
      WHERE name IS NOT NULL;
    DROP INDEX entry_by_record;
    ALTER INDEX entry_by_record_new RENAME TO entry_by_record;
    """

  /// The failed sign-ins, and the addresses from which accounts were used. A service on SQLite
  /// holds both in memory. The names are hashes.
  private static let signIns = """
    CREATE TABLE sign_in_failure (
      name BLOB NOT NULL PRIMARY KEY, failures INTEGER NOT NULL, last_at INTEGER NOT NULL,
      since INTEGER NOT NULL
    );
    CREATE INDEX sign_in_failure_by_time ON sign_in_failure (last_at);
    CREATE TABLE known_address (name BLOB NOT NULL PRIMARY KEY, used_at INTEGER NOT NULL);
    CREATE INDEX known_address_by_time ON known_address (used_at);
    """

  /// The queues of push channels, which a service on SQLite holds in memory.
  private static let notifications = """
    CREATE TABLE notification (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      courier_id INTEGER NOT NULL REFERENCES courier ON DELETE CASCADE,
      subscription TEXT NOT NULL, database TEXT NOT NULL, content BLOB NOT NULL,
      made_at INTEGER NOT NULL
    );
    CREATE INDEX notification_by_courier ON notification (courier_id, id);
    CREATE INDEX notification_by_time ON notification (made_at, courier_id);
    """

  /// The newest long poll of each push channel.
  private static let polls = """
    CREATE TABLE poll (
      courier_id INTEGER NOT NULL PRIMARY KEY REFERENCES courier ON DELETE CASCADE,
      id INTEGER NOT NULL
    );
    """

  /// Creates or upgrades tables, while other processes that do the same wait.
  ///
  /// - Parameter createsTables: whether to create tables in a database that has none.
  /// - Throws: a `StorageFailure`, also if the database was upgraded by a newer version.
  static func migrate(
    _ pool: PostgreSQLPool, _ part: Part, createsTables: Bool = true
  ) async throws {
    try await PostgreSQLDatabase(pool: pool, isolation: .locking).write { connection in
      try migrate(connection, part, createsTables: createsTables)
    }
  }

  /// Creates or upgrades tables in an open transaction. Other processes that do the same wait until
  /// it ends.
  ///
  /// - Throws: a `StorageFailure`, also if the database was upgraded by a newer version.
  static func migrate(
    _ connection: any SQLConnection, _ part: Part, createsTables: Bool = true
  ) throws {
    let isUnicode = try connection.row("SELECT current_setting('server_encoding')") {
      try $0[0] as String == "UTF8"
    }
    guard isUnicode == true else { throw StorageFailure.failed(.encoding) }
    // A migration of many records can take long.
    try connection.run("SET LOCAL lock_timeout = 0", [])
    _ = try connection.row("SELECT pg_advisory_xact_lock(?) IS NULL", [lock]) { _ in true }
    if try !connection.hasTable("migration") {
      guard createsTables else { throw StorageFailure.failed(.noTables) }
      try connection.run("CREATE TABLE migration (name TEXT NOT NULL PRIMARY KEY)", [])
    }
    let applied = Set(try connection.rows("SELECT name FROM migration") { try $0[0] as String })
    guard applied.isSubset(of: Part.allCases.flatMap { $0.migrations.map(\.name) }) else {
      throw StorageFailure.failed(.newerTables)
    }
    for migration in part.migrations where !applied.contains(migration.name) {
      for statement in statements(migration.sql) { try connection.run(statement, []) }
      switch migration.name {
      case RecordTables.historyMigration:
        try connection.run(
          "INSERT INTO service (id) VALUES (?)", [Hex.text(ServerKey.randomBytes(16))])
      case secretMigration:
        try connection.run(
          "INSERT INTO secret VALUES (?, ?)",
          [ServerKey.rowName, ServerKey.randomBytes(ServerKey.length).data])
      default: break
      }
      try connection.run("INSERT INTO migration VALUES (?)", [migration.name])
    }
  }

  /// The statements of a migration of SQLite, for PostgreSQL. Text is compared by its bytes, as in
  /// SQLite.
  ///
  /// As long as PostgreSQL has no statistics about a table, it would use any index that begins
  /// with the owner and the zone. Some indexes therefore have a condition that all rows meet:
  /// PostgreSQL uses them only for statements that compare that column.
  ///
  /// Not all versions of PostgreSQL can check JSON, which is decoded when it is read.
  private static func statements(_ sql: String) -> [String] {
    var sql = sql
    for (sqlite, postgresql) in [
      (" STRICT", ""), (", WITHOUT ROWID", ""), (" WITHOUT ROWID", ""),
      (
        " INTEGER PRIMARY KEY AUTOINCREMENT", " BIGINT PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY"
      ),
      (" CHECK (json_valid(origins))", ""), (" CHECK (json_valid(callbacks))", ""),
      (" INTEGER", " BIGINT"), (" BLOB", " BYTEA"), (" TEXT", " TEXT COLLATE \"C\""),
      ("(owner_id, zone, number);", "(owner_id, zone, number) WHERE number IS NOT NULL;"),
      ("(owner_id, zone, holder);", "(owner_id, zone, holder) WHERE holder IS NOT NULL;"),
    ] {
      sql.replace(sqlite, with: postgresql)
    }
    return sql.split(separator: ";").map { String($0) }
      .filter { !$0.allSatisfy(\.isWhitespace) && !$0.contains("PRAGMA") }
  }
}
