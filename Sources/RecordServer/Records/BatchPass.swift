import CloudRecords

/// Carries out the operations of a batch one after another in memory.
///
/// A pass knows the state of each record after the operations. Whether a VALIDATE reference has
/// lost its target is known only after the last operation: `violations` finds those references, and
/// the batch then makes another pass without the operations that caused them.
struct BatchPass {
  /// The new state of a record.
  enum Change {
    /// Created or changed.
    case saved(Candidate)
    /// Deleted by the operation with this index, directly or by a cascade.
    case deleted(by: Int)
  }

  let batch: RecordBatch
  /// The context with a schema that grows in the development environment.
  private(set) var context: RequestContext
  /// The new states, by record name.
  private(set) var changes: [String: Change] = [:]
  /// The names of the changed records, in the order of their last changes.
  private(set) var order: [String] = []
  /// The DELETE_SELF and VALIDATE references of saved records, by target and then by source.
  private var savedReferences: [String: [String: [ConstrainedReference]]] = [:]
  /// The number of references in `savedReferences`.
  private var savedReferenceCount = 0
  /// The number of deletions so far, including cascades.
  private var deletionCount = 0
  /// The usage of the accounts that pay for the records.
  var usage: BatchUsage
  /// The names of the records that get new assets.
  private(set) var claims: [AssetID: String] = [:]
  /// The total size of the records in the response, in bytes.
  private(set) var responseBytes = 0
  /// What the operations used of the schema; nil if it is not recorded.
  private(set) var schemaUsage: SchemaUsage?

  init(_ batch: RecordBatch) {
    self.batch = batch
    context = batch.context
    usage = BatchUsage(of: batch.records, quota: batch.quota)
    schemaUsage = batch.schemaUsage
  }

  /// Carries out one operation.
  ///
  /// - Parameter index: the index of the operation in the batch.
  /// - Throws: the reason why the operation fails. The pass may then be partially changed, so call
  ///   this on a copy.
  mutating func carryOut(_ index: Int) throws {
    try batch.records.checkCost()
    let operation = batch.operations[index]
    let name = batch.names[index]
    try operation.check(user: context.caller?.userRecordName)
    let current = try current(name)
    switch operation.operationType {
    case .create:
      try create(index, name, current)
    case .update, .replace:
      guard let current, isVisible(current.heading) else {
        throw ServiceError(.notFound, cause: .recordNotFound)
      }
      recordUse(of: .read, for: current)
      try change(index, current)
    case .forceUpdate, .forceReplace:
      // A caller that can neither read nor write the existing record gets the errors of a creation.
      // EXISTS reveals that the name is in use, so the caller must have the permission to create
      // records of the type to get it.
      if let current, isVisible(current.heading) || context.allows(.write, current.heading) {
        try change(index, current)
      } else {
        try create(index, name, current)
      }
    case .delete, .forceDelete:
      try delete(index, name, current)
    }
  }

  // MARK: State of records

  /// The record after the operations so far; nil if it does not exist.
  func current(_ name: String) throws -> RecordRow? {
    switch changes[name] {
    case .saved(let candidate): candidate.row
    case .deleted: nil
    case nil: try batch.records.existingRecord(name)
    }
  }

  /// The type and creator of a record after the operations so far; nil if the record does not
  /// exist.
  func heading(_ name: String) throws -> RecordHeading? {
    switch changes[name] {
    case .saved(let candidate): candidate.row.heading
    case .deleted: nil
    case nil: try batch.records.heading(name, for: context.caller?.account)
    }
  }

  /// The fields of a record after the operations so far. The stored fields are decoded only when
  /// they are needed: for most operations they are not, and decoding takes much of their time.
  func fields(of current: RecordRow) throws -> [String: Field] {
    if case .saved(let candidate) = changes[current.name] { return candidate.fields }
    return try batch.records.fields(of: current)
  }

  /// The references to a record after the operations so far.
  func references(
    to target: String, _ action: ConstrainedReference.Action
  ) throws -> [ConstrainedReference] {
    let before = try batch.records.references(to: target, action, despite: changes.count)
      .filter { changes[$0.source] == nil }
    return before + (savedReferences[target] ?? [:]).values.joined().filter { $0.action == action }
  }

  /// Whether the caller may know that the record exists.
  func isVisible(_ record: RecordHeading) -> Bool { context.allows(.read, record) }

