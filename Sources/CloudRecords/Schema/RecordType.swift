/// What a schema says of a record type.
public struct RecordType: Hashable, Sendable {
  public var name: String
  /// The type's own fields.
  public var fields: [String: FieldDefinition]
  /// The indexes of fields every type has; those without any are not in it.
  public private(set) var systemIndexes: [SystemField: Indexes]
  public var grants: Grants

  public init(
    _ name: String, fields: [String: FieldDefinition] = [:],
    systemIndexes: [SystemField: Indexes] = [:], grants: Grants = Grants()
  ) {
    self.name = name
    self.fields = fields
    self.systemIndexes = systemIndexes.filter { !$0.value.isEmpty }
    self.grants = grants
  }

  /// The indexes of a system field.
  public subscript(field: SystemField) -> Indexes {
    get { systemIndexes[field] ?? [] }
    set { systemIndexes[field] = newValue.isEmpty ? nil : newValue }
  }
}
