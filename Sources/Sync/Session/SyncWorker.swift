import CloudRecords
import Dispatch
import Library
import Quran
import RecordClient
import Synchronization

/// Does the work of a `SyncSession`, one thing after the other.
struct SyncWorker {
  let path: String
  let environment: [String: String]
  let now: @Sendable () -> Int64
  let inbox: SyncInbox
  let post: @Sendable (SyncStatus) -> Void

  private let queue = DispatchQueue(label: "sync", qos: .utility)
  private let credentials: CredentialFile
  private var credentialsWatcher: FileWatcher?
  private var content: CredentialFile.Content?
  private var library: Library?
  private var hold: Hold?
  private var schedule: SyncSchedule
  private var status = SyncStatus()
  private var posted: SyncStatus?
  private var answer: MassDeletion.Answer?
  /// Why the next round begins.
  private var occasion = RoundOccasion.start
  /// How often rounds failed in a row.
  private var failures = 0
  /// When it is tried again to become the process that syncs.
  private var leaseTry: Int64?
  private var isSuspended = false
  private let start = ContinuousClock.now

  /// What the one process has that syncs.
  private struct Hold {
    let lease: FileLock
    /// How the lease's file was then.
    let mark: SyncLease.Mark?
    let client: RecordClient
    let listening: Task<Void, Never>
    /// Tells when another process wants to sync.
    let watcher: FileWatcher
    let network: NetworkWatcher?
  }

  /// How often it is tried to become the process that syncs, in milliseconds.
  private static let leasePause: Int64 = 2000

  init(
    path: String, environment: [String: String], now: @escaping @Sendable () -> Int64,
    inbox: SyncInbox, post: @escaping @Sendable (SyncStatus) -> Void
  ) {
    self.path = path
    self.environment = environment
    self.now = now
    self.inbox = inbox
    self.post = post
    credentials = CredentialFile(beside: path)
    schedule = SyncSchedule(at: 0)
  }

  /// Milliseconds since this began.
  private var clock: Int64 { start.duration(to: .now).milliseconds }

  /// - Parameter ended: called when all is done but to close connections.
  mutating func run(ended: () -> Void) async {
    credentialsWatcher = FileWatcher(path: credentials.path, on: queue) { [inbox] in
      inbox.put { $0.areCredentialsChanged = true }
    }
    await readCredentials()
    while true {
      await workIfDue()
      tell()
      await inbox.wait(milliseconds: patience)
      let items = inbox.take()
      await handle(items)
      if items.isFinishing || Task.isCancelled { break }
    }
    await flush()
    await letGo()
    ended()
  }

  /// How long nothing is to be done, in milliseconds; nil for until something happens.
  private var patience: Int64? {
    guard content != nil, !isSuspended else { return nil }
    return (hold == nil ? leaseTry : schedule.due).map { max($0, clock) - clock }
  }

  private mutating func handle(_ items: SyncInbox.Items) async {
    if items.isLibraryClosing {
      await letGo()
      library = nil
    }
    if let opened = items.library { await take(opened) }
    if items.areCredentialsChanged { await readCredentials() }
    if items.isLibraryChanged { await refresh() }
    if items.isPushed { schedule.pushed(at: clock) }
    if items.isReconnected {
      let isWayBack = status.failure?.isConnectivityProblem == true
      if isWayBack { failures = 0 }
      schedule.reconnected(at: clock, isWayBack: isWayBack)
    }
    if items.isRetrying { retryParked() }
    if let answer = items.answer { self.answer = answer }
    if let restoration = items.restoration { self.answer(restoration) }
    if items.isAsked || items.isRetrying || items.answer != nil || items.restoration != nil {
      await ask()
    }
    if items.isUnwelcome, let library, let mark = hold?.mark,
      mark != SyncLease.mark(of: library.path)
    {
      await letGo()
      leaseTry = clock + Self.leasePause
      await refresh()
    }
    if !items.suspensions.isEmpty {
      isSuspended = true
      await letGo()
      for reply in items.suspensions { reply.signal() }
    }
    if items.isResuming {
      isSuspended = false
      if status.phase != .off { leaseTry = clock }
    }
  }

