import GRDB

/// The tables of records. A migration must not be changed after its release.
enum RecordTables {
  /// The value of `PRAGMA application_id` in the files of this service: the characters "RcSv".
  static let applicationID: Int32 = 0x5263_5376

  /// The migrations, oldest first. Their names begin with `records-` because the same database also
  /// has the migrations of the account tables.
  static let migrations = [
    (name: "records-1", sql: first), (name: historyMigration, sql: second),
    (name: "records-3", sql: third),
  ]

  /// The migration that adds the ID of the service and the history.
  static let historyMigration = "records-2"

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (name, sql) in migrations {
      migrator.registerMigration(name, foreignKeyChecks: .immediate) { database in
        try database.execute(sql: sql)
        if name == historyMigration { try addHistory(to: database) }
      }
    }
    return migrator
  }

  /// The name of the row of `sequence` that all public databases share.
  static let publicSequence = "public"

  /// The smallest distance by which a reset or a restore advances sequence numbers. It exceeds the
  /// numbers that a zone can have used since the backup, so that no number is assigned twice, and
  /// is small enough for thousands of resets and restores.
  static let sequenceGap: Int64 = 1 << 36

  /// The SQL of the migration `records-1`.
  ///
  /// The column `number` of an environment or an owner is the sequence number after which new zones
  /// begin. `floor` of an owner or a zone is the highest sequence number of the tombstones that
  /// were deleted from its feed.
  ///
  /// The keys of all tables with rows of owners begin with the owner, so that rows can be
  /// distributed over machines by owner. For the same reason there are no foreign keys. IDs of
  /// owners and jobs are never used again.
  private static let first = """
    CREATE TABLE container (
      name TEXT NOT NULL PRIMARY KEY, has_default_zone_feed INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE environment (
      container TEXT NOT NULL, environment TEXT NOT NULL, schema TEXT NOT NULL,
      version INTEGER NOT NULL, epoch INTEGER NOT NULL, number INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (container, environment)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE field (
      id INTEGER PRIMARY KEY AUTOINCREMENT, container TEXT NOT NULL, environment TEXT NOT NULL,
      type TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (container, environment, type, name)
    ) STRICT;

    CREATE TABLE sequence (
      name TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO sequence VALUES ('\(publicSequence)', 0);

    CREATE TABLE owner (
      id INTEGER PRIMARY KEY AUTOINCREMENT, container TEXT NOT NULL, environment TEXT NOT NULL,
      database TEXT NOT NULL, account INTEGER NOT NULL, sequence INTEGER NOT NULL,
      floor INTEGER NOT NULL DEFAULT 0, number INTEGER NOT NULL DEFAULT 0,
      UNIQUE (container, environment, database, account)
    ) STRICT;
    CREATE INDEX owner_by_account ON owner (account, database);
    CREATE INDEX owner_by_environment ON owner (container, environment, id);

    CREATE TABLE zone (
      owner_id INTEGER NOT NULL, name TEXT NOT NULL, incarnation INTEGER NOT NULL,
      sequence INTEGER NOT NULL, changed INTEGER NOT NULL, floor INTEGER NOT NULL DEFAULT 0,
      deleted INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (owner_id, name)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX zone_by_change ON zone (owner_id, changed);

    CREATE TABLE record (
      owner_id INTEGER NOT NULL, zone INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
      number INTEGER NOT NULL, deleted INTEGER NOT NULL, content BLOB NOT NULL, sealed BLOB,
      bytes INTEGER NOT NULL, created_at INTEGER NOT NULL, created_by TEXT NOT NULL,
      modified_at INTEGER NOT NULL, modified_by TEXT NOT NULL, creator INTEGER, parent TEXT
    ) STRICT;
    CREATE UNIQUE INDEX record_by_name ON record (owner_id, zone, name);
    CREATE UNIQUE INDEX record_by_number ON record (owner_id, zone, number);
    CREATE UNIQUE INDEX record_by_type ON record (owner_id, zone, type, name) WHERE deleted = 0;
    CREATE INDEX record_tombstone ON record (owner_id, zone, modified_at) WHERE deleted = 1;
    CREATE UNIQUE INDEX record_by_creator ON record (owner_id, zone, creator, name)
      WHERE creator IS NOT NULL;

    CREATE TABLE entry (
      owner_id INTEGER NOT NULL, zone INTEGER NOT NULL, field INTEGER NOT NULL,
      key BLOB NOT NULL, name TEXT NOT NULL, PRIMARY KEY (owner_id, zone, field, key, name)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX entry_by_record ON entry (owner_id, zone, name, field, key);

    CREATE TABLE reference (
      owner_id INTEGER NOT NULL, zone INTEGER NOT NULL, target TEXT NOT NULL,
      holder TEXT NOT NULL, field TEXT NOT NULL, action INTEGER NOT NULL,
      PRIMARY KEY (owner_id, zone, target, holder, field, action)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reference_by_holder ON reference (owner_id, zone, holder);

    CREATE TABLE usage (
      owner_id INTEGER NOT NULL, account INTEGER NOT NULL, bytes INTEGER NOT NULL,
      records INTEGER NOT NULL, PRIMARY KEY (owner_id, account)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE subscription (
      owner_id INTEGER NOT NULL, account INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
      user_record_name TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (owner_id, account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX subscription_by_type ON subscription (owner_id, type, account, id);

    CREATE TABLE job (id INTEGER PRIMARY KEY AUTOINCREMENT, content BLOB NOT NULL) STRICT;

    PRAGMA application_id = \(applicationID);
    """

  /// The SQL of the migration `records-2`.
  ///
  /// `service` has one row; `forks` counts the responses that reported to a client that the service
  /// has lost a part of its history.
  ///
  /// `history` has a row for each transaction: the last number that it assigned in a zone, and its
  /// mark. Zone 0 is the history of the database. `forgotten` is the greatest number whose mark was
  /// deleted, and `legacy` is the greatest number that was assigned before marks were introduced.
  /// Records saved before that have no mark, and their change tags do not change.
  private static let second = """
    CREATE TABLE service (id TEXT NOT NULL, forks INTEGER NOT NULL DEFAULT 0) STRICT;

    CREATE TABLE history (
      owner_id INTEGER NOT NULL, zone INTEGER NOT NULL, number INTEGER NOT NULL,
      mark INTEGER NOT NULL, made_at INTEGER NOT NULL, PRIMARY KEY (owner_id, zone, number)
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE owner ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE owner ADD COLUMN forgotten INTEGER NOT NULL DEFAULT -1;
    ALTER TABLE owner ADD COLUMN legacy INTEGER NOT NULL DEFAULT -1;

    ALTER TABLE zone ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE zone ADD COLUMN forgotten INTEGER NOT NULL DEFAULT -1;
    ALTER TABLE zone ADD COLUMN legacy INTEGER NOT NULL DEFAULT -1;

    ALTER TABLE record ADD COLUMN mark INTEGER;
    ALTER TABLE record ADD COLUMN deleted_number INTEGER;
    ALTER TABLE record ADD COLUMN deleted_mark INTEGER;
    """
}
