import CloudRecords
import FoundationEssentials
import NIOCore

/// The queue of one push channel's notifications, and the long poll that waits for them.
struct NotificationQueue {
  let pushChannel: PushChannel
  /// The queued notifications, oldest first.
  var items: [Item] = []
  /// The ID of the item that was put back last, and how often it was; see `Item.id`.
  private var putBack: (id: String, count: Int) = ("", 0)
  /// The long poll that waits for the next notification.
  var waiter: Waiter?

  /// The maximum number of queued notifications.
  static let limit = 64
  /// The maximum number of times that one item is put back. Without a limit, a client that
  /// resets its connection after each response would get the same notification forever.
  private static let putBackLimit = 5

  /// A queued notification, or the message that notifications may have been lost. It is a class because it is
  /// large, and the async frame of each long poll holds one.
  final class Item: Sendable {
    /// An ID that no other item has.
    let id: String
    /// The ID of the row; nil if it is held in memory.
    let row: Int64?
    /// The ID of the subscription; empty for the message that notifications may have been lost.
    let subscription: String
    let database: DatabaseScope
    /// The notification; nil if the client is told that notifications may have been lost, so that it fetches
    /// changes.
    let notification: PushNotification?

    init(
      row: Int64? = nil, subscription: String, database: DatabaseScope,
      notification: PushNotification?
    ) {
      id =
        notification?.ck?.notificationID ?? row.map(String.init) ?? UUID.random().uuidString
      self.row = row
      self.subscription = subscription
      self.database = database
      self.notification = notification
    }

    /// Tells the client that notifications may have been lost.
    static func loss(row: Int64? = nil) -> Item {
      Item(row: row, subscription: "", database: .private, notification: nil)
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

  init(pushChannel: PushChannel) {
    self.pushChannel = pushChannel
  }

  /// Adds a notification to the end of the queue, and removes an older one of the same subscription:
  /// both only tell the client to fetch changes. If the queue is full, the oldest notification is removed
  /// instead. The message that notifications may have been lost stays: others name a single database.
  mutating func add(_ item: Item) {
    if let older = items.firstIndex(where: { $0.isSame(as: item) }) {
      items.remove(at: older)
    } else if items.count >= Self.limit {
      // The others already tell the client to fetch changes.
      if let oldest = items.firstIndex(where: { !$0.isLoss }) { items.remove(at: oldest) }
    }
    items.append(item)
  }

  /// Records that an item is put back, because the client did not receive it.
  ///
  /// - Parameter id: the ID of the item; see `Item.id`.
  /// - Returns: false if it was put back too often already.
  mutating func recordPutBack(of id: String) -> Bool {
    if putBack.id != id { putBack = (id, 0) }
    putBack.count += 1
    return putBack.count <= Self.putBackLimit
  }

  /// Returns an item that the client did not receive to the front of the queue. Does nothing if the
  /// queue is full, or if another notification of the same subscription is queued.
  mutating func insert(_ item: Item) {
    guard items.count < Self.limit || item.isLoss, !items.contains(where: { $0.isSame(as: item) })
    else { return }
    items.insert(item, at: 0)
  }
}

extension NotificationQueue.Item {
  fileprivate func isSame(as other: NotificationQueue.Item) -> Bool {
    subscription == other.subscription && database == other.database
  }
}
