import Dispatch
public import Library
import Synchronization

/// Syncs a library in the background, as long as somebody reads: after changes, when the
/// service tells of others', every five minutes, and when asked.
///
/// It shares the library that the process has open. As long as nobody is connected it does nothing
/// but look whether somebody is.
public final class SyncSession: Sendable {
  private let inbox = SyncInbox()
  private let owner: LibraryOwner
  private let worker: Task<Void, Never>
  private let end = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - path: the library's.
  ///   - owner: has the library open.
  ///   - environment: says whom to trust. Proxies are those of the process.
  ///   - now: milliseconds since 1970, UTC.
  ///   - post: takes how it stands, whenever that is something else, from another thread.
  public init(
    path: String, owner: LibraryOwner, environment: [String: String],
    now: @escaping @Sendable () -> Int64, post: @escaping @Sendable (SyncStatus) -> Void
  ) {
    self.owner = owner
    let inbox = inbox
    let end = end
    worker = Task.detached(executorPreference: inbox.thread, priority: .utility) {
      var worker = SyncWorker(
        path: path, environment: environment, now: now, inbox: inbox, post: post)
      await worker.run { end.signal() }
    }
    owner.share { event in
      switch event {
      case .opened(let library):
        inbox.library = library
        inbox.put { $0.library = .success(library) }
      case .unavailable(let failure): inbox.put { $0.library = .failure(failure) }
      case .closing:
        inbox.library = nil
        inbox.put { ($0.library, $0.isLibraryClosing) = (nil, true) }
        inbox.cancelRound()
      case .changed: inbox.put { $0.isLibraryChanged = true }
      }
    }
  }

  deinit {
    owner.share(with: nil)
    cancel()
  }

  /// Syncs now, whatever failed before. Another reader that syncs the library steps aside; a
  /// command does not, and after three seconds the status says so.
  public func ask() { inbox.put { $0.isAsked = true } }

  /// A key was pressed: what can wait a moment does.
  public func keyPressed() { inbox.keyPressed() }

  /// Answers the question of `massDeletion`.
  public func answer(_ answer: MassDeletion.Answer) { inbox.put { $0.answer = answer } }

  /// Says what counts where an earlier state of the library was put back.
  public func answer(_ restoration: SyncAccount.Restoration) {
    inbox.put { $0.restoration = restoration }
  }

  /// Tries again what was parked.
  public func retryParked() { inbox.put { $0.isRetrying = true } }

  /// Lets go of everything that others wait for, before this process stops for a while.
  ///
  /// - Parameter milliseconds: how long that is waited for at most.
  public func suspend(milliseconds: Int) {
    let isIdle = DispatchSemaphore(value: 0)
    inbox.put { $0.suspensions.append(isIdle) }
    inbox.cancelRound()
    _ = isIdle.wait(timeout: .now() + .milliseconds(milliseconds))
  }

  public func resume() { inbox.put { $0.isResuming = true } }

  /// Sends what waits, if the service was there the last time, and ends. Where nothing waits, a
  /// round under way is cancelled.
  public func finish() {
    inbox.put { $0.isFinishing = true }
    let waiting = try? inbox.library?.outboxSummary().count
    if waiting ?? 0 == 0 { inbox.cancelRound() }
  }

  /// Waits for the end that `finish` began.
  ///
  /// - Returns: false where it takes longer.
  public func waitForEnd(milliseconds: Int) -> Bool {
    guard end.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return false }
    end.signal()
    return true
  }

  /// Ends without sending: what waits is in the outbox.
  public func cancel() {
    worker.cancel()
    inbox.put { $0.isFinishing = true }
    inbox.cancelRound()
  }
}

/// Where other threads leave for the worker what it has to do.
final class SyncInbox: Sendable {
  struct Items: Sendable {
    var isAsked = false
    var isRetrying = false
    var answer: MassDeletion.Answer?
    var restoration: SyncAccount.Restoration?
    /// The library as it was opened last, or why it could not be; nil for no news.
    var library: Result<Library, LibraryFailure>?
    /// The library that was open until now is not to be used any more.
    var isLibraryClosing = false
    /// The library was changed, but not by sync.
    var isLibraryChanged = false
    /// Somebody signed in or out, or a token was replaced.
    var areCredentialsChanged = false
    var isPushed = false
    var isReconnected = false
    /// Another process wants to sync.
    var isUnwelcome = false
    var suspensions: [DispatchSemaphore] = []
    var isResuming = false
    var isFinishing = false
  }

  /// What all of it runs on.
  let thread = QuietThread()
  private let items = Mutex(Items())
  private let current = Mutex<Library?>(nil)
  private let round = Mutex<Task<Void, Never>?>(nil)
  private let key = Mutex<ContinuousClock.Instant?>(nil)
  private let wakeUps: AsyncStream<Void>
  private let wakeUp: AsyncStream<Void>.Continuation

  init() {
    (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func put(_ body: (inout Items) -> Void) {
    items.withLock { body(&$0) }
    wakeUp.yield()
  }

  /// The library that is open now.
  var library: Library? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// What was left since the last time.
  func take() -> Items {
    items.withLock { items in
      defer { items = Items() }
      return items
    }
  }

  /// Waits until something is left, or until time is up.
  func wait(milliseconds: Int64?) async {
    let timer = milliseconds.map { time in
      Task { [wakeUp] in
        try? await Task.sleep(for: .milliseconds(max(time, 0)))
        if !Task.isCancelled { wakeUp.yield() }
      }
    }
    for await _ in wakeUps { break }
    timer?.cancel()
  }

  /// Runs a round that others can cancel.
  func run(_ body: @escaping @Sendable () async -> Void) async {
    let task = Task(executorPreference: thread, operation: body)
    round.withLock { $0 = task }
    // Somebody may have wanted to cancel it just before.
    let isUnwanted = items.withLock { !$0.suspensions.isEmpty || $0.isUnwelcome }
    if isUnwanted || Task.isCancelled { task.cancel() }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    round.withLock { $0 = nil }
  }

  func keyPressed() { key.withLock { $0 = .now } }

  /// When a key was pressed last; nil for never.
  var lastKey: ContinuousClock.Instant? { key.withLock { $0 } }

  func cancelRound() { round.withLock { $0?.cancel() } }
}
