/// The storage of records, schemas, subscriptions and jobs.
///
/// A transaction sees one consistent state, and its changes are committed completely or not at all.
/// Committed changes are on the disk when `write` returns. Transactions run on threads that may
/// block on a disk or a socket, and their bodies may run more than once.
public protocol RecordStorage: Sendable {
  /// Runs `body` in a read-only transaction. If the task is cancelled, the running statement is
  /// stopped.
  ///
  /// - Parameter budget: limits and counts the rows that the statements look at; nil for no limit.
  /// - Throws: what `body` throws, or a `StorageFailure`: `exhausted` if the budget was exceeded.
  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws -> Value

  /// Runs `body` in a transaction that can write.
  ///
  /// - Parameter account: the account that is served. Accounts take turns; nil for work of the
  ///   service itself.
  /// - Throws: what `body` throws, or a `StorageFailure`. Nothing was changed. After
  ///   `commitUnanswered`, however, the changes may have been committed.
  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value
}

extension RecordStorage {
  /// Runs `body` in a read-only transaction without a budget.
  ///
  /// - Throws: what `body` throws, or a `StorageFailure`.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws -> Value {
    try await read(within: nil, body)
  }

  /// Runs `body` for the service itself in a transaction that can write.
  ///
  /// - Throws: as `write(for:_:)`.
  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value {
    try await write(for: nil, body)
  }
}

/// The numbers of records and jobs in a database.
public struct StorageCounts: Hashable, Sendable {
  /// The number of records in all containers and databases, without tombstones.
  public var records: Int
  /// The number of unfinished jobs (`StorageJob`). A server resumes them when it starts.
  public var jobs: Int
}
