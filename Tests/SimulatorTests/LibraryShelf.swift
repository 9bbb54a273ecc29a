import GRDB
import Synchronization

@testable import Library

/// Libraries in memory that are used again: to make one takes longer than most scripts.
final class LibraryShelf: Sendable {
  static let shared = LibraryShelf()

  private let libraries = Mutex<[Library]>([])

  /// An empty library.
  func take() throws -> Library {
    guard let library = libraries.withLock({ $0.popLast() }) else { return try .inMemory() }
    try library.database.write { database in
      for table in try Self.tables(database) {
        try database.cachedStatement(sql: "DELETE FROM \(table)").execute()
      }
    }
    return library
  }

  func give(_ library: Library) { libraries.withLock { $0.append(library) } }

  private static func tables(_ database: Database) throws -> [String] {
    try String.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT name FROM sqlite_schema
          WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
          """))
  }
}
