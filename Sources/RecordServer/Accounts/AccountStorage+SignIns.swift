import FoundationEssentials

/// Counts failed sign-ins, and stores the addresses from which accounts were used, for all
/// processes that share a database.
///
/// The rows contain hashes of names and addresses, not the names and addresses themselves.
extension AccountStorage {
  /// The time without a failure after which the failures are deleted, in milliseconds: a day.
  private static let failureLifetime: Int64 = 86_400_000

  /// Changes the counts of an account and an address in one transaction.
  ///
  /// - Parameters:
  ///   - lastUse: the time at which this process last saw that the account was used from the
  ///     address, in milliseconds since 1970, UTC; nil if it did not.
  ///   - body: changes a state that contains only the counts of the account and the address.
  func changeSignIns<Value: Sendable>(
    _ account: String?, _ address: ClientAddress, lastUse: Int64?,
    _ body: @escaping @Sendable (inout SignInGuard.State) -> Value
  ) async throws(StorageFailure) -> Value {
    let rows = SignInRows(account: account, address: address)
    return try await write { connection in
      let former = try rows.read(connection)
      var state = former
      if let pair = rows.pair, let lastUse {
        state.known[pair] = max(lastUse, state.known[pair] ?? lastUse)
      }
      let value = body(&state)
      try rows.write(state, former, connection)
      return value
    }
  }

  /// Deletes failures and known addresses that are too old to have an effect.
  func removeExpiredSignIns(at now: Int64) async throws(StorageFailure) {
    try await write { connection in
      try connection.run(
        "DELETE FROM sign_in_failure WHERE last_at <= ?", [now - Self.failureLifetime])
      try connection.run(
        "DELETE FROM known_address WHERE used_at <= ?", [now - SignInGuard.knownFor])
    }
  }
}

/// The rows of an account and an address.
private struct SignInRows: Sendable {
  let account: String?
  let address: ClientAddress

  var pair: SignInGuard.Pair? { account.map { SignInGuard.Pair(account: $0, address: address) } }

  private var addressKey: Data { SecretHash(of: "address \(Hex.text(address.bytes))").data }
  private var accountKey: Data? { account.map { SecretHash(of: "account \($0)").data } }
  private var pairKey: Data? {
    account.map { SecretHash(of: "pair \(Hex.text(address.bytes)) \($0)").data }
  }

  func read(_ connection: any SQLConnection) throws -> SignInGuard.State {
    var state = SignInGuard.State(limit: 2)
    state.addresses[address] = try Self.failures(addressKey, connection)
    if let account, let pair, let accountKey, let pairKey {
      state.accounts[account] = try Self.failures(accountKey, connection)
      state.pairs[pair] = try Self.failures(pairKey, connection)
      state.known[pair] = try connection.row(
        "SELECT used_at FROM known_address WHERE name = ?", [pairKey]
      ) { try $0[0] as Int64 }
    }
    return state
  }

  func write(
    _ state: SignInGuard.State, _ former: SignInGuard.State, _ connection: any SQLConnection
  ) throws {
    try Self.save(state.addresses[address], former.addresses[address], addressKey, connection)
    guard let account, let pair, let accountKey, let pairKey else { return }
    try Self.save(state.accounts[account], former.accounts[account], accountKey, connection)
    try Self.save(state.pairs[pair], former.pairs[pair], pairKey, connection)
    if let usedAt = state.known[pair], usedAt != former.known[pair] {
      try connection.run(
        """
        INSERT INTO known_address VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET used_at = excluded.used_at
        """, [pairKey, usedAt])
    }
  }

  private static func failures(_ key: Data, _ connection: any SQLConnection) throws -> BackOff? {
    try connection.row(
      "SELECT failures, last_at, since FROM sign_in_failure WHERE name = ?", [key]
    ) { try BackOff(failures: $0[0], lastAt: $0[1], since: $0[2]) }
  }

  private static func save(
    _ backOff: BackOff?, _ former: BackOff?, _ key: Data, _ connection: any SQLConnection
  ) throws {
    guard backOff != former else { return }
    guard let backOff, backOff.failures > 0 else {
      try connection.run("DELETE FROM sign_in_failure WHERE name = ?", [key])
      return
    }
    try connection.run(
      """
      INSERT INTO sign_in_failure VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE
      SET failures = excluded.failures, last_at = excluded.last_at, since = excluded.since
      """, [key, backOff.failures, backOff.lastAt, backOff.since])
  }
}
