import Dispatch
import Glibc
import Synchronization

/// Opens the library of a process and carries out requests on a queue of its own, so that the main
/// thread never waits for a disk or another process.
///
/// Every transaction that changes the library runs on that queue, including those of sync, and its
/// commit is posted from there. So commits are posted in the order in which they were made.
public final class LibraryOwner: Sendable {
  private let queue = DispatchQueue(label: "library", qos: .userInitiated)
  private let path: String?
  private let watchesFile: Bool
  private let now: @Sendable () -> Int64
  private let post: @Sendable (LibraryReply) -> Void
  private let opening = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  /// The state of the owner. It is changed only on the queue.
  private struct State {
    var handler = RequestHandler(.failure(.noHomeDirectory))
    var library: Library?
    /// Why the library is not open.
    var failure: LibraryFailure?
    var observer: (@Sendable (LibraryEvent) -> Void)?
    var dataVersion = 0
    var watchers: [FileWatcher] = []
    var isRefreshDue = false
    /// Whether `close()` was called.
    var isClosed = false
    /// When a change by another process was last posted.
    var refreshedAt: ContinuousClock.Instant?
  }

  /// Starts opening the library.
  ///
  /// - Parameters:
  ///   - path: The path of the library; nil if there is no home directory.
  ///   - watchesFile: Whether changes by other processes are noticed.
  ///   - now: Returns the time in milliseconds since 1970, UTC.
  ///   - post: Called with replies and events on the owner's queue. Only `noticed`, which reports
  ///     that the check in the background found damage, is posted from another queue.
  public init(
    path: String?, watchesFile: Bool = true,
    now: @escaping @Sendable () -> Int64, post: @escaping @Sendable (LibraryReply) -> Void
  ) {
    self.path = path
    self.watchesFile = watchesFile
    self.now = now
    self.post = post
    queue.async { self.open() }
  }

  /// Waits until the library is open or could not be opened.
  ///
  /// - Parameter milliseconds: The maximum time to wait.
  public func waitUntilOpen(milliseconds: Int) {
    if opening.wait(timeout: .now() + .milliseconds(milliseconds)) == .success { opening.signal() }
  }

  /// The library that is open; nil if there is none.
  public var library: Library? { state.withLock { $0.library } }

  /// Shares the library with an observer that works on another thread, such as sync.
  ///
  /// - Parameter observer: Called with events on the queue, first with the present state of the
  ///   library; nil to end sharing.
  public func share(with observer: (@Sendable (LibraryEvent) -> Void)?) {
    queue.async {
      let state = self.state.withLock { state in
        state.observer = observer
        return state
      }
      if let library = state.library {
        observer?(.opened(library))
      } else if let failure = state.failure {
        observer?(.unavailable(failure))
      }
    }
  }

  private func notify(_ event: LibraryEvent) { state.withLock { $0.observer }?(event) }

  /// Tells the observer of a commit. Commits of `Library.sync` are posted, but not told to the
  /// observer: sync makes them itself, and reads the outbox after each round.
  private func notifyOfCommit(_ commit: Commit) {
    if !commit.isEmpty { notify(.committed(commit)) }
  }

  /// Carries out a request after the previous ones, and posts the reply.
  public func send(_ request: LibraryRequest) {
    queue.async {
      let reply = self.reply(to: request)
      self.post(reply)
    }
  }

  /// Carries out a request after the previous ones, and returns the reply. Like all functions that
  /// wait for the queue, it must not be called on the queue: neither from `post` nor from an
  /// observer.
  public func perform(_ request: LibraryRequest) -> LibraryReply {
    queue.sync { reply(to: request) }
  }

  private func reply(to request: LibraryRequest) -> LibraryReply {
    var reply = handle(request)
    if waitAndCheckIfReplaced(reply) {
      reopen()
      reply = handle(request)
    }
    if case .done(_, let commit) = reply { notifyOfCommit(commit) }
    return reply
  }

  /// Returns whether a request failed because the library's file was replaced. While another
  /// process overwrites the file in place, its content seems damaged; waits until it is no longer
  /// written, up to five seconds.
  private func waitAndCheckIfReplaced(_ reply: LibraryReply) -> Bool {
    switch reply {
    case .refused(_, .replaced): return true
    case .refused(_, .damaged):
      guard let library = state.withLock({ $0.library }) else { return false }
      Self.waitUntilWritten(library.path)
      return library.isReplaced
    default: return false
    }
  }

