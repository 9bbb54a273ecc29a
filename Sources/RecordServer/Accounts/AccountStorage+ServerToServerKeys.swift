import CloudRecords
import FoundationEssentials

extension AccountStorage {
  /// Stores a new server-to-server key.
  ///
  /// - Parameter keyID: the ID that requests name.
  func insertServerToServerKey(
    _ keyID: String, _ terms: ServerToServerKeyTerms, at now: Int64
  ) async throws(StorageFailure) -> ServerToServerKey {
    try await write { connection in
      let id = try connection.insertedID(
        """
        INSERT INTO server_to_server_key
          (key_id, label, container, environment, account_id, public_key, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id
        """,
        [
          keyID, terms.label, terms.container.name, terms.environment?.rawValue, terms.account,
          terms.publicKey, now,
        ])
      return ServerToServerKey(id: id, keyID: keyID, terms: terms, createdAt: now)
    }
  }

  /// Returns all server-to-server keys with the names of their accounts, oldest first.
  func serverToServerKeys() async throws(StorageFailure) -> [(
    key: ServerToServerKey, account: String
  )] {
    try await read { connection in
      try connection.rows(
        """
        SELECT k.*, a.name AS account FROM server_to_server_key k
        JOIN account a ON a.id = k.account_id AND a.removed_at IS NULL ORDER BY k.id
        """
      ) { (try ServerToServerKey(row: $0), try $0["account"]) }
    }
  }

  /// Returns the key with an ID and its account; nil if there is none.
  func serverToServerKey(
    _ keyID: String
  ) async throws(StorageFailure) -> (key: ServerToServerKey, account: Account)? {
    try await read { connection in
      try connection.row(
        """
        SELECT k.*, \(Account.columns) FROM server_to_server_key k
        JOIN account a ON a.id = k.account_id AND a.removed_at IS NULL WHERE k.key_id = ?
        """, [keyID]
      ) { (try ServerToServerKey(row: $0), try Account(row: $0)) }
    }
  }

  /// Deletes a server-to-server key.
  ///
  /// - Returns: whether it existed.
  func removeServerToServerKey(_ id: Int64) async throws(StorageFailure) -> Bool {
    try await write { connection in
      try connection.changedRows("DELETE FROM server_to_server_key WHERE id = ?", [id]) == 1
    }
  }
}

extension ServerToServerKey {
  /// - Throws: `StorageFailure` if the row is damaged.
  fileprivate init(row: any SQLRow) throws {
    let id: Int64 = try row["id"]
    guard let container = ContainerID(try row["container"]) else {
      throw StorageFailure.failed(.damaged(.serverToServerKey(id)))
    }
    try self.init(
      id: id, keyID: row["key_id"],
      terms: ServerToServerKeyTerms(
        label: row["label"], container: container, environment: row.environment,
        account: row["account_id"], publicKey: row["public_key"]),
      createdAt: row["created_at"])
  }
}
