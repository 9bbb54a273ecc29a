import CloudRecords
import NIOCore

/// What one courier is to bring, and who waits for it.
struct Mailbox {
  let courier: Courier
  /// Oldest first.
  var items: [Item] = []
  var waiter: Waiter?

  /// How many items are kept (record-service.md, "Subscriptions").
  static let limit = 64

  /// A class, as waits for it are many and it is large.
  final class Item: Sendable {
    let subscription: String
    let database: DatabaseScope
    let notification: PushNotification

    init(subscription: String, database: DatabaseScope, notification: PushNotification) {
      self.subscription = subscription
      self.database = database
      self.notification = notification
    }

    var id: String? { notification.ck?.notificationID }
  }

  struct Waiter {
    let number: Int
    let connection: ObjectIdentifier
    let continuation: CheckedContinuation<Void, Never>
    /// Ends the wait where nothing else does.
    var timer: Scheduled<Void>?

    func end() {
      timer?.cancel()
      continuation.resume()
    }
  }

  init(courier: Courier) {
    self.courier = courier
  }

  /// Adds an item; a newer one of the same subscription says all that an older one did. What
  /// may be on its way already, the first, is left: its reader may have looked before this.
  mutating func add(_ item: Item) {
    items = Array(items.prefix(1)) + items.dropFirst().filter { !$0.isSame(as: item) }
    // A hint more or less tells whoever has so many nothing new.
    if items.count >= Self.limit { items.remove(at: 1) }
    items.append(item)
  }
}

extension Mailbox.Item {
  fileprivate func isSame(as other: Mailbox.Item) -> Bool {
    subscription == other.subscription && database == other.database
  }
}
