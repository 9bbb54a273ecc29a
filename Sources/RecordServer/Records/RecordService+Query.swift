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
    try Limits.check(desired: request.desiredKeys)
    return try await read(at: place, by: caller) { transaction, context in
      let query = try context.state.schema.check(request.query)
      var plan = try QueryPlan(query, ids: context.state.fieldIDs[query.recordType] ?? [:])
      if !context.allows(.read, type: query.recordType, creator: nil) {
        // Who may read their own records only is shown no others.
        guard let caller, context.allows(.read, type: query.recordType, creator: caller.account)
        else { throw ServiceError(.accessDenied, reason: Reason.notPermitted(.read)) }
        plan.creator = caller.account
      }
      let isWide = request.zoneID == nil && request.zoneWide == true && !context.isPublic
      let scopes =
        try isWide
        ? context.liveZones(in: transaction).map(context.scope).sorted { $0.zoneName < $1.zoneName }
        : [context.scope(context.zone(request.zoneID, in: transaction))]
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
        guard marker.digest == digest, marker.condition ?? 0 < max(plan.conditions.count, 1) else {
          throw TokenProblem.broken.serviceError
        }
        return QueryRun.Place(
          condition: marker.condition, key: marker.key, zone: marker.zone,
          position: marker.position)
      }
      let next = try run.fill(from: start).map { place in
        ContinuationMarker(
          epoch: context.state.epoch, digest: digest, condition: place.condition, key: place.key,
          zone: place.zone, position: place.position
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
