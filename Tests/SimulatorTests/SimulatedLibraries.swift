import GRDB
import Synchronization

@testable import Library

/// Libraries in memory that are reused, because creating one takes longer than most scripts.
final class SimulatedLibraries: Sendable {
  static let shared = SimulatedLibraries()

  private let libraries = Mutex<[Library]>([])

  /// An empty library.
  func acquire() throws -> Library {
    guard let library = libraries.withLock({ $0.popLast() }) else { return try .inMemory() }
    try library.write { database in
      for table in try Self.tables(database) {
        try database.run("DELETE FROM \(table)")
      }
    }
    return library
  }

  func release(_ library: Library) { libraries.withLock { $0.append(library) } }

  private static func tables(_ database: Database) throws -> [String] {
    try database.rows(
      """
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
      """
    ) { $0.string(0) }
  }
}
