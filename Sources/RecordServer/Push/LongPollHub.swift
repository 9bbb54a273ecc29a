import CloudRecords
import FoundationEssentials
import NIOConcurrencyHelpers
import NIOCore
public import ServiceLifecycle

/// A hub that queues notifications for the push channels of sessions and wakes the long polls that
/// wait for them.
///
/// A notification only tells the client to fetch changes.
///
/// With SQLite, the queues are in memory, so they are lost when the service restarts. The first
/// poll of each push channel is then told that notifications may have been lost. With PostgreSQL,
/// the queues are in the database, which several processes can share. A notification wakes the poll
/// that waits for it in any of these processes.
public final class LongPollHub: Sendable {
  private let state = NIOLockedValueBox(State())
  /// The queues of a service with several processes; nil if they are held in memory.
  private let shared: SharedNotifications?

  /// - Parameter shared: the queues of a service with several processes; nil to hold them in
  ///   memory.
  public init(sharing shared: SharedNotifications? = nil) {
    self.shared = shared
  }

  /// What the lock protects.
  struct State {
    /// The queues of all known push channels.
    var queues: [PushChannel.ID: NotificationQueue] = [:]
    /// The push channels of each account in an environment of a container.
    var pushChannels: [Address: Set<PushChannel.ID>] = [:]
    /// The push channel for which each connection waits.
    var pushChannelOfConnection: [ObjectIdentifier: PushChannel.ID] = [:]
    /// The number of polls so far, from which each poll gets its own number.
    var polls = 0
    /// The number of notifications so far that were queued in memory.
    var notifications: Int64 = 0
    /// The losses that are not stored yet, each once.
    var losses = CircularBuffer<NotificationLoss>()
    /// The tasks that store something after the request that caused it was answered: see
    /// `store(or:_:)`.
    var storeTasks: [UUID: Task<Void, Never>] = [:]
    /// Whether the hub was closed, so that nothing can wait any more.
    var isClosed = false
  }

  /// The account and the environment to which a notification is delivered.
  struct Address: Hashable {
    let account: Int64
    let container: ContainerID
    let environment: ContainerEnvironment
  }

  /// The number of long polls that wait now.
  public var waiting: Int { state.withLockedValue { $0.pushChannelOfConnection.count } }

  /// The number of push channels that have a queue.
  public var known: Int { state.withLockedValue { $0.queues.count } }

  // MARK: Push channels

  /// Creates a queue for a push channel, if it has none. The queue of another push channel with the
  /// same number is replaced: the files were restored to an earlier state.
  ///
  /// The push channel may have been deleted from storage after the caller read it. It is therefore
  /// looked up again once it has its queue. Code that deletes the push channel later finds the
  /// queue and deletes it, too.
  ///
  /// - Parameters:
  ///   - isNew: whether the push channel was created just now, so that it has missed nothing.
  ///   - isAlive: looks up whether the push channel and its session still exist.
  /// - Returns: whether the push channel has a queue now; false if it was deleted.
  func add(
    _ pushChannel: PushChannel, isNew: Bool = false,
    ifAlive isAlive: (PushChannel) async throws -> Bool
  ) async rethrows -> Bool {
    let (isAdded, former) = state.withLockedValue { state in
      let former = state.queue(of: pushChannel) == nil ? state.remove(pushChannel.id) : nil
      return (state.add(pushChannel, hasLoss: !isNew && shared == nil), former)
    }
    former?.end()
    guard isAdded else { return true }
    var isKept = false
    defer { if !isKept { remove(CollectionOfOne(pushChannel.id)) } }
    isKept = try await isAlive(pushChannel)
    return isKept
  }

  /// Deletes the queues of push channels and ends their waits.
  func remove(_ pushChannels: some Sequence<PushChannel.ID>) {
    let waiters = state.withLockedValue { state in pushChannels.compactMap { state.remove($0) } }
    for waiter in waiters { waiter.end() }
  }