  /// Adds the permission for a record to what is used of the schema.
  private mutating func recordUse(of permission: Permission, for row: RecordRow) {
    schemaUsage?.add(permission, ofType: row.type, creator: row.creator, in: context)
  }

  // MARK: Saving

  /// Carries out a create operation, or a forced one on a record that does not exist or that the
  /// caller can neither read nor write.
  private mutating func create(
    _ index: Int, _ name: String, _ current: RecordRow?
  ) throws {
    var draft = batch.operations[index].record
    guard let type = draft.recordType else {
      throw ServiceError(.badRequest, cause: .missingRecordType)
    }
    try grow(toFit: &draft)
    // Report an unknown type as such, not as a type without grants.
    if context.state.schema[type] == nil { _ = try context.state.schema.check(draft) }
    guard context.allows(.create, type: type, creator: nil) else {
      throw ServiceError(.accessDenied, cause: .notPermitted(.create))
    }
    // EXISTS, as in the error table of Apple's CloudKit Web Services Reference, which has CONFLICT
    // only for a change tag that has expired. The native framework makes serverRecordChanged of
    // both.
    guard current == nil else { throw ServiceError(.exists, cause: .recordExists) }
    draft = try context.state.schema.check(draft)
    schemaUsage?.add(.create, ofType: type, creator: nil, in: context)
    schemaUsage?.add(fields: draft.fields.keys, ofType: type, in: context.state.schema)
    let user = context.caller?.userRecordName ?? ""
    let row = RecordRow(
      name: name, type: type, number: 0, createdAt: batch.now, createdBy: user,
      modifiedAt: batch.now, modifiedBy: user,
      creator: context.isPublic ? context.caller?.account : nil, parent: draft.parent?.recordName)
    try save(Candidate(operation: index, row: row, fields: draft.fields), before: nil)
  }

  /// Carries out an update or replace operation on an existing record.
  private mutating func change(_ index: Int, _ current: RecordRow) throws {
    let operation = batch.operations[index]
    var draft = operation.record
    guard context.allows(.write, current.heading) else {
      throw ServiceError(.accessDenied, cause: .notPermitted(.write))
    }
    guard draft.recordType == nil || draft.recordType == current.type else {
      throw ServiceError(.badRequest, cause: .otherType(current.type))
    }
    if operation.operationType.needsChangeTag, draft.recordChangeTag != current.tag {
      throw ServiceError(.conflict, cause: .staleTag)
    }
    draft.recordType = current.type
    try grow(toFit: &draft)
    draft = try context.state.schema.check(draft)
    recordUse(of: .write, for: current)
    schemaUsage?.add(fields: draft.fields.keys, ofType: current.type, in: context.state.schema)
    var candidate = Candidate(operation: index, row: current, fields: draft.fields)
    switch operation.operationType {
    case .update, .forceUpdate:
      candidate.fields = try fields(of: current).merging(draft.fields) { $1 }
      if let parent = draft.parent { candidate.row.parent = parent.recordName }
    default: candidate.row.parent = draft.parent?.recordName
    }
    candidate.row.modifiedAt = batch.now
    candidate.row.modifiedBy = context.caller?.userRecordName ?? ""
    try save(candidate, before: current)
  }

  /// Adds the types and fields that a record needs to the schema of the development environment.
  private mutating func grow(toFit draft: inout RecordInput) throws {
    guard context.address.environment == .development else { return }
    let known = draft.recordType.flatMap { context.state.schema[$0] }
    let unknown = draft.fields.filter { known?.fields[$0.key] == nil }
    // Clearing a field that is not in the schema changes nothing.
    for (field, content) in unknown where content.content == .null {
      draft.fields[field] = nil
    }
    guard known == nil || unknown.contains(where: { $0.value.content != .null }) else { return }
    context.state.schema = try context.state.schema.adding(typesAndFieldsOf: draft)
  }

