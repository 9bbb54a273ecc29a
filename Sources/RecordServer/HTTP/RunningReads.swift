import CloudRecords
import NIOConcurrencyHelpers

/// The queries, look-ups and listings that are running. A read runs until its response is encoded
/// and compressed.
///
/// Each client may run a few reads at the same time. Further reads of the client wait until one of
/// these ends. The wait is short: a query looks at a limited number of rows (`RequestWork.rows`),
/// and other reads return one page.
///
/// A read is cancelled when its client closes the connection. A client that only stops sending
/// looks the same to the server, so its read is cancelled, too.
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
    /// The closures that cancel the read or the wait of each connection. A connection has one
    /// request at a time.
    var cancellations: [ObjectIdentifier: @Sendable () -> Void] = [:]
  }

  private struct Client {
    /// The number of reads in progress.
    var running = 0
    /// The reads that wait, oldest first.
    var waiting: [Waiter] = []
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
  ///   - connection: the identity of the connection; see `end(_:)`.
  ///   - isOpen: whether the client is still connected. When the client disconnects, the caller
  ///     first makes it false and then calls `end(_:)`.
  ///   - recheck: called before a read that had to wait; throws if the client may not read any
  ///     more.
  /// - Throws: what `read` throws; THROTTLED if too many queries of the client wait already;
  ///   `CancellationError` if the connection was closed meanwhile.
  func run<Value: Sendable>(
    _ kind: Kind, for requester: RateLimits.Requester, on connection: ObjectIdentifier,
    isOpen: @autoclosure @Sendable () -> Bool, recheck: () async throws -> Void = {},
    _ read: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let hasWaited = try await admit(kind, requester, connection, isOpen)
    defer { leave(requester, connection) }
    if hasWaited { try await recheck() }
    let task = Task { try await read() }
    state.withLockedValue { $0.cancellations[connection] = { task.cancel() } }
    // The client may have closed the connection before its read was known here.
    if !isOpen() { task.cancel() }
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
    _ isOpen: @Sendable () -> Bool
  ) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      let answer = state.withLockedValue { state -> Result<Bool, any Error>? in
        guard isOpen() else { return .failure(CancellationError()) }
        var client = state.clients[requester] ?? Client()
        defer { state.clients[requester] = client }
        if client.running < Self.limit {
          client.running += 1
          return .success(false)
        }
        if kind == .query, client.waiting.count(where: { $0.kind == .query }) >= Self.waitingLimit {
          return .failure(ServiceError(.throttled, cause: .tooManyQueries, retryAfter: 1))
        }
        client.waiting.append(
          Waiter(kind: kind, connection: connection, continuation: continuation))
        state.cancellations[connection] = { [weak self] in self?.endWait(of: connection, requester)
        }
        return nil
      }
      if let answer { continuation.resume(with: answer) }
    }
  }

  /// Lets the next read of the client run.
  private func leave(_ requester: RateLimits.Requester, _ connection: ObjectIdentifier) {
    let next = state.withLockedValue { state -> Waiter? in
      state.cancellations[connection] = nil
      guard var client = state.clients[requester] else { return nil }
      guard !client.waiting.isEmpty else {
        client.running -= 1
        state.clients[requester] = client.running == 0 ? nil : client
        return nil
      }
      // The place passes on to the read that has waited for the longest time.
      let next = client.waiting.removeFirst()
      state.clients[requester] = client
      state.cancellations[next.connection] = nil
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

  /// Cancels the read of a connection, or its wait for its turn. Call it when the client
  /// disconnects.
  func end(_ connection: ObjectIdentifier) {
    let cancel = state.withLockedValue { $0.cancellations.removeValue(forKey: connection) }
    cancel?()
  }
}
