import CloudRecords
import FoundationEssentials
import NIOCore

/// The queue of one push channel's notifications, and the long poll that waits for them.
struct NotificationQueue {
  let pushChannel: PushChannel
  /// The queued notifications, oldest first.
  var items: [Item] = []
  /// The items that were put back most recently: the ID of each (`Item.id`), and how many times it
  /// was put back. There can be several, because several polls can fail at the same time.
  private(set) var putBacks: [(id: String, count: Int)] = []
  /// The long poll that waits for the next notification.
  var waiter: Waiter?

  /// The maximum number of queued notifications.
  static let limit = 64
  /// The maximum number of times that one item is put back. Without a limit, a client that
  /// resets its connection after each response would get the same notification forever.
  private static let putBackLimit = 5

  /// A queued notification, or the message that notifications may have been lost. It is a class
  /// because it is large, and the async frame of each long poll holds one.
  final class Item: Sendable {
    /// An ID that no other item has.
    let id: String
    /// With PostgreSQL, the ID of the item's row. In memory, the number of the notification, from
    /// 1, and 0 for a loss. Later notifications have greater numbers.
    let number: Int64
    /// The ID of the subscription; empty for the message that notifications may have been lost.
    let subscription: String
    let database: DatabaseScope
    /// The notification; nil if the client is told that notifications may have been lost, so that
    /// it fetches changes.
    let notification: PushNotification?

    init(
      number: Int64, subscription: String, database: DatabaseScope,
      notification: PushNotification?
    ) {
      id =
        notification?.ck?.notificationID
        ?? (number > 0 ? String(number) : UUID.random().uuidString)
      self.number = number
      self.subscription = subscription
      self.database = database
      self.notification = notification
    }

    /// Tells the client that notifications may have been lost.
    static func loss(number: Int64 = 0) -> Item {
      Item(number: number, subscription: "", database: .private, notification: nil)
    }

    var isLoss: Bool { notification == nil }
  }

  /// A long poll that waits for the next notification.
  struct Waiter {
    /// The number of the poll: see `LongPollHub.nextPollNumber()`.
    let number: Int
    let connection: ObjectIdentifier
    let continuation: CheckedContinuation<Bool, Never>
    /// Ends the wait after its longest time.
    var timer: Scheduled<Void>?

    /// Resumes the long poll.
    ///
    /// - Parameter isNotified: whether its push channel has got a notification.
    func end(isNotified: Bool = false) {
      timer?.cancel()
      continuation.resume(returning: isNotified)
    }
  }

  /// Adds a notification to the end of the queue, and removes an older one of the same
  /// subscription: both only tell the client to fetch changes.
  mutating func add(_ item: Item) {
    items.removeAll { $0.isSame(as: item) }
    items.append(item)
    dropOldest()
  }

  /// Records that an item is put back, because the client did not receive it.
  ///
  /// - Parameter id: the ID of the item; see `Item.id`.
  /// - Returns: false if it was put back too often already.
  mutating func recordPutBack(of id: String) -> Bool {
    let index = putBacks.firstIndex { $0.id == id }
    let count = 1 + (index.map { putBacks.remove(at: $0).count } ?? 0)
    putBacks.append((id, count))
    // The queue can be longer than the limit, because it also keeps a loss and the newest
    // notification of each database. If fewer IDs were kept, a count could be dropped before its
    // item is put back again.
    if putBacks.count > 2 * Self.limit { putBacks.removeFirst() }
    return count <= Self.putBackLimit
  }

  /// Puts an item that the client did not receive back into the queue, in its former place. Does
  /// nothing if a newer notification of the same subscription is queued.
  mutating func insert(_ item: Item) {
    guard !items.contains(where: { $0.isSame(as: item) }) else { return }
    items.insert(item, at: items.firstIndex { $0.number > item.number } ?? items.endIndex)
    dropOldest()
  }

  /// Removes the oldest notification if there are more than the limit. The newest notification of
  /// each database is never removed, because the client fetches only the changes of the databases
  /// that notifications name. A loss is never removed.
  private mutating func dropOldest() {
    guard items.count(where: { !$0.isLoss }) > Self.limit else { return }
    let oldest = items.indices.first { index in
      let later = items[(index + 1)...]
      return !items[index].isLoss
        && later.contains { !$0.isLoss && $0.database == items[index].database }
    }
    if let oldest { items.remove(at: oldest) }
  }
}

extension NotificationQueue.Item {
  fileprivate func isSame(as other: NotificationQueue.Item) -> Bool {
    subscription == other.subscription && database == other.database
  }
}
