/// An SQL database that runs transactions on threads that may block.
protocol SQLDatabase: Sendable {
  /// Runs `body` in a read-only transaction that sees one consistent state. If the task is
  /// cancelled, the running statement is stopped.
  ///
  /// - Parameter budget: limits and counts the rows that the statements look at; nil for no limit.
  /// - Throws: what `body` throws, or a `StorageFailure`: `exhausted` if the budget was exceeded.
  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value

  /// Runs `body` in a transaction that can write. Its changes are on the disk when this returns.
  ///
  /// `body` may run more than once: a transaction that was rolled back because of others, or
  /// because its connection was lost, is repeated.
  ///
  /// - Parameter account: the account that is served. Accounts take turns; nil for work of the
  ///   service itself.
  /// - Throws: what `body` throws, or a `StorageFailure`. Nothing was changed. After
  ///   `commitUnanswered`, however, the changes may have been committed.
  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value
}

extension SQLDatabase {
  /// Runs `body` for the service itself in a transaction that can write.
  ///
  /// - Throws: as `write(for:_:)`.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await write(for: nil, body)
  }
}
