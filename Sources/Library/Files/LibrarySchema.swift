import GRDB
import Quran

/// The migrations of the library. They are never edited after a release.
enum LibrarySchema {
  /// The value of `PRAGMA application_id`, "QrVi" in ASCII. It distinguishes a library from other
  /// SQLite files.
  static let applicationID: UInt32 = 0x5172_5669

  /// `PRAGMA user_version` after the last migration.
  static let version = 7

  /// `SchemaCheck.fingerprint` after the last migration.
  static let fingerprint =
    "092373d566e194b1d85175356650a6c784806177c76078d09e4015fe3cbf29f7"

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (index, sql) in [first, second, third, fourth, fifth, sixth, seventh].enumerated() {
      migrator.registerMigration("\(index + 1)", foreignKeyChecks: .immediate) {
        try $0.execute(sql: sql)
      }
    }
    return migrator
  }

  /// Copies a library into memory, and migrates the copy to the current version.
  static func migratedCopy(of library: some DatabaseReader) throws -> DatabaseQueue {
    let copy = try DatabaseQueue(configuration: .library)
    try library.backup(to: copy)
    try migrator.migrate(copy)
    return copy
  }

  /// Returns the constraints that an ayah exists in its surah. The surah needs a constraint of its
  /// own: if it is invalid, the second CHECK is NULL, which SQLite accepts.
  private static func ayahCheck(_ column: String, from first: Int = 1) -> String {
    let counts = SurahNumber.all.map { "WHEN \($0.rawValue) THEN \($0.ayahCount)" }
    return "CHECK (surah BETWEEN 1 AND \(SurahNumber.count)), CHECK (\(column) BETWEEN \(first)"
      + " AND CASE surah \(counts.joined(separator: " ")) END)"
  }

  /// The constraint that an ID has the form of `UUID.uuidString`, with uppercase digits, because
  /// IDs are compared as text.
  private static let uuidCheck: String = {
    let digits = [8, 4, 4, 4, 12].map { String(repeating: "[0-9A-F]", count: $0) }
    return "CHECK (id GLOB '\(digits.joined(separator: "-"))')"
  }()

  private static let noteTextCheck =
    "CHECK (text <> '' AND length(CAST(text AS BLOB)) <= \(NoteText.limit))"

  private static let first = """
    CREATE TABLE favorite (
      surah INTEGER NOT NULL, ayah INTEGER NOT NULL, favoritedAt INTEGER NOT NULL,
      PRIMARY KEY (surah, ayah), \(ayahCheck("ayah"))
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE note (
      id TEXT NOT NULL PRIMARY KEY \(uuidCheck), surah INTEGER NOT NULL, ayah INTEGER NOT NULL,
      createdAt INTEGER NOT NULL, modifiedAt INTEGER NOT NULL,
      text TEXT NOT NULL \(noteTextCheck), \(ayahCheck("ayah"))
    ) STRICT;
    CREATE INDEX noteByAyah ON note (surah, ayah);

    CREATE TABLE progress (
      surah INTEGER NOT NULL PRIMARY KEY, lastReadAyah INTEGER NOT NULL,
      totalAyahs INTEGER NOT NULL, lastUpdatedAt INTEGER NOT NULL,
      \(ayahCheck("lastReadAyah", from: 0)), CHECK (lastReadAyah <= totalAyahs)
    ) STRICT;

    CREATE TABLE setting (
      key TEXT NOT NULL PRIMARY KEY CHECK (key <> ''), value TEXT NOT NULL CHECK (json_valid(value)),
      lastModifiedAt INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE trash (
      id TEXT NOT NULL PRIMARY KEY \(uuidCheck), surah INTEGER NOT NULL, ayah INTEGER NOT NULL,
      createdAt INTEGER NOT NULL, modifiedAt INTEGER NOT NULL, deletedAt INTEGER NOT NULL,
      text TEXT NOT NULL \(noteTextCheck), \(ayahCheck("ayah"))
    ) STRICT;

    CREATE TABLE draft (
      id TEXT NOT NULL PRIMARY KEY \(uuidCheck), surah INTEGER NOT NULL, ayah INTEGER NOT NULL,
      basedOn INTEGER, changedAt INTEGER NOT NULL, text TEXT NOT NULL, writer TEXT,
      \(ayahCheck("ayah"))
    ) STRICT;

    CREATE TABLE readingDay (
      day TEXT NOT NULL PRIMARY KEY CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
      ayahs INTEGER NOT NULL CHECK (ayahs > 0)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE device (
      key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE imported (id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;

    CREATE TABLE outbox (
      kind TEXT NOT NULL CHECK (kind IN ('favorite', 'note', 'progress', 'setting')),
      key TEXT NOT NULL, op TEXT NOT NULL CHECK (op IN ('save', 'delete')),
      generation INTEGER NOT NULL CHECK (generation > 0), changedAt INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0, lastError TEXT,
      PRIMARY KEY (kind, key)
    ) STRICT, WITHOUT ROWID;

    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = 1;
    """

  /// The state of sync. There is at most one account.
  private static let second = """
    CREATE TABLE account (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
      origin TEXT NOT NULL, container TEXT NOT NULL, environment TEXT NOT NULL,
      userRecordName TEXT NOT NULL, name TEXT, isConfirmed INTEGER NOT NULL,
      hasProfile INTEGER NOT NULL, hasFeed INTEGER, syncToken TEXT, listing INTEGER NOT NULL, listedAt INTEGER,
      syncedAt INTEGER
    ) STRICT;

    CREATE TABLE recordState (
      name TEXT NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('favorite', 'note', 'progress', 'setting')),
      key TEXT NOT NULL, tag TEXT, base BLOB NOT NULL, listing INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX recordStateByThing ON recordState (kind, key);

    CREATE TABLE unreadRecord (
      name TEXT NOT NULL PRIMARY KEY, type TEXT NOT NULL, problem TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE noteCopy (id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;

    ALTER TABLE outbox ADD COLUMN notBefore INTEGER;
    ALTER TABLE outbox ADD COLUMN sent BLOB;
    ALTER TABLE outbox ADD COLUMN parked TEXT;

    PRAGMA user_version = 2;
    """

  /// The columns and tables that detect a service or a library that was restored from a backup, and
  /// those of waits and failures.
  private static let third = """
    ALTER TABLE account ADD COLUMN serviceID TEXT;
    ALTER TABLE account ADD COLUMN witness TEXT;
    ALTER TABLE account ADD COLUMN owesListing INTEGER NOT NULL DEFAULT 0;

    ALTER TABLE recordState ADD COLUMN formerTags TEXT NOT NULL DEFAULT '';

    CREATE TABLE deletedRecord (
      name TEXT NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('favorite', 'note', 'progress', 'setting')),
      key TEXT NOT NULL, tags TEXT NOT NULL, deletedAt INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE outbox ADD COLUMN waitsSince INTEGER;
    ALTER TABLE outbox ADD COLUMN isServicesWait INTEGER NOT NULL DEFAULT 0;
    -- Version 2 stored sentences as reasons, and waits without their start time. Reset both, so
    -- that all changes are sent again.
    UPDATE outbox SET parked = NULL, lastError = NULL, attempts = 0, notBefore = NULL;

    ALTER TABLE account ADD COLUMN failure TEXT;
    ALTER TABLE account ADD COLUMN failingSince INTEGER;
    ALTER TABLE account ADD COLUMN waitsSince INTEGER;
    ALTER TABLE account ADD COLUMN notBefore INTEGER;

    ALTER TABLE account ADD COLUMN restoration TEXT
      CHECK (restoration IN ('asked', 'keepRestored', 'keepService'));
    CREATE TABLE generation (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), lineage INTEGER NOT NULL,
      number INTEGER NOT NULL
    ) STRICT;

    PRAGMA user_version = 3;
    """

  /// The tables and columns that detect a WAL of another file, and unsent changes of a restored
  /// library. The column `isLost` is not used any more.
  private static let fourth = """
    CREATE TABLE checkpointMark (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), current INTEGER NOT NULL,
      former INTEGER NOT NULL
    ) STRICT;
    INSERT INTO checkpointMark VALUES (1, random(), 0);

    ALTER TABLE recordState ADD COLUMN isLost INTEGER NOT NULL DEFAULT FALSE;

    ALTER TABLE outbox ADD COLUMN isRestored INTEGER NOT NULL DEFAULT FALSE;
    CREATE INDEX outboxParked ON outbox (kind) WHERE parked IS NOT NULL;

    ALTER TABLE account ADD COLUMN owesPreparation INTEGER NOT NULL DEFAULT FALSE;

    PRAGMA user_version = 4;
    """

  /// The ID of a draft's note and the text that a draft changes; how many days a note has been in
  /// the trash.
  private static let fifth = """
    ALTER TABLE draft ADD COLUMN note TEXT;
    ALTER TABLE draft ADD COLUMN base TEXT;
    -- A modification time does not identify the text that a draft changes, because a merge can
    -- change a note's text without it. A draft that was written before this migration has no base
    -- and is saved as a new note.
    ALTER TABLE draft DROP COLUMN basedOn;

    ALTER TABLE trash ADD COLUMN daysCounted INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE trash ADD COLUMN lastDay INTEGER NOT NULL DEFAULT 0;

    PRAGMA user_version = 5;
    """

  /// How many days a deletion has been stored. Only the wait of the account is one that the service
  /// asked for.
  private static let sixth = """
    ALTER TABLE deletedRecord ADD COLUMN daysCounted INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE deletedRecord ADD COLUMN lastDay INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE outbox DROP COLUMN isServicesWait;

    PRAGMA user_version = 6;
    """

  /// When the service created the records and the profile, which detects those that were deleted
  /// and created again.
  private static let seventh = """
    ALTER TABLE recordState ADD COLUMN createdAt INTEGER;
    ALTER TABLE account ADD COLUMN profileCreatedAt INTEGER;
    -- The next fetch reads the whole feed, and stores the times of all records.
    UPDATE account SET syncToken = NULL;

    PRAGMA user_version = 7;
    """
}
