public import CloudRecords

extension RecordService {
  /// Finds records by their fields, one page at a time.
  ///
  /// A query without sorts returns records in the order of an index; its continuation markers name
  /// that index. A query with sorts orders equal records by name, in the direction of the last
  /// sort. Only the first 1,000 bytes of an index key are compared for sorting (`IndexKey.limit`).
  ///
  /// A page ends after `QueryRun.rowLimit` rows were looked at. It can then have fewer records than
  /// requested, or none, and a continuation marker.
  public func query(
    _ request: RecordsQuery.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> RecordsQuery.Response {
    try await query(request, at: address, by: caller, witness: nil).get()
  }

  /// Finds records by their fields and, unless the query covers all zones, reports on the history
  /// of the zone.
  ///
  /// - Parameters:
  ///   - witness: the newest change tag that the client knows of the zone; nil if it sent none.
  ///   - work: the rows that the query looks at are added to it.
  public func query(
    _ request: RecordsQuery.Request, at address: DatabaseAddress, by caller: Caller?,
    witness: String?, work: RequestWork = RequestWork()
  ) async -> Reported<RecordsQuery.Response> {
    do throws(ServiceError) {
      try Limits.check(desired: request.desiredKeys)
    } catch {
      return Reported(.failure(error))
    }
    let isWide =
      request.zoneID == nil && request.zoneWide == true && address.database != .public
    return await countedRead(
      about: isWide ? nil : request.zoneID ?? .default, witness: witness, at: address, by: caller,
      within: work.rows
    ) { transaction, context, _ in
      let query = try context.state.schema.check(request.query)
      var plan = try QueryPlan(query, ids: context.state.fieldIDs[query.recordType] ?? [:])
      if !context.allows(.read, type: query.recordType, creator: nil) {
        // The caller may read only the records that it created.
        guard let caller, context.allows(.read, type: query.recordType, creator: caller.account)
        else { throw ServiceError(.accessDenied, cause: .notPermitted(.read)) }
        plan.creator = caller.account
      }
      let zones =
        try isWide
        ? transaction.liveZones(of: context.owner.id).sorted { $0.name < $1.name }
        : [context.zone(request.zoneID, in: transaction)]
      let scopes = zones.map(context.scope)
      // A query of all zones depends on the history of the database.
      let history = isWide ? context.owner.history : zones.first?.history ?? context.owner.history
      let purpose = TokenSigner.Purpose(kind: .query, owner: context.owner.id)
      let digest = try ContinuationMarker.digest(
        request.query, zone: isWide ? nil : scopes.first?.zoneName)
      var run = QueryRun(
        plan: plan, context: context, scopes: scopes, transaction: transaction,
        sealer: signer.sealer, limit: PageSize.records(request.resultsLimit),
        desiredKeys: request.desiredKeys.map { Set($0) },
        links: context.assetLinks(signer, at: now()))
      let start = try request.continuationMarker.map { text in
        let marker = try ContinuationMarker(text, signedBy: signer, for: purpose)
        guard marker.epoch == context.state.epoch else { throw TokenProblem.expired }
        let isKnown = try marker.tag.map { try transaction.verdict(of: $0, in: history) }
        guard marker.digest == digest, marker.end.condition ?? 0 < max(plan.conditions.count, 1),
          isKnown ?? .current == .current
        else { throw TokenProblem.broken }
        return marker.end
      }
      let next = try run.fill(from: start).map { end in
        ContinuationMarker(
          epoch: context.state.epoch, digest: digest, end: end, tag: history.newest
        ).signed(by: signer, for: purpose)
      }
      if var usage = newSchemaUsage(at: address) {
        usage.add(query, in: context.state.schema)
        usage.add(.read, ofType: query.recordType, creator: plan.creator, in: context)
        options.onSchemaUsage?(usage)
      }
      return RecordsQuery.Response(
        records: run.records.map(RecordResult.record), continuationMarker: next)
    }
  }
}
