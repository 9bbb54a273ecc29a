extension Schema {
  /// Returns the changes that turn one schema into another: first those of roles, then those of
  /// record types, sorted by type and field.
  public static func changes(from old: Schema, to new: Schema) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    changes += old.roles.subtracting(new.roles).sortedByBytes.map(SchemaChange.roleRemoved)
    changes += new.roles.subtracting(old.roles).sortedByBytes.map(SchemaChange.roleAdded)
    for name in Set(old.recordTypes.keys).union(new.recordTypes.keys).sortedByBytes {
      switch (old[name], new[name]) {
      case (let old?, let new?): changes += RecordType.changes(from: old, to: new)
      case (nil, let new?): changes.append(.typeAdded(new))
      default: changes.append(.typeRemoved(name))
      }
    }
    return changes
  }

  /// Returns the changes because of which a schema cannot be deployed to production; empty if it
  /// can be.
  ///
  /// - Parameters:
  ///   - production: The schema that is currently deployed.
  ///   - development: The schema to deploy.
  public static func refusedChanges(
    from production: Schema, to development: Schema
  ) -> [SchemaChange] {
    changes(from: production, to: development).filter(\.isRefusedByProduction)
  }
}

extension RecordType {
  fileprivate static func changes(
    from old: RecordType, to new: RecordType
  ) -> [SchemaChange] {
    let name = new.name
    var changes: [SchemaChange] = []
    for field in Set(old.fields.keys).union(new.fields.keys).sortedByBytes {
      switch (old.fields[field], new.fields[field]) {
      case (let old?, let new?):
        if old.type != new.type {
          changes.append(.fieldRetyped(type: name, field: field, from: old.type, to: new.type))
        }
        if old.indexes != new.indexes {
          changes.append(
            .indexesChanged(type: name, field: field, from: old.indexes, to: new.indexes))
        }
        if old.isRequired != new.isRequired {
          changes.append(
            .requirementChanged(type: name, field: field, isRequired: new.isRequired))
        }
      case (nil, let new?): changes.append(.fieldAdded(type: name, field: field, new))
      default: changes.append(.fieldRemoved(type: name, field: field))
      }
    }
    for field in SystemField.allCases where old[field] != new[field] {
      changes.append(
        .indexesChanged(type: name, field: field.rawValue, from: old[field], to: new[field]))
    }
    let roles = Set(old.grants.permissions.keys).union(new.grants.permissions.keys)
    for role in roles.map(\.name).sortedByBytes.map(Role.init)
    where old.grants[role] != new.grants[role] {
      changes.append(
        .grantsChanged(type: name, role: role, from: old.grants[role], to: new.grants[role]))
    }
    return changes
  }
}
