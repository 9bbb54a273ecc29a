import FoundationEssentials

extension AccountStorage {
  /// Stores a new account and deletes the invitation with which it was created, in one transaction.
  ///
  /// - Parameter invitation: the hash of the invitation's code; nil if no invitation is required.
  func insert(
    _ account: NewAccount, invitation: SecretHash?
  ) async throws(StorageFailure) -> AccountInsertion {
    try await write { connection in
      if let invitation {
        let isGood = try connection.row(
          "SELECT expires_at > ? FROM invitation WHERE hash = ?",
          [account.createdAt, invitation.data]
        ) { try $0[0] as Bool }
        guard isGood == true else { return .invitationUnusable }
      }
      let id = try connection.row(
        """
        INSERT INTO account (name, password, password_epoch, seed, created_at)
        VALUES (?, ?, 1, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING id
        """,
        [account.name.text, account.password.stored, account.seed.data, account.createdAt]
      ) { try $0[0] as Int64 }
      guard let id else { return .nameTaken }
      if let invitation {
        try connection.run("DELETE FROM invitation WHERE hash = ?", [invitation.data])
      }
      return .inserted(
        Account(
          id: id, name: account.name.text, createdAt: account.createdAt, seed: account.seed,
          passwordVersion: 1))
    }
  }

  /// Returns all accounts, sorted by name.
  func accounts() async throws(StorageFailure) -> [Account] {
    try await read { connection in
      try connection.rows(
        "SELECT \(Account.columns) FROM account a WHERE a.removed_at IS NULL ORDER BY a.name"
      ) { try Account(row: $0) }
    }
  }

  /// Returns the account with a name and its password hash; nil if there is none.
  func account(
    named name: AccountName
  ) async throws(StorageFailure) -> StoredAccount? {
    try await read { connection in
      try connection.row(
        """
        SELECT \(Account.columns), a.password FROM account a
        WHERE a.name = ? AND a.removed_at IS NULL
        """, [name.text]
      ) { row in
        let account = try Account(row: row)
        guard let password = PasswordHash(stored: try row["password"]) else {
          throw StorageFailure.failed(.damaged(.account(account.id)))
        }
        return StoredAccount(account: account, password: password)
      }
    }
  }

  /// Gives an account a new password and ends its sessions.
  ///
  /// - Returns: false if the account does not exist.
  func setPassword(
    _ password: PasswordHash, ofAccount id: Int64
  ) async throws(StorageFailure) -> Bool {
    try await write { connection in
      let changed = try connection.changedRows(
        """
        UPDATE account SET password = ?, password_epoch = password_epoch + 1
        WHERE id = ? AND removed_at IS NULL
        """, [password.stored, id])
      guard changed == 1 else { return false }
      try connection.run("DELETE FROM web_session WHERE account_id = ?", [id])
      return true
    }
  }

  /// Ends the sessions of an account and marks it as being deleted. Its name stays taken until the
  /// deletion is finished.
  ///
  /// - Returns: false if the account does not exist.
  func beginRemoval(
    ofAccount id: Int64, at now: Int64
  ) async throws(StorageFailure) -> Bool {
    try await write { connection in
      let changed = try connection.changedRows(
        "UPDATE account SET removed_at = ? WHERE id = ? AND removed_at IS NULL", [now, id])
      guard changed == 1 else { return false }
      try connection.run("DELETE FROM web_session WHERE account_id = ?", [id])
      return true
    }
  }

  /// Returns the accounts whose deletion has begun, oldest deletion first.
  func removals() async throws(StorageFailure) -> [Account] {
    try await read { connection in
      try connection.rows(
        """
        SELECT \(Account.columns) FROM account a WHERE a.removed_at IS NOT NULL
        ORDER BY a.removed_at, a.id
        """
      ) { try Account(row: $0) }
    }
  }

  /// Deletes the rows of an account whose deletion has begun.
  func finishRemoval(ofAccount id: Int64) async throws(StorageFailure) {
    try await write { connection in
      try connection.run("DELETE FROM account WHERE id = ? AND removed_at IS NOT NULL", [id])
    }
  }
}

extension Account {
  /// The columns of the table `account` with the alias `a`, named differently from those of all
  /// other tables.
  static let columns = """
    a.id AS account_id, a.name AS account_name, a.created_at AS account_created_at,
    a.seed AS account_seed, a.password_epoch AS account_password_epoch
    """

  init(row: any SQLRow) throws {
    try self.init(
      id: row["account_id"], name: row["account_name"], createdAt: row["account_created_at"],
      seed: Array(row["account_seed"] as Data), passwordVersion: row["account_password_epoch"])
  }
}
