import CloudRecords
import Dispatch
import Library
import Quran
import RecordClient

/// The worker of a `SyncSession`. It handles one event after the other, and runs the rounds.
struct SyncWorker {
  let path: String
  let processEnvironment: [String: String]
  let now: @Sendable () -> Int64
  let eventQueue: SyncEventQueue
  let post: @Sendable (SyncStatus) -> Void

  private let queue = DispatchQueue(label: "sync", qos: .utility)
  private let credentialFile: CredentialFile
  private var credentialsWatcher: FileWatcher?
  private var credentials: CredentialFile.Content?
  private var library: Library?
  private var connection: ActiveConnection?
  private var schedule: SyncSchedule
  private var status = SyncStatus()
  private var postedStatus: SyncStatus?
  private var massDeletionAnswer: MassDeletion.Answer?
  /// Why the next round begins.
  private var occasion = RoundOccasion.start
  /// The number of failed rounds in a row.
  private var failures = 0
  /// When to try to acquire the lease again, in the time of `uptime`; nil for never.
  private var nextLeaseAttempt: Int64?
  private var isSuspended = false
  private let start = ContinuousClock.now

  /// The lease, and the resources that the worker uses while it has it.
  private struct ActiveConnection {
    let lease: FileLock
    /// The state of the lease's file when the lease was acquired.
    let leaseFile: FileState?
    let client: RecordClient
    let listener: Task<Void, Never>
    /// Watches the lease's file, which another process modifies to ask for the lease.
    let leaseWatcher: FileWatcher
    let networkWatcher: NetworkWatcher?
  }

  /// The pause between attempts to acquire the lease, in milliseconds.
  private static let leaseRetryInterval: Int64 = 2000

  init(
    path: String, processEnvironment: [String: String], now: @escaping @Sendable () -> Int64,
    eventQueue: SyncEventQueue, post: @escaping @Sendable (SyncStatus) -> Void
  ) {
    self.path = path
    self.processEnvironment = processEnvironment
    self.now = now
    self.eventQueue = eventQueue
    self.post = post
    credentialFile = CredentialFile(beside: path)
    schedule = SyncSchedule(at: 0)
  }

  /// Milliseconds since the worker was created.
  private var uptime: Int64 { start.duration(to: .now).milliseconds }

  /// Handles events until the session ends.
  mutating func run() async {
    credentialsWatcher = FileWatcher(path: credentialFile.path, on: queue) { [eventQueue] in
      eventQueue.post(.credentialsChanged)
    }
    await readCredentials()
    var isFinished = false
    while !isFinished {
      await workIfDue()
      postStatus()
      let events = await eventQueue.events(within: timeUntilDue)
      var isOutboxChanged = false
      for event in events {
        switch event {
        case .finished: isFinished = true
        case .library(.committed(let commit)):
          isOutboxChanged = isOutboxChanged || !commit.edits.isEmpty
        default: await handle(event)
        }
      }
      if isOutboxChanged { readOutbox() }
      isFinished = isFinished || Task.isCancelled
    }
    await flush()
    await disconnect()
  }

  /// The milliseconds until something is due; nil to wait for an event.
  private var timeUntilDue: Int64? {
    guard credentials != nil, !isSuspended else { return nil }
    return (connection == nil ? nextLeaseAttempt : schedule.due).map { max($0, uptime) - uptime }
  }

  private mutating func handle(_ event: SyncEvent) async {
    switch event {
    case .library(.opened(let library)): await setLibrary(.success(library))
    case .library(.unavailable(let failure)): await setLibrary(.failure(failure))
    case .library(.closing):
      await disconnect()
      library = nil
    case .library(.refreshed): await refresh()
    case .credentialsChanged: await readCredentials()
    case .notificationReceived: schedule.notificationReceived(at: uptime)
    case .networkChanged:
      let wasUnreachable = status.failure?.problem?.isConnectivityProblem == true
      if wasUnreachable { failures = 0 }
      schedule.reconnected(at: uptime, wasUnreachable: wasUnreachable)
    case .requested(let request): await handle(request)
    case .leaseRequested:
      guard let library, let leaseFile = connection?.leaseFile,
        leaseFile != FileState(of: SyncLease.path(of: library.path))
      else { return }
      await disconnect()
      nextLeaseAttempt = uptime + Self.leaseRetryInterval
      await refresh()
    case .suspended(let reply):
      isSuspended = true
      await disconnect()
      reply.signal()
    case .resumed:
      isSuspended = false
      if status.phase != .off { nextLeaseAttempt = uptime }
    // Handled by `run`.
    case .finished, .library(.committed): break
    }
  }

