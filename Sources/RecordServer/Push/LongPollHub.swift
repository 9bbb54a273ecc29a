import CloudRecords
import FoundationEssentials
import NIOConcurrencyHelpers
import NIOCore
public import ServiceLifecycle

/// A hub that queues notifications for the couriers of sessions and wakes the long polls that wait
/// for them.
///
/// Notifications are only hints that something has changed, and are held in memory: after a restart
/// of the service, clients fetch changes anyway.
public final class LongPollHub: Sendable {
  private let state = NIOLockedValueBox(State())

  public init() {}

  fileprivate struct State {
    /// The queues of all known couriers.
    var boxes: [PushChannel.ID: Mailbox] = [:]
    /// The couriers of each account in an environment of a container.
    var couriers: [Address: Set<PushChannel.ID>] = [:]
    /// The courier for which each connection waits.
    var places: [ObjectIdentifier: PushChannel.ID] = [:]
    /// The number of waits so far, from which each wait gets its own number.
    var waits = 0
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
  public var waiting: Int { state.withLockedValue { $0.places.count } }

  /// The number of couriers that have a queue.
  public var known: Int { state.withLockedValue { $0.boxes.count } }

  // MARK: PushChannels

  /// Creates a queue for a courier, if it has none.
  ///
  /// The courier may have been deleted from storage after the caller has read it. It is looked up
  /// again once it has its queue: whoever deletes it later finds the queue and deletes it, too.
  ///
  /// - Parameter isAlive: looks up whether the courier and its session still exist.
  /// - Returns: whether the courier has a queue now; false if it was deleted.
  func add(
    _ courier: PushChannel, ifAlive isAlive: (PushChannel) async throws -> Bool
  ) async rethrows -> Bool {
    guard state.withLockedValue({ $0.add(courier) }) else { return true }
    do {
      if try await isAlive(courier) { return true }
    } catch {
      remove(CollectionOfOne(courier.id))
      throw error
    }
    remove(CollectionOfOne(courier.id))
    return false
  }

  /// Deletes the queues of couriers and ends their waits.
  func remove(_ couriers: some Sequence<PushChannel.ID>) {
    let waiters = state.withLockedValue { state in couriers.compactMap { state.remove($0) } }
    for waiter in waiters { waiter.end() }
  }

  /// Deletes the queues of a session that has ended.
  func remove(session: Int64) {
    remove(
      state.withLockedValue { state in
        state.boxes.values.filter { $0.courier.sessionID == session }.map(\.courier.id)
      })
  }

  // MARK: Changes

  /// Queues notifications for the subscribers and ends their waits. The session that made the
  /// change gets none.
  public func deliver(_ firings: [Firing]) {
    let waiters = state.withLockedValue { state in
      var woken: [Mailbox.Waiter] = []
      for firing in firings {
        let address = Address(
          account: firing.account, container: firing.place.container,
          environment: firing.place.environment)
        for id in state.couriers[address] ?? [] {
          guard var box = state.boxes[id], "\(box.courier.sessionID)" != firing.session else {
            continue
          }
          box.add(
            Mailbox.Item(
              subscription: firing.subscription.subscriptionID ?? "",
              database: firing.place.database,
              notification: PushNotification(firing, id: UUID().uuidString)))
          state.boxes[id] = box
          if let waiter = state.takeWaiter(of: id) { woken.append(waiter) }
        }
      }
      return woken
    }
    for waiter in waiters { waiter.end() }
  }

  // MARK: Waiting

  /// Waits until a courier has a notification and returns it.
  ///
  /// The notification stays in the queue until `remove(_:from:)` removes it.
  ///
  /// - Parameters:
  ///   - courier: a courier that was added.
  ///   - time: the longest time to wait.
  ///   - connection: the identity of the connection that waits; see `end(_:)`.
  ///   - eventLoop: the event loop that measures the time.
  /// - Returns: nil if the time has passed, another request began to wait for the same courier, the
  ///   courier was removed, the connection or the waiting task ended, or the hub was closed.
  @inline(never) func next(
    of courier: PushChannel, within time: TimeAmount, for connection: ObjectIdentifier,
    on eventLoop: any EventLoop
  ) async -> Mailbox.Item? {
    let number: Int = state.withLockedValue { state in
      state.waits += 1
      return state.waits
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLockedValue { state -> [Mailbox.Waiter] in
          let waiter = Mailbox.Waiter(
            number: number, connection: connection, continuation: continuation)
          guard !state.isClosed, !Task.isCancelled,
            state.boxes[courier.id]?.items.isEmpty == true
          else { return [waiter] }
          let former = state.takeWaiter(of: courier.id)
          state.boxes[courier.id]?.waiter = waiter
          state.places[waiter.connection] = courier.id
          return former.map { [$0] } ?? []
        }
        for waiter in isOver { waiter.end() }
        if !isOver.contains(where: { $0.number == number }) {
          let timer = eventLoop.scheduleTask(in: time) { self.end(number, of: courier.id) }
          state.withLockedValue { state in
            guard state.boxes[courier.id]?.waiter?.number == number else { return timer.cancel() }
            state.boxes[courier.id]?.waiter?.timer = timer
          }
        }
      }
    } onCancel: {
      end(number, of: courier.id)
    }
    return state.withLockedValue { $0.isClosed ? nil : $0.boxes[courier.id]?.items.first }
  }

