import CloudRecords
public import GRDB

/// People in an SQLite file, through GRDB.
public struct SQLitePeopleStorage: PeopleStorage {
  private let database: any DatabaseWriter
  private let onFailure: @Sendable (StorageFailure) -> Void

  /// - Parameters:
  ///   - database: whose configuration has foreign keys on, as GRDB's has by itself.
  ///     It may hold other tables than these, which are made where they are not there.
  ///   - onFailure: gets what goes wrong from then on, with its cause, which nobody else is told.
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
