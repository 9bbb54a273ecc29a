import Foundation
import Testing

@testable import RecordServer

/// Makes a storage that the tests use.
///
/// Tests run on SQLite. With `TEST_STORAGE=postgresql` in the environment, those that depend on
/// storage run on PostgreSQL.
struct StorageFactory: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// - Parameter directory: a directory that is deleted after the test.
  let make: @Sendable (_ directory: String) async throws -> any RecordStorage

  static let isPostgreSQL =
    ProcessInfo.processInfo.environment["TEST_STORAGE"] == "postgresql"
  static let isSQLite = !isPostgreSQL

  /// The storages that have to pass the conformance tests.
  static let all = isPostgreSQL ? [postgreSQL] : [onDisk, inMemory]
  /// The storage of all other tests.
  static let standard = isPostgreSQL ? postgreSQL : inMemory

  static let onDisk = StorageFactory(testDescription: "SQLite on disk") { directory in
    try SQLiteRecordStorage(path: directory + "/records.sqlite")
  }
  static let inMemory = StorageFactory(testDescription: "SQLite in memory") { _ in
    try SQLiteRecordStorage(inMemory: nil)
  }
  private static let postgreSQL = StorageFactory(testDescription: "PostgreSQL") { _ in
    try await PostgreSQLTestStorage()
  }
}

extension Trait where Self == ConditionTrait {
  /// A test of behaviour that only SQLite has, or a test that opens the SQLite file directly.
  static var onlySQLite: Self { .enabled(if: StorageFactory.isSQLite, "a test of SQLite") }
  /// A test of behaviour that only PostgreSQL has.
  static var onlyPostgreSQL: Self {
    .enabled(if: StorageFactory.isPostgreSQL, "a test of PostgreSQL")
  }
}

/// A storage in a PostgreSQL database that is deleted after the test.
final class PostgreSQLTestStorage: RecordStorage {
  let database: TestDatabase
  let storage: PostgreSQLRecordStorage

  /// - Parameter database: nil for a new one. Two storages of one database behave like two
  ///   processes.
  init(_ database: TestDatabase? = nil) async throws {
    self.database = try database ?? PostgreSQLServer.shared.get().makeDatabase()
    storage = try await PostgreSQLRecordStorage(self.database.address)
  }

  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws -> Value {
    try await storage.read(within: budget, body)
  }

  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value {
    try await storage.write(for: account, body)
  }
}

extension RecordStorage {
  /// The accounts in the same database.
  var accounts: AccountStorage {
    get async throws {
      switch self {
      case let storage as TracedStorage: try await storage.storage.accounts
      case let storage as PostgreSQLTestStorage: try await AccountStorage(storage.storage)
      default: try AccountStorage(#require(self as? SQLiteRecordStorage).database)
      }
    }
  }

  /// The database, on which tests can run SQL.
  var sql: any SQLDatabase {
    get throws {
      switch self {
      case let storage as TracedStorage: try storage.storage.sql
      case let storage as PostgreSQLTestStorage: storage.storage.database
      default: SQLiteDatabase(database: try #require(self as? SQLiteRecordStorage).database)
      }
    }
  }
}

extension ServiceFixture {
  /// The database of the storage, on which tests can run SQL.
  var database: any SQLDatabase {
    get throws { try storage.sql }
  }

  /// How many rows each table has.
  func rowCounts() async throws -> [String: Int] { try await database.rowCounts() }
}

extension SQLConnection {
  /// The names of a table's columns.
  func columns(of table: String) throws -> [String] {
    let sql =
      switch dialect {
      case .sqlite: "SELECT name FROM pragma_table_info(?)"
      case .postgresql:
        """
        SELECT CAST(column_name AS TEXT) FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = ?
        """
      }
    return try rows(sql, [table]) { try $0[0] }
  }
}

extension SQLDatabase {
  /// Ends all connections to a PostgreSQL database except the one that does this.
  func endOtherConnections() async throws {
    _ = try await write { connection in
      try connection.rows(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """
      ) { try $0[0] as Bool }
    }
  }

  /// How many rows each table has.
  func rowCounts() async throws -> [String: Int] {
    try await read(within: nil) { connection in
      let tables =
        switch connection.dialect {
        case .sqlite:
          """
          SELECT name FROM sqlite_schema WHERE type = 'table'
          AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'grdb%'
          """
        case .postgresql:
          """
          SELECT CAST(tablename AS TEXT) FROM pg_tables
          WHERE schemaname = current_schema() AND tablename <> 'migration'
          """
        }
      var counts: [String: Int] = [:]
      for table in try connection.rows(tables, [], { try $0[0] as String }) {
        counts[table] = try connection.row("SELECT count(*) FROM \(table)") { try $0[0] }
      }
      return counts
    }
  }
}
