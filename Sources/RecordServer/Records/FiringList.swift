import CloudRecords

/// The subscriptions of a private database that a request fires, each once.
struct FiringList {
  private(set) var all: [Firing] = []

  /// Adds a firing. It replaces an earlier one of the same subscription.
  mutating func add(_ firing: Firing) {
    let id = firing.subscription.subscriptionID
    all.removeAll { $0.subscription.subscriptionID == id }
    all.append(firing)
  }
}
