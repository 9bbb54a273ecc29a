import CloudRecords
import Dispatch
import Library
import Quran
import RecordClient
import Synchronization

/// The worker of a `SyncSession`. It handles one event after the other, and runs the rounds.
struct SyncWorker {
  let path: String
  let environment: [String: String]
  let now: @Sendable () -> Int64
  let mailbox: SyncMailbox
  let post: @Sendable (SyncStatus) -> Void

  private let queue = DispatchQueue(label: "sync", qos: .utility)
  private let credentials: CredentialFile
  private var credentialsWatcher: FileWatcher?
  private var content: CredentialFile.Content?
  private var library: Library?
  private var connection: ActiveConnection?
  private var schedule: SyncSchedule
  private var status = SyncStatus()
  private var postedStatus: SyncStatus?
  private var answer: MassDeletion.Answer?
  /// Why the next round begins.
  private var occasion = RoundOccasion.start
  /// The number of failed rounds in a row.
  private var failures = 0
  /// When the lease is tried to be acquired again; nil for not.
  private var nextLeaseAttempt: Int64?
  private var isSuspended = false
  private let start = ContinuousClock.now

  /// The resources of the process that has the sync lease.
  private struct ActiveConnection {
    let lease: FileLock
    /// The modification time of the lease's file when the lease was acquired.
    let leaseTime: SyncLease.ModificationTime?
    let client: RecordClient
    let listener: Task<Void, Never>
    /// Watches the lease's file, which another process modifies to ask for the lease.
    let leaseWatcher: FileWatcher
    let networkWatcher: NetworkWatcher?
  }

  /// The pause between attempts to acquire the lease, in milliseconds.
  private static let leaseRetryInterval: Int64 = 2000

  init(
    path: String, environment: [String: String], now: @escaping @Sendable () -> Int64,
    mailbox: SyncMailbox, post: @escaping @Sendable (SyncStatus) -> Void
  ) {
    self.path = path
    self.environment = environment
    self.now = now
    self.mailbox = mailbox
    self.post = post
    credentials = CredentialFile(beside: path)
    schedule = SyncSchedule(at: 0)
  }

  /// Milliseconds since the worker was created.
  private var clock: Int64 { start.duration(to: .now).milliseconds }

  /// Handles events until the session ends.
  mutating func run() async {
    credentialsWatcher = FileWatcher(path: credentials.path, on: queue) { [mailbox] in
      mailbox.post(.credentialsChanged)
    }
    await readCredentials()
    var isFinished = false
    while !isFinished {
      await workIfDue()
      postStatus()
      let events = await mailbox.events(within: timeUntilDue)
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
    guard content != nil, !isSuspended else { return nil }
    return (connection == nil ? nextLeaseAttempt : schedule.due).map { max($0, clock) - clock }
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
    case .notificationReceived: schedule.pushed(at: clock)
    case .networkChanged:
      let wasUnreachable = status.failure?.isConnectionFailure == true
      if wasUnreachable { failures = 0 }
      schedule.reconnected(at: clock, wasUnreachable: wasUnreachable)
    case .roundRequested: await requestRound()
    case .parkedRetryRequested:
      change { library throws(LibraryFailure) in try library.retryParked() }
      await requestRound()
    case .answered(let answer):
      self.answer = answer
      await requestRound()
    case .restorationChosen(let restoration):
      change { library throws(LibraryFailure) in try library.answer(restoration) }
      await requestRound()
    case .leaseRequested:
      guard let library, let leaseTime = connection?.leaseTime,
        leaseTime != SyncLease.modificationTime(for: library.path)
      else { return }
      await disconnect()
      nextLeaseAttempt = clock + Self.leaseRetryInterval
      await refresh()
    case .suspended(let reply):
      isSuspended = true
      await disconnect()
      reply.signal()
    case .resumed:
      isSuspended = false
      if status.phase != .off { nextLeaseAttempt = clock }
    // Handled by `run`.
    case .finished, .library(.committed): break
    }
  }

  /// Makes a round due immediately. If there is no connection, the status changes in any case.
  private mutating func requestRound() async {
    schedule.asked()
    occasion = .asked
    guard connection == nil, !isSuspended, status.phase != .off else { return }
    await acquireLease(asksHolder: true)
    guard connection == nil else { return }
    answer = nil
    status.attempts += 1
  }

  // MARK: The connection

  /// Reads the credential file, and disconnects if the account changed.
  private mutating func readCredentials() async {
    let previous = content
    var problem: CredentialFile.Problem?
    do {
      content = try credentials.load()
    } catch {
      content = nil
      problem = error
    }
    // Without a token nobody is signed in.
    if content?.webAuthToken == nil { content = nil }
    guard let content else {
      await switchOff()
      status.problem = problem.map { .credentials($0) }
      return
    }
    var same = previous
    same?.webAuthToken = content.webAuthToken
    // A token that replaces another one does not change the account.
    if same != content {
      await disconnect()
      status.account = nil
      status.problem = nil
    }
    await refresh()
  }

