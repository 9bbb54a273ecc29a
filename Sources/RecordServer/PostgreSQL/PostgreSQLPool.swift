import Dispatch
import NIOConcurrencyHelpers
import NIOCore

/// The connections of a process to a PostgreSQL database. Each has its own thread, so that neither
/// the event loops nor Swift's thread pool wait for the server.
///
/// A connection is opened when it is first needed, and again after it was lost. The connections are
/// closed with the pool.
final class PostgreSQLPool: Sendable {
  /// The number of connections.
  static let size = 8
  /// The maximum number of connections that write at the same time. A write can wait for the locks
  /// of another transaction. A read never does, so the other connections are always left for reads.
  static let writers = 5
  /// The maximum number of connections that write for one account. More would only wait for each
  /// other, because a write locks the rows of its account.
  static let writersOfAccount = 2
  /// The maximum number of connections that write for no account, as jobs of the service do.
  static let serviceWriters = writers - writersOfAccount

  /// The kind of a transaction.
  enum Purpose: Sendable {
    /// A transaction that only reads.
    case read
    /// A transaction that writes. The value is the account that made the request; nil for a job of
    /// the service.
    case write(Int64?)
  }

  private let address: String
  private let sharesService: Bool
  private let silenceLimit: Duration
  // A serial queue has its own thread while it works.
  private let queues = (1...size).map { DispatchQueue(label: "PostgreSQL \($0)") }
  // Stopping a statement takes a connection of its own, for which no event loop may wait. A server
  // that hangs can accept this connection and not answer. Then only the cancellations of the same
  // index wait.
  private let cancellationQueues = (1...size).map {
    DispatchQueue(label: "PostgreSQL cancellations \($0)")
  }
  private let state = NIOLockedValueBox(State())

  private struct State {
    /// The connections that are not used, as indexes; the last one was used last.
    var idle = Array((0..<size).reversed())
    /// The open connections.
    var connections = [PostgreSQLConnection?](repeating: nil, count: size)
    /// What waits for a connection.
    var reads = CircularBuffer<Work>()
    var writes = RoundRobinQueue<Work>()
    /// Whether the work that was begun last is a read.
    var wasRead = false
    /// How many connections write for each account.
    var writing: [Int64?: Int] = [:]
    /// The error of a server that did not answer in time; nil if it has answered since.
    var silence: (any Error)?
    /// Whether a connection is being opened to find out if the server answers again.
    var isTrying = false

    mutating func append(_ work: Work) {
      switch work.purpose {
      case .read: reads.append(work)
      case .write(let account): writes.append(work, for: account)
      }
    }

    /// Takes the next work that a connection may begin now.
    mutating func next() -> Work? {
      let writing = writing.values.reduce(0, +)
      // Reads and writes take turns, so that writes go on however many clients read.
      if wasRead, writing < writers, let write = nextWrite() {
        wasRead = false
        return write
      }
      if let read = reads.popFirst() {
        wasRead = true
        return read
      }
      return writing < writers ? nextWrite() : nil
    }

    /// Takes the next write of an account that does not use all of its connections.
    private mutating func nextWrite() -> Work? {
      let work = writes.popFirst { account in
        writing[account, default: 0] < (account == nil ? serviceWriters : writersOfAccount)
      }
      if case .write(let account) = work?.purpose { writing[account, default: 0] += 1 }
      return work
    }

    mutating func end(_ work: Work) {
      guard case .write(let account) = work.purpose, let count = writing[account] else { return }
      writing[account] = count > 1 ? count - 1 : nil
    }
  }

  private struct Work: Sendable {
    let purpose: Purpose
    /// Called with the index of the connection.
    let run: @Sendable (Int) -> Void
  }

  /// - Parameters:
  ///   - address: the address of the database, as a URL or in libpq's form.
  ///   - sharesService: whether connections take the lock of the service together with those of
  ///     other processes (`PostgreSQLServiceLock`).
  ///   - silenceLimit: how long to wait for the server before a ping is sent to it.
  init(
    _ address: String, sharesService: Bool = true,
    silenceLimit: Duration = PostgreSQLConnection.silenceLimit
  ) {
    self.address = address
    self.sharesService = sharesService
    self.silenceLimit = silenceLimit
  }

