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

  /// A record that is going to be saved. Its new sequence number is not known yet.
  struct Candidate {
    /// The index of the operation; -1 for a record as it was before the batch.
    let operation: Int
    var row: RecordRow
    var fields: [String: Field]
    /// The DELETE_SELF and VALIDATE references of the record.
    var references: [ConstrainedReference] = []
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
  /// The new usage of each account whose usage changes.
  private(set) var usages: [Int64: Usage] = [:]
  /// The names of the records that get new assets.
  private(set) var claims: [AssetID: String] = [:]
  /// The total size of the records in the response, in bytes.
  private var answerBytes = 0
  /// What the operations used of the schema; nil if it is not recorded.
  private var schemaUsage: SchemaUsage?

  init(_ batch: RecordBatch) {
    self.batch = batch
    context = batch.context
    schemaUsage = batch.schemaUsage
  }

  /// Carries out one operation.
  ///
  /// - Parameter index: the index of the operation in the batch.
  /// - Throws: the reason why the operation fails. The pass may then be partially changed, so call
  ///   this on a copy.
  mutating func carryOut(_ index: Int) throws {
    let operation = batch.operations[index]
    let name = batch.names[index]
    try operation.check(user: context.caller?.userRecordName)
    let current = try current(name)
    switch operation.operationType {
    case .create:
      try create(index, name, current)
    case .update, .replace:
      guard let current, isVisible(current.row) else {
        throw ServiceError(.notFound, cause: .recordNotFound)
      }
      recordUse(of: .read, for: current.row)
      try change(index, current)
    case .forceUpdate, .forceReplace:
      // A caller that can neither read nor write the existing record gets the errors of a creation.
      // EXISTS reveals that the name is in use, so the caller must have the permission to create
      // records of the type to get it.
      if let current, isVisible(current.row) || isWritable(current.row) {
        try change(index, current)
      } else {
        try create(index, name, current)
      }
    case .delete, .forceDelete:
      try delete(index, name, current)
    }
  }

  // MARK: State of records

  /// The record after the operations so far, with its fields; nil if it does not exist.
  private func current(_ name: String) throws -> Candidate? {
    switch changes[name] {
    case .saved(let candidate): return candidate
    case .deleted: return nil
    case nil:
      guard let row = try batch.records.live(name) else { return nil }
      var candidate = Candidate(operation: -1, row: row, fields: try batch.records.fields(of: row))
      candidate.references = candidate.values.references
      return candidate
    }
  }

  /// Whether the record exists after the operations so far.
  private func exists(_ name: String) throws -> Bool {
    switch changes[name] {
    case .saved: true
    case .deleted: false
    case nil: try batch.records.live(name) != nil
    }
  }

  /// The references to a record after the operations so far.
  private func references(
    to target: String, _ action: ConstrainedReference.Action
  ) throws -> [ConstrainedReference] {
    let before = try batch.records.references(to: target, action, despite: changes.count)
      .filter { changes[$0.source] == nil }
    return before + (savedReferences[target] ?? [:]).values.joined().filter { $0.action == action }
  }

  /// Whether the caller may know that the record exists.
  private func isVisible(_ row: RecordRow) -> Bool {
    context.allows(.read, type: row.type, creator: row.creator)
  }

  /// Whether the caller may change the record.
  private func isWritable(_ row: RecordRow) -> Bool {
    context.allows(.write, type: row.type, creator: row.creator)
  }

  /// Adds the permission for a record to what is used of the schema.
  private mutating func recordUse(of permission: Permission, for row: RecordRow) {
    schemaUsage?.add(permission, ofType: row.type, creator: row.creator, in: context)
  }

  // MARK: Saving

  /// Carries out a create operation, or a forced one on a record that does not exist.
  private mutating func create(
    _ index: Int, _ name: String, _ current: Candidate?
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
    // EXISTS, as in the error table of Apple's CloudKit Web Services Reference, which has CONFLICT only
    // for a change tag that has expired. The native framework makes serverRecordChanged of both.
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
  private mutating func change(_ index: Int, _ current: Candidate) throws {
    let operation = batch.operations[index]
    var draft = operation.record
    guard context.allows(.write, type: current.row.type, creator: current.row.creator) else {
      throw ServiceError(.accessDenied, cause: .notPermitted(.write))
    }
    guard draft.recordType == nil || draft.recordType == current.row.type else {
      throw ServiceError(.badRequest, cause: .otherType(current.row.type))
    }
    if operation.operationType.needsChangeTag, draft.recordChangeTag != current.row.tag {
      throw ServiceError(.conflict, cause: .staleTag)
    }
    draft.recordType = current.row.type
    try grow(toFit: &draft)
    draft = try context.state.schema.check(draft)
    recordUse(of: .write, for: current.row)
    schemaUsage?.add(
      fields: draft.fields.keys, ofType: current.row.type, in: context.state.schema)
    var candidate = Candidate(operation: index, row: current.row, fields: draft.fields)
    switch operation.operationType {
    case .update, .forceUpdate:
      candidate.fields = current.fields.merging(draft.fields) { $1 }
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
    context.state = context.state.with(try context.state.schema.adding(typesAndFieldsOf: draft))
  }

  /// Checks the limits and adds the record to the changes of the pass.
  private mutating func save(_ candidate: Candidate, before: Candidate?) throws {
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
    answerBytes += try answerBytes(for: candidate, bytes)
    guard answerBytes <= RecordBatch.answerBytes else {
      throw ServiceError(.limitExceeded, cause: .answerTooLarge)
    }
    try charge(candidate.row, before: before?.row)
    guard savedReferenceCount + candidate.references.count <= RecordBatch.referenceLimit else {
      throw ServiceError(
        .limitExceeded, cause: .tooManyReferences(limit: RecordBatch.referenceLimit))
    }
    try checkSources(of: candidate, before: before)
    note(name, .saved(candidate))
  }

  /// As many records of this size in bytes as a request can have are not too long for an answer: a
  /// reference, which JSON makes longest, has less than 64 times as many as `RecordSize` counts.
  private static let surelyShort = RecordBatch.answerBytes / (64 * Limits.operations)

  /// Returns the size of a record in an answer, in bytes.
  ///
  /// - Parameter bytes: the size as `RecordSize` computes it.
  /// - Throws: a `ServiceError` if the record's JSON has more than `Limits.pageBytes`.
  private func answerBytes(for candidate: Candidate, _ bytes: Int) throws -> Int {
    guard bytes > Self.surelyShort else { return bytes }
    let stored = try CanonicalJSON.encode(candidate.fields).count
    guard stored <= Limits.pageBytes else {
      throw ServiceError(.badRequest, cause: .recordJSONTooLarge(bytes: stored))
    }
    return max(bytes, stored)
  }

  /// Checks reference targets and the parent.
  private func check(_ candidate: Candidate) throws {
    for (field, content) in candidate.fields {
      guard let value = content.value else { continue }
      for reference in value.references where reference.action != .noAction {
        let zone = reference.zoneID
        guard zone.map({ $0.zoneName == batch.scope.zoneName }) ?? true,
          context.isOwn(zone?.ownerRecordName)
        else { throw ServiceError(.badRequest, cause: .otherZone(field: field)) }
        guard Self.isPossible(reference.recordName) else {
          throw ServiceError(.badRequest, cause: .impossibleTarget(field: field))
        }
      }
    }
    guard candidate.row.parent.map(Self.isPossible) ?? true else {
      throw ServiceError(.badRequest, cause: .impossibleParent)
    }
  }

  /// Checks that a record has the fields that the schema marks as required, the first one by name.
  private func checkRequiredFields(_ candidate: Candidate) throws {
    let type = candidate.row.type
    let missing = (context.state.schema[type]?.fields ?? [:])
      .filter { $0.value.isRequired && candidate.fields[$0.key] == nil }.keys.min()
    if let missing {
      throw ServiceError(.badRequest, cause: .missingField(missing, type: type))
    }
  }

  /// Whether a record can have this name. User records, whose names begin with `_`, are included.
  private static func isPossible(_ name: String) -> Bool {
    (1...Limits.recordNameLength).contains(name.utf8.count)
      && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Adds a saved record to the usage of the account that pays for it.
  ///
  /// - Throws: QUOTA_EXCEEDED if the usage grows and exceeds the quota.
  private mutating func charge(_ row: RecordRow, before: RecordRow?) throws {
    let account = context.payer(of: row)
    let usage = try usages[account] ?? batch.records.usage(of: account)
    var after = usage
    after.bytes += row.bytes - (before?.bytes ?? 0)
    after.records += before == nil ? 1 : 0
    guard
      after.bytes <= max(batch.quota.bytes, usage.bytes),
      after.records <= max(batch.quota.records, usage.records)
    else { throw ServiceError(.quotaExceeded, cause: .quotaExceeded) }
    usages[account] = after
  }

  /// Gives an asset to a record.
  ///
  /// - Returns: false if the batch has given it to another one.
  mutating func claim(_ asset: AssetID, for name: String) -> Bool {
    if claims[asset] == nil { claims[asset] = name }
    return claims[asset] == name
  }

  /// Moves the bytes of an asset from the usage of the account that uploaded it to that of the
  /// account that pays for the record.
  ///
  /// - Throws: QUOTA_EXCEEDED if the latter exceeds the quota.
  mutating func move(_ bytes: Int, from account: Int64, to payer: Int64) throws {
    guard account != payer else { return }
    var former = try usages[account] ?? batch.records.usage(of: account)
    var latter = try usages[payer] ?? batch.records.usage(of: payer)
    former.bytes -= bytes
    latter.bytes += bytes
    guard latter.bytes <= batch.quota.bytes else {
      throw ServiceError(.quotaExceeded, cause: .quotaExceeded)
    }
    usages[account] = former
    usages[payer] = latter
  }

  /// Checks how many records refer to each new DELETE_SELF target.
  private func checkSources(of candidate: Candidate, before: Candidate?) throws {
    let targets = candidate.targets(of: .deleteSelf).subtracting(
      before?.targets(of: .deleteSelf) ?? [])
    for target in targets {
      var sources = Set(try references(to: target, .deleteSelf).map(\.source))
      sources.remove(candidate.row.name)
      guard sources.count < Limits.cascade else {
        throw ServiceError(
          .limitExceeded, cause: .tooManyHolders(of: target, limit: Limits.cascade))
      }
    }
  }

  /// Records the new state of a record, and updates the references in `savedReferences`.
  private mutating func note(_ name: String, _ change: Change) {
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
  private mutating func delete(_ index: Int, _ name: String, _ current: Candidate?) throws {
    let operation = batch.operations[index]
    // A record that the caller may not know of is answered as one that does not exist.
    guard let current, isVisible(current.row) else {
      // A cascade of another operation in this batch has already deleted the record.
      if case .deleted = changes[name] { return }
      guard operation.operationType == .forceDelete else {
        throw ServiceError(.notFound, cause: .recordNotFound)
      }
      return
    }
    guard context.allows(.write, type: current.row.type, creator: current.row.creator) else {
      throw ServiceError(.accessDenied, cause: .notPermitted(.write))
    }
    if operation.operationType.needsChangeTag,
      operation.record.recordChangeTag != current.row.tag
    {
      throw ServiceError(.conflict, cause: .staleTag)
    }
    recordUse(of: .read, for: current.row)
    recordUse(of: .write, for: current.row)
    try cascade(from: current.row, by: index)
  }

  /// Deletes a record and, transitively, the records with DELETE_SELF references to it.
  private mutating func cascade(from row: RecordRow, by index: Int) throws {
    var waiting = [row]
    var count = 0
    while let row = waiting.popLast() {
      // The record may have been reached by another path, or by a cycle.
      guard try exists(row.name) else { continue }
      guard count <= Limits.cascade else {
        throw ServiceError(.limitExceeded, cause: .cascadeTooLarge(limit: Limits.cascade))
      }
      guard deletionCount < RecordBatch.deletionLimit else {
        throw ServiceError(
          .limitExceeded, cause: .tooManyDeletions(limit: RecordBatch.deletionLimit))
      }
      count += 1
      deletionCount += 1
      let account = context.payer(of: row)
      var usage = try usages[account] ?? batch.records.usage(of: account)
      usage.bytes -= row.bytes
      usage.records -= 1
      usages[account] = usage
      let references = try references(to: row.name, .deleteSelf)
      note(row.name, .deleted(by: index))
      for reference in references {
        if let source = try current(reference.source) { waiting.append(source.row) }
      }
    }
  }

  // MARK: Checking

  /// Finds the operations that leave a VALIDATE reference without a target, each with its error.
  ///
  /// The operation that deletes the target is at fault or, if there is none, the one that saves the
  /// reference. If the batch has both, the later one is at fault.
  func violations() throws -> [Int: ServiceError] {
    var deleting: [Int: ServiceError] = [:]
    var saving: [Int: ServiceError] = [:]
    func fault(_ reference: ConstrainedReference) -> ServiceError {
      ServiceError(
        .validatingReferenceError,
        cause: .validatingReference(
          field: reference.field, recordName: reference.target))
    }
    for name in order {
      switch changes[name] {
      case .deleted(let by) where deleting[by] == nil:
        for reference in try references(to: name, .validate) {
          guard case .saved(let source) = changes[reference.source], source.operation > by else {
            deleting[by] = fault(reference)
            break
          }
          saving[source.operation] = fault(reference)
        }
      case .saved(let candidate):
        for reference in candidate.references
        where reference.action == .validate && changes[reference.target] == nil {
          if try !isTarget(reference) { saving[candidate.operation] = fault(reference) }
        }
      case .deleted, nil: break
      }
    }
    // If a deletion is going to be rejected, saved references that lost their target by it may be
    // valid, so only a later pass reports them.
    return deleting.isEmpty ? saving : deleting
  }
}

extension BatchPass {
  /// What the operations used of the schema, with the types of the records in the zone to which the
  /// saved records refer; nil if it is not recorded.
  func schemaUsageWithTargets() throws -> SchemaUsage? {
    guard var usage = schemaUsage else { return nil }
    for case .saved(let candidate) in changes.values {
      for reference in candidate.fields.values.flatMap({ $0.value?.references ?? [] })
      where reference.zoneID.map({ $0.zoneName == batch.scope.zoneName }) ?? true {
        guard let target = try current(reference.recordName)?.row else { continue }
        usage.add(targetType: target.type)
        // The caller has to be allowed to read a target that was there before; see `isTarget`.
        if reference.action == .validate, changes[reference.recordName] == nil {
          usage.add(.read, ofType: target.type, creator: target.creator, in: context)
        }
      }
    }
    return usage
  }

  /// Whether the target of a VALIDATE reference exists. A target that the caller may not read
  /// counts as missing, unless the record already had the reference before the batch.
  private func isTarget(_ reference: ConstrainedReference) throws -> Bool {
    guard let row = try batch.records.live(reference.target) else { return false }
    guard !isVisible(row), let source = try batch.records.live(reference.source) else {
      return isVisible(row)
    }
    return try RecordValues(row: source, fields: batch.records.fields(of: source)).references
      .contains(reference)
  }
}

extension BatchPass.Candidate {
  /// The record as queries, indexes and subscriptions see it.
  var values: RecordValues { RecordValues(row: row, fields: fields) }

  /// The names of the targets of the record's references with this action.
  func targets(of action: ConstrainedReference.Action) -> Set<String> {
    Set(references.filter { $0.action == action }.map(\.target))
  }
}

extension RequestContext {
  /// The account that is charged for a record: its creator in a public database, otherwise the
  /// caller.
  func payer(of row: RecordRow) -> Int64 { row.creator ?? caller?.account ?? 0 }
}

extension EnvironmentState {
  /// Returns the state with a schema that is not saved yet.
  func with(_ schema: Schema) -> EnvironmentState {
    EnvironmentState(
      container: container, environment: environment, schema: schema, version: version,
      epoch: epoch, hasDefaultZoneFeed: hasDefaultZoneFeed, fieldIDs: fieldIDs)
  }
}
