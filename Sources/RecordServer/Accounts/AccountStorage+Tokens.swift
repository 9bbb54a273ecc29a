import CloudRecords
import FoundationEssentials
import GRDB

extension AccountStorage {
  // MARK: Invitations

  /// Stores a new invitation under the hash of its code.
  public func insertInvitation(
    _ code: SecretHash, at now: Int64, expiresAt: Int64
  ) async throws(StorageFailure) -> Invitation {
    try await write { database in
      try database.execute(
        sql: "INSERT INTO invitation (hash, created_at, expires_at) VALUES (?, ?, ?)",
        arguments: [code.data, now, expiresAt])
      return Invitation(id: database.lastInsertedRowID, createdAt: now, expiresAt: expiresAt)
    }
  }

  /// Returns the invitations that have not expired, oldest first.
  public func invitations(at now: Int64) async throws(StorageFailure) -> [Invitation] {
    try await read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM invitation WHERE expires_at > ? ORDER BY id",
        arguments: [now]
      ).map { Invitation(row: $0) }
    }
  }

  /// Returns the invitation with a code; nil if there is none or it has expired.
  public func invitation(
    _ code: SecretHash, at now: Int64
  ) async throws(StorageFailure) -> Invitation? {
    try await read { database in
      try Row.fetchOne(
        database, sql: "SELECT * FROM invitation WHERE hash = ? AND expires_at > ?",
        arguments: [code.data, now]
      ).map { Invitation(row: $0) }
    }
  }

  /// Deletes an invitation.
  ///
  /// - Returns: whether it existed.
  public func removeInvitation(_ id: Int64) async throws(StorageFailure) -> Bool {
    try await write { database in
      try database.execute(sql: "DELETE FROM invitation WHERE id = ?", arguments: [id])
      return database.changesCount == 1
    }
  }

  // MARK: API tokens

  /// Stores a new API token under the hash of its secret.
  public func insertAPIToken(
    _ secret: SecretHash, _ terms: APITokenTerms, at now: Int64
  ) async throws(StorageFailure) -> APIToken {
    try await write { database in
      try database.execute(
        sql: """
          INSERT INTO api_token
            (hash, label, container, environment, origins, callbacks, created_at)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          secret.data, terms.label, terms.container.name, terms.environment?.rawValue,
          try Self.json(terms.origins.map(\.text)), try Self.json(terms.callbacks), now,
        ])
      return APIToken(id: database.lastInsertedRowID, terms: terms, createdAt: now)
    }
  }

  /// Returns all API tokens, oldest first.
  public func apiTokens() async throws(StorageFailure) -> [APIToken] {
    try await read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM api_token ORDER BY id")
        .map { try APIToken(row: $0) }
    }
  }

  /// Returns the API token with a secret; nil if there is none.
  public func apiToken(_ secret: SecretHash) async throws(StorageFailure) -> APIToken? {
    try await read { database in
      // Read for every request: cached, so that it is not compiled each time.
      let statement = try database.cachedStatement(sql: "SELECT * FROM api_token WHERE hash = ?")
      return try Row.fetchOne(statement, arguments: [secret.data]).map { try APIToken(row: $0) }
    }
  }

  /// Returns the API token with an id; nil if there is none.
  public func apiToken(_ id: Int64) async throws(StorageFailure) -> APIToken? {
    try await read { database in
      try Row.fetchOne(database, sql: "SELECT * FROM api_token WHERE id = ?", arguments: [id])
        .map { try APIToken(row: $0) }
    }
  }

  /// Deletes an API token and the sessions that were begun with it.
  ///
  /// - Returns: whether the token existed.
  public func removeAPIToken(_ id: Int64) async throws(StorageFailure) -> Bool {
    try await write { database in
      try database.execute(sql: "DELETE FROM api_token WHERE id = ?", arguments: [id])
      return database.changesCount == 1
    }
  }

  private static func json(_ texts: [String]) throws -> String {
    String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
  }
}

extension Invitation {
  fileprivate init(row: Row) {
    self.init(id: row["id"], createdAt: row["created_at"], expiresAt: row["expires_at"])
  }
}

extension APIToken {
  /// - Throws: `StorageFailure` if the row is damaged.
  fileprivate init(row: Row) throws {
    let id: Int64 = row["id"]
    do {
      guard let container = ContainerID(row["container"]) else {
        throw APITokenProblem.label(limit: 0)
      }
      let terms = try APITokenTerms(
        label: row["label"], container: container, environment: row.environment,
        origins: JSONDecoder().decode([String].self, from: Data((row["origins"] as String).utf8)),
        callbacks: JSONDecoder().decode(
          [String].self, from: Data((row["callbacks"] as String).utf8)))
      self.init(id: id, terms: terms, createdAt: row["created_at"])
    } catch {
      throw StorageFailure.failed(.damaged(.apiToken(id)))
    }
  }
}

extension Row {
  /// The bytes of a column; empty if it is NULL.
  func bytes(_ column: String) -> [UInt8] { Array((self[column] as Data?) ?? Data()) }

  /// The environment in the column of that name; nil if it is NULL or unknown.
  var environment: ContainerEnvironment? {
    (self["environment"] as String?).flatMap(ContainerEnvironment.init(rawValue:))
  }
}

extension [UInt8] {
  var data: Data { Data(self) }
}

extension SecretHash {
  var data: Data { Data(bytes) }
}
