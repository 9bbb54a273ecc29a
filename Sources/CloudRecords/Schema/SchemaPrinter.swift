extension Schema: CustomStringConvertible {
  /// The schema in CloudKit's schema language, formatted as CloudKit exports it: sorted by name,
  /// with the system fields first.
  ///
  ///     try Schema(parsing: schema.description) == schema
  public var description: String { description { _, _ in nil } }

  /// Returns the schema in CloudKit's schema language, with comments.
  ///
  /// - Parameter comment: Returns the comment on a record type or, if `field` is not nil, on one of
  ///   its fields; nil for no comment. The text must not contain `*/`, or begin with
  ///   the word `required`, which would mark the field as required.
  public func description(
    comment: (_ type: String, _ field: String?) -> String?
  ) -> String {
    func suffix(_ type: String, _ field: String?) -> String {
      comment(type, field).map { " /* \($0) */" } ?? ""
    }
    var text = "DEFINE SCHEMA\n"
    for role in roles.sortedByBytes { text += "\n    CREATE ROLE \"\(role)\";\n" }
    for name in recordTypes.keys.sortedByBytes {
      guard let type = recordTypes[name] else { continue }
      text += "\n    RECORD TYPE \(Identifier.quoted(name)) (\(suffix(name, nil))\n"
      let lines = type.declarations { suffix(name, $0) }.map { "        \($0)" }
      text += lines.joined(separator: ",\n")
      text += "\n    );\n"
    }
    return text
  }
}

extension RecordType {
  /// Returns the declarations in the body of a record type: its fields, then its grants. Each is
  /// one line.
  ///
  /// - Parameter suffix: Returns the text that is added to the line of a field.
  fileprivate func declarations(suffix: (_ field: String) -> String) -> [String] {
    var rows: [(name: String, definition: String)] = []
    for field in SystemField.allCases
    where SystemField.implicit.contains(field) || !self[field].isEmpty {
      let definition = FieldDefinition(field.type, self[field])
      rows.append(("\"\(field.rawValue)\"", "\(definition)\(suffix(field.rawValue))"))
    }
    for name in fields.keys.sortedByBytes {
      guard let definition = fields[name] else { continue }
      rows.append((Identifier.quoted(name), "\(definition)\(suffix(name))"))
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
  /// The strings sorted by their UTF-8 bytes. `sorted()` would compare their normalized forms.
  var sortedByBytes: [String] {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
