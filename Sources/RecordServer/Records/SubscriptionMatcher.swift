import CloudRecords

/// A change of a record that a transaction makes.
struct RecordChange {
  /// The kind of change.
  let event: Subscription.Event
  /// The record before the change; nil if it did not exist.
  let before: RecordValues?
  /// The record after the change; nil if it was deleted.
  let after: RecordValues?

  /// The values with which subscriptions are compared: the record after the change or, for a
  /// deletion, before it.
  var values: RecordValues? { after ?? before }
}

/// Finds the subscriptions that fire for the changes of one transaction in a zone.
struct SubscriptionMatcher {
  let context: RequestContext
  let zoneName: String
  let changes: [RecordChange]

  /// The number of subscriptions in a page.
  static let page = 100

  /// The record types whose subscriptions may fire; nil stands for zone subscriptions.
  var types: [String?] {
    let types = Set(changes.compactMap { $0.values?.row.type }).sorted()
    return types.map(Optional.some) + (context.isPublic ? [] : [nil])
  }

  /// The notifications that the changes cause for one subscription.
  func firings(of row: SubscriptionRow) -> [Firing] {
    let subscription = row.subscription
    if let zoneID = subscription.zoneID, zoneID.zoneName != zoneName { return [] }
    guard subscription.subscriptionType == .query else {
      return [firing(row, nil, nil)]
    }
    let conditions = (subscription.query?.filters ?? []).compactMap { try? KeyCondition($0) }
    guard conditions.count == subscription.query?.filters.count ?? 0 else { return [] }
    let fired = changes.filter { change in
      guard subscription.firesOn.contains(change.event), let values = change.values,
        values.row.type == subscription.query?.recordType, isVisible(values.row, to: row)
      else { return false }
      return conditions.allSatisfy { $0.holds(for: values) }
    }
    return fired.map { firing(row, $0.values?.row.name, $0.event) }
  }

  /// Whether the subscriber may read the record.
  private func isVisible(_ record: RecordRow, to row: SubscriptionRow) -> Bool {
    let subscriber = Caller(account: row.account, userRecordName: row.userRecordName)
    let context = RequestContext(
      address: context.address, caller: subscriber, state: context.state, owner: context.owner)
    return context.allows(.read, type: record.type, creator: record.creator)
  }

  private func firing(
    _ row: SubscriptionRow, _ recordName: String?, _ event: Subscription.Event?
  ) -> Firing {
    Firing(
      address: context.address, account: row.account, subscription: row.subscription,
      zoneID: context.zoneID(zoneName), recordName: recordName, event: event,
      session: context.caller?.session)
  }
}

extension SubscriptionMatcher {
  /// The result for one page of subscriptions.
  struct Page {
    /// The notifications of the subscriptions that can fire again.
    let firings: [Firing]
    /// The subscriptions that fire only once, each with its notification, which is sent if the
    /// subscription was deleted by `spend`.
    let firingOnce: [(row: SubscriptionRow, firing: Firing)]
    /// The position after which the next page begins; nil if this is the last page.
    let next: SubscriptionRow.Position?
  }

  /// Matches one page of subscriptions.
  ///
  /// - Parameter type: the record type; nil for zone subscriptions.
  func page(
    of type: String?, after: SubscriptionRow.Position?, in transaction: any RecordReading
  ) throws -> Page {
    let rows = try transaction.subscriptions(
      watching: type, in: context.owner.id, after: after, limit: Self.page)
    var firings: [Firing] = []
    var firingOnce: [(SubscriptionRow, Firing)] = []
    for row in rows {
      let fired = self.firings(of: row)
      if row.subscription.firesOnce == true {
        if let first = fired.first { firingOnce.append((row, first)) }
      } else {
        firings += fired
      }
    }
    return Page(
      firings: firings, firingOnce: firingOnce,
      next: rows.count == Self.page ? rows.last?.position : nil)
  }

  /// Deletes subscriptions that fire only once.
  ///
  /// - Returns: the notifications of the subscriptions that were deleted. A subscription that was
  ///   deleted or replaced since it was matched gets none, because it may have fired for another
  ///   change.
  func spend(
    _ firingOnce: [(row: SubscriptionRow, firing: Firing)], in transaction: any RecordWriting
  ) throws -> [Firing] {
    let owner = context.owner.id
    return try firingOnce.compactMap { row, firing in
      let stored = try transaction.subscription(row.id, of: row.account, in: owner)
      guard stored == row.subscription else { return nil }
      try transaction.removeSubscription(row.id, of: row.account, in: owner)
      return firing
    }
  }

  /// Matches all subscriptions in the transaction of the changes, and deletes those that fire only
  /// once and have fired. This is for private databases, which have few subscriptions.
  func fire(in transaction: any RecordWriting) throws -> [Firing] {
    var firings: [Firing] = []
    for type in types {
      var position: SubscriptionRow.Position?
      repeat {
        let page = try page(of: type, after: position, in: transaction)
        firings += try page.firings + spend(page.firingOnce, in: transaction)
        position = page.next
      } while position != nil
    }
    return firings
  }
}
