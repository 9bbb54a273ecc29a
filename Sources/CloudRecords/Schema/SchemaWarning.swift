/// Something that a schema declares, that is kept, and that has no effect in the record service.
public enum SchemaWarning: Hashable, Sendable {
  /// The indexes of a field are only for a feature that is not served. System fields have their
  /// schema names.
  case unusedIndexes(Indexes, type: String, field: String, UnservedFeature)
  /// The permissions of a custom role, which no user has.
  case unusedRole(String, type: String)
}

extension Schema {
  /// What the schema declares without effect, sorted by type and then by field.
  ///
  ///     for warning in schema.warnings { print(warning) }
  public var warnings: [SchemaWarning] {
    recordTypes.keys.sortedByBytes.flatMap { recordTypes[$0]?.warnings ?? [] }
  }
}

extension RecordType {
  fileprivate var warnings: [SchemaWarning] {
    var warnings: [SchemaWarning] = []
    func add(_ field: String, _ type: FieldType, _ indexes: Indexes) {
      // An index of a location is only used by queries by distance, which are not served.
      let isLocation = type.primitive == .kind(.location)
      let unused = isLocation ? indexes : indexes.intersection(.searchable)
      guard !unused.isEmpty else { return }
      warnings.append(
        .unusedIndexes(
          unused, type: name, field: field, isLocation ? .distance : .tokenSearch))
    }
    for field in fields.keys.sortedByBytes {
      if let definition = fields[field] { add(field, definition.type, definition.indexes) }
    }
    for field in SystemField.allCases { add(field.rawValue, field.type, self[field]) }
    for role in grants.permissions.keys.map(\.name).sortedByBytes {
      if case .custom = Role(name: role) { warnings.append(.unusedRole(role, type: name)) }
    }
    return warnings
  }
}
