import CloudRecords

/// Writes what a batch came to, and tells it.
struct BatchWriter {
  let batch: RecordBatch
  let outcome: RecordBatch.Outcome
  let sealer: FieldSealer
  let desiredKeys: [String]?
  /// Of the zone, as it was before.
  let history: History
  let source: MarkSource
  /// The records as they were saved, by name.
  private var saved: [String: RecordValues] = [:]
  private(set) var changes: [RecordChange] = []

  init(
    batch: RecordBatch, outcome: RecordBatch.Outcome, sealer: FieldSealer, desiredKeys: [String]?,
    history: History, source: MarkSource
  ) {
    self.batch = batch
    self.outcome = outcome
    self.sealer = sealer
    self.desiredKeys = desiredKeys
    self.history = history
    self.source = source
  }

  /// - Parameter number: the first of as many as there are operations.
  /// - Returns: the newest tag of the zone, and what is left to do in other transactions.
  mutating func write(
    to transaction: any RecordWriting, from number: Int64
  ) throws -> (newest: ChangeTag, job: JobRow?) {
    let scope = batch.scope
    let before = batch.context.state
    var state = outcome.pass.context.state
    var job: JobRow?
    if state.schema != before.schema {
      let grown = state.schema.recordTypes.values.filter { type in
        before.schema[type.name]?.indexedFields.count != type.indexedFields.count
      }
      state = try transaction.save(state.schema, of: state.container, state.environment)
      // Records without the new field have their places in its order; and of a type that was
      // taken out of the schema there may still be some.
      if !grown.isEmpty {
        job = try transaction.add(
          .reindex(
            state.container, state.environment, types: grown.map(\.name).sorted(), after: 0))
      }
    }
    var numbers = Array(number..<number + Int64(batch.operations.count))
    let more = outcome.pass.order.count - numbers.count
    if more > 0 {
      let first = try transaction.numbers(more, in: scope)
      numbers += first..<first + Int64(more)
    }
    var rows: [RecordRow] = []
    for (name, number) in zip(outcome.pass.order, numbers) {
      if let row = try row(of: name, number) { rows.append(row) }
    }
    let mark = source.mark(after: history.newest.mark) { content in
      for row in rows { content.add(row) }
    }
    let records = try rows.map { row in
      var row = row
      row.mark = mark
      return try note(row, state)
    }
    try transaction.save(records, in: scope)
    let newest = ChangeTag(number: numbers.last ?? number, mark: mark)
    try transaction.advance(scope, to: newest, source)
    for (account, usage) in outcome.pass.usages.sorted(by: { $0.key < $1.key }) {
      let before = try batch.records.usage(of: account)
      guard usage != before else { continue }
      try transaction.charge(
        Usage(bytes: usage.bytes - before.bytes, records: usage.records - before.records),
        to: account, in: scope.owner)
    }
    return (newest, job)
  }

  /// The row of a changed record, without its mark; nil where there is nothing to write.
  private func row(of name: String, _ number: Int64) throws -> RecordRow? {
    switch outcome.pass.changes[name] {
    case .saved(let candidate):
      var row = candidate.row
      row.number = number
      try sealer.put(candidate.fields, into: &row, in: batch.scope)
      return row
    case .deleted:
      // Made and taken away in one batch, it has never been.
      guard let before = try batch.records.live(name) else { return nil }
      return RecordRow(
        name: name, type: before.type, number: number, isDeleted: true,
        createdAt: before.createdAt, createdBy: before.createdBy, modifiedAt: batch.now,
        modifiedBy: batch.context.caller?.userRecordName ?? "", deletedVersion: before.version)
    case nil: return nil
    }
  }

  /// Notes what becomes of a record.
  private mutating func note(
    _ row: RecordRow, _ state: EnvironmentState
  ) throws -> IndexedRecord {
    let before = try batch.records.live(row.name).map {
      RecordValues(row: $0, fields: try batch.records.fields(of: $0))
    }
    guard case .saved(let candidate) = outcome.pass.changes[row.name] else {
      changes.append(RecordChange(event: .delete, before: before, after: nil))
      return IndexedRecord(row: row, entries: [], references: [])
    }
    let values = RecordValues(row: row, fields: candidate.fields)
    saved[row.name] = values
    changes.append(
      RecordChange(event: before == nil ? .create : .update, before: before, after: values))
    let entries = state.schema[row.type].map {
      values.entries(of: $0, ids: state.fieldIDs[row.type] ?? [:])
    }
    return IndexedRecord(row: row, entries: entries ?? [], references: values.references)
  }

  /// One for each operation.
  func results() throws -> [RecordResult] {
    let zoneID = batch.context.zoneID(batch.scope.zoneName)
    let keys = desiredKeys.map { Set($0) }
    return batch.operations.indices.map { index in
      let operation = batch.operations[index]
      let name = batch.names[index]
      if let failure = outcome.failures[index] { return .failure(failure.of(record: name)) }
      guard let values = saved[name], !operation.operationType.isDeletion else {
        return .tombstone(Tombstone(name, zoneID: zoneID))
      }
      let record = values.record(in: zoneID)
        .selecting(operation.desiredKeys.map { Set($0) } ?? keys)
      // Who may write a record, but not read it, is told no more of it than they said.
      guard batch.context.allows(.read, type: values.row.type, creator: values.row.creator) else {
        var said = record.selecting(Set(operation.record.fields.keys))
        said.parent = operation.record.parent
        said.created = nil
        return .record(said)
      }
      return .record(record)
    }
  }
}

extension RecordBatch.Outcome {
  /// Whether there is something to write.
  var isChange: Bool {
    !(pass.batch.isAtomic && !failures.isEmpty) && !pass.order.isEmpty
  }
}
