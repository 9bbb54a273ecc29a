public import CloudRecords

extension RecordService {
  /// The change feeds of several zones, all as of one moment. What is wrong with one zone is
  /// in its entry.
  public func changesZone(
    _ request: ChangesZone.Request, at place: Place, by caller: Caller?
  ) async throws(ServiceError) -> ChangesZone.Answer {
    try Limits.check(items: request.zones.count, atMost: Limits.operations)
    try Limits.check(desired: request.desiredKeys, request.desiredRecordTypes)
    for zone in request.zones {
      try Limits.check(desired: zone.desiredKeys, zone.desiredRecordTypes)
    }
    guard place.database != .public else {
      throw ServiceError(.badRequest, reason: Reason.noPublicFeed)
    }
    return try await read(at: place, by: caller) { transaction, context in
      var budget = Budget()
      let zones = try request.resolvedZones.map { zone -> Outcome<ChangesZone.Page> in
        do {
          return .success(try feed(of: zone, in: transaction, context, budget: &budget))
        } catch let error as ServiceError {
          return .failure(error.of(zone: zone.zoneID))
        }
      }
      return ChangesZone.Answer(zones: zones)
    }
  }

  /// The change feed of one zone; what is wrong with it fails the request.
  public func recordsChanges(
    _ request: RecordsChanges.Request, at place: Place, by caller: Caller?
  ) async throws(ServiceError) -> RecordsChanges.Answer {
    try Limits.check(desired: request.desiredKeys, request.desiredRecordTypes)
    guard place.database != .public else {
      throw ServiceError(.badRequest, reason: Reason.noPublicFeed)
    }
    return try await read(at: place, by: caller) { transaction, context in
      var budget = Budget()
      let page = try feed(of: request, in: transaction, context, budget: &budget)
      return RecordsChanges.Answer(
        records: page.records, syncToken: page.syncToken, moreComing: page.moreComing)
    }
  }

  /// What an answer may still have: its zones share one page.
  private struct Budget {
    var records = Limits.pageRecords
    var bytes = Limits.pageBytes
  }

  /// - Parameter budget: is less afterwards. Zones for which nothing is left have an empty page
  ///   with more to come.
  private func feed(
    of request: ChangesZone.ZoneRequest, in transaction: any RecordReading,
    _ context: RequestContext, budget: inout Budget
  ) throws -> ChangesZone.Page {
    let zone = try context.zone(request.zoneID, in: transaction)
    guard context.hasFeed(zone.name) else {
      throw ServiceError(.badRequest, reason: Reason.noFeed)
    }
    guard request.reverse != true else {
      throw ServiceError(.badRequest, reason: Reason.notReversed)
    }
    let scope = context.scope(zone)
    let zoneID = context.zoneID(zone.name)
    let former = try request.syncToken.map { try token($0, of: zone, context) }
    let start = former?.number ?? 0
    let limit = min(PageSize.records(request.resultsLimit), budget.records)
    let keys = request.desiredKeys.map { Set($0) }
    let types = request.desiredRecordTypes.map { Set($0) }
    var last = start
    var records: [RecordResult] = []
    let rows = try transaction.changes(
      in: scope, after: start, limit: limit + 1, bytes: budget.bytes)
    for row in rows.prefix(limit) {
      last = row.number
      budget.records -= 1
      budget.bytes -= row.bytes
      guard types?.contains(row.type) ?? true else { continue }
      if row.isDeleted {
        records.append(
          .tombstone(Tombstone(row.name, recordChangeTag: row.tag, zoneID: zoneID)))
      } else {
        let values = RecordValues(row: row, fields: try signer.sealer.fields(of: row, in: scope))
        records.append(.record(values.record(in: zoneID).selecting(keys)))
      }
    }
    // All there is was seen, also where the newest numbers stand for nothing any more.
    let isWhole = rows.count <= limit && budget.bytes > 0
    return ChangesZone.Page(
      zoneID, records: records,
      syncToken: token(
        of: zone, number: isWhole ? max(last, zone.sequence) : last,
        horizon: former?.horizon ?? zone.sequence, context),
      moreComing: !isWhole)
  }

