/// One difference between two schemas.
public enum SchemaChange: Hashable, Sendable {
  case roleAdded(String)
  case roleRemoved(String)
  case typeAdded(RecordType)
  case typeRemoved(String)
  case fieldAdded(type: String, field: String, FieldDefinition)
  case fieldRemoved(type: String, field: String)
  case fieldRetyped(type: String, field: String, from: FieldType, to: FieldType)
  /// A system field goes by its schema name.
  case indexesChanged(type: String, field: String, from: Indexes, to: Indexes)
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
  /// What makes production refuse the change; nil where it takes it.
  ///
  /// Types and fields stay, and fields keep their type; anything may be added, and indexes
  /// and grants may change. A renamed field is one removed and one added.
  /// (cloudkit-web-services.md 2, "Environments and deployment".)
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
