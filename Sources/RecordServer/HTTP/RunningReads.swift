import CloudRecords
import NIOConcurrencyHelpers

/// The queries, look-ups and listings that are running. A read runs until its response is encoded
/// and compressed.
///
/// Each client may run a few reads at the same time. Further reads of the client wait until one of
/// these ends. The wait is short: a query looks at a limited number of rows (`RequestWork.rows`),
/// and other reads return one page.
///
/// A read is cancelled when its connection is closed. A client that only stops sending may have
/// gone, or may wait for its response: its read goes on as long as no other read of the client has
/// to wait.
final class RunningReads: Sendable {
  /// The kind of a read.
  enum Kind: Sendable {
    /// A query. It can look at many more records than it returns, so a client may have only a few
    /// queries that wait.
    case query
    /// A look-up or a list, which returns one page. However many wait, none is refused.
    case page
  }

  /// The maximum number of reads that one client may have in progress. More would take database
  /// connections and threads from other clients.
  static let limit = 2
  /// The maximum number of queries of one client that may wait. Further queries are refused.
  static let waitingLimit = 16

  private let state = NIOLockedValueBox(State())

  private struct State {
    var clients: [RateLimits.Requester: Client] = [:]
    /// The reads that run or wait, by connection. A connection has one request at a time.
    var reads: [ObjectIdentifier: Read] = [:]

    /// Removes the reads of a client's silent connections, and returns the closures that cancel
    /// them.
    mutating func removeSilent(of requester: RateLimits.Requester) -> [@Sendable () -> Void] {
      guard let silent = clients[requester]?.silent, !silent.isEmpty else { return [] }
      clients[requester]?.silent = []
      return silent.compactMap { reads.removeValue(forKey: $0)?.cancel }
    }
  }

  private struct Read {
    let requester: RateLimits.Requester
    /// Cancels the read or its wait.
    let cancel: @Sendable () -> Void
  }

  private struct Client {
    /// The number of reads in progress.
    var running = 0
    /// The reads that wait, oldest first.
    var waiting: [Waiter] = []
    /// The connections of the reads in progress whose clients send nothing more.
    var silent: Set<ObjectIdentifier> = []
  }

  /// A read that waits.
  private struct Waiter {
    let kind: Kind
    let connection: ObjectIdentifier
    /// Resumed with true when the read may begin.
    let continuation: CheckedContinuation<Bool, any Error>
  }

  /// The number of reads in progress, of all clients.
  var running: Int { state.withLockedValue { $0.clients.values.reduce(0) { $0 + $1.running } } }
  /// The number of reads that wait, of all clients.
  var waiting: Int {
    state.withLockedValue { $0.clients.values.reduce(0) { $0 + $1.waiting.count } }
  }

  /// Waits until the client may begin another read, and then runs the read in a task of its own.
  /// The task is cancelled if the client closes the connection.
  ///
  /// - Parameters:
  ///   - connection: the identity of the connection; see `end(_:_:)`.
  ///   - client: what is known about the client. When the client disconnects, the caller first
  ///     changes it and then calls `end(_:_:)`.
  ///   - recheck: called before a read that had to wait; throws if the client may not read any
  ///     more.
  /// - Throws: what `read` throws; THROTTLED if too many queries of the client wait already;
  ///   `CancellationError` if the read was cancelled.
  func run<Value: Sendable>(
    _ kind: Kind, for requester: RateLimits.Requester, on connection: ObjectIdentifier,
    client: @autoclosure @Sendable () -> ConnectionTable.ClientState,
    recheck: () async throws -> Void = {},
    _ read: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let hasWaited = try await admit(kind, requester, connection, client)
    defer { leave(requester, connection) }
    if hasWaited { try await recheck() }
    let task = Task { try await read() }
    state.withLockedValue { $0.reads[connection] = Read(requester: requester) { task.cancel() } }
    // The client may have closed the connection before its read was known here.
    let known = client()
    if known != .sending { end(connection, known) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Waits until the client may begin another read.
  ///
  /// - Returns: whether it had to wait.
  /// - Throws: see `run`.
  private func admit(
    _ kind: Kind, _ requester: RateLimits.Requester, _ connection: ObjectIdentifier,
    _ known: @Sendable () -> ConnectionTable.ClientState
  ) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      var cancellations: [@Sendable () -> Void] = []
      let answer = state.withLockedValue { state -> Result<Bool, any Error>? in
        let current = known()
        guard current != .gone else { return .failure(CancellationError()) }
        var client = state.clients[requester] ?? Client()
        guard client.running >= Self.limit else {
          client.running += 1
          state.clients[requester] = client
          return .success(false)
        }
        guard current == .sending else { return .failure(CancellationError()) }
        if kind == .query, client.waiting.count(where: { $0.kind == .query }) >= Self.waitingLimit {
          return .failure(ServiceError(.throttled, cause: .tooManyQueries, retryAfter: 1))
        }
        client.waiting.append(
          Waiter(kind: kind, connection: connection, continuation: continuation))
        state.clients[requester] = client
        state.reads[connection] = Read(requester: requester) { [weak self] in
          self?.endWait(of: connection, requester)
        }
        cancellations = state.removeSilent(of: requester)
        return nil
      }
      for cancel in cancellations { cancel() }
      if let answer { continuation.resume(with: answer) }
    }
  }

  /// Lets the next read of the client run.
  private func leave(_ requester: RateLimits.Requester, _ connection: ObjectIdentifier) {
    let next = state.withLockedValue { state -> Waiter? in
      state.reads[connection] = nil
      guard var client = state.clients[requester] else { return nil }
      client.silent.remove(connection)
      guard !client.waiting.isEmpty else {
        client.running -= 1
        state.clients[requester] = client.running == 0 ? nil : client
        return nil
      }
      // The place passes on to the read that has waited for the longest time.
      let next = client.waiting.removeFirst()
      state.clients[requester] = client
      state.reads[next.connection] = nil
      return next
    }
    next?.continuation.resume(returning: true)
  }

  private func endWait(of connection: ObjectIdentifier, _ requester: RateLimits.Requester) {
    let waiter = state.withLockedValue { state -> Waiter? in
      guard
        let index = state.clients[requester]?.waiting.firstIndex(where: {
          $0.connection == connection
        })
      else { return nil }
      return state.clients[requester]?.waiting.remove(at: index)
    }
    waiter?.continuation.resume(throwing: CancellationError())
  }

  /// Cancels the read of a connection, or its wait for its turn. Call it when the connection is
  /// closed, or when the client closes its sending side. If only the sending side is closed, the
  /// read goes on until another read of the same client has to wait.
  func end(_ connection: ObjectIdentifier, _ client: ConnectionTable.ClientState = .gone) {
    let cancel = state.withLockedValue { state -> (@Sendable () -> Void)? in
      if client == .silent, let requester = state.reads[connection]?.requester,
        state.clients[requester]?.waiting.isEmpty == true
      {
        state.clients[requester]?.silent.insert(connection)
        return nil
      }
      return state.reads.removeValue(forKey: connection)?.cancel
    }
    cancel?()
  }
}
