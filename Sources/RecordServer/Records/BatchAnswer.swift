import CloudRecords

/// The data from which the response to a batch is made. Making the response can take as long as the
/// batch itself, so this is done after the commit, when others can write again.
struct BatchAnswer: Sendable {
  /// The context with the schema to which the batch has added types.
  private let context: RequestContext
  private let zoneID: ZoneID?
  private let operations: [RecordsModify.Operation]
  private let names: [String]
  private let failures: [Int: ServiceError]
  /// The saved records, by name.
  private let saved: [String: RecordValues]
  private let desiredKeys: [String]?
  private let links: AssetLinks

  init(_ writer: BatchWriter, signer: TokenSigner, desiredKeys: [String]?) {
    let batch = writer.batch
    context = writer.outcome.pass.context
    zoneID = batch.context.recordZoneID(batch.scope.zoneName)
    operations = batch.operations
    names = batch.names
    failures = writer.outcome.failures
    saved = writer.saved
    self.desiredKeys = desiredKeys
    links = batch.context.assetLinks(signer, at: batch.now)
  }

  /// The results of the operations, in their order.
  ///
  /// - Throws: a `StorageFailure` if a record is damaged, as a record that was just encoded never
  ///   is.
  func results() throws -> [RecordResult] {
    let keys = desiredKeys.map { Set($0) }
    return try operations.indices.map { index in
      let operation = operations[index]
      let name = names[index]
      if let failure = failures[index] { return .failure(failure.with(recordName: name)) }
      guard let values = saved[name], !operation.operationType.isDeletion else {
        return .tombstone(Tombstone(name, zoneID: zoneID))
      }
      let keys = operation.desiredKeys.map { Set($0) } ?? keys
      // A caller that may write the record but not read it gets only what it sent.
      guard context.allows(.read, type: values.row.type, creator: values.row.creator) else {
        var said = values.record(in: zoneID).selecting(keys)
          .selecting(Set(operation.record.fields.keys))
        said.parent = operation.record.parent
        said.created = nil
        return .record(said)
      }
      return .record(
        try values.row.record(in: zoneID, selecting: keys, links, fields: values.fields))
    }
  }
}