  /// Deletes the queues of a session that has ended.
  func remove(session: Int64) {
    remove(
      state.withLockedValue { state in
        state.queues.values.filter { $0.pushChannel.sessionID == session }.map(\.pushChannel.id)
      })
  }

  // MARK: Changes

  /// Queues notifications for the subscribers and ends their waits. The session that made the
  /// change gets none.
  ///
  /// - Returns: the number of queued notifications.
  @discardableResult
  public func deliver(_ firings: [Firing]) async -> Int {
    guard let shared else { return queue(firings) }
    @Sendable func add() async -> Int? {
      guard let pushChannels = await shared.add(firings) else { return nil }
      wake(pushChannels)
      return pushChannels.count
    }
    if let count = await add() { return count }
    // The change has succeeded, so its notifications must not be lost.
    store(or: firings.map(\.possibleLoss)) { await add() != nil }
    return 0
  }

  /// Tells clients that they may have missed notifications. Their next poll returns an error, and
  /// then they fetch all changes.
  ///
  /// With PostgreSQL, a background task stores the losses in the database. After a failure it tries
  /// again, until it succeeds or the service stops.
  public func report(_ losses: [NotificationLoss]) {
    guard shared == nil else {
      return state.withLockedValue { state in
        for loss in losses where !state.losses.contains(loss) { state.losses.append(loss) }
      }
    }
    let waiters = state.withLockedValue { state -> [NotificationQueue.Waiter] in
      var woken: [NotificationQueue.Waiter] = []
      for (address, pushChannels) in state.pushChannels
      where losses.contains(where: { $0.concerns(address) }) {
        for id in pushChannels {
          state.queues[id]?.insert(.loss())
          if let waiter = state.takeWaiter(of: id) { woken.append(waiter) }
        }
      }
      return woken
    }
    for waiter in waiters { waiter.end(isNotified: true) }
  }

  /// Stores the reported losses, until the database fails. A loss that could not be stored is moved
  /// to the end of `losses`, to be tried again later.
  ///
  /// - Returns: false if the database has failed.
  private func storeLosses(in shared: SharedNotifications) async -> Bool {
    while let loss = state.withLockedValue({ $0.losses.popFirst() }) {
      guard let pushChannels = await shared.add(loss) else {
        report([loss])
        return false
      }
      wake(pushChannels)
    }
    return true
  }

  /// The push channels that long polls wait for.
  private var waitedFor: Set<PushChannel.ID> {
    state.withLockedValue { Set($0.pushChannelOfConnection.values) }
  }

  /// Ends the waits for push channels that have got notifications.
  private func wake(_ pushChannels: some Sequence<PushChannel.ID>) {
    let waiters = state.withLockedValue { state in
      pushChannels.compactMap { state.takeWaiter(of: $0) }
    }
    for waiter in waiters { waiter.end(isNotified: true) }
  }

  /// Queues notifications in memory.
  ///
  /// All push channels of a subscriber share one notification, which is made before the lock is
  /// taken.
  ///
  /// - Returns: the number of queued notifications.
  @discardableResult
  func queue(_ firings: [Firing]) -> Int {
    let (connected, former) = state.withLockedValue { state in
      let connected = firings.filter { state.pushChannels[$0.subscriber] != nil }
      defer { state.notifications += Int64(connected.count) }
      return (connected, state.notifications)
    }
    guard !connected.isEmpty else { return 0 }
    let notifications = zip((former + 1)..., connected).map { number, firing in
      (
        subscriber: firing.subscriber, session: firing.session.flatMap(Int64.init),
        item: NotificationQueue.Item(
          number: number, subscription: firing.subscription.subscriptionID ?? "",
          database: firing.address.database,
          notification: PushNotification(firing, id: UUID.random().uuidString))
      )
    }
    let (waiters, count) = state.withLockedValue { state in
      var woken: [NotificationQueue.Waiter] = []
      var count = 0
      for (subscriber, session, item) in notifications {
        for id in state.pushChannels[subscriber] ?? []
        where state.queues[id]?.pushChannel.sessionID != session {
          state.queues[id]?.add(item)
          count += 1
          if let waiter = state.takeWaiter(of: id) { woken.append(waiter) }
        }
      }
      return (woken, count)
    }
    for waiter in waiters { waiter.end(isNotified: true) }
    return count
  }