  private mutating func handle(_ request: SyncRequest) async {
    switch request {
    case .now: break
    case .retryParked:
      changeLibrary { library throws(LibraryFailure) in try library.retryParked() }
    case .answer(let answer): massDeletionAnswer = answer
    case .answerRestored(let restoration):
      changeLibrary { library throws(LibraryFailure) in try library.chooseRestoration(restoration) }
    }
    await requestRound()
  }

  /// Makes a round due immediately. If no connection can be made, increments `status.attempts`, so
  /// that the user sees the reason again.
  private mutating func requestRound() async {
    schedule.requestRound()
    occasion = .asked
    guard connection == nil, !isSuspended, status.phase != .off else { return }
    await acquireLease(asksHolder: true)
    guard connection == nil else { return }
    massDeletionAnswer = nil
    status.attempts += 1
  }

  // MARK: The connection

  /// Reads the credential file. Switches sync off if nobody is signed in, and reconnects if the
  /// account changed.
  private mutating func readCredentials() async {
    let previous = credentials
    var problem: CredentialFile.Problem?
    do {
      credentials = try credentialFile.load()
    } catch {
      credentials = nil
      problem = error
    }
    // Without a token nobody is signed in.
    if credentials?.webAuthToken == nil { credentials = nil }
    guard let credentials else {
      await switchOff()
      status.problem = problem.map { .credentials($0) }
      return
    }
    var same = previous
    same?.webAuthToken = credentials.webAuthToken
    // A token that replaces another one does not change the account.
    if same != credentials {
      await disconnect()
      status.account = nil
      status.problem = nil
    } else if status.failure == .call(.credentials(.unreadable)) {
      // The last round could not read the file. By now it can be read and has not changed, so
      // without this no round would be due until the user asked for one.
      schedule.requestRound()
    }
    await refresh()
  }

  /// Disconnects because nobody is signed in, or the library has no confirmed account.
  private mutating func switchOff() async {
    await disconnect()
    nextLeaseAttempt = nil
    massDeletionAnswer = nil
    status.phase = .off
    status.failure = nil
  }

  /// Uses the library that the process has opened.
  private mutating func setLibrary(_ opened: Result<Library, LibraryFailure>) async {
    status.account = nil
    status.failure = nil
    library = try? opened.get()
    if case .failure(let failure) = opened {
      status.failure = .library(failure)
      if credentials != nil { status.phase = .idle }
    } else if let refusal = library?.refusal {
      status.failure = .library(refusal)
    }
    await refresh()
  }

  /// Acquires the sync lease and connects, unless another process has the lease.
  ///
  /// - Parameter asksHolder: Whether to ask the other process to release it.
  private mutating func acquireLease(asksHolder: Bool = false) async {
    guard let library, library.refusal == nil, let account = status.account else { return }
    do throws(FileLock.Failure) {
      let lease =
        asksHolder
        ? try await SyncLease.acquireAskingHolder(for: library.path, within: .seconds(3))
        : try SyncLease.acquire(for: library.path)
      connect(library, with: lease, for: account)
    } catch {
      nextLeaseAttempt = uptime + Self.leaseRetryInterval
      switch error {
      case .held:
        // Clear the failure of this process, because another process syncs the library now.
        status.isSyncedByOtherProcess = true
        status.failure = nil
        failures = 0
        massDeletionAnswer = nil
      case .cannotCreate(let code):
        status.isSyncedByOtherProcess = false
        status.failure = .library(
          .unreadable(path: SyncLease.path(of: library.path), code: code))
      }
    }
  }

  private mutating func connect(
    _ library: Library, with lease: FileLock, for account: SyncAccount
  ) {
    nextLeaseAttempt = nil
    status.isSyncedByOtherProcess = false
    let leasePath = SyncLease.path(of: library.path)
    let leaseFile = FileState(of: leasePath)
    do throws(ClientFactory.Problem) {
      let client = try ClientFactory.open(
        credentialFile, for: account, processEnvironment: processEnvironment)
      connection = ActiveConnection(
        lease: lease, leaseFile: leaseFile, client: client,
        listener: Task(priority: .utility) { [eventQueue] in
          await SyncListener(
            service: client, environment: client.address.environment, eventQueue: eventQueue
          ).run()
        },
        leaseWatcher: FileWatcher(path: leasePath, on: queue) {
          [eventQueue] in
          // Another process asked for the lease. The event cancels a running round; that process
          // sends the rest.
          guard FileState(of: leasePath) != leaseFile else { return }
          eventQueue.post(.leaseRequested)
        },
        networkWatcher: NetworkWatcher(on: queue) { [eventQueue] in eventQueue.post(.networkChanged)
        })
      status.problem = nil
      // Forget earlier pauses: the previous holder of the lease may have removed the cause of a
      // failure.
      schedule = SyncSchedule(at: uptime)
    } catch {
      // No retry is scheduled. The worker tries again after `credentialsChanged` or
      // a request of the user.
      status.problem = error
      status.phase = .idle
    }
  }

