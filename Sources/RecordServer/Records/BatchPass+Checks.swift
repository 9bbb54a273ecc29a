import CloudRecords

// The checks of a record that is going to be saved.
extension BatchPass {
  /// Checks reference targets and the parent.
  func check(_ candidate: Candidate) throws {
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
  func checkRequiredFields(_ candidate: Candidate) throws {
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

  /// Checks how many records refer to each new DELETE_SELF target.
  func checkSources(of candidate: Candidate, before: RecordRow?) throws {
    var targets = candidate.references.targets(of: .deleteSelf)
    if !targets.isEmpty, let before {
      let values = RecordValues(row: before, fields: try fields(of: before))
      targets.subtract(values.references.targets(of: .deleteSelf))
    }
    for target in targets {
      try batch.records.checkCost()
      var sources = Set(try references(to: target, .deleteSelf).map(\.source))
      sources.remove(candidate.row.name)
      guard sources.count < Limits.cascade else {
        throw ServiceError(
          .limitExceeded, cause: .tooManyHolders(of: target, limit: Limits.cascade))
      }
    }
  }
}
