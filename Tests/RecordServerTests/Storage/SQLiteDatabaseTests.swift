import Dispatch
import GRDB
import Testing

@testable import RecordServer

/// Reads whose task is cancelled. `QueryBudgetTests` tests that long statements are stopped.
struct SQLiteDatabaseTests {
  private let database: SQLiteDatabase

  init() throws {
    database = SQLiteDatabase(database: try DatabaseQueue())
  }

  @Test func aTaskThatWasCancelledBeforeReadsNothing() async throws {
    let task = Task { [database] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await database.read(within: nil) { _ in 1 }
    }
    await #expect(throws: StorageFailure.cancelled) { try await task.value }
  }

  /// A short statement does not report its work, so it could not be stopped after its beginning.
  @Test func aCancelledTaskBeginsNoStatement() async throws {
    let (beginnings, begin) = AsyncStream.makeStream(of: Void.self)
    let isCancelled = DispatchSemaphore(value: 0)
    let task = Task { [database] in
      try await database.read(within: nil) { connection in
        begin.finish()
        isCancelled.wait()
        return try connection.row("SELECT 1") { try $0[0] as Int }
      }
    }
    for await _ in beginnings {}
    task.cancel()
    isCancelled.signal()
    await #expect(throws: StorageFailure.cancelled) { try await task.value }
    // The connection can be used again.
    let one = try await database.read(within: nil) { connection in
      try connection.row("SELECT 1") { try $0[0] as Int }
    }
    #expect(one == 1)
  }
}