  /// Ends a wait if it has not ended yet.
  private func end(_ number: Int, of courier: PushChannel.ID) {
    let waiter = state.withLockedValue { state -> Mailbox.Waiter? in
      guard state.boxes[courier]?.waiter?.number == number else { return nil }
      return state.takeWaiter(of: courier)
    }
    waiter?.end()
  }

  /// Ends the wait of a connection that the client has closed.
  func end(_ connection: ObjectIdentifier) {
    let waiter = state.withLockedValue { state in
      state.places[connection].flatMap { state.takeWaiter(of: $0) }
    }
    waiter?.end()
  }

  /// Removes a notification after the response with it was written.
  func remove(_ item: Mailbox.Item, from courier: PushChannel.ID) {
    state.withLockedValue { state in
      state.boxes[courier]?.items.removeAll { $0.id == item.id }
    }
  }

  /// Ends all waits. Later calls of `next` return immediately.
  public func close() {
    let waiters = state.withLockedValue { state -> [Mailbox.Waiter] in
      state.isClosed = true
      let couriers = Array(state.places.values)
      return couriers.compactMap { state.takeWaiter(of: $0) }
    }
    for waiter in waiters { waiter.end() }
  }

  /// All couriers that have a queue.
  var couriers: [PushChannel] { state.withLockedValue { $0.boxes.values.map(\.courier) } }
}

extension LongPollHub.State {
  /// - Returns: false if the courier has a queue already.
  fileprivate mutating func add(_ courier: PushChannel) -> Bool {
    guard boxes[courier.id] == nil else { return false }
    boxes[courier.id] = Mailbox(courier: courier)
    couriers[courier.address, default: []].insert(courier.id)
    return true
  }

  fileprivate mutating func takeWaiter(of id: PushChannel.ID) -> Mailbox.Waiter? {
    guard let waiter = boxes[id]?.waiter else { return nil }
    boxes[id]?.waiter = nil
    places[waiter.connection] = nil
    return waiter
  }

  fileprivate mutating func remove(_ id: PushChannel.ID) -> Mailbox.Waiter? {
    let waiter = takeWaiter(of: id)
    guard let box = boxes.removeValue(forKey: id) else { return nil }
    couriers[box.courier.address]?.remove(id)
    if couriers[box.courier.address]?.isEmpty == true { couriers[box.courier.address] = nil }
    return waiter
  }
}

extension PushChannel {
  fileprivate var address: LongPollHub.Address {
    LongPollHub.Address(account: accountID, container: container, environment: environment)
  }
}

extension LongPollHub: Service {
  /// Waits for the graceful shutdown of the server and then ends all waits, so that idle long polls
  /// do not delay the shutdown.
  public func run() async throws {
    try? await gracefulShutdown()
    close()
  }
}
