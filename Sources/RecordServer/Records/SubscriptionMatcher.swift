import CloudRecords

/// A change of a record that a transaction makes.
struct RecordChange {
  /// The kind of change.
  let event: Subscription.Event
  /// The record before the change; nil if it did not exist.
  let before: RecordValues?
  /// The record after the change; nil if it was deleted.
  let after: RecordValues?

  /// The values that subscriptions are matched with: those after the change or, for a deletion,
  /// those before it.
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
    let all = fired.map { firing(row, $0.values?.row.name, $0.event) }
    return subscription.firesOnce == true ? Array(all.prefix(1)) : all
  }

  /// Whether the subscriber may read the record.
  private func isVisible(_ record: RecordRow, to row: SubscriptionRow) -> Bool {
    let subscriber = Caller(account: row.account, userRecordName: row.userRecordName)
    let context = RequestContext(
      place: context.place, caller: subscriber, state: context.state, owner: context.owner)
    return context.allows(.read, type: record.type, creator: record.creator)
  }

  private func firing(
    _ row: SubscriptionRow, _ recordName: String?, _ event: Subscription.Event?
  ) -> Firing {
    Firing(
      place: context.place, account: row.account, subscription: row.subscription,
      zoneID: context.zoneID(zoneName), recordName: recordName, event: event,
      session: context.caller?.session)
  }
}

extension SubscriptionMatcher {
  /// The result for one page of subscriptions.
  struct Page {
    let firings: [Firing]
    /// The subscriptions that fire only once, and have fired.
    let spent: [SubscriptionRow]
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
    var spent: [SubscriptionRow] = []
    for row in rows {
      let fired = self.firings(of: row)
      firings += fired
      if !fired.isEmpty, row.subscription.firesOnce == true { spent.append(row) }
    }
    return Page(
      firings: firings, spent: spent,
      next: rows.count == Self.page ? rows.last?.position : nil)
  }

  /// Matches all subscriptions in the transaction of the changes, and deletes those that fire only
  /// once and have fired. This is for private databases, which have few subscriptions.
  func fire(in transaction: any RecordWriting) throws -> [Firing] {
    var firings: [Firing] = []
    for type in types {
      var position: SubscriptionRow.Position?
      repeat {
        let page = try page(of: type, after: position, in: transaction)
        firings += page.firings
        for row in page.spent {
          try transaction.removeSubscription(row.id, of: row.account, in: context.owner.id)
        }
        position = page.next
      } while position != nil
    }
    return firings
  }
}
