import CloudRecords
public import GRDB

/// People in an SQLite file, through GRDB.
public struct SQLitePeopleStorage: PeopleStorage {
  private let database: any DatabaseWriter

  /// - Parameter database: whose configuration has foreign keys on, as GRDB's has by itself.
  ///   It may hold other tables than these, which are made where they are not there.
  public init(_ database: any DatabaseWriter) throws(StorageFailure) {
    self.database = database
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
      throw StorageFailure(error)
    }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StorageFailure) -> Value {
    do {
      return try await database.write(body)
    } catch {
      throw StorageFailure(error)
    }
  }
}
