import GRDB
import NIOConcurrencyHelpers
import Synchronization

/// Runs write transactions one after another, and lets those that wait share a commit. Accounts
/// take turns.
///
/// A commit waits for the disk. For a small write, this often takes as long as the rest of the
/// write, and no other write can run during the wait. Therefore, all writes that are waiting are
/// carried out in one transaction. The result of each write is the same as if it were alone:
///
/// - Each write is answered after the commit, even if it has failed, because it may have seen
///   changes of the others.
/// - If a write fails, only its own changes are undone.
/// - If the transaction fails, for example because the disk is full, each write is carried out
///   again in a transaction of its own. Only those fail that would have failed alone. Bodies can
///   therefore run twice.
///
/// An account whose last write took long lets all others that wait write first, and does not share
/// their commits: the others wait for at most one of its writes.
final class SQLiteWriteQueue: Sendable {
  /// A write that was not answered yet.
  private struct Write: Sendable {
    let account: Int64?
    /// Carries out the write in the open transaction.
    ///
    /// - Returns: a function that answers with the result.
    let carryOut: @Sendable (Database) throws -> @Sendable () -> Void
    /// Answers with an error.
    let fail: @Sendable (any Error) -> Void
    let isCancelled: @Sendable () -> Bool
  }

  private struct State {
    var waiting = RoundRobinQueue<Write>()
    /// The accounts whose last write took longer than `longWrite`. Empty again when no write is
    /// waiting.
    var slowAccounts: Set<Int64?> = []
    /// Whether a transaction is running or is going to run.
    var isRunning = false
  }

  /// How long a transaction admits further writes. The last one may take long, so a commit can be
  /// delayed by one long write.
  private static let admission = Duration.milliseconds(2)
  /// The time from which a write counts as long. A batch of 200 small records takes less.
  private static let longWrite = Duration.milliseconds(20)

  private let database: any DatabaseWriter
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = NIOLockedValueBox(State())

  /// - Parameter now: returns the current time; tests use another clock.
  init(
    _ database: any DatabaseWriter,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.database = database
    self.now = now
  }

  /// The number of writes that wait for a transaction.
  var waitingCount: Int { state.withLockedValue { $0.waiting.count } }

  /// Runs `body` in a transaction that can write. Its changes are on the disk when this returns. A
  /// write whose task is cancelled while it waits is not carried out; one that runs is not stopped,
  /// because SQLite would undo those of others with it.
  ///
  /// - Throws: what `body` throws, a `DatabaseError` or a `CancellationError`; then nothing was
  ///   changed.
  func write<Value: Sendable>(
    for account: Int64? = nil, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(
          Write(
            account: account,
            carryOut: { database in
              let value = try body(database)
              return { continuation.resume(returning: value) }
            },
            fail: { continuation.resume(throwing: $0) },
            isCancelled: { cancellation.isCancelled.load(ordering: .relaxed) }))
      }
    } onCancel: {
      cancellation.isCancelled.store(true, ordering: .relaxed)
    }
  }

  private final class Cancellation: Sendable {
    let isCancelled = Atomic(false)
  }

  private func add(_ write: Write) {
    let starts = state.withLockedValue { state in
      state.waiting.append(write, for: write.account)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { runLater() }
  }

  /// Returns the next write, which is then no longer waiting; nil if none waits.
  ///
  /// - Parameter isShared: whether the transaction has other writes already; then writes of slow
  ///   accounts are skipped.
  private func next(isShared: Bool) -> Write? {
    while let write = state.withLockedValue({ state -> Write? in
      let slow = isShared ? state.slowAccounts : []
      return state.waiting.popFirst { !slow.contains($0) }
    }) {
      if !write.isCancelled() { return write }
      write.fail(CancellationError())
    }
    return nil
  }

  /// Runs the next transaction when GRDB's own queue reaches it. The queues of records and of
  /// accounts use the same connection, so each transaction waits for its turn.
  private func runLater() {
    database.asyncWriteWithoutTransaction { database in
      if let first = self.next(isShared: false) {
        self.run(first, in: database) { self.next(isShared: true) }
      }
      let isDone = self.state.withLockedValue { state in
        state.isRunning = !state.waiting.isEmpty
        if !state.isRunning { state.slowAccounts = [] }
        return !state.isRunning
      }
      if !isDone { self.runLater() }
    }
  }

  /// Runs a transaction and answers its writes.
  ///
  /// - Parameter next: returns a further write for the transaction; nil for none.
  private func run(_ first: Write, in database: Database, admitting next: () -> Write?) {
    var writes = [first]
    var answers: [() -> Void] = []
    do {
      try database.inTransaction(.immediate) {
        let end = now() + Self.admission
        answers.append(try carryOut(first, database))
        while now() < end, let write = next() {
          writes.append(write)
          answers.append(try carryOutInSavepoint(write, database))
        }
        return .commit
      }
    } catch {
      guard writes.count > 1 else { return first.fail(error) }
      for write in writes { run(write, in: database) { nil } }
      return
    }
    for answer in answers { answer() }
  }

  /// Carries out a write in the open transaction, and notes whether it took long, also if it fails.
  private func carryOut(_ write: Write, _ database: Database) throws -> () -> Void {
    let start = now()
    defer {
      let isLong = now() - start >= Self.longWrite
      state.withLockedValue { state in
        if isLong {
          state.slowAccounts.insert(write.account)
          state.waiting.postpone(write.account)
        } else {
          state.slowAccounts.remove(write.account)
        }
      }
    }
    return try write.carryOut(database)
  }

  /// Carries out a write in the transaction of others.
  ///
  /// - Throws: the error if it has ended the transaction.
  private func carryOutInSavepoint(_ write: Write, _ database: Database) throws -> () -> Void {
    func run(_ sql: String) throws { try database.cachedStatement(sql: sql).execute() }
    try run("SAVEPOINT write")
    do {
      let answer = try carryOut(write, database)
      try run("RELEASE write")
      return answer
    } catch {
      guard database.isInsideTransaction else { throw error }
      try run("ROLLBACK TO write")
      try run("RELEASE write")
      return { write.fail(error) }
    }
  }
}
