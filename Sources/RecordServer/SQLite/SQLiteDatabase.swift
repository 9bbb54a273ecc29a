import FoundationEssentials
import GRDB
import NIOPosix

/// An SQLite database of GRDB.
struct SQLiteDatabase: SQLDatabase {
  let database: any DatabaseWriter
  let writes: SQLiteWriteQueue
  /// The number of reading connections of each database, and of reading threads of the process.
  /// More connections than processors would only compete, and each can have a page cache of 2 MB,
  /// SQLite's default.
  static let readerCount = max(4, ProcessInfo.processInfo.activeProcessorCount)
  /// The threads that read, for all databases of the process. GRDB's asynchronous reads use one
  /// thread to wait for a connection and another one to read with it, which takes twice as many
  /// thread switches. A read of an in-memory database blocks its thread while the database is
  /// written.
  private static let readers = {
    let threads = NIOThreadPool(numberOfThreads: readerCount)
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
          // `runIfActive` would keep a number for each read that is cancelled while it runs.
          Self.readers.submit { _ in
            continuation.resume(with: Result { try read(limits, body) })
          }
        }
      } onCancel: {
        limits.cancel()
      }
    } catch let error as DatabaseError {
      throw StorageFailure(error)
    }
  }

  /// Reads in one transaction, and waits until it has ended.
  ///
  /// GRDB's `read` is not used: if a database has only one connection, it sets `query_only` before
  /// a read and resets it afterwards, and SQLite then compiles all cached statements again.
  private func read<Value>(
    _ limits: StatementLimits, _ body: (any SQLConnection) throws -> Value
  ) throws -> Value {
    try limits.check()
    return try database.unsafeRead { database in
      // GRDB's own method compiles the statement each time.
      try database.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
      defer { try? database.rollback() }
      return try Self.limit(database, by: limits) {
        try body(SQLiteConnection(database, limits: limits))
      }
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
