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
  /// The permissions of a role differ.
  case grantsChanged(type: String, role: Role, from: Set<Permission>, to: Set<Permission>)
}

extension SchemaChange: CustomStringConvertible {
  public var description: String {
    switch self {
    case .roleAdded(let role): "+ role '\(role)'"
    case .roleRemoved(let role): "- role '\(role)'"
    case .typeAdded(let type): "+ type '\(type.name)'"
    case .typeRemoved(let type): "- type '\(type)'"
    case .fieldAdded(let type, let field, let definition):
      "+ field '\(field)' of '\(type)': \(definition)"
    case .fieldRemoved(let type, let field): "- field '\(field)' of '\(type)'"
    case .fieldRetyped(let type, let field, let from, let to):
      "! field '\(field)' of '\(type)': \(from) -> \(to)"
    case .indexesChanged(let type, let field, let from, let to):
      "~ indexes of '\(field)' of '\(type)': \(from.name) -> \(to.name)"
    case .grantsChanged(let type, let role, let from, let to):
      "~ grants to '\(role.name)' of '\(type)': \(from.names) -> \(to.names)"
    }
  }
}

extension Indexes {
  fileprivate var name: String { isEmpty ? "none" : description }
}

extension Set<Permission> {
  fileprivate var names: String {
    isEmpty
      ? "none"
      : Permission.allCases.filter(contains).map(\.rawValue).joined(separator: ", ")
  }
}

extension SchemaChange {
  /// The reason why the change cannot be deployed to production; nil if it can.
  ///
  /// Record types and fields cannot be removed from production, and the type of a field cannot
  /// change. They can be added, and indexes and grants can change. Renaming a field counts as
  /// removing one field and adding another. (Apple: "Deploying an iCloud Container's Schema".)
  public var deployProblem: String? {
    switch self {
    case .typeRemoved(let type): "Cannot remove type '\(type)' from production schema"
    case .fieldRemoved(let type, let field):
      "Cannot remove field '\(field)' of type '\(type)' from production schema"
    case .fieldRetyped(let type, let field, let from, let to):
      "Cannot change field '\(field)' of type '\(type)' from \(from) to \(to) in production schema"
    default: nil
    }
  }
}
