import Dispatch
import Library
import Synchronization

/// An event that the worker of a `SyncSession` handles.
enum SyncEvent: Sendable {
  /// An event of the process's library.
  case library(LibraryEvent)
  /// The user asked for a round.
  case requested(SyncRequest)
  /// The credential file was changed.
  case credentialsChanged
  /// The service sent a notification, or may have sent one while no listener was connected.
  case notificationReceived
  /// The network changed, or the service can be reached again.
  case networkChanged
  /// Another process asked for the sync lease.
  case leaseRequested
  /// The process is about to stop. The semaphore is signalled once the lease is released.
  case suspended(DispatchSemaphore)
  /// The process continues.
  case resumed
  /// The session ends.
  ///
  /// - Parameter cancelsRound: Whether a running round is cancelled.
  case finished(cancelsRound: Bool)

  /// Whether the event cancels a running round, because it must not wait for the end of the round.
  fileprivate var cancelsRound: Bool {
    switch self {
    case .library(.closing), .leaseRequested, .suspended: true
    case .finished(let cancelsRound): cancelsRound
    default: false
    }
  }
}

/// A queue of the events that other threads post to the worker of a `SyncSession`. Some events
/// cancel the running round.
final class SyncEventQueue: Sendable {
  private struct State {
    var events: [SyncEvent] = []
    var round: Task<SyncFailure?, Never>?
  }

  private let state = Mutex(State())
  private let wakeUps: AsyncStream<Void>
  private let wakeUp: AsyncStream<Void>.Continuation

  init() {
    (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an event, and cancels the running round if the event requires it.
  func post(_ event: SyncEvent) {
    state.withLock { state in
      state.events.append(event)
      if event.cancelsRound { state.round?.cancel() }
    }
    wakeUp.yield()
  }

  /// Waits for events.
  ///
  /// - Parameter milliseconds: The maximum time to wait; nil to wait until an event is posted.
  /// - Returns: The events in the order in which they were posted; empty if the time is over.
  func events(within milliseconds: Int64?) async -> [SyncEvent] {
    let timer = milliseconds.map { time in
      Task { [wakeUp] in
        try? await Task.sleep(for: .milliseconds(max(time, 0)))
        if !Task.isCancelled { wakeUp.yield() }
      }
    }
    for await _ in wakeUps { break }
    timer?.cancel()
    return state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  /// Waits for the end of a round, which some events cancel.
  ///
  /// - Returns: Why the round has failed; nil if it has not.
  func result(of round: Task<SyncFailure?, Never>) async -> SyncFailure? {
    let isUnwanted = state.withLock { state in
      state.round = round
      // An event that was posted just before the task was stored must cancel it, too.
      return state.events.contains(where: \.cancelsRound)
    }
    if isUnwanted || Task.isCancelled { round.cancel() }
    defer { state.withLock { $0.round = nil } }
    return await withTaskCancellationHandler {
      await round.value
    } onCancel: {
      round.cancel()
    }
  }
}
