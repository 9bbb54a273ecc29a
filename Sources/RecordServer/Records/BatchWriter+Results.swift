import CloudRecords

extension BatchWriter {
  /// Returns a closure that makes the results of the operations, in their order. Making them can
  /// take as long as the batch itself, so this is done after the commit, when others can write
  /// again. The closure does not hold the transaction.
  ///
  /// It throws a `StorageFailure` if a record is damaged, as a record that was just encoded never
  /// is.
  func results(
    signer: TokenSigner, desiredKeys: [String]?
  ) -> @Sendable () throws -> [RecordResult] {
    // The context with the schema to which the batch has added types.
    let context = outcome.pass.context
    let zoneID = batch.context.recordZoneID(batch.scope.zoneName)
    let operations = batch.operations
    let names = batch.names
    let failures = outcome.failures
    let saved = saved
    let keys = desiredKeys.map { Set($0) }
    let links = batch.context.assetLinks(signer, at: batch.now)
    return {
      try operations.indices.map { index in
        let operation = operations[index]
        let name = names[index]
        if let failure = failures[index] { return .failure(failure.with(recordName: name)) }
        guard let values = saved[name], !operation.operationType.isDeletion else {
          return .tombstone(Tombstone(name, zoneID: zoneID))
        }
        let keys = operation.desiredKeys.map { Set($0) } ?? keys
        // A caller that may write the record but not read it gets only what it sent.
        guard context.allows(.read, values.row.heading) else {
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
}
