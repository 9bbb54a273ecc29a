extension RecordTables {
  /// The SQL of the migration `records-3`: assets and their bytes.
  ///
  /// The bytes are rows like all other data: a backup, a snapshot and a transaction contain both, a
  /// record and its assets, or neither.
  static let third = """
    CREATE TABLE asset (
      owner_id INTEGER NOT NULL, id BLOB NOT NULL, account INTEGER NOT NULL,
      zone INTEGER NOT NULL, type TEXT NOT NULL, field TEXT NOT NULL, record TEXT,
      checksum BLOB, bytes INTEGER NOT NULL, expires_at INTEGER, PRIMARY KEY (owner_id, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX asset_by_expiry ON asset (owner_id, expires_at) WHERE expires_at IS NOT NULL;
    CREATE INDEX asset_by_zone ON asset (owner_id, zone);
    CREATE INDEX asset_by_account ON asset (owner_id, account);

    CREATE TABLE asset_chunk (
      owner_id INTEGER NOT NULL, asset BLOB NOT NULL, number INTEGER NOT NULL,
      bytes BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX asset_chunk_by_number ON asset_chunk (owner_id, asset, number);
    """
}