  /// Has a round done at once. Whoever asked hears of it where there is none.
  private mutating func ask() async {
    schedule.asked()
    occasion = .asked
    guard hold == nil, !isSuspended, status.phase != .off else { return }
    await becomeSyncer(asksOthers: true)
    guard hold == nil else { return }
    answer = nil
    status.attempts += 1
  }

  // MARK: The connection

  /// Connects, or lets go, as the credentials say.
  private mutating func readCredentials() async {
    let former = content
    var problem: CredentialFile.Problem?
    do {
      content = try credentials.load()
    } catch {
      content = nil
      problem = error
    }
    // Who signed out wanted nothing of a service.
    if content?.webAuthToken == nil { content = nil }
    guard let content else {
      await switchOff()
      status.problem = problem.map { .credentials($0) }
      return
    }
    var same = former
    same?.webAuthToken = content.webAuthToken
    // A token that took the place of another is nothing new.
    if same != content {
      await letGo()
      status.account = nil
      status.problem = nil
    }
    await refresh()
  }

  /// Nobody is signed in, as far as this library is concerned.
  private mutating func switchOff() async {
    await letGo()
    leaseTry = nil
    answer = nil
    status.phase = .off
    status.failure = nil
  }

  /// Takes the library that the process has open now.
  private mutating func take(_ opened: Result<Library, LibraryFailure>) async {
    status.account = nil
    status.failure = nil
    library = try? opened.get()
    if case .failure(let failure) = opened {
      status.failure = .library(failure)
      if content != nil { status.phase = .idle }
    } else if let refusal = library?.refusal {
      status.failure = .library(refusal)
    }
    await refresh()
  }

  /// Becomes the process that syncs, unless another one is.
  ///
  /// - Parameter asksOthers: whether that one is to step aside.
  private mutating func becomeSyncer(asksOthers: Bool = false) async {
    guard let library, library.refusal == nil, let account = status.account else { return }
    do throws(FileLock.Failure) {
      let lease =
        asksOthers
        ? try await SyncLease.takeOver(library.path, within: .seconds(3))
        : try SyncLease.take(of: library.path)
      take(lease, of: library, for: account)
    } catch {
      leaseTry = clock + Self.leasePause
      switch error {
      case .held:
        // Why this one did not go on is nothing that keeps the other.
        status.isElsewhere = true
        status.failure = nil
        failures = 0
        answer = nil
      case .cannotCreate(let code):
        status.isElsewhere = false
        status.failure = .library(
          .unreadable(path: SyncLease.path(of: library.path), code: code))
      }
    }
  }

  private mutating func take(_ lease: FileLock, of library: Library, for account: SyncAccount) {
    leaseTry = nil
    status.isElsewhere = false
    let (library, path) = (library.path, SyncLease.path(of: library.path))
    let mark = SyncLease.mark(of: library)
    do throws(Connection.Problem) {
      let client = try Connection.open(credentials, for: account, environment: environment)
      hold = Hold(
        lease: lease, mark: mark, client: client, listening: listen(to: client),
        watcher: FileWatcher(path: path, on: queue) { [inbox] in
          guard SyncLease.mark(of: library) != mark else { return }
          inbox.put { $0.isUnwelcome = true }
          // Whoever asks waits, and a round goes on anywhere.
          inbox.cancelRound()
        },
        network: NetworkWatcher(on: queue) { [inbox] in
          inbox.put { $0.isReconnected = true }
        })
      status.problem = nil
      // Whoever had the lease may have mended what kept this one from going on.
      schedule = SyncSchedule(at: clock)
    } catch {
      // The credentials tell when that is mended.
      status.problem = error
      status.phase = .idle
    }
  }

  /// Lets another process sync, and ends what is connected.
  private mutating func letGo() async {
    guard let (client, listening) = hold.map({ ($0.client, $0.listening) }) else { return }
    hold = nil
    listening.cancel()
    await client.shutdown()
    await listening.value
  }

  /// Waits for what the service tells, for as long as it is connected.
  private func listen(to client: RecordClient) -> Task<Void, Never> {
    Task(executorPreference: inbox.thread) { [inbox] in
      await SyncListener(service: client, environment: client.address.environment) { isBack in
        inbox.put {
          $0.isPushed = true
          if isBack { $0.isReconnected = true }
        }
      }.run()
    }
  }

