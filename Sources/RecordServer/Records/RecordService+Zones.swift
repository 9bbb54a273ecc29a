public import CloudRecords

extension RecordService {
  /// Returns all zones of a database, including the default zone.
  public func zonesList(
    _ request: ZonesList.Request = EmptyBody(), at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> ZonesList.Response {
    try await read(at: address, by: caller) { transaction, context in
      let zones = try transaction.liveZones(of: context.owner.id).sorted { $0.name < $1.name }
      return ZonesResponse(zones: zones.map { .success(zone($0, context)) })
    }
  }

  /// Returns the zones with the given IDs.
  public func zonesLookup(
    _ request: ZonesLookup.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> ZonesLookup.Response {
    try Limits.check(items: request.zones.count, atMost: Limits.operations)
    return try await read(at: address, by: caller) { transaction, context in
      let zones = try request.zones.map { zoneID -> ItemResult<Zone> in
        do {
          return .success(zone(try context.zone(zoneID, in: transaction), context))
        } catch let error as ServiceError {
          return .failure(error.with(zoneID: zoneID))
        }
      }
      return ZonesResponse(zones: zones)
    }
  }

  /// Creates and deletes zones, each in a separate transaction. Creating a zone that already exists
  /// succeeds.
  ///
  /// - Throws: an error of the whole request, or the first transient error. Operations before it
  ///   may have been carried out; the client can send the whole request again.
  public func zonesModify(
    _ request: ZonesModify.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> ZonesModify.Response {
    try Limits.check(items: request.operations.count, atMost: Limits.operations)
    let caller = try caller.signedIn()
    var names: Set<String> = []
    for operation in request.operations {
      let name = operation.zone.zoneID.zoneName
      guard names.insert(name).inserted else {
        throw ServiceError(.badRequest, cause: .duplicate(name))
      }
    }
    guard address.database != .public else {
      throw ServiceError(.badRequest, cause: .noPublicZones)
    }
    var outcomes: [ItemResult<Zone>] = []
    for operation in request.operations {
      let zoneID = operation.zone.zoneID
      do throws(ServiceError) {
        if let sharing = operation.zone.sharing {
          throw ServiceError(.badRequest, cause: .notServed(.sharing, sharing.rawValue))
        }
        switch operation.operationType {
        case .create: outcomes.append(.success(try await create(zoneID, at: address, by: caller)))
        case .delete: outcomes.append(.success(try await delete(zoneID, at: address, by: caller)))
        }
      } catch {
        // A transient error fails the whole request, which the client can send again.
        if error.code.isTransient { throw error }
        outcomes.append(.failure(error.with(zoneID: zoneID)))
      }
    }
    return ZonesResponse(zones: outcomes)
  }

  /// Creates a zone, or returns the existing one.
  private func create(
    _ zoneID: ZoneID, at address: DatabaseAddress, by caller: Caller
  ) async throws(ServiceError) -> Zone {
    try await write(at: address, by: caller) { transaction, context in
      guard context.isOwn(zoneID.ownerRecordName) else {
        throw ServiceError(.zoneNotFound, cause: .zoneNotFound)
      }
      if let row = try transaction.zone(zoneID.zoneName, of: context.owner.id), !row.isDeleted {
        return zone(row, context)
      }
      if let problem = ZoneID.problem(withName: zoneID.zoneName) {
        throw ServiceError(.badRequest, cause: .invalidName(zoneID.zoneName, problem))
      }
      guard try transaction.liveZones(of: context.owner.id).count < options.zones else {
        throw ServiceError(.limitExceeded, cause: .tooManyZones)
      }
      let row = try transaction.makeZone(zoneID.zoneName, of: context.owner.id, markSource)
      try transaction.deleteOldestZones(of: context.owner.id, beyond: 2 * options.zones)
      return zone(row, context)
    }
  }

  /// Deletes a zone, the caller's subscriptions to it and, in a job, its records.
  private func delete(
    _ zoneID: ZoneID, at address: DatabaseAddress, by caller: Caller
  ) async throws(ServiceError) -> Zone {
    let (zone, firings, job) = try await write(at: address, by: caller) { transaction, context in
      let row = try context.zone(zoneID, in: transaction)
      guard row.name != ZoneID.defaultName else {
        throw ServiceError(.badRequest, cause: .defaultZoneStays)
      }
      let scope = context.scope(row)
      try transaction.deleteZone(scope, markSource)
      let job = try transaction.add(
        .purgeZone(owner: scope.owner.rawValue, incarnation: scope.incarnation))
      let matcher = SubscriptionMatcher(context: context, zoneName: row.name, changes: [])
      var firings: [Firing] = []
      for subscription in try transaction.subscriptions(of: caller.account, in: scope.owner)
      where subscription.zoneID?.zoneName == row.name {
        let stored = SubscriptionRow(
          account: caller.account, userRecordName: caller.userRecordName,
          subscription: subscription)
        if let firing = matcher.firing(ofZoneSubscription: stored) { firings.append(firing) }
        try transaction.removeSubscription(
          subscription.subscriptionID ?? "", of: caller.account, in: scope.owner)
      }
      return (Zone(context.zoneID(row.name), deleted: true), firings, job)
    }
    if !firings.isEmpty { _ = await options.onFirings(firings) }
    // The zone is deleted. If removing its rows fails now, `resume` runs the job again.
    _ = try? await run(job.id)
    return zone
  }
}
