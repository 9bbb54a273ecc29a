import CloudRecords

/// A change of a record that a transaction makes.
struct RecordChange {
  /// The kind of change.
  let event: Subscription.Event
  /// The record with which subscriptions are compared: as it is after the change or, for a
  /// deletion, as it was before.
  let values: RecordValues
}

/// Finds the subscriptions that fire for the changes of one transaction in a zone.
struct SubscriptionMatcher {
  let context: RequestContext
  let zoneName: String
  let changes: [RecordChange]

  /// The number of subscriptions in a page.
  static let page = 100

  /// Returns the record types that have subscriptions which may fire; nil stands for zone
  /// subscriptions.
  func types(in transaction: SQLTransaction) throws -> [String?] {
    let types = Set(changes.map(\.values.row.type)).sorted()
    return try (types.map(Optional.some) + (context.isPublic ? [] : [nil])).filter {
      try transaction.hasSubscriptions(watching: $0, in: context.owner.id)
    }
  }

  /// The keys of the changed records that were compared with filters so far, by the offset of the
  /// change and the field.
  private struct KeyCache {
    struct Entry: Hashable {
      let change: Int
      let field: QueryField
    }
    var keys: [Entry: [IndexKey]] = [:]
    /// The number of comparisons of a change with a filter.
    var comparisons = 0

    mutating func holds(
      _ condition: KeyCondition, for values: RecordValues, of change: Int
    ) -> Bool {
      comparisons += 1
      let entry = Entry(change: change, field: condition.field)
      if let known = keys[entry] { return condition.holds(for: known) }
      let new = values.keys(of: condition.field)
      keys[entry] = new
      return condition.holds(for: new)
    }
  }

  /// The notification that the changes cause for a zone subscription; nil if it is for another
  /// zone.
  func firing(ofZoneSubscription row: SubscriptionRow) -> Firing? {
    guard row.subscription.subscriptionType != .query,
      row.subscription.zoneID.map({ $0.zoneName == zoneName }) ?? true
    else { return nil }
    return firing(row, nil, nil)
  }

  /// The notification that the changes cause for one subscription; nil if it does not fire. Of
  /// several changes that match, the notification names the last one, as the last of several
  /// notifications would.
  private func firing(of row: SubscriptionRow, _ cache: inout KeyCache) -> Firing? {
    let subscription = row.subscription
    guard subscription.subscriptionType == .query else {
      return firing(ofZoneSubscription: row)
    }
    if let zoneID = subscription.zoneID, zoneID.zoneName != zoneName { return nil }
    let conditions = (subscription.query?.filters ?? []).compactMap { try? KeyCondition($0) }
    guard conditions.count == subscription.query?.filters.count ?? 0 else { return nil }
    for (index, change) in changes.enumerated().reversed() {
      let values = change.values
      guard subscription.firesOn.contains(change.event),
        values.row.type == subscription.query?.recordType, isVisible(values.row, to: row),
        conditions.allSatisfy({ cache.holds($0, for: values, of: index) })
      else { continue }
      return firing(row, values.row.name, change.event)
    }
    return nil
  }

  /// Whether the subscriber may read the record.
  private func isVisible(_ record: RecordRow, to row: SubscriptionRow) -> Bool {
    let subscriber = Caller(account: row.account, userRecordName: row.userRecordName)
    let context = RequestContext(
      address: context.address, caller: subscriber, state: context.state, owner: context.owner)
    return context.allows(.read, record.heading)
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
    /// The work for the page, in units of `RequestWork.addFanOut`.
    let work: Int
  }

  /// Matches one page of subscriptions.
  ///
  /// - Parameter type: the record type; nil for zone subscriptions.
  func page(
    of type: String?, after: SubscriptionRow.Position?, in transaction: SQLTransaction
  ) throws -> Page {
    let rows = try transaction.subscriptions(
      watching: type, in: context.owner.id, after: after, limit: Self.page)
    var firings: [Firing] = []
    var firingOnce: [(SubscriptionRow, Firing)] = []
    var cache = KeyCache()
    for row in rows {
      guard let firing = firing(of: row, &cache) else { continue }
      if row.subscription.firesOnce == true {
        firingOnce.append((row, firing))
      } else {
        firings.append(firing)
      }
    }
    return Page(
      firings: firings, firingOnce: firingOnce,
      next: rows.count == Self.page ? rows.last?.position : nil,
      work: rows.count + cache.comparisons / RequestWork.comparisonsPerUnit)
  }

  /// Deletes subscriptions that fire only once.
  ///
  /// - Returns: the notifications of the subscriptions that were deleted. A subscription that was
  ///   deleted or replaced since it was matched gets none, because it may have fired for another
  ///   change.
  func spend(
    _ firingOnce: [(row: SubscriptionRow, firing: Firing)], in transaction: SQLWriteTransaction
  ) throws -> [Firing] {
    let owner = context.owner.id
    return try firingOnce.compactMap { row, firing in
      let stored = try transaction.subscription(row.id, of: row.account, in: owner)
      guard stored == row.subscription else { return nil }
      try transaction.removeSubscription(row.id, of: row.account, in: owner)
      return firing
    }
  }
}