  // MARK: Rounds

  private mutating func workIfDue() async {
    guard content != nil, !isSuspended else { return }
    if hold == nil, let leaseTry, leaseTry <= clock {
      self.leaseTry = nil
      await becomeSyncer()
      await refresh()
    }
    // One: what wants this process to stop, or to let go, goes before the next.
    if let client = hold?.client, let library, !Task.isCancelled, let due = schedule.due,
      due <= clock
    {
      await round(library, client)
    }
  }

  private mutating func round(_ library: Library, _ client: RecordClient) async {
    schedule.began(at: clock)
    let answer = answer
    self.answer = nil
    let occasion = occasion
    self.occasion = .scheduled
    let result = await working(library, client) { engine async throws(SyncFailure) in
      try await engine.round(answer, on: occasion)
    }
    switch result {
    case .success:
      status.attempts += 1
      failures = 0
      status.failure = nil
      schedule.succeeded()
    case .failure(.call(.cancelled)):
      // The round was cancelled; it is repeated as soon as possible. A question that was answered
      // may be asked again.
      schedule.asked()
      self.occasion = occasion
    case .failure(let failure):
      status.attempts += 1
      status.failure = failure
      settle(failure)
    }
    await refresh()
  }

  private mutating func settle(_ failure: SyncFailure) {
    guard failure.isTransient else { return schedule.stopped() }
    failures += 1
    var generator = SystemRandomNumberGenerator()
    let delay = Backoff().delay(
      attempt: failures, retryAfter: failure.retryAfter, using: &generator)
    schedule.failed(at: clock, delay: Int64(delay * 1000))
  }

  /// Runs what others can stop, and tells how far it is where it takes longer than a moment.
  private mutating func working<Value: Sendable>(
    _ library: Library, _ client: RecordClient,
    _ body: @escaping @Sendable (SyncEngine) async throws(SyncFailure) -> Value
  ) async -> Result<Value, SyncFailure> {
    let reporter = ProgressReporter(status, post: post)
    let engine = SyncEngine(
      library: library, service: UnhurriedService(client) { [inbox] in inbox.lastKey },
      now: now, onProgress: { reporter.progress($0) })
    let result = Mutex<Result<Value, SyncFailure>>(.failure(.call(.cancelled)))
    let slow = Task { await reporter.tellWhenSlow() }
    await inbox.run {
      do throws(SyncFailure) {
        let value = try await body(engine)
        result.withLock { $0 = .success(value) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
    }
    slow.cancel()
    if let told = reporter.finish() { posted = told }
    return result.withLock { $0 }
  }

  /// Sends what waits before this process ends, where the last round did what it had to.
  private mutating func flush() async {
    await refresh()
    guard let client = hold?.client, let library, status.failure == nil, status.outbox.count > 0,
      !isSuspended, !Task.isCancelled
    else { return }
    await round(library, client)
  }

  // MARK: How it stands

  private mutating func retryParked() {
    do throws(LibraryFailure) {
      try library?.retryParked()
    } catch {
      status.failure = .library(error)
    }
  }

  private mutating func answer(_ restoration: SyncAccount.Restoration) {
    do throws(LibraryFailure) {
      try library?.answer(restoration)
    } catch {
      status.failure = .library(error)
    }
  }

  /// Reads what the library says of it.
  private mutating func refresh() async {
    guard let library, content != nil else { return }
    do throws(LibraryFailure) {
      let account = try library.syncAccount()
      let former = status.account
      status.account = account
      // Whoever signs in is still being asked whether this is the account.
      guard let account, account.isConfirmed else { return await switchOff() }
      status.phase = .idle
      if former?.isConfirmed != true || former?.isSame(as: account) != true {
        await letGo()
        answer = nil
        leaseTry = clock
      }
      let now = now()
      status.outbox = try library.outboxSummary(at: now)
      status.parked =
        status.outbox.parked == 0 ? [] : try SyncStatus.parked(in: library, limit: 100)
      status.unreadCount = try library.unreadRecords().count
      schedule.waiting(status.outbox, for: status.outbox.notBefore - now, at: clock)
    } catch {
      status.failure = .library(error)
    }
  }

  private mutating func tell() {
    guard status != posted else { return }
    posted = status
    post(status)
  }
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
