/// A syntax error in a schema.
///
///     3:14: expected a field type
public struct SchemaSyntaxError: Error, Hashable, Sendable {
  /// The line number, one-based.
  public let line: Int
  /// The column number, one-based, in Unicode scalars.
  public let column: Int
  /// The kind of error.
  public let problem: Problem

  init(_ problem: Problem, at position: SchemaLexer.Position) {
    line = position.line
    column = position.column
    self.problem = problem
  }

  /// The kind of a syntax error.
  public enum Problem: Hashable, Sendable {
    /// A syntactic element is missing: `a field type`, `";"`.
    case expected(String)
    /// The character cannot begin a token.
    case character
    /// A `/*` has no `*/`.
    case unfinishedComment
    /// A quoted name has no closing quotation mark on its line.
    case unfinishedName
    /// The name is longer than `Limits.schemaNameLength`.
    case nameTooLong
    /// The quoted name is empty.
    case emptyName
    /// The source is larger than `Limits.schemaBytes`.
    case tooLarge
    /// The schema already declares this name, or the record type already declares this field.
    case duplicate(String)
    /// A system field is declared with a type that it does not have.
    case systemType(SystemField)
    /// A field of this type cannot have the index.
    case index(String, type: FieldType)
    /// The type cannot be encrypted.
    case notEncryptable(FieldType)
    /// The elements of a list are lists.
    case nestedList
    /// A role is used that the schema does not create.
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
