import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Opens a process's one library and carries out what is asked of it on a queue of its own, so that
/// the thread with the screen never waits for a disk or another process.
///
/// Every transaction that changes the library runs on that queue, those of sync as well, and is
/// published from there: who shares the library hears of all changes in the order in which they
/// were made.
public final class LibraryOwner: Sendable {
  private let queue = DispatchQueue(label: "library", qos: .userInitiated)
  private let path: String?
  private let watchesFile: Bool
  private let now: @Sendable () -> Int64
  private let post: @Sendable (LibraryReply) -> Void
  private let opening = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  /// Only the queue's work touches it.
  private struct State {
    var handler = RequestHandler(.failure(.noPlace))
    var library: Library?
    /// Why there is no library.
    var failure: LibraryFailure?
    var observer: (@Sendable (LibraryEvent) -> Void)?
    var foreignVersion = 0
    var watchers: [FileWatcher] = []
    var isRefreshDue = false
    /// When something of another process was shown.
    var refreshedAt: ContinuousClock.Instant?
  }

  /// Starts opening the library.
  ///
  /// - Parameters:
  ///   - path: nil where there is no place for one.
  ///   - watchesFile: whether other processes' changes are noticed.
  ///   - now: milliseconds since 1970, UTC.
  ///   - post: takes replies, on the queue.
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

  /// Waits until the library is open, or cannot be, but no longer than so many milliseconds.
  public func waitUntilOpen(milliseconds: Int) {
    if opening.wait(timeout: .now() + .milliseconds(milliseconds)) == .success { opening.signal() }
  }

  /// Shares the library with somebody who works on another thread, first of all sync.
  ///
  /// - Parameter observer: takes events on the queue, the first of them at once; nil for nobody any
  ///   more.
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

  private func tell(_ event: LibraryEvent) { state.withLock { $0.observer }?(event) }

  /// Has a request carried out after those before it.
  public func send(_ request: LibraryRequest) {
    queue.async {
      let reply = self.reply(to: request)
      self.post(reply)
    }
  }

  /// Has a request carried out after those before it, and waits for that.
  public func answer(_ request: LibraryRequest) -> LibraryReply {
    queue.sync { reply(to: request) }
  }

  private func reply(to request: LibraryRequest) -> LibraryReply {
    var reply = handle(request)
    if isOfReplacedFile(reply) {
      reopen()
      reply = handle(request)
    }
    if reply.hasChangedLibrary { tell(.changed) }
    return reply
  }

  /// Whether a request failed because the library's file was replaced: while that is written in
  /// place, what is read of it is damaged.
  private func isOfReplacedFile(_ reply: LibraryReply) -> Bool {
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
    let now = now()
    return state.withLock { $0.handler.answer(request, at: now) }
  }

  /// Runs something with the library after the requests before it, as the import of a file.
  ///
  /// - Parameter work: gets the library, or why there is none. It runs on the queue. What it returns
  ///   that it changed, undo takes back.
  public func run(_ work: @escaping @Sendable (Result<Library, LibraryFailure>) -> Commit) {
    queue.async { self.runNow(work) }
  }

  /// Runs something as `run`, and waits for that.
  public func runAndWait(_ work: (Result<Library, LibraryFailure>) -> Commit) {
    queue.sync { runNow(work) }
  }

  private func runNow(_ work: (Result<Library, LibraryFailure>) -> Commit) {
    let commit = state.withLock { $0.handler.run(work) }
    if !commit.edits.isEmpty { tell(.changed) }
  }

  /// Waits until all that was sent is carried out.
  public func drain() { queue.sync {} }

