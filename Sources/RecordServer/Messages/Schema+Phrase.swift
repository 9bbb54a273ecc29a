public import CloudRecords

extension SchemaSyntaxError {
  /// The position and the problem: `3:14: expected a field type`.
  public var phrase: String { "\(line):\(column): \(problem.phrase)" }
}

extension SchemaSyntaxError.Problem {
  fileprivate var phrase: String {
    switch self {
    case .expected(let what): "expected \(what.phrase)"
    case .character: "unexpected character"
    case .unfinishedComment: "the comment does not end"
    case .unfinishedName: "the name has no closing quotation mark on its line"
    case .nameTooLong: "the name is longer than \(Limits.schemaNameLength) bytes"
    case .emptyName: "the name is empty"
    case .tooLarge: "the schema is larger than \(Limits.schemaBytes) bytes"
    case .duplicate(let name): "'\(name)' is declared twice"
    case .wrongSystemFieldType(let field): "'\(field.rawValue)' is of type \(field.type)"
    case .index(let index, let type): "a field of type \(type) cannot be \(index)"
    case .notEncryptable(let type): "\(type) cannot be encrypted"
    case .nestedList: "a list has no lists in it"
    case .unknownRole(let name): "there is no role '\(name)'"
    }
  }
}

extension SchemaSyntaxError.Expected {
  /// The phrase that completes "expected …".
  fileprivate var phrase: String {
    switch self {
    case .keyword(let keyword): keyword
    case .punctuation(let character): "\"\(character)\""
    case .commaOrParenthesis: "\",\" or \")\""
    case .recordTypeOrRole: "RECORD TYPE or CREATE ROLE"
    case .fieldOrGrant: "a field or GRANT"
    case .fieldType: "a field type"
    case .numberType: "INT64 or DOUBLE"
    case .permission: "READ, CREATE or WRITE"
    case .recordTypeName: "the name of a record type"
    case .roleName: "the name of a role"
    }
  }
}

extension SchemaWarning {
  /// The warning as a line.
  public var line: String {
    switch self {
    case .unusedIndexes(let indexes, let type, let field, let feature):
      "warning: \(indexes) of field '\(field)' of type '\(type)' has no effect: \(feature.sentence)"
    case .unusedRole(let role, let type):
      "warning: the permissions of role '\(role)' for type '\(type)' have no effect: no user can "
        + "have a custom role"
    }
  }
}

extension SchemaChange {
  /// The change as a line. It begins with `+` for an addition, `-` for a removal, `!` for a field
  /// with a new type, or `~` for changed indexes, requirements or grants.
  public var line: String {
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
    case .requirementChanged(let type, let field, let isRequired):
      "~ field '\(field)' of '\(type)': \(isRequired ? "required" : "no longer required")"
    case .indexesChanged(let type, let field, let from, let to):
      "~ indexes of '\(field)' of '\(type)': \(from.phrase) -> \(to.phrase)"
    case .grantsChanged(let type, let role, let from, let to):
      "~ grants to '\(role.name)' of '\(type)': \(from.phrase) -> \(to.phrase)"
    }
  }

  /// The reason why production refuses the change, in CloudKit's words; nil if production allows
  /// it.
  public var refusal: String? {
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

extension MissingDeclaration {
  /// What is missing, as a line without its line feed.
  public var line: String {
    switch self {
    case .role(let role): return "role '\(role)' is missing"
    case .recordType(let type): return "type '\(type)' is missing"
    case .field(let type, let field, let definition, let candidates):
      let line = "field '\(field)' of '\(type)' is missing: \(definition.declaration)"
      guard !candidates.isEmpty else { return line }
      let names = candidates.map { "'\($0)'" }.joined(separator: " or ")
      return "\(line); it may have been renamed from \(names)"
    case .fieldType(let type, let field, let needed, let found):
      let line = "field '\(field)' of '\(type)' is \(found) instead of \(needed)"
      guard needed == .number || needed == .number.list else { return line }
      // A test that saves a whole number without its type makes such a field.
      return "\(line); declare its type, if NUMBER was only inferred from whole numbers"
    case .index(let type, let field, let index):
      return "index \(index) of '\(field)' of '\(type)' is missing"
    case .permission(let permission, let role, let type):
      return "grant of \(permission.rawValue) to '\(role.name)' of '\(type)' is missing"
    }
  }
}

extension FieldDefinition {
  /// The declaration without the mark of a required field.
  fileprivate var declaration: FieldDefinition { FieldDefinition(type, indexes) }
}

extension Indexes {
  fileprivate var phrase: String { isEmpty ? "none" : description }
}

extension Set<Permission> {
  fileprivate var phrase: String {
    isEmpty
      ? "none" : Permission.allCases.filter(contains).map(\.rawValue).joined(separator: ", ")
  }
}
