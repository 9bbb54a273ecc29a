@testable import RecordServer
@testable import RecordServiceSupport

extension SQLiteRecordStorage {
  /// How many rows each table has.
  func rowCounts() async throws -> [String: Int] {
    try await SQLiteDatabase(database: database).rowCounts()
  }
}