  /// Releases the lease, and closes the connection.
  private mutating func disconnect() async {
    guard let (client, listener) = connection.map({ ($0.client, $0.listener) }) else { return }
    connection = nil
    listener.cancel()
    await client.shutdown()
    await listener.value
  }

  // MARK: Rounds

  private mutating func workIfDue() async {
    guard credentials != nil, !isSuspended else { return }
    if connection == nil, let nextLeaseAttempt, nextLeaseAttempt <= uptime {
      self.nextLeaseAttempt = nil
      await acquireLease()
      await refresh()
    }
    // Run at most one round. Events, which can end the session or release the lease, are handled
    // before the next.
    if let client = connection?.client, let library, !Task.isCancelled, let due = schedule.due,
      due <= uptime
    {
      await round(library, client)
    }
  }

  private mutating func round(_ library: Library, _ client: RecordClient) async {
    schedule.began(at: uptime)
    let (answer, occasion) = (massDeletionAnswer, occasion)
    (massDeletionAnswer, self.occasion) = (nil, .scheduled)
    let reporter = ProgressReporter(status, post: post)
    let engine = SyncEngine(
      library: library, service: client, now: now, onProgress: { reporter.progress($0) })
    let slow = Task { await reporter.postWhenSlow() }
    let round = Task { () -> SyncFailure? in
      do throws(SyncFailure) {
        _ = try await engine.round(answer, on: occasion)
        return nil
      } catch {
        return error
      }
    }
    let failure = await eventQueue.result(of: round)
    slow.cancel()
    if let posted = reporter.finish() { postedStatus = posted }
    switch failure {
    case nil:
      status.attempts += 1
      failures = 0
      status.failure = nil
      schedule.succeeded()
    case .call(.cancelled):
      // The round was cancelled; it is repeated as soon as possible. A question that was answered
      // may be asked again.
      schedule.requestRound()
      self.occasion = occasion
    case .some(let failure):
      status.attempts += 1
      status.failure = failure
      scheduleRetry(after: failure)
    }
    await refresh()
  }

  private mutating func scheduleRetry(after failure: SyncFailure) {
    guard failure.isTransient else { return schedule.stop() }
    failures += 1
    var generator = SystemRandomNumberGenerator()
    let delay = Backoff().delay(
      attempt: failures, retryAfter: failure.retryAfter, using: &generator)
    schedule.failed(at: uptime, delay: Int64(delay * 1000))
  }

  /// Sends the changes in the outbox before the session ends, if the last round succeeded.
  private mutating func flush() async {
    await refresh()
    guard let client = connection?.client, let library, status.failure == nil,
      status.outbox.count > 0, !isSuspended, !Task.isCancelled
    else { return }
    await round(library, client)
  }

  // MARK: The status

  /// Runs a closure that changes the library, and stores a failure in the status.
  private mutating func changeLibrary(_ body: (Library) throws(LibraryFailure) -> Void) {
    guard let library else { return }
    do throws(LibraryFailure) { try body(library) } catch { status.failure = .library(error) }
  }

  /// Reads the account and the state of sync from the library.
  private mutating func refresh() async {
    guard let library, credentials != nil else { return }
    do throws(LibraryFailure) {
      let account = try library.syncAccount()
      let previous = status.account
      status.account = account
      // Before the account is confirmed, nothing is sent or fetched.
      guard let account, account.isConfirmed else { return await switchOff() }
      status.phase = .idle
      if previous?.isConfirmed != true || previous?.isSame(as: account) != true {
        await disconnect()
        massDeletionAnswer = nil
        nextLeaseAttempt = uptime
      }
      status.unreadableCount = try library.unreadableRecords().count
    } catch {
      status.failure = .library(error)
    }
    readOutbox()
  }

  /// Reads the changes that wait to be sent, which make a round due.
  private mutating func readOutbox() {
    guard let library, credentials != nil, status.phase != .off else { return }
    do throws(LibraryFailure) {
      let now = now()
      status.outbox = try library.outboxSummary(at: now)
      status.parked =
        status.outbox.parked == 0 ? [] : try SyncStatus.parked(in: library, limit: 100)
      schedule.outboxChanged(status.outbox, wait: status.outbox.notBefore - now, at: uptime)
    } catch {
      status.failure = .library(error)
    }
  }

  private mutating func postStatus() {
    guard status != postedStatus else { return }
    postedStatus = status
    post(status)
  }
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
