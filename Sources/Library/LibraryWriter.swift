import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Opens a library and works for it in the background, so that the thread with the
/// screen never waits for a disk or another process.
///
/// Requests are carried out one after the other. Replies come on a thread of the
/// writer's.
public final class LibraryWriter: Sendable {
  private let queue = DispatchQueue(label: "library", qos: .userInitiated)
  private let path: String?
  private let files: LibraryFiles
  private let now: @Sendable () -> Int64
  private let post: @Sendable (LibraryReply) -> Void
  private let opening = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  /// Only the queue's work touches it.
  private struct State {
    var desk = LibraryDesk(.failure(.noPlace))
    var library: Library?
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
  ///   - files: carries out what is asked of files.
  ///   - now: milliseconds since 1970, UTC.
  ///   - post: takes replies, from another thread.
  public init(
    path: String?, files: LibraryFiles = .none, now: @escaping @Sendable () -> Int64,
    post: @escaping @Sendable (LibraryReply) -> Void
  ) {
    self.path = path
    self.files = files
    self.now = now
    self.post = post
    queue.async { self.open() }
  }

  /// Waits until the library is open, or cannot be, but no longer than so many milliseconds.
  public func waitUntilOpen(milliseconds: Int) {
    if opening.wait(timeout: .now() + .milliseconds(milliseconds)) == .success { opening.signal() }
  }

  /// Has a request carried out after those before it.
  public func send(_ request: LibraryRequest) {
    queue.async {
      var reply = self.answer(request)
      if self.isOfReplacedFile(reply) {
        self.reopen()
        reply = self.answer(request)
      }
      self.post(reply)
    }
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

  private func answer(_ request: LibraryRequest) -> LibraryReply {
    let (now, post) = (now(), post)
    return state.withLock { state in
      state.desk.answer(request, at: now) { post(.working($0)) }
    }
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
        state.desk = LibraryDesk(.failure(.noPlace))
        defer { state.library = nil }
        return state.library
      }
      library?.close()
    }
  }

  /// Opens what lies in the place now.
  private func reopen() {
    guard let library = state.withLock({ $0.library }),
      let notice = library.closeReplaced(at: now())
    else { return }
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
        state.desk = LibraryDesk(.success(library), files: files)
        state.library = library
        state.foreignVersion = opening.version
      }
      // The first one is the beginning: what is found is seen on the screen last.
      post(.opened(opening.snapshot, notices + opening.notices))
      watch(library)
      // What came between the snapshot and the watching.
      refresh()
      if library.refusal == nil { checkSoon() }
    } catch {
      state.withLock { $0.desk = LibraryDesk(.failure(error)) }
      if error != told { post(.unavailable(error)) }
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
  }
}