  private func handle(_ request: LibraryRequest) -> LibraryReply {
    withHandler { $0.perform(request, at: now()) }
  }

  /// Runs `body` with the handler, which only the queue uses, without holding the lock.
  private func withHandler<Value>(_ body: (inout RequestHandler) -> Value) -> Value {
    var handler = state.withLock { $0.handler }
    defer { state.withLock { $0.handler = handler } }
    return body(&handler)
  }

  /// Runs a task with the library after the previous requests, for example the import of a file.
  ///
  /// - Parameter work: Is called on the queue with the library, or the reason why there is none. It
  ///   returns its commit, which undo reverses.
  public func run(_ work: @escaping @Sendable (Result<Library, LibraryFailure>) -> Commit) {
    queue.async { self.runNow(work) }
  }

  /// Runs a task like `run`, and waits for its end. Must not be called on the queue.
  ///
  /// - Parameter work: As for `run`.
  public func runAndWait(_ work: (Result<Library, LibraryFailure>) -> Commit) {
    queue.sync { runNow(work) }
  }

  private func runNow(_ work: (Result<Library, LibraryFailure>) -> Commit) {
    notifyOfCommit(withHandler { $0.run(work) })
  }

  /// Waits until all requests are carried out. Must not be called on the queue.
  public func drain() { queue.sync {} }

  /// Waits until all requests are carried out.
  ///
  /// - Parameter milliseconds: The maximum time to wait.
  /// - Returns: false if requests are left.
  public func drain(milliseconds: Int) -> Bool {
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    return isDone.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  /// Waits until all requests are carried out, then closes the library, which refuses later
  /// requests. Must not be called on the queue.
  public func close() {
    queue.sync {
      let library = state.withLock { state in
        state.isClosed = true
        state.watchers = []
        defer { state.library = nil }
        return state.library
      }
      library?.close()
    }
  }

  /// Closes the library and opens the file that replaced it.
  private func reopen() {
    guard let library = state.withLock({ $0.library }) else { return }
    notify(.closing)
    guard let notice = library.closeReplaced(at: now()) else {
      return notify(.opened(library))
    }
    state.withLock { ($0.watchers, $0.library) = ([], nil) }
    // A file that is being overwritten in place would be taken for a damaged one.
    if notice == .replaced(former: nil) { Self.waitUntilWritten(library.path) }
    open(after: [notice])
  }

  /// Waits until a file that another process overwrites stays unchanged for 0.1 s, but no longer
  /// than five seconds. There is no event for the end of the writing. An empty file counts as
  /// unfinished, because `cp` empties a file before it writes to it.
  private static func waitUntilWritten(_ path: String) {
    var state = FileState(of: path)
    for _ in 0..<50 {
      usleep(100_000)
      let now = FileState(of: path)
      if now == state, now?.isEmpty != true { return }
      state = now
    }
  }

  /// Opens the library.
  ///
  /// - Parameters:
  ///   - notices: Notices to post with those of the opening.
  ///   - posted: The failure of the previous attempt, which is not posted again.
  private func open(after notices: [Notice] = [], _ posted: LibraryFailure? = nil) {
    // A retry may be scheduled when the library is closed.
    guard !state.withLock({ $0.isClosed }) else { return }
    // Space can be freed while the library is being opened.
    let spaceBefore = space()
    do {
      let opened = try Library.open(path, at: now())
      let library = opened.library
      state.withLock { state in
        state.handler = RequestHandler(.success(library))
        state.library = library
        state.failure = nil
        state.dataVersion = opened.version
      }
      library.syncQueue.withLock { [post] in $0 = Library.SyncQueue(queue: queue, post: post) }
      // The notices of the opening are last, because the screen shows the last one.
      post(.opened(opened.snapshot, notices + opened.notices))
      notify(.opened(library))
      // The reader draws its first screen after this signal, and needs only the snapshot for it.
      opening.signal()
      if watchesFile { watch(library) }
      // Another process may have changed the library between the snapshot and the watching.
      refresh()
      if library.refusal == nil { checkSoon() }
      if library.refusal == .diskFull { reopenWhenSpaceIsFreed(since: spaceBefore) }
    } catch {
      state.withLock { ($0.handler, $0.failure) = (RequestHandler(.failure(error)), error) }
      if error != posted {
        post(.unavailable(error))
        notify(.unavailable(error))
      }
      opening.signal()
      if error.isTransient {
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
          self?.open(after: notices, error)
        }
      }
      if error == .diskFull { reopenWhenSpaceIsFreed(since: spaceBefore) }
    }
  }

