import CloudRecords
import FoundationEssentials

extension AccountStorage {
  // MARK: Invitations

  /// Stores a new invitation under the hash of its code.
  func insertInvitation(
    _ code: SecretHash, at now: Int64, expiresAt: Int64
  ) async throws(StorageFailure) -> Invitation {
    try await write { connection in
      let id = try connection.insertedID(
        "INSERT INTO invitation (hash, created_at, expires_at) VALUES (?, ?, ?) RETURNING id",
        [code.data, now, expiresAt])
      return Invitation(id: id, createdAt: now, expiresAt: expiresAt)
    }
  }

  /// Returns the invitations that have not expired, oldest first.
  func invitations(at now: Int64) async throws(StorageFailure) -> [Invitation] {
    try await read { connection in
      try connection.rows("SELECT * FROM invitation WHERE expires_at > ? ORDER BY id", [now]) {
        try Invitation(row: $0)
      }
    }
  }

  /// Returns the invitation with a code; nil if there is none or it has expired.
  func invitation(
    _ code: SecretHash, at now: Int64
  ) async throws(StorageFailure) -> Invitation? {
    try await read { connection in
      try connection.row(
        "SELECT * FROM invitation WHERE hash = ? AND expires_at > ?", [code.data, now]
      ) { try Invitation(row: $0) }
    }
  }

  /// Deletes an invitation.
  ///
  /// - Returns: whether it existed.
  func removeInvitation(_ id: Int64) async throws(StorageFailure) -> Bool {
    try await write { connection in
      try connection.changedRows("DELETE FROM invitation WHERE id = ?", [id]) == 1
    }
  }

  // MARK: API tokens

  /// Stores a new API token under the hash of its secret.
  func insertAPIToken(
    _ secret: SecretHash, _ terms: APITokenTerms, at now: Int64
  ) async throws(StorageFailure) -> APIToken {
    try await write { try Self.insert(secret, terms, at: now, $0) }
  }

  /// Stores a new API token if there is none.
  ///
  /// - Returns: whether it was stored.
  func insertFirstAPIToken(
    _ secret: SecretHash, _ terms: APITokenTerms, at now: Int64
  ) async throws(StorageFailure) -> Bool {
    try await write { connection in
      guard try connection.row("SELECT id FROM api_token LIMIT 1", [], { _ in true }) == nil else {
        return false
      }
      _ = try Self.insert(secret, terms, at: now, connection)
      return true
    }
  }

  private static func insert(
    _ secret: SecretHash, _ terms: APITokenTerms, at now: Int64, _ connection: any SQLConnection
  ) throws -> APIToken {
    let id = try connection.insertedID(
      """
      INSERT INTO api_token
        (hash, label, container, environment, origins, callbacks, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id
      """,
      [
        secret.data, terms.label, terms.container.name, terms.environment?.rawValue,
        try json(terms.origins.map(\.text)), try json(terms.callbacks), now,
      ])
    return APIToken(id: id, terms: terms, createdAt: now)
  }

  /// Returns all API tokens, oldest first.
  func apiTokens() async throws(StorageFailure) -> [APIToken] {
    try await read { connection in
      try connection.rows("SELECT * FROM api_token ORDER BY id") { try APIToken(row: $0) }
    }
  }

  /// Returns the API token with a secret; nil if there is none.
  func apiToken(_ secret: SecretHash) async throws(StorageFailure) -> APIToken? {
    try await read { try APIToken.find(secret, $0) }
  }

  /// Returns the API token with an id; nil if there is none.
  func apiToken(_ id: Int64) async throws(StorageFailure) -> APIToken? {
    try await read { connection in
      try connection.row("SELECT * FROM api_token WHERE id = ?", [id]) { try APIToken(row: $0) }
    }
  }

  /// Deletes an API token and the sessions that were begun with it.
  ///
  /// - Returns: whether the token existed.
  func removeAPIToken(_ id: Int64) async throws(StorageFailure) -> Bool {
    try await write { connection in
      try connection.changedRows("DELETE FROM api_token WHERE id = ?", [id]) == 1
    }
  }

  private static func json(_ texts: [String]) throws -> String {
    String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
  }
}

extension Invitation {
  fileprivate init(row: any SQLRow) throws {
    try self.init(id: row["id"], createdAt: row["created_at"], expiresAt: row["expires_at"])
  }
}

extension APIToken {
  /// Returns the API token with a secret; nil if there is none.
  static func find(_ secret: SecretHash, _ connection: any SQLConnection) throws -> APIToken? {
    try connection.row("SELECT * FROM api_token WHERE hash = ?", [secret.data]) {
      try APIToken(row: $0)
    }
  }

  /// - Throws: `StorageFailure` if the row is damaged.
  fileprivate init(row: any SQLRow) throws {
    let id: Int64 = try row["id"]
    do {
      guard let container = ContainerID(try row["container"]) else {
        throw APITokenProblem.label(limit: 0)
      }
      let terms = try APITokenTerms(
        label: row["label"], container: container, environment: row.environment,
        origins: Self.list(row["origins"]), callbacks: Self.list(row["callbacks"]))
      self.init(id: id, terms: terms, createdAt: try row["created_at"])
    } catch {
      throw StorageFailure.failed(.damaged(.apiToken(id)))
    }
  }

  /// Decodes a list. Most are empty, and every request reads two of them.
  private static func list(_ json: String) throws -> [String] {
    json == "[]" ? [] : try JSONDecoder().decode([String].self, from: Data(json.utf8))
  }
}

extension SQLRow {
  /// The environment in the column of that name; nil if it is NULL or unknown.
  var environment: ContainerEnvironment? {
    get throws {
      (try self["environment"] as String?).flatMap(ContainerEnvironment.init(rawValue:))
    }
  }
}

extension [UInt8] {
  var data: Data { Data(self) }
}

extension SecretHash {
  var data: Data { Data(bytes) }
}
