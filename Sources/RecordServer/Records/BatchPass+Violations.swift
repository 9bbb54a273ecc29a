import CloudRecords

// Checks that are possible only after the last operation.
extension BatchPass {
  /// Returns an error for each operation that has to fail because a VALIDATE reference would have
  /// no target. The keys are the indices of the operations.
  ///
  /// If an operation deletes the target, that operation fails. If the target did not exist before,
  /// the operation that saves the reference fails. If the batch does both, the later operation
  /// fails.
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

  /// Returns the parts of the schema that the operations used, including the types of the records
  /// to which the saved records refer; nil if the usage of the schema is not recorded.
  func schemaUsageWithTargets() throws -> SchemaUsage? {
    guard var usage = schemaUsage else { return nil }
    for case .saved(let candidate) in changes.values {
      for reference in candidate.fields.values.flatMap({ $0.value?.references ?? [] })
      where reference.zoneID.map({ $0.zoneName == batch.scope.zoneName }) ?? true {
        guard let target = try heading(reference.recordName) else { continue }
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
    guard let target = try heading(reference.target) else { return false }
    guard !isVisible(target), let source = try batch.records.existingRecord(reference.source) else {
      return isVisible(target)
    }
    return try RecordValues(row: source, fields: batch.records.fields(of: source)).references
      .contains(reference)
  }
}
