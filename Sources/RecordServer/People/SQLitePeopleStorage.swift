import CloudRecords
public import GRDB

/// The storage of accounts in an SQLite file.
public struct SQLitePeopleStorage: PeopleStorage {
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
      try PeopleSchema.migrator.migrate(database)
    } catch {
      throw StorageFailure(error)
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StorageFailure) -> Value {
    do {
      return try await database.read(body)
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
