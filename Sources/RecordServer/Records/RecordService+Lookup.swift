public import CloudRecords

extension RecordService {
  /// Fetches records by their names. A record that the caller may not read is reported as not
  /// found.
  public func lookup(
    _ request: RecordsLookup.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> RecordsLookup.Response {
    try await lookup(request, at: address, by: caller, witness: nil).get()
  }

  /// Fetches records by their names, and reports on the history of the zone.
  ///
  /// - Parameter witness: the newest change tag that the client knows of the zone; nil if it sent
  ///   none.
  public func lookup(
    _ request: RecordsLookup.Request, at address: DatabaseAddress, by caller: Caller?,
    witness: String?
  ) async -> Reported<RecordsLookup.Response> {
    do throws(ServiceError) {
      try Limits.check(items: request.records.count, atMost: Limits.operations)
      try Limits.check(desired: request.desiredKeys)
      for item in request.records { try Limits.check(desired: item.desiredKeys) }
    } catch {
      return Reported(.failure(error))
    }
    let keys = request.desiredKeys.map { Set($0) }
    return await countedRead(
      about: request.zoneID ?? .default, witness: witness, at: address, by: caller
    ) { transaction, context, _ in
      let scope = context.scope(try context.zone(request.zoneID, in: transaction))
      let zoneID = context.recordZoneID(scope.zoneName)
      let links = context.assetLinks(signer, at: now())
      var bytes = 0
      var results: [RecordResult] = []
      var usage = newSchemaUsage(at: address)
      for item in request.records {
        let name = item.recordName
        guard bytes < Limits.pageBytes else {
          let error = ServiceError(.limitExceeded, cause: .responseTooLarge)
          results.append(.failure(error.with(recordName: name)))
          continue
        }
        // The user of a private database may read everything. In a public database, a record that
        // the caller may not read is not read from the disk either.
        let heading =
          scope.isPublic
          ? try transaction.heading(of: name, in: scope, for: caller?.account) : nil
        let isReadable = heading.map { context.allows(.read, $0) } ?? !scope.isPublic
        let row =
          isReadable ? try transaction.records([name], in: scope, bytes: .max)[name] : nil
        guard let row, !row.isDeleted else {
          let error = ServiceError(.notFound, cause: .recordNotFound)
          results.append(.failure(error.with(recordName: name)))
          continue
        }
        bytes += row.storedBytes
        usage?.add(.read, ofType: row.type, creator: row.creator, in: context)
        results.append(
          .record(
            try row.record(
              in: zoneID, selecting: item.desiredKeys.map { Set($0) } ?? keys, links,
              fields: signer.sealer.fields(of: row, in: scope))))
      }
      if let usage { options.onSchemaUsage?(usage) }
      return RecordsLookup.Response(records: results)
    }
  }
}
