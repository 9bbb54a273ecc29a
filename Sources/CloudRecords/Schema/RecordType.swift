/// The declaration of a record type in a schema.
public struct RecordType: Hashable, Sendable {
  /// The name of the record type.
  public var name: String
  /// The fields that the record type declares, by name.
  public var fields: [String: FieldDefinition]
  /// The indexes of the system fields. Fields without an index have no entry.
  public private(set) var systemIndexes: [SystemField: Indexes]
  /// The permissions for records of this type.
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
