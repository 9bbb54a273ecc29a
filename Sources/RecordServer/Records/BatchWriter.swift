import CloudRecords

/// Writes the outcome of a batch to storage.
struct BatchWriter {
  let batch: RecordBatch
  let outcome: RecordBatch.Outcome
  /// The history of the zone before the batch.
  let history: History
  let markSource: MarkSource
  /// The saved records, by name.
  private(set) var saved: [String: RecordValues] = [:]
  /// The changes for which subscriptions are evaluated.
  private(set) var changes: [RecordChange] = []
  /// Whether records no longer hold assets that they held before. Those assets can be deleted now.
  private(set) var hasUnusedAssets = false

  /// Writes the schema, the records, their assets, the history and the storage usage of accounts.
  ///
  /// - Parameter firstNumber: the first of the sequence numbers allotted to the batch, one for each
  ///   operation. If cascades delete so many records that these numbers do not suffice, more are
  ///   allotted.
  /// - Returns: the newest change tag of the zone, and the reindexing job that must run after the
  ///   commit, if any.
  mutating func write(
    to transaction: SQLWriteTransaction, from firstNumber: Int64
  ) throws -> (newest: ChangeTag, job: JobRow?) {
    let scope = batch.scope
    let before = batch.context.state
    var state = outcome.pass.context.state
    var job: JobRow?
    if state.schema != before.schema {
      (state, job) = try transaction.replace(
        before.schema, by: state.schema, of: state.container, state.environment)
    }
    let end = firstNumber + Int64(batch.operations.count)
    var numbers = Array(firstNumber..<end)
    let more = outcome.pass.order.count - numbers.count
    if more > 0 {
      let first = try transaction.allotNumbers(more, after: end - 1, in: scope)
      numbers += first..<first + Int64(more)
    }
    var rows: [RecordRow] = []
    for (name, number) in zip(outcome.pass.order, numbers) {
      if let row = try row(of: name, number) { rows.append(row) }
    }
    let mark = markSource.mark(after: history.newest.mark) { content in
      for row in rows { content.add(row) }
    }
    let records = try rows.map { row in
      var row = row
      row.mark = mark
      return try collect(row, state)
    }
    try transaction.save(records, in: scope)
    try saveAssets(to: transaction)
    let newest = ChangeTag(number: numbers.last ?? firstNumber, mark: mark)
    try transaction.advance(scope, to: newest, markSource)
    for (account, usage) in outcome.pass.usage.changed.sorted(by: { $0.key < $1.key }) {
      let before = try batch.records.usage(of: account)
      guard usage != before else { continue }
      try transaction.charge(
        Usage(bytes: usage.bytes - before.bytes, records: usage.records - before.records),
        to: account, in: scope.owner)
    }
    return (newest, job)
  }

  /// Saves which assets the changed records hold.
  private mutating func saveAssets(to transaction: SQLWriteTransaction) throws {
    for change in changes {
      let row = change.values.row
      let before = try formerAssets(of: row.name)
      let after = change.event == .delete ? [] : change.values.fields.assetIDs
      guard before != after else { continue }
      let isAnyUnused = try saveAssets(
        of: row.name, before: before, after: after, payer: batch.context.payer(of: row),
        to: transaction)
      hasUnusedAssets = hasUnusedAssets || isAnyUnused
    }
  }

  /// The assets that a record held before the batch.
  private func formerAssets(of name: String) throws -> Set<AssetID> {
    guard let before = try batch.records.existingRecord(name), before.mayHaveAssets else {
      return []
    }
    return try batch.records.fields(of: before).assetIDs
  }

  /// The row of a changed record, without its mark; nil if there is nothing to write.
  private func row(of name: String, _ number: Int64) throws -> RecordRow? {
    switch outcome.pass.changes[name] {
    case .saved(let candidate):
      var row = candidate.row
      row.number = number
      return row
    case .deleted:
      // The batch created the record and deleted it again: it leaves no tombstone.
      guard let before = try batch.records.existingRecord(name) else { return nil }
      return RecordRow(
        name: name, type: before.type, number: number, isDeleted: true,
        createdAt: before.createdAt, createdBy: before.createdBy, modifiedAt: batch.now,
        modifiedBy: batch.context.caller?.userRecordName ?? "", deletedVersion: before.version)
    case nil: return nil
    }
  }

  /// Adds a changed record to `changes` and, unless it was deleted, to `saved`. Returns the record
  /// with its index entries and references, as it is to be written.
  private mutating func collect(
    _ row: RecordRow, _ state: EnvironmentState
  ) throws -> IndexedRecord {
    let before = try batch.records.existingRecord(row.name)
    guard case .saved(let candidate) = outcome.pass.changes[row.name] else {
      if let before {
        let values = RecordValues(row: before, fields: try batch.records.fields(of: before))
        changes.append(RecordChange(event: .delete, values: values))
      }
      return IndexedRecord(row: row, entries: [], references: [])
    }
    let values = RecordValues(row: row, fields: candidate.fields)
    saved[row.name] = values
    changes.append(RecordChange(event: before == nil ? .create : .update, values: values))
    let entries = state.schema[row.type].map {
      values.entries(of: $0, ids: state.fieldIDs[row.type] ?? [:])
    }
    return IndexedRecord(row: row, entries: entries ?? [], references: candidate.references)
  }
}

extension RecordBatch.Outcome {
  /// Whether there is something to write.
  var hasChanges: Bool {
    !(pass.batch.isAtomic && !failures.isEmpty) && !pass.order.isEmpty
  }
}