  /// Runs a closure with a connection.
  ///
  /// - Parameter body: is passed a lease, whose connection it may only use until it returns.
  func run<Value: Sendable>(
    _ purpose: Purpose, _ body: @escaping @Sendable (Lease) throws -> Value
  ) async throws -> Value {
    let canceller = Canceller()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        submit(
          Work(purpose: purpose) { index in
            continuation.resume(
              with: Result { try body(Lease(pool: self, index: index, canceller: canceller)) })
          })
      }
    } onCancel: {
      canceller.cancel()
    }
  }

  /// How many transactions wait for a connection.
  var waiting: Int { state.withLockedValue { $0.reads.count + $0.writes.count } }

  /// Runs work on the queue of the next idle connection.
  private func submit(_ work: Work) {
    let begun = state.withLockedValue { state -> (Work, Int)? in
      state.append(work)
      guard let index = state.idle.last, let next = state.next() else { return nil }
      state.idle.removeLast()
      return (next, index)
    }
    if let (work, index) = begun { begin(work, on: index) }
  }

  private func begin(_ work: Work, on index: Int) {
    queues[index].async {
      work.run(index)
      let next = self.state.withLockedValue { state -> Work? in
        state.end(work)
        let next = state.next()
        guard next == nil else { return next }
        // The connections that are open are used first.
        state.idle.insert(index, at: state.connections[index] == nil ? 0 : state.idle.count)
        return nil
      }
      if let next { self.begin(next, on: index) }
    }
  }

  /// The right to use a connection.
  struct Lease {
    fileprivate let pool: PostgreSQLPool
    fileprivate let index: Int
    fileprivate let canceller: Canceller

    /// Whether the task was cancelled.
    var isCancelled: Bool { canceller.isCancelled }

    /// - Throws: `StorageFailure.cancelled` if the task was cancelled.
    func checkCancellation() throws {
      guard !isCancelled else { throw StorageFailure.cancelled }
    }

    /// Calls a closure with the connection. The connection is not used again if the closure leaves
    /// a transaction open, if the connection is lost, or if the task was cancelled.
    ///
    /// - Throws: what `body` throws; a `PostgreSQLError` if there is no connection;
    ///   `StorageFailure.cancelled` if the task was cancelled.
    func use<Value>(_ body: (PostgreSQLConnection) throws -> Value) throws -> Value {
      // Opening a connection can take seconds. A cancelled task must not wait for that.
      try checkCancellation()
      let connection = try pool.connection(index)
      guard let cancellation = connection.cancellation() else {
        pool.drop(index)
        throw connection.disconnection
      }
      guard canceller.begin(cancellation, on: pool.cancellationQueues[index]) else {
        throw StorageFailure.cancelled
      }
      var isUsable = false
      defer {
        // A statement that was stopped late could stop the next one of the connection.
        if canceller.end() || !isUsable { pool.drop(index) }
      }
      do {
        defer { isUsable = !connection.isInTransaction }
        let value = try body(connection)
        pool.state.withLockedValue { $0.silence = nil }
        return value
      } catch let error as PostgreSQLError where error.isDisconnection {
        isUsable = false
        if error.isUnresponsive { pool.state.withLockedValue { $0.silence = error } }
        throw error
      }
    }
  }

  /// If opening a connection fails after this time or later, the server did not answer in time.
  private static let slowness = Duration.seconds(1)

  /// Returns the connection with an index, which is opened if it is not open.
  ///
  /// After a server did not answer in time, only one connection at a time is opened, and the others
  /// fail at once, until one succeeds or fails quickly. Otherwise each would take seconds, and
  /// requests would wait for one after the other.
  private func connection(_ index: Int) throws -> PostgreSQLConnection {
    var isTrial = false
    let open = try state.withLockedValue { state -> PostgreSQLConnection? in
      if let open = state.connections[index] { return open }
      guard let silence = state.silence else { return nil }
      guard !state.isTrying else { throw silence }
      (isTrial, state.isTrying) = (true, true)
      return nil
    }
    if let open { return open }
    let start = ContinuousClock.now
    let result = Result {
      let connection = try PostgreSQLConnection(address, silenceLimit: silenceLimit)
      if sharesService { try PostgreSQLServiceLock.share(connection) }
      return connection
    }
    let isSlow = start.duration(to: .now) >= Self.slowness
    state.withLockedValue { state in
      if isTrial { state.isTrying = false }
      switch result {
      case .success(let connection):
        state.connections[index] = connection
        state.silence = nil
      case .failure(let error): state.silence = isSlow ? error : nil
      }
    }
    return try result.get()
  }

  private func drop(_ index: Int) {
    let former = state.withLockedValue { state in
      defer { state.connections[index] = nil }
      return state.connections[index]
    }
    _ = consume former
  }
}

/// Stops the statements of a task that is cancelled.
final class Canceller: Sendable {
  private struct State {
    var isCancelled = false
    /// Stops the running statement, on a queue; nil if none can be running.
    var running: (cancellation: PostgreSQLCancellation, queue: DispatchQueue)?
  }

  private let state = NIOLockedValueBox(State())

  /// Whether the task was cancelled.
  fileprivate var isCancelled: Bool { state.withLockedValue { $0.isCancelled } }

  /// - Returns: false if the task was cancelled.
  fileprivate func begin(_ cancellation: PostgreSQLCancellation, on queue: DispatchQueue) -> Bool {
    state.withLockedValue { state in
      if !state.isCancelled { state.running = (cancellation, queue) }
      return !state.isCancelled
    }
  }

  /// - Returns: whether the task was cancelled.
  fileprivate func end() -> Bool {
    state.withLockedValue { state in
      state.running = nil
      return state.isCancelled
    }
  }

  fileprivate func cancel() {
    let running = state.withLockedValue { state in
      state.isCancelled = true
      return state.running
    }
    guard let (cancellation, queue) = running else { return }
    queue.async {
      // If the task was cancelled, its connection is closed when the task has used it. So this
      // cannot stop a statement of another task.
      if self.state.withLockedValue({ $0.running != nil }) { cancellation() }
    }
  }
}
