import GRDB
import NIOPosix

/// An SQLite database of GRDB.
struct SQLiteDatabase: SQLDatabase {
  let database: any DatabaseWriter
  let writes: SQLiteWriteQueue
  /// The threads that read, for all databases of the process. GRDB's asynchronous reads would change
  /// threads four times instead of two.
  private static let readers = {
    let threads = NIOThreadPool(numberOfThreads: 8)
    threads.start()
    return threads
  }()

  /// - Parameter now: the clock of the queue of writes; tests use another one.
  init(
    database: any DatabaseWriter,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.database = database
    writes = SQLiteWriteQueue(database, now: now)
  }

  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    let limits = StatementLimits(budget: budget)
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          Self.readers.submit { _ in
            continuation.resume(
              with: Result {
                try limits.check()
                return try database.readTransaction { database in
                  try database.limited(by: limits) {
                    try body(SQLiteConnection(database, limits: limits))
                  }
                }
              })
          }
        }
      } onCancel: {
        limits.cancel()
      }
    } catch let error as DatabaseError {
      throw StorageFailure(error)
    }
  }

  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    do {
      return try await writes.write(for: account) { try body(SQLiteConnection($0)) }
    } catch let error as DatabaseError {
      throw StorageFailure(error)
    }
  }
}
