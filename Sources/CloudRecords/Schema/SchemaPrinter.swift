extension Schema: CustomStringConvertible {
  /// The schema in CloudKit's schema language, formatted as CloudKit exports it: sorted by name,
  /// with the system fields first.
  ///
  ///     Schema(parsing: schema.description) == schema
  public var description: String {
    var text = "DEFINE SCHEMA\n"
    for role in roles.sortedByBytes { text += "\n    CREATE ROLE \"\(role)\";\n" }
    for name in recordTypes.keys.sortedByBytes {
      guard let type = recordTypes[name] else { continue }
      text += "\n    RECORD TYPE \(Identifier.quoted(name)) (\n"
      text += type.items.map { "        \($0)" }.joined(separator: ",\n")
      text += "\n    );\n"
    }
    return text
  }
}

extension RecordType {
  /// The declarations of the fields and grants, one per line.
  fileprivate var items: [String] {
    var rows: [(name: String, definition: FieldDefinition)] = []
    for field in SystemField.allCases
    where SystemField.implicit.contains(field) || !self[field].isEmpty {
      rows.append(("\"\(field.rawValue)\"", FieldDefinition(field.type, self[field])))
    }
    for name in fields.keys.sortedByBytes {
      guard let definition = fields[name] else { continue }
      rows.append((Identifier.quoted(name), definition))
    }
    let width = rows.map(\.name.utf8.count).max() ?? 0
    let lines = rows.map { name, definition in
      name + String(repeating: " ", count: width - name.utf8.count) + " \(definition)"
    }
    let roles = Dictionary(uniqueKeysWithValues: grants.permissions.map { ($0.key.name, $0) })
    return lines
      + roles.keys.sortedByBytes.compactMap { name in
        guard let (role, permissions) = roles[name] else { return nil }
        let names = Permission.allCases.filter(permissions.contains).map(\.rawValue)
        return "GRANT \(names.joined(separator: ", ")) TO \"\(role.name)\""
      }
  }
}

extension Sequence<String> {
  /// The strings sorted by their UTF-8 bytes, which does not depend on a locale.
  var sortedByBytes: [String] {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
