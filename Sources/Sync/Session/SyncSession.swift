import Dispatch
public import Library

/// A request of the user, which starts a round of sync.
public enum SyncRequest: Hashable, Sendable {
  /// Only starts a round.
  case now
  /// First makes all parked changes due.
  case retryParked
  /// Answers the question of `massDeletion`.
  case answer(MassDeletion.Answer)
  /// Chooses a version after an earlier state of the library was restored.
  case answerRestored(SyncAccount.Restoration)
}

/// Syncs a library in the background: after changes, when the service sends a notification, every
/// five minutes, and when the user asks.
///
/// The session shares the library that the process has open. While nobody is signed in it only
/// watches the credential file.
public final class SyncSession: Sendable {
  private let eventQueue = SyncEventQueue()
  private let owner: LibraryOwner
  private let worker: Task<Void, Never>
  private let end = DispatchSemaphore(value: 0)

  /// Starts syncing.
  ///
  /// - Parameters:
  ///   - path: The path of the library.
  ///   - owner: The owner of the library.
  ///   - processEnvironment: The environment variables of the process, which may name trusted
  ///     certificate authorities. libcurl reads those that name proxies.
  ///   - now: Returns the time in milliseconds since 1970, UTC.
  ///   - post: Is called with the status whenever it changes, on another thread. It must return
  ///     soon, and must not call the session.
  public init(
    path: String, owner: LibraryOwner, processEnvironment: [String: String],
    now: @escaping @Sendable () -> Int64, post: @escaping @Sendable (SyncStatus) -> Void
  ) {
    self.owner = owner
    let (eventQueue, end) = (eventQueue, end)
    worker = Task.detached(priority: .utility) {
      var worker = SyncWorker(
        path: path, processEnvironment: processEnvironment, now: now, eventQueue: eventQueue,
        post: post)
      await worker.run()
      end.signal()
    }
    owner.share { eventQueue.post(.library($0)) }
  }

  deinit {
    owner.share(with: nil)
    cancel()
  }

  /// Starts a round immediately, regardless of previous failures. If another reader syncs the
  /// library, it is asked to release the lease. A command does not release the lease; after three
  /// seconds the status says that another process syncs the library.
  ///
  /// - Parameter request: What to do before the round.
  public func requestRound(_ request: SyncRequest) { eventQueue.post(.requested(request)) }

  /// Releases the lease and closes the connection, before this process is stopped for a while.
  ///
  /// - Parameter milliseconds: The maximum time to wait until they are released.
  public func suspend(milliseconds: Int) {
    let isIdle = DispatchSemaphore(value: 0)
    eventQueue.post(.suspended(isIdle))
    _ = isIdle.wait(timeout: .now() + .milliseconds(milliseconds))
  }

  /// Continues after `suspend`.
  public func resume() { eventQueue.post(.resumed) }

  /// Ends the session. Changes in the outbox are sent first if the last round succeeded. If there
  /// are no changes, a running round is cancelled.
  public func finish() {
    let count = try? owner.library?.outboxSummary().count
    eventQueue.post(.finished(cancelsRound: (count ?? 0) == 0))
  }

  /// Waits for the end of the session after `finish` or `cancel`.
  ///
  /// - Parameter milliseconds: The maximum time to wait.
  /// - Returns: Whether the session has ended.
  public func waitForEnd(milliseconds: Int) -> Bool {
    guard end.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return false }
    end.signal()
    return true
  }

  /// Ends the session without sending. Changes stay in the outbox.
  public func cancel() {
    worker.cancel()
    eventQueue.post(.finished(cancelsRound: true))
  }
}
