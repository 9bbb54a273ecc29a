/// The storage of accounts, invitations, API tokens, sessions and push channels in an SQL database.
///
/// Each call is one transaction: it succeeds completely or changes nothing, and its result is on
/// the disk when it returns. After a `commitUnanswered` failure, it is not known which of the two
/// has happened. Times are in milliseconds since 1970, UTC. An account whose deletion has begun is
/// returned only by `removals` and used only by `finishRemoval`.
public struct AccountStorage: Sendable {
  private let database: any SQLDatabase
  /// Whether other processes serve the same accounts, so that attempts to sign in are counted in
  /// the database.
  let isShared: Bool
  private let onFailure: @Sendable (StorageFailure) -> Void

  /// - Parameters:
  ///   - database: a database that has the tables of accounts, and those of sign-in attempts if
  ///     `isShared`.
  ///   - onFailure: called with each failure and its cause, for the log.
  init(
    _ database: any SQLDatabase, isShared: Bool,
    onFailure: @escaping @Sendable (StorageFailure) -> Void
  ) {
    self.database = database
    self.isShared = isShared
    self.onFailure = onFailure
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws(StorageFailure) -> Value {
    do {
      return try await database.read(within: nil, body)
    } catch {
      throw reported(error)
    }
  }

  @discardableResult
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws(StorageFailure) -> Value {
    do {
      return try await database.write(body)
    } catch {
      throw reported(error)
    }
  }

  private func reported(_ error: any Error) -> StorageFailure {
    let failure = StorageFailure(error)
    onFailure(failure)
    return failure
  }
}
