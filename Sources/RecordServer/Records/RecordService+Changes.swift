public import CloudRecords

extension RecordService {
  /// Returns a page of the change feeds of several zones, all read in one transaction. The error of
  /// a zone is in its entry of the response.
  public func changesZone(
    _ request: ChangesZone.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> ChangesZone.Response {
    try await changesZone(request, at: address, by: caller, witness: nil).get()
  }

  /// Returns a page of the change feeds of several zones and, if the request names exactly one
  /// zone, reports on its history.
  ///
  /// - Parameter witness: the newest change tag that the client knows of the zone; nil if it sent
  ///   none.
  public func changesZone(
    _ request: ChangesZone.Request, at address: DatabaseAddress, by caller: Caller?,
    witness: String?
  ) async -> Reported<ChangesZone.Response> {
    do throws(ServiceError) {
      try Limits.check(items: request.zones.count, atMost: Limits.operations)
      try Limits.check(desired: request.desiredKeys, request.desiredRecordTypes)
      for zone in request.zones {
        try Limits.check(desired: zone.desiredKeys, zone.desiredRecordTypes)
      }
      guard address.database != .public else {
        throw ServiceError(.badRequest, cause: .noPublicFeed)
      }
    } catch {
      return Reported(.failure(error))
    }
    return await countedRead(
      about: request.zones.count == 1 ? request.zones[0].zoneID : nil, witness: witness,
      at: address,
      by: caller
    ) { transaction, context, problem in
      var budget = Budget()
      let zones = try request.resolvedZones.map { zone -> ItemResult<ChangesZone.Page> in
        do {
          return .success(
            try feed(of: zone, in: transaction, context, budget: &budget, noting: &problem))
        } catch let error as ServiceError {
          return .failure(error.with(zoneID: zone.zoneID))
        }
      }
      return ChangesZone.Response(zones: zones)
    }
  }

  /// Returns a page of the change feed of one zone. The error of the zone fails the request.
  public func recordsChanges(
    _ request: RecordsChanges.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> RecordsChanges.Response {
    try await recordsChanges(request, at: address, by: caller, witness: nil).get()
  }

  /// Returns a page of the change feed of one zone, and reports on its history.
  ///
  /// - Parameter witness: the newest change tag that the client knows of the zone; nil if it sent
  ///   none.
  public func recordsChanges(
    _ request: RecordsChanges.Request, at address: DatabaseAddress, by caller: Caller?,
    witness: String?
  ) async -> Reported<RecordsChanges.Response> {
    do throws(ServiceError) {
      try Limits.check(desired: request.desiredKeys, request.desiredRecordTypes)
      guard address.database != .public else {
        throw ServiceError(.badRequest, cause: .noPublicFeed)
      }
    } catch {
      return Reported(.failure(error))
    }
    return await countedRead(
      about: request.zoneID, witness: witness, at: address, by: caller
    ) { transaction, context, problem in
      var budget = Budget()
      let page = try feed(
        of: request, in: transaction, context, budget: &budget, noting: &problem)
      return RecordsChanges.Response(
        records: page.records, syncToken: page.syncToken, moreComing: page.moreComing)
    }
  }

  /// The remaining size of a response. Its zones share one page.
  private struct Budget {
    var records = Limits.pageRecords
    var bytes = Limits.pageBytes
  }

  /// Reads a page of one zone's feed.
  ///
  /// - Parameters:
  ///   - budget: the remaining size of the response, reduced by this page. Once it is used up,
  ///     further zones get an empty page with `moreComing`.
  ///   - problem: set to the reason if the sync token is refused because of the history.
  /// - Throws: a `ServiceError` about the zone.
  private func feed(
    of request: ChangesZone.ZoneRequest, in transaction: SQLTransaction,
    _ context: RequestContext, budget: inout Budget,
    noting problem: inout HistoryReport.TokenProblem?
  ) throws -> ChangesZone.Page {
    let zone = try context.zone(request.zoneID, in: transaction)
    guard context.hasFeed(zone.name) else {
      throw ServiceError(.badRequest, cause: .noFeed)
    }
    guard request.reverse != true else {
      throw ServiceError(.badRequest, cause: .notServed(.reversedChanges, "reverse"))
    }
    let scope = context.scope(zone)
    let zoneID = context.recordZoneID(zone.name)
    let links = context.assetLinks(signer, at: now())
    let purpose = TokenSigner.Purpose(kind: .zone, owner: zone.owner, zone: zone.name)
    var former: SyncToken?
    do {
      former = try request.syncToken.map {
        try token(
          $0, for: purpose, zone.history, feedIncompleteThrough: zone.feedIncompleteThrough,
          context, transaction)
      }
    } catch let refused as TokenProblem {
      problem = refused.reported
      throw refused.serviceError
    }
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
      budget.bytes -= row.storedBytes
      guard types?.contains(row.type) ?? true else { continue }
      if row.isDeleted {
        records.append(
          .tombstone(
            Tombstone(
              row.name, recordChangeTag: row.tag, deletedChangeTag: row.deletedVersion?.tag,
              zoneID: zoneID)))
      } else {
        records.append(
          .record(
            try row.record(
              in: zoneID, selecting: keys, links, fields: signer.sealer.fields(of: row, in: scope)))
        )
      }
    }
    let lastMark = try rows.prefix(limit).last.map {
      try $0.mark ?? transaction.legacyMark(of: $0.number)
    }
    // If the page reaches the end of the feed, its token gets the newest number of the zone, even
    // if no record has that number any more.
    let isWhole = rows.count <= limit && budget.bytes > 0
    return ChangesZone.Page(
      context.zoneID(zone.name), records: records,
      syncToken: token(
        after: former, read: isWhole ? nil : last, lastMark, zone.history, context
      ).signed(by: signer, for: purpose),
      moreComing: !isWhole)
  }

  // MARK: Tokens

  /// Creates the sync token for the end of a page.
  ///
  /// - Parameters:
  ///   - former: the token that the client sent; nil if it reads from the beginning.
  ///   - number: the last number that was read; nil if the page reaches the end of the feed.
  ///   - mark: the mark of that number; nil if nothing was read.
  private func token(
    after former: SyncToken?, read number: Int64?, _ mark: Mark?, _ history: History,
    _ context: RequestContext
  ) -> SyncToken {
    let newest = history.newest
    let number = number ?? newest.number
    let horizon = former?.horizon ?? newest.number
    let horizonMark = former == nil ? newest.mark : former?.mark
    return SyncToken(
      epoch: context.state.epoch, incarnation: history.zone, number: number, horizon: horizon,
      mark: number == newest.number ? newest.mark : number > horizon ? mark : horizonMark)
  }

  /// Verifies a sync token: this service must have issued it, and the history must contain the
  /// state that it names.
  ///
  /// - Parameter last: the highest sequence number of the tombstones that were deleted from
  ///   storage.
  /// - Returns: the token. A token issued before marks were introduced gets a computed mark.
  /// - Throws: a `TokenProblem`.
  private func token(
    _ text: String, for purpose: TokenSigner.Purpose, _ history: History,
    feedIncompleteThrough last: Int64, _ context: RequestContext,
    _ transaction: SQLTransaction
  ) throws -> SyncToken {
    var token = try SyncToken(text, signedBy: signer, for: purpose)
    let verdict: HistoryReport.Verdict
    if token.incarnation != history.zone {
      // The token is from an earlier incarnation of the zone, or from a later one that was lost
      // when the storage was set back.
      verdict = token.incarnation < history.zone ? .unknown : .forked
    } else if let mark = token.mark {
      verdict = try transaction.verdict(
        of: ChangeTag(number: token.horizon, mark: mark), in: history)
    } else {
      verdict = token.horizon <= history.lastNumberWithoutMark ? .current : .forked
      token.mark = try transaction.legacyMark(of: token.horizon)
    }
    guard token.epoch == context.state.epoch else {
      throw TokenProblem.reset(isForked: verdict == .forked)
    }
    guard verdict != .forked else { throw TokenProblem.forked }
    guard verdict == .current, !token.isExpired(feedIncompleteThrough: last)
    else { throw TokenProblem.expired }
    return token
  }

  // MARK: Database

  /// Returns the zones of a database that changed since a sync token; without a token, all zones.
  public func changesDatabase(
    _ request: ChangesDatabase.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> ChangesDatabase.Response {
    guard address.database != .public else {
      throw ServiceError(.badRequest, cause: .noPublicFeed)
    }
    return try await read(at: address, by: caller) { transaction, context in
      let purpose = TokenSigner.Purpose(kind: .database, owner: context.owner.id)
      let history = context.owner.history
      let former = try request.syncToken.map {
        try token(
          $0, for: purpose, history,
          feedIncompleteThrough: context.owner.feedIncompleteThrough, context, transaction)
      }
      let start = former?.number ?? 0
      let limit = PageSize.records(request.resultsLimit)
      let rows = try transaction.zones(
        of: context.owner.id, changedAfter: start, limit: limit + 1)
      let page = rows.prefix(limit)
      let zones = page.compactMap { zone -> ItemResult<Zone>? in
        guard context.hasFeed(zone.name) else { return nil }
        // A client that reads from the beginning does not need to learn of deleted zones.
        if zone.isDeleted, start == 0 { return nil }
        return .success(self.zone(zone, context))
      }
      let isWhole = rows.count <= limit
      let last = isWhole ? nil : page.last?.changed ?? start
      let mark = try last.flatMap { try transaction.anyMark(of: $0, in: history) }
      return ChangesDatabase.Response(
        zones: zones,
        syncToken: token(after: former, read: last, mark, history, context)
          .signed(by: signer, for: purpose),
        moreComing: !isWhole)
    }
  }

  /// Returns the zones that changed. This is the deprecated form of `changesDatabase`.
  public func zonesChanges(
    _ request: ZonesChanges.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> ZonesChanges.Response {
    let response = try await changesDatabase(
      ChangesDatabase.Request(syncToken: request.metaSyncToken), at: address, by: caller)
    return ZonesChanges.Response(
      zones: response.zones, metaSyncToken: response.syncToken, moreComing: response.moreComing)
  }

  /// The zone as it appears in responses.
  func zone(_ row: ZoneRow, _ context: RequestContext) -> Zone {
    Zone(
      context.zoneID(row.name),
      syncToken: context.hasFeed(row.name) && !row.isDeleted
        ? token(after: nil, read: nil, nil, row.history, context)
          .signed(by: signer, for: .init(kind: .zone, owner: row.owner, zone: row.name)) : nil,
      atomic: row.isDeleted ? nil : row.name != ZoneID.defaultName, deleted: row.isDeleted)
  }
}