  /// Waits as `drain`, but no longer than so many milliseconds.
  ///
  /// - Returns: false where there is more to do.
  public func drain(milliseconds: Int) -> Bool {
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    return isDone.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  /// Waits as `drain`, then closes the library.
  public func close() {
    queue.sync {
      let library = state.withLock { state in
        state.watchers = []
        state.handler = RequestHandler(.failure(.noPlace))
        defer { state.library = nil }
        return state.library
      }
      library?.close()
    }
  }

  /// Opens what lies in the place now.
  private func reopen() {
    guard let library = state.withLock({ $0.library }) else { return }
    tell(.closing)
    guard let notice = library.closeReplaced(at: now()) else {
      return tell(.opened(library))
    }
    state.withLock { ($0.watchers, $0.library) = ([], nil) }
    // What is written in place is there in part only for a while, and would be taken for damaged.
    if notice == .replaced(former: nil) { Self.waitUntilWritten(library.path) }
    open(after: [notice])
  }

  /// Waits until a file that another process writes to stays as it is, but no longer than some
  /// seconds. Nothing says when that process has ended.
  private static func waitUntilWritten(_ path: String) {
    var state = FileState(of: path)
    for _ in 0..<50 {
      usleep(100_000)
      let now = FileState(of: path)
      if now == state { return }
      state = now
    }
  }

  /// - Parameters:
  ///   - notices: what is to be told besides what is found.
  ///   - told: why it could not be opened the last time.
  private func open(after notices: [Notice] = [], _ told: LibraryFailure? = nil) {
    do {
      let opening = try Library.open(path, at: now())
      let library = opening.library
      state.withLock { state in
        state.handler = RequestHandler(.success(library))
        state.library = library
        state.failure = nil
        state.foreignVersion = opening.version
      }
      library.serializeSync(on: queue) { [weak self] commit in self?.post(.changed(commit)) }
      // The first one is the beginning: what is found is seen on the screen last.
      post(.opened(opening.snapshot, notices + opening.notices))
      tell(.opened(library))
      if watchesFile { watch(library) }
      // What came between the snapshot and the watching.
      refresh()
      if library.refusal == nil { checkSoon() }
    } catch {
      state.withLock { ($0.handler, $0.failure) = (RequestHandler(.failure(error)), error) }
      if error != told {
        post(.unavailable(error))
        tell(.unavailable(error))
      }
      if error.isForMoments {
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
          self?.open(after: notices, error)
        }
      }
    }
    opening.signal()
  }

  /// Checks the file while nobody waits for it, if it is still open then.
  private func checkSoon() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(2)) { [weak self] in
      guard let self, let library = state.withLock({ $0.library }) else { return }
      // What keeps the check from running keeps it from saying anything.
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

  /// A writer in a hurry is read once in a while, not at each of its changes.
  private func refreshSoon() {
    let isScheduled = state.withLock { state in
      defer { state.isRefreshDue = true }
      return state.isRefreshDue
    }
    guard !isScheduled else { return }
    let pause = Self.isBusy(state.withLock { $0.refreshedAt }) ? Self.busyPause : 50
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in self?.refresh() }
    // What was written is there for others only after the disk has it.
    queue.asyncAfter(deadline: .now() + .milliseconds(1000)) { [weak self] in self?.refresh() }
  }

  /// How long a writer's changes are gathered that has just changed something, in milliseconds.
  private static let busyPause = 250

  private static func isBusy(_ time: ContinuousClock.Instant?) -> Bool {
    time.map { $0.duration(to: .now) < .milliseconds(2 * busyPause) } ?? false
  }

  private func refresh() {
    let library = state.withLock { state in
      state.isRefreshDue = false
      return state.library
    }
    guard let library, let version = try? library.foreignVersion(),
      state.withLock({ $0.foreignVersion != version }), let snapshot = try? library.snapshot()
    else { return }
    state.withLock { state in
      state.foreignVersion = version
      state.refreshedAt = .now
    }
    post(.refreshed(snapshot))
    tell(.changed)
  }
}

/// What becomes of a library that is shared. See `LibraryOwner.share`.
public enum LibraryEvent: Sendable {
  case opened(Library)
  /// There is none. It may be opened yet, where the failure is for moments only.
  case unavailable(LibraryFailure)
  /// It is about to be closed, because its file was replaced.
  case closing
  /// Somebody other than sync changed it.
  case changed
}

extension LibraryReply {
  fileprivate var hasChangedLibrary: Bool {
    switch self {
    case .done(_, let commit): !commit.edits.isEmpty
    default: false
    }
  }
}