  // MARK: Waiting

  /// Returns the number of a poll whose request has just arrived. Numbers increase: of the polls of
  /// a push channel, the one with the largest number waits for the notifications.
  func nextPollNumber() -> Int {
    state.withLockedValue { state in
      state.polls += 1
      return state.polls
    }
  }

  /// Waits until a push channel has a notification, removes it from the queue and returns it. If
  /// the client does not receive it, the caller puts it back.
  ///
  /// - Parameters:
  ///   - pushChannel: a push channel that was added.
  ///   - poll: the number of the poll; see `nextPollNumber()`.
  ///   - time: the longest time to wait.
  ///   - connection: the identity of the connection that waits; see `end(_:)`.
  ///   - isOpen: whether the client is still connected. When the client disconnects, the caller
  ///     first makes it false and then calls `end(_:)`.
  ///   - eventLoop: the event loop that measures the time.
  /// - Returns: the notification; nil if there was none in time. It is nil earlier if a later poll
  ///   waits for the push channel, the push channel is removed, the connection or the task ends,
  ///   the database fails, or the hub is closed.
  @inline(never) func next(
    of pushChannel: PushChannel, for poll: Int, within time: TimeAmount,
    over connection: ObjectIdentifier, isOpen: @escaping @Sendable () -> Bool,
    on eventLoop: any EventLoop
  ) async -> NotificationQueue.Item? {
    let end = NIODeadline.now() + time
    if let shared {
      return await next(
        of: pushChannel, in: shared, for: poll, until: end, connection, isOpen, eventLoop)
    }
    repeat {
      if let item = takeQueued(from: pushChannel, isOpen) { return item }
    } while await wait(for: pushChannel, until: end, poll, connection, isOpen, eventLoop)
    return nil
  }

  /// Removes and returns the first notification that is queued in memory.
  ///
  /// - Returns: nil if none is queued, or if the client has disconnected: it could not receive one.
  // Not inlined into `next`, to keep its async frame small: the frame stays in memory while the
  // poll waits.
  @inline(never) private func takeQueued(
    from pushChannel: PushChannel, _ isOpen: () -> Bool
  ) -> NotificationQueue.Item? {
    state.withLockedValue { state in
      guard !state.isClosed, isOpen(), state.queue(of: pushChannel)?.items.isEmpty == false
      else { return nil }
      return state.queues[pushChannel.id]?.items.removeFirst()
    }
  }

  /// See `next(of:for:within:over:isOpen:on:)`. A notification that is stored after `take` has
  /// found none is not missed: `recent` returns it for some seconds, and that wakes the poll once
  /// it waits.
  @inline(never) private func next(
    of pushChannel: PushChannel, in shared: SharedNotifications, for poll: Int,
    until end: NIODeadline, _ connection: ObjectIdentifier,
    _ isOpen: @escaping @Sendable () -> Bool, _ eventLoop: any EventLoop
  ) async -> NotificationQueue.Item? {
    var hasBegun = false
    // Also after a failure of `begin`: its transaction may have been committed.
    defer { if !isOpen() { store { await shared.end(poll, of: pushChannel) } } }
    repeat {
      let isWaiting = state.withLockedValue { state in
        !state.isClosed && state.queue(of: pushChannel) != nil && isOpen()
      }
      guard isWaiting else { return nil }
      if !hasBegun { hasBegun = await shared.begin(poll, of: pushChannel) }
      guard hasBegun else { continue }
      do {
        if let item = try await shared.take(from: pushChannel, for: poll) { return item }
      } catch StorageFailure.cancelled {
        return nil
      } catch {
        // The notification may have been removed all the same.
        report([pushChannel.possibleLoss])
        return nil
      }
    } while await wait(for: pushChannel, until: end, poll, connection, isOpen, eventLoop)
    return nil
  }