  /// Disconnects because nobody is signed in to the library's account.
  private mutating func switchOff() async {
    await disconnect()
    nextLeaseAttempt = nil
    answer = nil
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
      if content != nil { status.phase = .idle }
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
      nextLeaseAttempt = clock + Self.leaseRetryInterval
      switch error {
      case .held:
        // A failure of this process says nothing about the other one.
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

  private mutating func connect(
    _ library: Library, with lease: FileLock, for account: SyncAccount
  ) {
    nextLeaseAttempt = nil
    status.isElsewhere = false
    let libraryPath = library.path
    let leaseTime = SyncLease.modificationTime(for: libraryPath)
    do throws(Connection.Problem) {
      let client = try Connection.open(credentials, for: account, environment: environment)
      connection = ActiveConnection(
        lease: lease, leaseTime: leaseTime, client: client, listener: listen(to: client),
        leaseWatcher: FileWatcher(path: SyncLease.path(of: libraryPath), on: queue) { [mailbox] in
          // The other process waits. A cancelled round continues there.
          guard SyncLease.modificationTime(for: libraryPath) != leaseTime else { return }
          mailbox.post(.leaseRequested)
        },
        networkWatcher: NetworkWatcher(on: queue) { [mailbox] in mailbox.post(.networkChanged) })
      status.problem = nil
      // The previous holder of the lease may have removed the cause of a failure.
      schedule = SyncSchedule(at: clock)
    } catch {
      // A change of the credential file reports when the problem is solved.
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

  /// Listens for notifications until the task is cancelled.
  private func listen(to client: RecordClient) -> Task<Void, Never> {
    Task(priority: .utility) { [mailbox] in
      await SyncListener(service: client, environment: client.address.environment) { isBack in
        mailbox.post(.notificationReceived)
        if isBack { mailbox.post(.networkChanged) }
      }.run()
    }
  }

  // MARK: Rounds

  private mutating func workIfDue() async {
    guard content != nil, !isSuspended else { return }
    if connection == nil, let nextLeaseAttempt, nextLeaseAttempt <= clock {
      self.nextLeaseAttempt = nil
      await acquireLease()
      await refresh()
    }
    // Only one round: events that end the session or release the lease come before the next.
    if let client = connection?.client, let library, !Task.isCancelled, let due = schedule.due,
      due <= clock
    {
      await round(library, client)
    }
  }

  private mutating func round(_ library: Library, _ client: RecordClient) async {
    schedule.began(at: clock)
    let (answer, occasion) = (answer, occasion)
    (self.answer, self.occasion) = (nil, .scheduled)
    let reporter = ProgressReporter(status, post: post)
    let engine = SyncEngine(
      library: library, service: client, now: now, onProgress: { reporter.progress($0) })
    let result = Mutex<SyncFailure?>(.call(.cancelled))
    let slow = Task { await reporter.postWhenSlow() }
    await mailbox.run {
      do throws(SyncFailure) {
        _ = try await engine.round(answer, on: occasion)
        result.withLock { $0 = nil }
      } catch {
        result.withLock { $0 = error }
      }
    }
    slow.cancel()
    if let posted = reporter.finish() { postedStatus = posted }
    switch result.withLock({ $0 }) {
    case nil:
      status.attempts += 1
      failures = 0
      status.failure = nil
      schedule.succeeded()
    case .call(.cancelled):
      // The round was cancelled; it is repeated as soon as possible. A question that was answered
      // may be asked again.
      schedule.asked()
      self.occasion = occasion
    case .some(let failure):
      status.attempts += 1
      status.failure = failure
      scheduleRetry(after: failure)
    }
    await refresh()
  }

  private mutating func scheduleRetry(after failure: SyncFailure) {
    guard failure.isTransient else { return schedule.stopped() }
    failures += 1
    var generator = SystemRandomNumberGenerator()
    let delay = Backoff().delay(
      attempt: failures, retryAfter: failure.retryAfter, using: &generator)
    schedule.failed(at: clock, delay: Int64(delay * 1000))
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

  /// Changes the library. A failure is part of the status.
  private mutating func change(_ body: (Library) throws(LibraryFailure) -> Void) {
    guard let library else { return }
    do throws(LibraryFailure) { try body(library) } catch { status.failure = .library(error) }
  }

  /// Reads the account and the state of sync from the library.
  private mutating func refresh() async {
    guard let library, content != nil else { return }
    do throws(LibraryFailure) {
      let account = try library.syncAccount()
      let previous = status.account
      status.account = account
      // Before the account is confirmed, nothing is sent or fetched.
      guard let account, account.isConfirmed else { return await switchOff() }
      status.phase = .idle
      if previous?.isConfirmed != true || previous?.isSame(as: account) != true {
        await disconnect()
        answer = nil
        nextLeaseAttempt = clock
      }
      status.unreadCount = try library.unreadRecords().count
    } catch {
      status.failure = .library(error)
    }
    readOutbox()
  }

  /// Reads the changes that wait to be sent, which make a round due.
  private mutating func readOutbox() {
    guard let library, content != nil, status.phase != .off else { return }
    do throws(LibraryFailure) {
      let now = now()
      status.outbox = try library.outboxSummary(at: now)
      status.parked =
        status.outbox.parked == 0 ? [] : try SyncStatus.parked(in: library, limit: 100)
      schedule.outboxChanged(status.outbox, wait: status.outbox.notBefore - now, at: clock)
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
