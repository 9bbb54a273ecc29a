/// A syntax error in a schema.
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
    /// A syntactic element is missing.
    case expected(Expected)
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
    case wrongSystemFieldType(SystemField)
    /// A field of this type cannot have the index.
    case index(String, type: FieldType)
    /// The type cannot be encrypted.
    case notEncryptable(FieldType)
    /// The elements of a list are lists.
    case nestedList
    /// A `GRANT` names a role that the schema does not create.
    case unknownRole(String)
  }

  /// A syntactic element that is missing.
  public enum Expected: Hashable, Sendable {
    /// This keyword.
    case keyword(String)
    /// This punctuation character.
    case punctuation(Character)
    /// A comma or a closing parenthesis.
    case commaOrParenthesis
    /// `RECORD TYPE` or `CREATE ROLE`.
    case recordTypeOrRole
    /// The declaration of a field, or `GRANT`.
    case fieldOrGrant
    /// The type of a field.
    case fieldType
    /// `INT64` or `DOUBLE`.
    case numberType
    /// `READ`, `CREATE` or `WRITE`.
    case permission
    /// The name of a record type or of a role.
    case recordTypeName, roleName
  }
}
