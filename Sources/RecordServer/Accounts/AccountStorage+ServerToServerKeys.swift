import CloudRecords
import FoundationEssentials
import GRDB

extension AccountStorage {
  /// Stores a new server-to-server key.
  ///
  /// - Parameter keyID: the ID that requests name.
  func insertServerToServerKey(
    _ keyID: String, _ terms: ServerToServerKeyTerms, at now: Int64
  ) async throws(StorageFailure) -> ServerToServerKey {
    try await write { database in
      try database.execute(
        sql: """
          INSERT INTO server_to_server_key
            (key_id, label, container, environment, account_id, public_key, created_at)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          keyID, terms.label, terms.container.name, terms.environment?.rawValue, terms.account,
          terms.publicKey, now,
        ])
      return ServerToServerKey(
        id: database.lastInsertedRowID, keyID: keyID, terms: terms, createdAt: now)
    }
  }

  /// Returns all server-to-server keys with the names of their accounts, oldest first.
  func serverToServerKeys() async throws(StorageFailure) -> [(
    key: ServerToServerKey, account: String
  )] {
    try await read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT k.*, a.name AS account FROM server_to_server_key k
          JOIN account a ON a.id = k.account_id AND a.removed_at IS NULL ORDER BY k.id
          """
      ).map { (try ServerToServerKey(row: $0), $0["account"]) }
    }
  }

  /// Returns the key with an ID and its account; nil if there is none.
  func serverToServerKey(
    _ keyID: String
  ) async throws(StorageFailure) -> (key: ServerToServerKey, account: Account)? {
    try await read { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM server_to_server_key WHERE key_id = ?", arguments: [keyID])
      guard let key = try row.map({ try ServerToServerKey(row: $0) }) else { return nil }
      let account = try Row.fetchOne(
        database,
        sql: "SELECT \(Account.columns) FROM account a WHERE a.id = ? AND a.removed_at IS NULL",
        arguments: [key.terms.account]
      ).map { Account(row: $0) }
      return account.map { (key, $0) }
    }
  }

  /// Deletes a server-to-server key.
  ///
  /// - Returns: whether it existed.
  func removeServerToServerKey(_ id: Int64) async throws(StorageFailure) -> Bool {
    try await write { database in
      try database.execute(
        sql: "DELETE FROM server_to_server_key WHERE id = ?", arguments: [id])
      return database.changesCount == 1
    }
  }
}

extension ServerToServerKey {
  /// - Throws: `StorageFailure` if the row is damaged.
  fileprivate init(row: Row) throws {
    let id: Int64 = row["id"]
    guard let container = ContainerID(row["container"]) else {
      throw StorageFailure.failed(.damaged(.serverToServerKey(id)))
    }
    self.init(
      id: id, keyID: row["key_id"],
      terms: ServerToServerKeyTerms(
        label: row["label"], container: container, environment: row.environment,
        account: row["account_id"], publicKey: row["public_key"]),
      createdAt: row["created_at"])
  }
}
