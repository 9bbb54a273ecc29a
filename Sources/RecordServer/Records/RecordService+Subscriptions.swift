public import CloudRecords

extension RecordService {
  /// Returns the caller's subscriptions in a database.
  public func subscriptionsList(
    _ request: SubscriptionsList.Request = EmptyBody(), at address: DatabaseAddress,
    by caller: Caller?
  ) async throws(ServiceError) -> SubscriptionsList.Response {
    let caller = try caller.signedIn()
    return try await read(at: address, by: caller) { transaction, context in
      let subscriptions = try transaction.subscriptions(
        of: caller.account, in: context.owner.id)
      return SubscriptionsResponse(subscriptions: subscriptions.map { .success($0) })
    }
  }

  /// Returns the caller's subscriptions with the given IDs.
  public func subscriptionsLookup(
    _ request: SubscriptionsLookup.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> SubscriptionsLookup.Response {
    let caller = try caller.signedIn()
    try Limits.check(items: request.subscriptions.count, atMost: Limits.operations)
    return try await read(at: address, by: caller) { transaction, context in
      // A short request can name a large subscription many times.
      var bytes = 0
      let outcomes = try request.subscriptions.map { item -> ItemResult<Subscription> in
        let id = item.subscriptionID
        guard bytes < Limits.pageBytes else {
          let error = ServiceError(.limitExceeded, cause: .responseTooLarge)
          return .failure(error.with(subscriptionID: id))
        }
        guard
          let found = try transaction.subscription(id, of: caller.account, in: context.owner.id)
        else { return .failure(Self.notFound.with(subscriptionID: id)) }
        bytes += try Wire.encode(found).count
        return .success(found)
      }
      return SubscriptionsResponse(subscriptions: outcomes)
    }
  }

  /// Creates, updates and deletes subscriptions in one transaction. Creating a subscription with an
  /// existing ID replaces it.
  public func subscriptionsModify(
    _ request: SubscriptionsModify.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> SubscriptionsModify.Response {
    let caller = try caller.signedIn()
    try Limits.check(items: request.operations.count, atMost: Limits.operations)
    let newNames = request.operations.map { _ in options.newName() }
    let (outcomes, usage) = try await write(at: address, by: caller) { transaction, context in
      var outcomes: [ItemResult<Subscription>] = []
      var usage = newSchemaUsage(at: address)
      for (operation, newName) in zip(request.operations, newNames) {
        var subscription = operation.subscription
        do {
          if operation.operationType == .create, subscription.subscriptionID == nil {
            subscription.subscriptionID = newName
          }
          let stored = try carryOut(
            operation.operationType, subscription, caller, transaction, context)
          outcomes.append(.success(stored))
          usage?.add(stored, in: context.state.schema)
        } catch let error as ServiceError {
          outcomes.append(.failure(error.with(subscriptionID: subscription.subscriptionID)))
        }
      }
      return (outcomes, usage)
    }
    if let usage { options.onSchemaUsage?(usage) }
    return SubscriptionsResponse(subscriptions: outcomes)
  }

  /// The maximum total size of an account's subscriptions in a database, in bytes of JSON. This
  /// limit is ours, not Apple's: each change evaluates all subscriptions to its record type.
  private static let sizeLimit = 128 << 10

  private static let notFound = ServiceError(.notFound, cause: .subscriptionNotFound)

  /// Carries out one operation.
  ///
  /// - Returns: the subscription as it is stored; only its ID if it was deleted.
  private func carryOut(
    _ operation: SubscriptionsModify.OperationType, _ subscription: Subscription,
    _ caller: Caller, _ transaction: SQLWriteTransaction, _ context: RequestContext
  ) throws -> Subscription {
    let owner = context.owner.id
    guard let id = subscription.subscriptionID else {
      throw ServiceError(.badRequest, cause: .missingSubscriptionID)
    }
    let known = try transaction.subscription(id, of: caller.account, in: owner)
    if operation == .delete {
      guard known != nil else { throw Self.notFound }
      try transaction.removeSubscription(id, of: caller.account, in: owner)
      return Subscription(id)
    }
    guard operation == .create || known != nil else { throw Self.notFound }
    let usage = try transaction.subscriptionUsage(of: caller.account, in: owner)
    if known == nil {
      guard !id.utf8.contains(0) else {
        throw ServiceError(.badRequest, cause: .invalidName(id, .nulCharacter))
      }
      guard !id.isEmpty, id.utf8.count <= Limits.subscriptionIDLength else {
        throw ServiceError(
          .badRequest,
          cause: .invalidName(
            id, id.isEmpty ? .empty : .tooLong(limit: Limits.subscriptionIDLength)))
      }
      guard usage.count < options.subscriptions else {
        throw ServiceError(.limitExceeded, cause: .tooManySubscriptions)
      }
    }
    let checked = try check(subscription, transaction, context)
    let bytes = try Wire.encode(checked).count
    guard bytes <= Self.sizeLimit else {
      throw ServiceError(.badRequest, cause: .subscriptionTooLarge(limit: Self.sizeLimit))
    }
    // Replacing a subscription by one that is not larger is allowed even above the limit, as with
    // quotas.
    let growth = try bytes - (known.map { try Wire.encode($0).count } ?? 0)
    guard growth <= 0 || usage.bytes + growth <= Self.sizeLimit else {
      throw ServiceError(
        .limitExceeded, cause: .subscriptionsTooLarge(limit: Self.sizeLimit))
    }
    try transaction.save(
      SubscriptionRow(
        account: caller.account, userRecordName: caller.userRecordName, subscription: checked),
      in: owner)
    return checked
  }

  /// Returns the subscription as it is stored, completed with defaults.
  private func check(
    _ subscription: Subscription, _ transaction: SQLTransaction, _ context: RequestContext
  ) throws -> Subscription {
    var subscription = subscription
    // `zoneWide: false` without a zone means the default zone, as in queries.
    if subscription.subscriptionType == .query, subscription.zoneWide == false {
      subscription.zoneID = subscription.zoneID ?? .default
    }
    if let zoneID = subscription.zoneID {
      subscription.zoneID = context.zoneID(try context.zone(zoneID, in: transaction).name)
    }
    switch subscription.subscriptionType {
    case .query?:
      guard let query = subscription.query else {
        throw ServiceError(.badRequest, cause: .missingQuery)
      }
      guard !subscription.firesOn.isEmpty else {
        throw ServiceError(.badRequest, cause: .missingEvents)
      }
      subscription.query = try check(query, context.state.schema)
      subscription.zoneWide = subscription.zoneID == nil
    case .zone?:
      guard let zoneID = subscription.zoneID else {
        throw ServiceError(.badRequest, cause: .missingZone)
      }
      guard context.hasFeed(zoneID.zoneName) else {
        throw ServiceError(.badRequest, cause: .noFeed)
      }
      subscription.query = nil
      subscription.firesOn = []
      subscription.firesOnce = nil
      subscription.zoneWide = nil
    case let type?:
      throw ServiceError(.badRequest, cause: .notServed(.otherSubscriptionTypes, type.rawValue))
    case nil: throw ServiceError(.badRequest, cause: .missingSubscriptionType)
    }
    return subscription
  }

  /// Checks the query of a subscription. It is evaluated for one record at a time, so a query
  /// without filters needs no index, and sorts are ignored.
  private func check(_ query: Query, _ schema: Schema) throws(ServiceError) -> Query {
    if let problem = query.sharingProblem { throw problem }
    guard schema[query.recordType] != nil else {
      throw ServiceError(.notFound, cause: .unknownType(query.recordType))
    }
    var checked = query
    checked.sorts = []
    guard !query.filters.isEmpty else { return checked }
    checked = try schema.check(checked)
    for filter in checked.filters { _ = try KeyCondition(filter) }
    return checked
  }
}
