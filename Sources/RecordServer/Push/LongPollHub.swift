import CloudRecords
import FoundationEssentials
import NIOConcurrencyHelpers
import NIOCore
public import ServiceLifecycle

/// Holds what subscribers are to be told until they come for it, and wakes those that wait.
///
/// Notifications are hints and live in memory only: who loses its connection to a service
/// that was restarted asks for changes anyway.
public final class LongPollHub: Sendable {
  private let state = NIOLockedValueBox(State())

  public init() {}

  fileprivate struct State {
    var boxes: [Courier.ID: Mailbox] = [:]
    /// The couriers of an account in a container's environment.
    var couriers: [Address: Set<Courier.ID>] = [:]
    /// Where each connection waits.
    var places: [ObjectIdentifier: Courier.ID] = [:]
    /// Each wait has a number of its own.
    var waits = 0
    var isClosed = false
  }

  struct Address: Hashable {
    let account: Int64
    let container: ContainerID
    let environment: ContainerEnvironment
  }

  /// How many wait at this moment.
  public var waiting: Int { state.withLockedValue { $0.places.count } }

  /// How many couriers are known.
  public var known: Int { state.withLockedValue { $0.boxes.count } }

  // MARK: Couriers

  /// From now on keeps what a courier is to bring.
  func add(_ courier: Courier) {
    state.withLockedValue { $0.add(courier) }
  }

  /// Forgets couriers, and ends their waits.
  func remove(_ couriers: some Sequence<Courier.ID>) {
    let waiters = state.withLockedValue { state in couriers.compactMap { state.remove($0) } }
    for waiter in waiters { waiter.end() }
  }

  /// Forgets a session that has ended.
  func remove(session: Int64) {
    remove(
      state.withLockedValue { state in
        state.boxes.values.filter { $0.courier.sessionID == session }.map(\.courier.id)
      })
  }

  // MARK: Changes

  /// Tells subscribers, but for the session that made the change.
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

  /// The next notification of a courier, as soon as there is one.
  ///
  /// - Parameters:
  ///   - time: after which there is none.
  ///   - connection: what waits: see `end(_:)`.
  ///   - eventLoop: measures the time.
  /// - Returns: nil where nothing happened, another began to wait at the same place, the
  ///   connection or the waiting task ended, or the hub was closed. What is returned stays until it is
  ///   taken off by `remove(_:from:)`.
  @inline(never) func next(
    of courier: Courier, within time: TimeAmount, for connection: ObjectIdentifier,
    on eventLoop: any EventLoop
  ) async -> Mailbox.Item? {
    let number: Int = state.withLockedValue { state in
      state.add(courier)
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

  private func end(_ number: Int, of courier: Courier.ID) {
    let waiter = state.withLockedValue { state -> Mailbox.Waiter? in
      guard state.boxes[courier]?.waiter?.number == number else { return nil }
      return state.takeWaiter(of: courier)
    }
    waiter?.end()
  }

  /// Ends the wait of a connection that has gone.
  func end(_ connection: ObjectIdentifier) {
    let waiter = state.withLockedValue { state in
      state.places[connection].flatMap { state.takeWaiter(of: $0) }
    }
    waiter?.end()
  }

  /// Takes off a notification whose answer was written.
  func remove(_ item: Mailbox.Item, from courier: Courier.ID) {
    state.withLockedValue { state in
      state.boxes[courier]?.items.removeAll { $0.id == item.id }
    }
  }

  /// Ends all waits, and those to come at once.
  public func close() {
    let waiters = state.withLockedValue { state -> [Mailbox.Waiter] in
      state.isClosed = true
      let couriers = Array(state.places.values)
      return couriers.compactMap { state.takeWaiter(of: $0) }
    }
    for waiter in waiters { waiter.end() }
  }

  /// All that are known.
  var couriers: [Courier] { state.withLockedValue { $0.boxes.values.map(\.courier) } }
}

extension LongPollHub.State {
  fileprivate mutating func add(_ courier: Courier) {
    guard boxes[courier.id] == nil else { return }
    boxes[courier.id] = Mailbox(courier: courier)
    couriers[courier.address, default: []].insert(courier.id)
  }

  fileprivate mutating func takeWaiter(of id: Courier.ID) -> Mailbox.Waiter? {
    guard let waiter = boxes[id]?.waiter else { return nil }
    boxes[id]?.waiter = nil
    places[waiter.connection] = nil
    return waiter
  }

  fileprivate mutating func remove(_ id: Courier.ID) -> Mailbox.Waiter? {
    let waiter = takeWaiter(of: id)
    guard let box = boxes.removeValue(forKey: id) else { return nil }
    couriers[box.courier.address]?.remove(id)
    if couriers[box.courier.address]?.isEmpty == true { couriers[box.courier.address] = nil }
    return waiter
  }
}

extension Courier {
  fileprivate var address: LongPollHub.Address {
    LongPollHub.Address(account: accountID, container: container, environment: environment)
  }
}

extension LongPollHub: Service {
  /// Ends all waits when the service is to stop: an idle long poll shall not hold that up.
  public func run() async throws {
    try? await gracefulShutdown()
    close()
  }
}