  /// How much more space there must be before a library that a full disk made unchangeable is
  /// opened again, in bytes.
  private static let freedSpace: UInt64 = 65_536

  /// Opens the library again when space is freed on the full disk.
  ///
  /// - Parameter spaceBefore: The space in bytes before the library was opened. Opening it can take
  ///   space as well, so the lower of this and the present space counts.
  private func reopenWhenSpaceIsFreed(since spaceBefore: UInt64) {
    reopen(whenSpaceReaches: min(spaceBefore, space()) + Self.freedSpace)
  }

  /// Opens the library again when there is enough space. Checks this every two seconds.
  ///
  /// - Parameter needed: The space in bytes.
  private func reopen(whenSpaceReaches needed: UInt64) {
    queue.asyncAfter(deadline: .now() + .seconds(2)) { [weak self] in
      guard let self else { return }
      let (library, failure, isClosed) = state.withLock { ($0.library, $0.failure, $0.isClosed) }
      // Otherwise it was closed, or opened again for another reason.
      guard !isClosed, (library?.refusal ?? failure) == .diskFull else { return }
      guard space() >= needed else { return reopen(whenSpaceReaches: needed) }
      if let library {
        notify(.closing)
        state.withLock { ($0.watchers, $0.library) = ([], nil) }
        library.close()
      }
      open()
    }
  }

  /// The space in bytes that files beside the library can still take; 0 if that is not known.
  private func space() -> UInt64 {
    guard let path else { return 0 }
    return Directory.freeSpace(in: Directory.containing(Library.resolved(path)))
  }

  /// Checks the file in the background after two seconds, if it is still open. Makes a backup if
  /// one is due.
  private func checkSoon() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(2)) { [weak self] in
      guard let self, let library = state.withLock({ $0.library }) else { return }
      // A check that cannot run reports nothing.
      if (try? library.check(at: now())) == false { post(.noticed(.damaged)) }
    }
  }

  // MARK: Other processes

  private func watch(_ library: Library) {
    let watchers = [
      FileWatcher(path: library.path + "-wal", on: queue) { [weak self] in self?.refreshSoon() },
      FileWatcher(path: library.path, on: queue) { [weak self] in
        if library.isReplaced { self?.reopen() }
      },
    ]
    state.withLock { $0.watchers = watchers }
  }

  /// Schedules `refresh`, less often while another process writes all the time.
  private func refreshSoon() {
    let isScheduled = state.withLock { state in
      defer { state.isRefreshDue = true }
      return state.isRefreshDue
    }
    guard !isScheduled else { return }
    let pause = Self.isBusy(state.withLock { $0.refreshedAt }) ? Self.busyPause : 50
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in self?.refresh() }
    // A commit becomes visible only after fsync, which is after the file event.
    queue.asyncAfter(deadline: .now() + .milliseconds(1000)) { [weak self] in self?.refresh() }
  }

  /// The pause before `refresh`, in milliseconds, if the last one was less than twice this time
  /// ago.
  private static let busyPause = 250

  private static func isBusy(_ time: ContinuousClock.Instant?) -> Bool {
    time.map { $0.duration(to: .now) < .milliseconds(2 * busyPause) } ?? false
  }

  private func refresh() {
    let library = state.withLock { state in
      state.isRefreshDue = false
      return state.library
    }
    guard let library, let version = try? library.dataVersion(),
      state.withLock({ $0.dataVersion != version }), let snapshot = try? library.snapshot()
    else { return }
    state.withLock { state in
      state.dataVersion = version
      state.refreshedAt = .now
    }
    post(.refreshed(snapshot))
    notify(.refreshed)
  }
}

/// An event of a shared library. See `LibraryOwner.share`.
public enum LibraryEvent: Sendable {
  /// The library was opened.
  case opened(Library)
  /// The library could not be opened. It may be opened later if the failure is transient or
  /// `diskFull`.
  case unavailable(LibraryFailure)
  /// The library is about to be closed, because its file was replaced or space was freed on a full
  /// disk. `opened` or `unavailable` follows.
  case closing
  /// A request (`send`, `perform`) or a task (`run`) changed the library.
  case committed(Commit)
  /// Another process changed the library.
  case refreshed
}
