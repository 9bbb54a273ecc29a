/// Runs transactions of records in an SQL database.
struct SQLTransactions: Sendable {
  let database: any SQLDatabase
  /// Called with each failure and its cause, for the log.
  let onFailure: @Sendable (StorageFailure) -> Void
  private let cache = StorageCache()

  /// See `RecordStorage.read`.
  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.read(within: budget) { [cache] in
        try body(SQLTransaction($0, cache: cache))
      }
    } catch {
      throw reported(error)
    }
  }

  /// See `RecordStorage.write`.
  func write<Value: Sendable>(
    for account: Int64? = nil, _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value {
    do {
      do {
        return try await write(for: account, lockingEnvironments: false, body)
      } catch is EnvironmentsNotLocked {
        return try await write(for: account, lockingEnvironments: true, body)
      }
    } catch {
      throw reported(error)
    }
  }

  private func write<Value: Sendable>(
    for account: Int64?, lockingEnvironments: Bool,
    _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value {
    try await database.write(for: account) { [cache] in
      try body(
        try SQLWriteTransaction(
          $0, cache: cache, locksEnvironments: lockingEnvironments))
    }
  }

  /// Reports storage failures and cancellations; returns other errors unchanged.
  private func reported(_ error: any Error) -> any Error {
    guard error is CancellationError || error is StorageFailure else { return error }
    let failure = StorageFailure(error)
    // A query that is too large is an error of the client.
    if failure != .exhausted { onFailure(failure) }
    return failure
  }
}
