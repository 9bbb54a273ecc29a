public import CloudRecords

/// The operator of the service reads records with these methods, and may read the databases of all
/// accounts.
///
/// Nothing is written: a database that does not exist is not created.
extension RecordService {
  /// Returns records without a query, so no index is needed.
  ///
  /// The result contains the records of one zone after those of another, in the order of the zones'
  /// names. Within a zone, records are ordered by name if `type` is given, and by the time of their
  /// last changes otherwise.
  ///
  /// - Parameters:
  ///   - type: the record type; nil for all types.
  ///   - limit: the maximum number of records.
  /// - Throws: NOT_FOUND if the container is not served, or if the type is not in the schema and
  ///   has no records; ZONE_NOT_FOUND if the zone does not exist.
  public func records(
    _ selection: RecordSelection, type: String? = nil, limit: Int
  ) async throws(ServiceError) -> [Record] {
    try await read { transaction in
      let context = try Self.context(of: selection, in: transaction)
      var records: [Record] = []
      if let context {
        for zone in try Self.zones(of: selection, context, transaction) {
          let scope = context.scope(zone)
          var last: RecordRow?
          while records.count < limit {
            let page = try Self.page(of: type, in: scope, after: last, transaction)
            guard !page.isEmpty else { break }
            records += try page.lazy.filter { !$0.isDeleted }.prefix(limit - records.count)
              .map { try record($0, in: scope, context, selection.showsEncrypted) }
            last = page.last
          }
        }
      }
      if let type, records.isEmpty,
        try transaction.servedState(of: selection.container, selection.environment).schema[type]
          == nil
      {
        throw ServiceError(.notFound, cause: .unknownType(type))
      }
      return records
    }
  }

  /// Returns the records that a query finds. The query is subject to the rules for clients: its
  /// fields must be indexed, and in the public database it finds only records that `_world` may
  /// read.
  ///
  /// - Parameter limit: the maximum number of records.
  /// - Throws: the errors of `query(_:at:by:)`.
  public func records(
    _ selection: RecordSelection, matching query: Query, limit: Int
  ) async throws(ServiceError) -> [Record] {
    let isThere = try await read { transaction in
      let state = try transaction.servedState(of: selection.container, selection.environment)
      _ = try state.schema.check(query)
      return try Self.context(of: selection, in: transaction) != nil
    }
    var records: [Record] = []
    var request = RecordsQuery.Request(
      query, zoneID: selection.zone.map { ZoneID($0) }, zoneWide: true)
    while isThere, records.count < limit {
      request.resultsLimit = limit - records.count
      let response = try await self.query(request, at: selection.address, by: selection.caller)
      records += response.records.compactMap(\.record).map { record in
        var record = record
        record.fields = record.fields.mapValues(\.withoutURL)
        if !selection.showsEncrypted {
          record.fields = record.fields.mapValues { $0.isEncrypted ? .sealed : $0 }
        }
        return record
      }
      request.continuationMarker = response.continuationMarker
      if response.continuationMarker == nil { break }
    }
    return Array(records.prefix(limit))
  }

  /// Returns the number of records in all databases of a container's environment, without
  /// tombstones.
  public func recordCount(
    in container: ContainerID, _ environment: ContainerEnvironment
  ) async throws(ServiceError) -> Int {
    try await read { try $0.recordCount(in: container, environment) }
  }

  // MARK: Helpers

  /// Returns the context of a database.
  ///
  /// - Returns: nil if nothing was stored in the database yet.
  private static func context(
    of selection: RecordSelection, in transaction: SQLTransaction
  ) throws -> RequestContext? {
    let state = try transaction.servedState(of: selection.container, selection.environment)
    let account = selection.account?.id ?? 0
    guard let owner = try transaction.owner(of: selection.address, account: account) else {
      guard selection.zone ?? ZoneID.defaultName == ZoneID.defaultName else {
        throw ServiceError(.zoneNotFound, cause: .zoneNotFound)
      }
      return nil
    }
    return RequestContext(
      address: selection.address, caller: selection.caller, state: state, owner: owner)
  }

  private static func zones(
    of selection: RecordSelection, _ context: RequestContext, _ transaction: SQLTransaction
  ) throws -> [ZoneRow] {
    guard let zone = selection.zone else {
      return try transaction.liveZones(of: context.owner.id).sorted { $0.name < $1.name }
    }
    return [try context.zone(ZoneID(zone), in: transaction)]
  }

  /// Returns the next page of records and tombstones of a zone; only records if there is a type.
  private static func page(
    of type: String?, in scope: Scope, after last: RecordRow?, _ transaction: SQLTransaction
  ) throws -> [RecordRow] {
    let limit = Limits.pageRecords
    let bytes = Limits.pageBytes
    guard let type else {
      return try transaction.changes(
        in: scope, after: last?.number ?? 0, limit: limit, bytes: bytes)
    }
    return try transaction.records(
      of: type, in: scope, after: last?.name ?? "", limit: limit, bytes: bytes)
  }

  /// Returns a record as the operator sees it. Encrypted fields that are not shown are not
  /// decrypted either: if the record has any, each field that the schema declares encrypted is
  /// shown as sealed, even one without a value.
  private func record(
    _ row: RecordRow, in scope: Scope, _ context: RequestContext, _ showsEncrypted: Bool
  ) throws -> Record {
    var fields: [String: Field]
    if showsEncrypted {
      fields = try signer.sealer.fields(of: row, in: scope)
    } else {
      fields = try CanonicalJSON.decode(row.content)
      if row.sealed != nil {
        for (name, definition) in context.state.schema[row.type]?.fields ?? [:]
        where definition.type.isEncrypted {
          fields[name] = .sealed
        }
      }
    }
    return RecordValues(row: row, fields: fields).record(in: context.zoneID(scope.zoneName))
  }
}
