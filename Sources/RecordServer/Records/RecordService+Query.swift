public import CloudRecords

extension RecordService {
  /// Finds records by their fields, page by page.
  ///
  /// Without a criterion to sort by the order is that of an index, which the markers keep to;
  /// with one, equal records are in the order of their names, in the direction of the last
  /// criterion. Values are told apart in their first 1,000 bytes where they are sorted.
  public func query(
    _ request: RecordsQuery.Request, at place: Place, by caller: Caller?
  ) async throws(ServiceError) -> RecordsQuery.Answer {
    try await query(request, at: place, by: caller, witness: nil).get()
  }

  /// - Parameter witness: the newest tag of the zone that the client has learned; nil for none.
  public func query(
    _ request: RecordsQuery.Request, at place: Place, by caller: Caller?, witness: String?
  ) async -> Reported<RecordsQuery.Answer> {
    do throws(ServiceError) {
      try Limits.check(desired: request.desiredKeys)
    } catch {
      return Reported(.failure(error))
    }
    let isWide =
      request.zoneID == nil && request.zoneWide == true && place.database != .public
    return await countedRead(
      about: isWide ? nil : request.zoneID ?? .default, witness: witness, at: place, by: caller
    ) { transaction, context, _ in
      let query = try context.state.schema.check(request.query)
      var plan = try QueryPlan(query, ids: context.state.fieldIDs[query.recordType] ?? [:])
      if !context.allows(.read, type: query.recordType, creator: nil) {
        // Who may read their own records only is shown no others.
        guard let caller, context.allows(.read, type: query.recordType, creator: caller.account)
        else { throw ServiceError(.accessDenied, reason: Reason.notPermitted(.read)) }
        plan.creator = caller.account
      }
      let zones =
        try isWide
        ? context.liveZones(in: transaction).sorted { $0.name < $1.name }
        : [context.zone(request.zoneID, in: transaction)]
      let scopes = zones.map(context.scope)
      // A query of all zones is one of the database.
      let history = isWide ? context.owner.history : zones.first?.history ?? context.owner.history
      let purpose = TokenSigner.Purpose(kind: .query, owner: context.owner.id)
      let digest = try ContinuationMarker.digest(
        request.query, zone: isWide ? nil : scopes.first?.zoneName)
      var run = QueryRun(
        plan: plan, context: context, scopes: scopes, transaction: transaction,
        sealer: signer.sealer, limit: PageSize.records(request.resultsLimit),
        desiredKeys: request.desiredKeys.map { Set($0) })
      let start = try request.continuationMarker.map { text in
        let marker = try marker(text, for: purpose)
        guard marker.epoch == context.state.epoch else { throw TokenProblem.expired.serviceError }
        let isKnown = try marker.tag.map { try transaction.verdict(of: $0, in: history) }
        guard marker.digest == digest, marker.condition ?? 0 < max(plan.conditions.count, 1),
          isKnown ?? .current == .current
        else { throw TokenProblem.broken.serviceError }
        return QueryRun.Place(
          condition: marker.condition, key: marker.key, zone: marker.zone,
          position: marker.position)
      }
      let next = try run.fill(from: start).map { place in
        ContinuationMarker(
          epoch: context.state.epoch, digest: digest, condition: place.condition, key: place.key,
          zone: place.zone, position: place.position, tag: history.newest
        ).signed(by: signer, for: purpose)
      }
      return RecordsQuery.Answer(
        records: run.records.map(RecordResult.record), continuationMarker: next)
    }
  }

  private func marker(
    _ text: String, for purpose: TokenSigner.Purpose
  ) throws(ServiceError) -> ContinuationMarker {
    do {
      return try ContinuationMarker(text, signedBy: signer, for: purpose)
    } catch {
      throw error.serviceError
    }
  }
}
