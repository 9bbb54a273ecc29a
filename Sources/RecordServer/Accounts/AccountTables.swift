import GRDB

/// The tables of accounts. A migration must not be changed after its release.
enum AccountTables {
  /// The migrations, oldest first. Their names begin with `people-` because the same database also
  /// has the migrations of the record tables.
  static let migrations = [(name: "people-1", sql: first), (name: "people-2", sql: second)]

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (name, sql) in migrations {
      migrator.registerMigration(name, foreignKeyChecks: .immediate) { database in
        try database.execute(sql: sql)
      }
    }
    return migrator
  }

  // AUTOINCREMENT: ids are not used again, so that an id of a deleted row never refers to another
  // row. After the files are restored to an earlier state, however, ids can be used again, so
  // tokens must not rely on unique ids.
  //
  // `web_token` has the tokens that earlier versions of the server issued; these do not contain the
  // ids of their sessions. No rows are added to it any more.
  private static let first = """
    CREATE TABLE account (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE CHECK (name <> ''),
      password TEXT NOT NULL, password_epoch INTEGER NOT NULL,
      seed BLOB NOT NULL CHECK (length(seed) = 16),
      created_at INTEGER NOT NULL, removed_at INTEGER
    ) STRICT;

    CREATE TABLE invitation (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
      created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE api_token (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
      label TEXT NOT NULL, container TEXT NOT NULL,
      environment TEXT CHECK (environment IN ('development', 'production')),
      origins TEXT NOT NULL CHECK (json_valid(origins)),
      callbacks TEXT NOT NULL CHECK (json_valid(callbacks)), created_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE web_session (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
      api_token_id INTEGER NOT NULL REFERENCES api_token ON DELETE CASCADE,
      container TEXT NOT NULL, environment TEXT, nonce BLOB NOT NULL CHECK (length(nonce) = 16),
      created_at INTEGER NOT NULL, lifetime INTEGER NOT NULL CHECK (lifetime > 0),
      newest INTEGER NOT NULL CHECK (newest > 0), issued_at INTEGER NOT NULL,
      first_used_at INTEGER, expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX web_session_by_account ON web_session (account_id, expires_at);
    CREATE INDEX web_session_by_api_token ON web_session (api_token_id);
    CREATE INDEX web_session_by_end ON web_session (expires_at);

    CREATE TABLE web_token (
      hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
      session_id INTEGER NOT NULL REFERENCES web_session ON DELETE CASCADE,
      number INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX web_token_by_session ON web_token (session_id, number);

    CREATE TABLE courier (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
      session_id INTEGER NOT NULL REFERENCES web_session ON DELETE CASCADE,
      environment TEXT NOT NULL CHECK (environment IN ('development', 'production')),
      used_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX courier_by_session ON courier (session_id, used_at);
    CREATE INDEX courier_by_use ON courier (used_at);
    """

  private static let second = """
    CREATE TABLE server_to_server_key (
      id INTEGER PRIMARY KEY AUTOINCREMENT, key_id TEXT NOT NULL UNIQUE, label TEXT NOT NULL,
      container TEXT NOT NULL,
      environment TEXT CHECK (environment IN ('development', 'production')),
      account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
      public_key BLOB NOT NULL CHECK (length(public_key) = 65), created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX server_to_server_key_by_account ON server_to_server_key (account_id);
    """
}