  /// Waits for a push channel.
  ///
  /// - Returns: whether the push channel has got a notification.
  @inline(never) private func wait(
    for pushChannel: PushChannel, until end: NIODeadline, _ poll: Int,
    _ connection: ObjectIdentifier, _ isOpen: @Sendable () -> Bool, _ eventLoop: any EventLoop
  ) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = NotificationQueue.Waiter(
          number: poll, connection: connection, continuation: continuation)
        begin(waiter, of: pushChannel, until: end, isOpen, on: eventLoop)
      }
    } onCancel: {
      self.end(poll, of: pushChannel.id)
    }
  }

  /// Begins a wait, and ends that of an earlier poll for the same push channel. Ends the wait at
  /// once if there is a notification or nothing can wait.
  // Not inlined into `next`, to keep its async frame small: the frame stays in memory while the
  // poll waits.
  @inline(never) private func begin(
    _ waiter: NotificationQueue.Waiter, of pushChannel: PushChannel, until end: NIODeadline,
    _ isOpen: () -> Bool, on eventLoop: any EventLoop
  ) {
    let number = waiter.number
    let (ended, isNotified) = state.withLockedValue {
      state -> (NotificationQueue.Waiter?, Bool) in
      // The client may have gone meanwhile.
      guard !state.isClosed, !Task.isCancelled, isOpen(), let queue = state.queue(of: pushChannel),
        queue.waiter.map({ $0.number < number }) ?? true
      else { return (waiter, false) }
      guard queue.items.isEmpty else { return (waiter, true) }
      let former = state.takeWaiter(of: pushChannel.id)
      state.queues[pushChannel.id]?.waiter = waiter
      state.pushChannelOfConnection[waiter.connection] = pushChannel.id
      return (former, false)
    }
    ended?.end(isNotified: isNotified)
    guard ended?.number != number else { return }
    let timer = eventLoop.scheduleTask(deadline: end) { self.end(number, of: pushChannel.id) }
    state.withLockedValue { state in
      guard state.queues[pushChannel.id]?.waiter?.number == number else { return timer.cancel() }
      state.queues[pushChannel.id]?.waiter?.timer = timer
    }
  }

  /// Ends a wait if it has not ended yet.
  private func end(_ number: Int, of pushChannel: PushChannel.ID) {
    let waiter = state.withLockedValue { state -> NotificationQueue.Waiter? in
      guard state.queues[pushChannel]?.waiter?.number == number else { return nil }
      return state.takeWaiter(of: pushChannel)
    }
    waiter?.end()
  }

  /// Ends the wait of a connection that the client has closed.
  func end(_ connection: ObjectIdentifier) {
    let waiter = state.withLockedValue { state in
      state.pushChannelOfConnection[connection].flatMap { state.takeWaiter(of: $0) }
    }
    waiter?.end()
  }

  /// Puts a notification that the client did not receive back into the queue. The next poll gets
  /// it, but only a few times; see `NotificationQueue.recordPutBack(of:)`.
  ///
  /// Does nothing if another notification of the same subscription is queued: that one also tells
  /// the client to fetch changes.
  func putBack(_ item: NotificationQueue.Item, to pushChannel: PushChannel) {
    let isPutBack = state.withLockedValue { state in
      guard state.recordPutBack(of: item.id, to: pushChannel) else { return false }
      if shared == nil { state.queues[pushChannel.id]?.insert(item) }
      return true
    }
    guard isPutBack else { return }
    guard let shared else { return wake(CollectionOfOne(pushChannel.id)) }
    store(or: [pushChannel.possibleLoss]) {
      guard await shared.putBack(item, to: pushChannel) else { return false }
      self.wake(CollectionOfOne(pushChannel.id))
      return true
    }
  }

  /// Starts a task that stores something in the database, and tries again for some seconds if the
  /// database fails. `finishStoring()` waits for it.
  ///
  /// - Parameters:
  ///   - losses: reported if all attempts fail.
  ///   - attempt: tries once to store it; returns false if the database has failed.
  private func store(
    or losses: [NotificationLoss] = [], _ attempt: @escaping @Sendable () async -> Bool
  ) {
    let id = UUID.random()
    state.withLockedValue { state in
      state.storeTasks[id] = Task {
        if await StorageRetry.value({ await attempt() ? () : nil }) == nil { self.report(losses) }
        self.state.withLockedValue { $0.storeTasks[id] = nil }
      }
    }
  }

  /// Waits for the tasks of `store(or:_:)`, and stores the reported losses. The service calls this
  /// before it ends.
  func finishStoring() async {
    while let task = state.withLockedValue({ $0.storeTasks.values.first }) { await task.value }
    guard let shared else { return }
    _ = await StorageRetry.value { await storeLosses(in: shared) ? () : nil }
  }

  /// Ends all waits. Later calls of `next` return immediately.
  public func close() {
    let waiters = state.withLockedValue { state -> [NotificationQueue.Waiter] in
      state.isClosed = true
      let pushChannels = Array(state.pushChannelOfConnection.values)
      return pushChannels.compactMap { state.takeWaiter(of: $0) }
    }
    for waiter in waiters { waiter.end() }
  }

  /// Deletes the shared notifications that have waited for too long.
  func removeExpired() async { await shared?.removeExpired() }

  /// The push channels that have a queue of notifications.
  var pushChannels: [PushChannel] { state.withLockedValue { $0.queues.values.map(\.pushChannel) } }
}

