/// A difference between two schemas.
public enum SchemaChange: Hashable, Sendable {
  /// A role is only in the new schema.
  case roleAdded(String)
  /// A role is only in the old schema.
  case roleRemoved(String)
  /// A record type is only in the new schema.
  case typeAdded(RecordType)
  /// A record type is only in the old schema.
  case typeRemoved(String)
  /// A field is only in the new schema.
  case fieldAdded(type: String, field: String, FieldDefinition)
  /// A field is only in the old schema.
  case fieldRemoved(type: String, field: String)
  /// The type of a field differs.
  case fieldRetyped(type: String, field: String, from: FieldType, to: FieldType)
  /// The indexes of a field differ. System fields have their schema names.
  case indexesChanged(type: String, field: String, from: Indexes, to: Indexes)
  /// Only one of the schemas says that records must have the field.
  case requirementChanged(type: String, field: String, isRequired: Bool)
  /// The permissions of a role differ.
  case grantsChanged(type: String, role: Role, from: Set<Permission>, to: Set<Permission>)
}

extension SchemaChange {
  /// Whether production refuses the change.
  ///
  /// Record types and fields cannot be removed from production, and the type of a field cannot
  /// change. They can be added, and indexes and grants can change. Renaming a field counts as
  /// removing one field and adding another. (Apple: "Deploying an iCloud Container's Schema".)
  public var isRefusedByProduction: Bool {
    switch self {
    case .typeRemoved, .fieldRemoved, .fieldRetyped: true
    default: false
    }
  }
}
