import NIOCore

extension LongPollHub.State {
  /// Returns the queue of a push channel; nil if it has none. A number can be used again after its
  /// push channel was deleted, so a queue with the same number can belong to another push channel.
  func queue(of pushChannel: PushChannel) -> NotificationQueue? {
    queues[pushChannel.id].flatMap { $0.pushChannel.isSame(as: pushChannel) ? $0 : nil }
  }

  /// Creates a queue for a push channel.
  ///
  /// - Parameter hasLoss: whether the client may have missed notifications.
  /// - Returns: false if the push channel has a queue already.
  mutating func add(_ pushChannel: PushChannel, hasLoss: Bool) -> Bool {
    guard queues[pushChannel.id] == nil else { return false }
    queues[pushChannel.id] = NotificationQueue(pushChannel: pushChannel)
    if hasLoss { queues[pushChannel.id]?.insert(.loss()) }
    pushChannels[pushChannel.address, default: []].insert(pushChannel.id)
    return true
  }

  /// Records that an item is put back; see `NotificationQueue.recordPutBack(of:)`.
  ///
  /// - Returns: false if it was put back too often, or the push channel has no queue any more.
  mutating func recordPutBack(of id: String, to pushChannel: PushChannel) -> Bool {
    guard queue(of: pushChannel) != nil else { return false }
    return queues[pushChannel.id]?.recordPutBack(of: id) == true
  }

  /// Removes and returns the waiter of a push channel; nil if nothing waits for it. The caller ends
  /// the waiter after it has released the lock.
  mutating func takeWaiter(of id: PushChannel.ID) -> NotificationQueue.Waiter? {
    guard let waiter = queues[id]?.waiter else { return nil }
    queues[id]?.waiter = nil
    pushChannelOfConnection[waiter.connection] = nil
    return waiter
  }

  /// Removes the queue of a push channel and returns its waiter, which the caller ends.
  mutating func remove(_ id: PushChannel.ID) -> NotificationQueue.Waiter? {
    let waiter = takeWaiter(of: id)
    guard let queue = queues.removeValue(forKey: id) else { return nil }
    pushChannels[queue.pushChannel.address]?.remove(id)
    if pushChannels[queue.pushChannel.address]?.isEmpty == true {
      pushChannels[queue.pushChannel.address] = nil
    }
    return waiter
  }
}
