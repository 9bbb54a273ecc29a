/// A declaration of a schema that another schema does not have.
public enum MissingDeclaration: Hashable, Sendable {
  /// The role is missing.
  case role(String)
  /// The record type is missing, with everything that belongs to it.
  case recordType(String)
  /// The field is missing, with its indexes.
  ///
  /// `candidates` are the fields of the other schema that may be the same field under another name:
  /// they have the same type, and only the other schema has them. They are sorted by name.
  case field(type: String, field: String, FieldDefinition, candidates: [String])
  /// The field has another type.
  case fieldType(type: String, field: String, needed: FieldType, found: FieldType)
  /// The field lacks one index. System fields have their schema names.
  case index(type: String, field: String, Indexes)
  /// The role lacks one permission for the records of the type.
  case permission(Permission, role: Role, type: String)
}

extension Schema {
  /// Returns what this schema declares and another one lacks, in the order of
  /// `Schema.changes(from:to:)`.
  ///
  /// What only the other schema declares is not reported, and neither is that a field is required,
  /// which CloudKit does not enforce. A permission is not missing if the other schema grants it to
  /// a role that includes the role, such as `_world` for `_icloud`.
  ///
  ///     let missing = used.missingDeclarations(in: production)
  public func missingDeclarations(in other: Schema) -> [MissingDeclaration] {
    Schema.changes(from: other, to: self).flatMap { change -> [MissingDeclaration] in
      switch change {
      case .roleAdded(let role): return [.role(role)]
      case .typeAdded(let type): return [.recordType(type.name)]
      case .fieldAdded(let type, let field, let definition):
        let candidates = other.fields(of: type, notIn: self).filter { $0.value == definition.type }
        return [
          .field(
            type: type, field: field, definition, candidates: candidates.keys.sortedByBytes)
        ]
      case .fieldRetyped(let type, let field, let found, let needed):
        return [.fieldType(type: type, field: field, needed: needed, found: found)]
      case .indexesChanged(let type, let field, let found, let needed):
        return Indexes.names.map(\.index).filter(needed.subtracting(found).contains).map {
          .index(type: type, field: field, $0)
        }
      case .grantsChanged(let type, let role, _, let needed):
        return Permission.allCases.filter {
          needed.contains($0) && other[type]?.grants.cover($0, for: role) != true
        }.map { .permission($0, role: role, type: type) }
      case .roleRemoved, .typeRemoved, .fieldRemoved, .requirementChanged: return []
      }
    }
  }

  /// The types of the fields of a record type that another schema does not have.
  private func fields(of type: String, notIn other: Schema) -> [String: FieldType] {
    (self[type]?.fields ?? [:]).filter { other[type]?.fields[$0.key] == nil }
      .mapValues(\.type)
  }
}
