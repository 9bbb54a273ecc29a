public import CloudRecords

extension RecordService {
  /// The change feeds of several zones, all as of one moment. What is wrong with one zone is
  /// in its entry.
  public func changesZone(
    _ request: ChangesZone.Request, at place: Place, by caller: Caller?
  ) async throws(ServiceError) -> ChangesZone.Answer {
    try await changesZone(request, at: place, by: caller, witness: nil).get()
  }

  /// - Parameter witness: the newest tag of the zone that the client has learned; nil for none.
  public func changesZone(
    _ request: ChangesZone.Request, at place: Place, by caller: Caller?, witness: String?
  ) async -> Reported<ChangesZone.Answer> {
    do throws(ServiceError) {
      try Limits.check(items: request.zones.count, atMost: Limits.operations)
      try Limits.check(desired: request.desiredKeys, request.desiredRecordTypes)
      for zone in request.zones {
        try Limits.check(desired: zone.desiredKeys, zone.desiredRecordTypes)
      }
      guard place.database != .public else {
        throw ServiceError(.badRequest, reason: Reason.noPublicFeed)
      }
    } catch {
      return Reported(.failure(error))
    }
    return await countedRead(
      about: request.zones.count == 1 ? request.zones[0].zoneID : nil, witness: witness, at: place,
      by: caller
    ) { transaction, context, problem in
      var budget = Budget()
      let zones = try request.resolvedZones.map { zone -> Outcome<ChangesZone.Page> in
        do {
          return .success(
            try feed(of: zone, in: transaction, context, budget: &budget, noting: &problem))
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
    try await recordsChanges(request, at: place, by: caller, witness: nil).get()
  }

  /// - Parameter witness: the newest tag of the zone that the client has learned; nil for none.
  public func recordsChanges(
    _ request: RecordsChanges.Request, at place: Place, by caller: Caller?, witness: String?
  ) async -> Reported<RecordsChanges.Answer> {
    do throws(ServiceError) {
      try Limits.check(desired: request.desiredKeys, request.desiredRecordTypes)
      guard place.database != .public else {
        throw ServiceError(.badRequest, reason: Reason.noPublicFeed)
      }
    } catch {
      return Reported(.failure(error))
    }
    return await countedRead(
      about: request.zoneID, witness: witness, at: place, by: caller
    ) { transaction, context, problem in
      var budget = Budget()
      let page = try feed(
        of: request, in: transaction, context, budget: &budget, noting: &problem)
      return RecordsChanges.Answer(
        records: page.records, syncToken: page.syncToken, moreComing: page.moreComing)
    }
  }

  /// What an answer may still have: its zones share one page.
  private struct Budget {
    var records = Limits.pageRecords
    var bytes = Limits.pageBytes
  }

  /// - Parameters:
  ///   - budget: is less afterwards. Zones for which nothing is left have an empty page
  ///     with more to come.
  ///   - problem: gets why the sync token was refused.
  private func feed(
    of request: ChangesZone.ZoneRequest, in transaction: any RecordReading,
    _ context: RequestContext, budget: inout Budget,
    noting problem: inout HistoryReport.TokenProblem?
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
    let purpose = TokenSigner.Purpose(kind: .zone, owner: zone.owner, zone: zone.name)
    var former: SyncToken?
    do {
      former = try request.syncToken.map {
        try token($0, for: purpose, zone.history, floor: zone.floor, context, transaction)
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
      budget.bytes -= row.bytes
      guard types?.contains(row.type) ?? true else { continue }
      if row.isDeleted {
        records.append(
          .tombstone(
            Tombstone(
              row.name, recordChangeTag: row.tag, deletedChangeTag: row.deletedVersion?.tag,
              zoneID: zoneID)))
      } else {
        let values = RecordValues(row: row, fields: try signer.sealer.fields(of: row, in: scope))
        records.append(.record(values.record(in: zoneID).selecting(keys)))
      }
    }
    let lastMark = try rows.prefix(limit).last.map {
      try $0.mark ?? transaction.legacyMark(of: $0.number)
    }
    // All there is was seen, also where the newest numbers stand for nothing any more.
    let isWhole = rows.count <= limit && budget.bytes > 0
    return ChangesZone.Page(
      zoneID, records: records,
      syncToken: token(
        after: former, read: isWhole ? nil : last, lastMark, zone.history, context
      ).signed(by: signer, for: purpose),
      moreComing: !isWhole)
  }

  // MARK: Tokens

  /// - Parameters:
  ///   - former: the token with which the reading goes on; nil where it begins.
  ///   - number: the last one that was read; nil where everything was.
  ///   - mark: of that number; nil where nothing was read.
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

  /// A sync token that was given here, and stands for something that this history has.
  ///
  /// - Parameter floor: the highest number of the deletions that were forgotten.
  /// - Returns: it with a mark.
  /// - Throws: a `TokenProblem`.
  private func token(
    _ text: String, for purpose: TokenSigner.Purpose, _ history: History, floor: Int64,
    _ context: RequestContext, _ transaction: any RecordReading
  ) throws -> SyncToken {
    var token = try SyncToken(text, signedBy: signer, for: purpose)
    let verdict: HistoryReport.Verdict
    if token.incarnation != history.zone {
      // From an earlier incarnation of the zone, or from a later one lost in a rollback.
      verdict = token.incarnation < history.zone ? .unknown : .forked
    } else if let mark = token.mark {
      verdict = try transaction.verdict(
        of: ChangeTag(number: token.horizon, mark: mark), in: history)
    } else {
      verdict = token.horizon <= history.legacy ? .current : .forked
      token.mark = try transaction.legacyMark(of: token.horizon)
    }
    guard token.epoch == context.state.epoch else {
      throw TokenProblem.reset(isForked: verdict == .forked)
    }
    guard verdict != .forked else { throw TokenProblem.forked }
    guard verdict == .current, !token.isExpired(floor: floor) else { throw TokenProblem.expired }
    return token
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
      let history = context.owner.history
      var former: SyncToken?
      do {
        former = try request.syncToken.map {
          try token($0, for: purpose, history, floor: context.owner.floor, context, transaction)
        }
      } catch let refused as TokenProblem {
        throw refused.serviceError
      }
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
      let last = isWhole ? nil : page.last?.changed ?? start
      let mark = try last.flatMap { try transaction.anyMark(of: $0, in: history) }
      return ChangesDatabase.Answer(
        zones: zones,
        syncToken: token(after: former, read: last, mark, history, context)
          .signed(by: signer, for: purpose),
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

  /// A zone as answers have it.
  func zone(_ row: ZoneRow, _ context: RequestContext) -> Zone {
    Zone(
      context.zoneID(row.name),
      syncToken: context.hasFeed(row.name) && !row.isDeleted
        ? token(after: nil, read: nil, nil, row.history, context)
          .signed(by: signer, for: .init(kind: .zone, owner: row.owner, zone: row.name)) : nil,
      atomic: row.isDeleted ? nil : row.name != ZoneID.defaultName, deleted: row.isDeleted)
  }
}