  // MARK: Tokens

  /// - Parameter horizon: nil for one that begins where it stands.
  func token(
    of zone: ZoneRow, number: Int64, horizon: Int64? = nil, _ context: RequestContext
  ) -> String {
    SyncToken(
      epoch: context.state.epoch, incarnation: zone.incarnation, number: number,
      horizon: horizon ?? number
    ).signed(by: signer, for: .init(kind: .zone, owner: zone.owner, zone: zone.name))
  }

  private func token(
    _ token: String, of zone: ZoneRow, _ context: RequestContext
  ) throws(ServiceError) -> SyncToken {
    let purpose = TokenSigner.Purpose(kind: .zone, owner: zone.owner, zone: zone.name)
    do throws(TokenProblem) {
      let token = try SyncToken(token, signedBy: signer, for: purpose)
      guard token.epoch == context.state.epoch else { throw TokenProblem.reset }
      guard token.incarnation == zone.incarnation, !token.isExpired(floor: zone.floor),
        token.number <= zone.sequence
      else { throw TokenProblem.expired }
      return token
    } catch {
      throw error.serviceError
    }
  }

  // MARK: Database

  /// Which zones of a database changed: all of them without a token.
  public func changesDatabase(
    _ request: ChangesDatabase.Request, at place: Place, by caller: Caller?
  ) async throws(ServiceError) -> ChangesDatabase.Answer {
    guard place.database != .public else {
      throw ServiceError(.badRequest, reason: Reason.noPublicFeed)
    }
    return try await read(at: place, by: caller) { transaction, context in
      let purpose = TokenSigner.Purpose(kind: .database, owner: context.owner.id)
      let former = try request.syncToken.map { try token($0, for: purpose, context) }
      let start = former?.number ?? 0
      let limit = PageSize.records(request.resultsLimit)
      let rows = try transaction.zones(
        of: context.owner.id, changedAfter: start, limit: limit + 1)
      let page = rows.prefix(limit)
      let zones = page.compactMap { zone -> Outcome<Zone>? in
        guard context.hasFeed(zone.name) else { return nil }
        // Who knows nothing yet need not hear of what is gone.
        if zone.isDeleted, start == 0 { return nil }
        return .success(self.zone(zone, context))
      }
      let isWhole = rows.count <= limit
      let number = isWhole ? context.owner.sequence : page.last?.changed ?? start
      return ChangesDatabase.Answer(
        zones: zones,
        syncToken: SyncToken(
          epoch: context.state.epoch, number: number,
          horizon: former?.horizon ?? context.owner.sequence
        ).signed(by: signer, for: purpose),
        moreComing: !isWhole)
    }
  }

  /// The older form of `changesDatabase`.
  public func zonesChanges(
    _ request: ZonesChanges.Request, at place: Place, by caller: Caller?
  ) async throws(ServiceError) -> ZonesChanges.Answer {
    let answer = try await changesDatabase(
      ChangesDatabase.Request(syncToken: request.metaSyncToken), at: place, by: caller)
    return ZonesChanges.Answer(
      zones: answer.zones, metaSyncToken: answer.syncToken, moreComing: answer.moreComing)
  }

  private func token(
    _ token: String, for purpose: TokenSigner.Purpose, _ context: RequestContext
  ) throws(ServiceError) -> SyncToken {
    do throws(TokenProblem) {
      let token = try SyncToken(token, signedBy: signer, for: purpose)
      guard token.epoch == context.state.epoch else { throw TokenProblem.reset }
      guard !token.isExpired(floor: context.owner.floor),
        token.number <= context.owner.sequence
      else { throw TokenProblem.expired }
      return token
    } catch {
      throw error.serviceError
    }
  }

  /// A zone as answers have it.
  func zone(_ row: ZoneRow, _ context: RequestContext) -> Zone {
    Zone(
      context.zoneID(row.name),
      syncToken: context.hasFeed(row.name) && !row.isDeleted
        ? token(of: row, number: row.sequence, context) : nil,
      atomic: row.isDeleted ? nil : row.name != ZoneID.defaultName, deleted: row.isDeleted)
  }
}