  /// Checks the limits and adds the record to the changes of the pass.
  private mutating func save(_ candidate: Candidate, before: RecordRow?) throws {
    var candidate = candidate
    candidate.fields = candidate.fields.filter { $0.value.content != .null }
    try check(candidate)
    try admitAssets(of: &candidate, before: before)
    if batch.isStrictAboutRequiredFields { try checkRequiredFields(candidate) }
    let name = candidate.row.name
    let bytes = RecordSize.bytes(of: candidate.values.record(in: .default))
    guard bytes <= Limits.recordBytes else {
      throw ServiceError(.badRequest, cause: .recordTooLarge(bytes: bytes))
    }
    candidate.row.bytes = bytes
    candidate.references = candidate.values.references
    try batch.records.signer.sealer.put(candidate.fields, into: &candidate.row, in: batch.scope)
    let storedBytes = candidate.row.storedBytes
    guard storedBytes <= Limits.pageBytes else {
      throw ServiceError(.badRequest, cause: .recordJSONTooLarge(bytes: storedBytes))
    }
    batch.records.addEncoded(candidate.fields, candidate.row)
    responseBytes += max(bytes, storedBytes)
    guard responseBytes <= batch.responseLimit else {
      throw ServiceError(.limitExceeded, cause: .responseTooLarge)
    }
    try usage.charge(
      candidate.row, before: before, to: context.payer(of: candidate.row))
    guard savedReferenceCount + candidate.references.count <= RecordBatch.referenceLimit else {
      throw ServiceError(
        .limitExceeded, cause: .tooManyReferences(limit: RecordBatch.referenceLimit))
    }
    try checkSources(of: candidate, before: before)
    setState(of: name, .saved(candidate))
  }

  /// Gives an asset to a record.
  ///
  /// - Returns: false if the batch has given it to another one.
  mutating func claim(_ asset: AssetID, for name: String) -> Bool {
    if claims[asset] == nil { claims[asset] = name }
    return claims[asset] == name
  }

  /// Stores the new state of a record, and updates the references in `savedReferences`.
  private mutating func setState(of name: String, _ change: Change) {
    if let former = changes.updateValue(change, forKey: name) {
      order.removeAll { $0 == name }
      if case .saved(let candidate) = former {
        for reference in candidate.references { savedReferences[reference.target]?[name] = nil }
        savedReferenceCount -= candidate.references.count
      }
    }
    order.append(name)
    guard case .saved(let candidate) = change else { return }
    for reference in candidate.references {
      savedReferences[reference.target, default: [:]][name, default: []].append(reference)
    }
    savedReferenceCount += candidate.references.count
  }

  // MARK: Deleting

  /// Carries out a delete operation.
  private mutating func delete(_ index: Int, _ name: String, _ current: RecordRow?) throws {
    let operation = batch.operations[index]
    // A record that the caller may not know of is answered as one that does not exist.
    guard let current, isVisible(current.heading) else {
      // A cascade of another operation in this batch has already deleted the record.
      if case .deleted = changes[name] { return }
      guard operation.operationType == .forceDelete else {
        throw ServiceError(.notFound, cause: .recordNotFound)
      }
      return
    }
    guard context.allows(.write, current.heading) else {
      throw ServiceError(.accessDenied, cause: .notPermitted(.write))
    }
    if operation.operationType.needsChangeTag, operation.record.recordChangeTag != current.tag {
      throw ServiceError(.conflict, cause: .staleTag)
    }
    recordUse(of: .read, for: current)
    recordUse(of: .write, for: current)
    try cascade(from: current, by: index)
  }

  /// Deletes a record and, transitively, the records with DELETE_SELF references to it.
  private mutating func cascade(from row: RecordRow, by index: Int) throws {
    var waiting = [row]
    var count = 0
    while let row = waiting.popLast() {
      // The record may have been reached by another path, or by a cycle.
      guard try current(row.name) != nil else { continue }
      try batch.records.checkCost()
      guard count <= Limits.cascade else {
        throw ServiceError(.limitExceeded, cause: .cascadeTooLarge(limit: Limits.cascade))
      }
      guard deletionCount < RecordBatch.deletionLimit else {
        throw ServiceError(
          .limitExceeded, cause: .tooManyDeletions(limit: RecordBatch.deletionLimit))
      }
      count += 1
      deletionCount += 1
      try usage.discharge(row, from: context.payer(of: row))
      let references = try references(to: row.name, .deleteSelf)
      setState(of: row.name, .deleted(by: index))
      for reference in references {
        try batch.records.checkCost()
        if let source = try current(reference.source) { waiting.append(source) }
      }
    }
  }
}

extension RequestContext {
  /// The account that is charged for a record: its creator in a public database, otherwise the
  /// caller.
  func payer(of row: RecordRow) -> Int64 { row.creator ?? caller?.account ?? 0 }
}
