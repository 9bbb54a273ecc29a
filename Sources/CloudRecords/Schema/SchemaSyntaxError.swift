/// Why a text is no schema, and where.
///
///     3:14: expected a field type
public struct SchemaSyntaxError: Error, Hashable, Sendable {
  /// One-based.
  public let line: Int
  /// One-based, in characters as Unicode counts them (scalars).
  public let column: Int
  public let problem: Problem

  init(_ problem: Problem, at place: SchemaLexer.Place) {
    line = place.line
    column = place.column
    self.problem = problem
  }

  public enum Problem: Hashable, Sendable {
    /// - Parameter what: `a field type`, `";"`.
    case expected(String)
    case character
    case unfinishedComment
    case unfinishedName
    case nameTooLong
    case emptyName
    case tooLarge
    /// The name was declared before, in the schema or in its record type.
    case duplicate(String)
    /// The type of a system field is fixed.
    case systemType(SystemField)
    /// The type cannot have the index.
    case index(String, type: FieldType)
    case notEncryptable(FieldType)
    case nestedList
    case unknownRole(String)
  }
}

extension SchemaSyntaxError: CustomStringConvertible {
  public var description: String { "\(line):\(column): \(problem)" }
}

extension SchemaSyntaxError.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .expected(let what): "expected \(what)"
    case .character: "unexpected character"
    case .unfinishedComment: "the comment does not end"
    case .unfinishedName: "the name has no closing quotation mark on its line"
    case .nameTooLong: "the name is longer than \(Limits.schemaNameLength) bytes"
    case .emptyName: "the name is empty"
    case .tooLarge: "the schema is larger than \(Limits.schemaBytes) bytes"
    case .duplicate(let name): "'\(name)' is declared twice"
    case .systemType(let field): "'\(field.rawValue)' is of type \(field.type)"
    case .index(let index, let type): "a field of type \(type) cannot be \(index)"
    case .notEncryptable(let type): "\(type) cannot be encrypted"
    case .nestedList: "a list has no lists in it"
    case .unknownRole(let name): "there is no role '\(name)'"
    }
  }
}
