import CloudRecords
public import GRDB

/// The storage of accounts, invitations, API tokens, sessions and push channels in an SQLite
/// file.
///
/// Each call is one transaction: it succeeds completely or changes nothing, and its result is on
/// the disk when it returns. Times are in milliseconds since 1970, UTC. An account whose deletion
/// has begun is returned only by `removals` and used only by `finishRemoval`.
public struct AccountStorage: Sendable {
  private let database: any DatabaseWriter
  private let onFailure: @Sendable (StorageFailure) -> Void

  /// Opens the storage and creates or upgrades its tables.
  ///
  /// - Parameters:
  ///   - database: a database with foreign keys enabled, as GRDB enables them by default. It can
  ///     have other tables.
  ///   - onFailure: called with each later failure and its cause, for the log.
  public init(
    _ database: any DatabaseWriter,
    onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in }
  ) throws(StorageFailure) {
    self.database = database
    self.onFailure = onFailure
    do {
      try AccountTables.migrator.migrate(database)
    } catch {
      throw StorageFailure(error)
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StorageFailure) -> Value {
    do {
      return try await database.readTransaction(body)
    } catch {
      throw noted(error)
    }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StorageFailure) -> Value {
    do {
      return try await database.write(body)
    } catch {
      throw noted(error)
    }
  }

  private func noted(_ error: any Error) -> StorageFailure {
    let failure = StorageFailure(error)
    onFailure(failure)
    return failure
  }
}