extension Firing {
  fileprivate var subscriber: LongPollHub.Address {
    LongPollHub.Address(
      account: account, container: address.container, environment: address.environment)
  }

  fileprivate var possibleLoss: NotificationLoss { NotificationLoss(address, account: account) }
}

extension PushChannel {
  /// The account and the environment whose notifications the push channel gets.
  var address: LongPollHub.Address {
    LongPollHub.Address(account: accountID, container: container, environment: environment)
  }

  fileprivate var possibleLoss: NotificationLoss {
    NotificationLoss(container, environment, account: accountID)
  }
}

extension NotificationLoss {
  fileprivate func concerns(_ address: LongPollHub.Address) -> Bool {
    [0, address.account].contains(account) && container == address.container
      && environment == address.environment
  }
}

extension LongPollHub: Service {
  /// Waits for the graceful shutdown of the server and then ends all waits, so that idle long polls
  /// do not delay the shutdown. Until then, polls are woken by the notifications of other
  /// processes.
  public func run() async throws {
    if let shared { await watch(shared) } else { try? await gracefulShutdown() }
    close()
  }

  private func watch(_ shared: SharedNotifications) async {
    await cancelWhenGracefulShutdown {
      // Storing can wait for a lock. Polls are woken meanwhile.
      async let storing: Void = Self.repeatedly { _ = await self.storeLosses(in: shared) }
      var last = ContinuousClock.now
      await Self.repeatedly {
        let start = ContinuousClock.now
        guard self.waiting > 0, let recent = await shared.recent() else { return }
        // If the last answer came too long ago, `recent` may lack older notifications.
        self.wake(start - last < SharedNotifications.recency / 2 ? recent : self.waitedFor)
        last = start
      }
      await storing
    }
  }

  /// Repeats work until the task is cancelled, with a pause of `SharedNotifications.interval`.
  private static func repeatedly(_ work: () async -> Void) async {
    while !Task.isCancelled {
      await work()
      try? await Task.sleep(for: SharedNotifications.interval)
    }
  }
}
