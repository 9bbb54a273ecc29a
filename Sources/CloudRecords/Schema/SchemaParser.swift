extension Schema {
  /// Parses a schema in CloudKit's schema language (`.ckdb`).
  ///
  ///     DEFINE SCHEMA
  ///     RECORD TYPE Note (
  ///         "___recordID" REFERENCE QUERYABLE,
  ///         text          STRING,
  ///         tags          LIST<STRING> QUERYABLE,
  ///         GRANT READ, CREATE, WRITE TO "_creator"
  ///     );
  ///
  /// A comment that begins with the word `required` marks a field as required if it follows the
  /// field's name on the same line; see `FieldDefinition.isRequired`. If several names precede it
  /// there, it marks the last one.
  ///
  /// Keywords are not case-sensitive. Apple's own record types, such as `Users`, are treated like
  /// all others. A system field must be declared with the type that CloudKit gives it, and may
  /// have any index.
  ///
  /// - Throws: The first syntax error.
  public init(parsing text: String) throws(SchemaSyntaxError) {
    var parser = try SchemaParser(text)
    self = try parser.schema()
  }
}

/// A recursive descent parser. The grammar has no nested constructs, so the recursion depth is
/// bounded.
private struct SchemaParser {
  private var lexer: SchemaLexer
  private var token: SchemaLexer.Token

  init(_ text: String) throws(SchemaSyntaxError) {
    lexer = try SchemaLexer(text)
    token = try lexer.next()
  }

  mutating func schema() throws(SchemaSyntaxError) -> Schema {
    try expect("DEFINE")
    try expect("SCHEMA")
    var schema = Schema()
    // A role may be used before it is created.
    var usedRoles: [Name] = []
    while token != .end {
      if try consume("CREATE") {
        try expect("ROLE")
        let name = try name(.roleName)
        guard schema.roles.insert(name.text).inserted else { throw name.duplicate }
      } else if try consume("RECORD") {
        try expect("TYPE")
        let name = try name(.recordTypeName)
        guard schema[name.text] == nil else { throw name.duplicate }
        schema[name.text] = try recordType(name.text, usedRoles: &usedRoles)
      } else {
        throw expected(.recordTypeOrRole)
      }
      try expect(UInt8(ascii: ";"))
    }
    for role in usedRoles where !schema.roles.contains(role.text) {
      throw SchemaSyntaxError(.unknownRole(role.text), at: role.position)
    }
    return schema
  }

  private mutating func recordType(
    _ name: String, usedRoles: inout [Name]
  ) throws(SchemaSyntaxError) -> RecordType {
    var type = RecordType(name)
    var declared: Set<String> = []
    var names: [Name] = []
    try expect(UInt8(ascii: "("))
    repeat {
      if try consume("GRANT") {
        try grant(in: &type, usedRoles: &usedRoles)
      } else {
        let name = try self.name(.fieldOrGrant)
        guard declared.insert(name.text).inserted else { throw name.duplicate }
        names.append(name)
        let typePosition = lexer.tokenPosition
        let fieldType = try self.fieldType()
        guard let field = SystemField(rawValue: name.text) else {
          type.fields[name.text] = FieldDefinition(fieldType, try indexes(of: fieldType))
          continue
        }
        guard fieldType == field.type else {
          throw SchemaSyntaxError(.wrongSystemFieldType(field), at: typePosition)
        }
        type[field] = try indexes(of: fieldType, isSystem: true)
      }
    } while try consume(UInt8(ascii: ","))
    try expect(UInt8(ascii: ")"), or: .commaOrParenthesis)
    for comment in lexer.requiredComments {
      let marked = names.last {
        $0.position.line == comment.line && $0.position.column < comment.column
      }
      if let marked { type.fields[marked.text]?.isRequired = true }
    }
    return type
  }

  private mutating func grant(
    in type: inout RecordType, usedRoles: inout [Name]
  ) throws(SchemaSyntaxError) {
    var permissions: Set<Permission> = []
    repeat {
      guard let permission = try consumeAny(Permission.allCases.map { ($0.rawValue, $0) }) else {
        throw expected(.permission)
      }
      permissions.insert(permission)
    } while try consume(UInt8(ascii: ","))
    try expect("TO")
    let name = try name(.roleName)
    let role = Role(name: name.text)
    if case .custom = role { usedRoles.append(name) }
    type.grants[role].formUnion(permissions)
  }

  private mutating func fieldType() throws(SchemaSyntaxError) -> FieldType {
    guard try consume("LIST") else { return try primitive() }
    try expect(UInt8(ascii: "<"))
    if token.isWord("LIST") { throw lexer.error(.nestedList) }
    let type = try primitive().list
    try expect(UInt8(ascii: ">"))
    return type
  }

  private mutating func primitive() throws(SchemaSyntaxError) -> FieldType {
    let isEncrypted = try consume("ENCRYPTED")
    let position = lexer.tokenPosition
    guard var type = try consumeAny(Self.types) else { throw expected(.fieldType) }
    if type == .number, try consume("PREFERRED") {
      try expect("AS")
      let preferences = FieldType.Preference.allCases.map { ($0.rawValue, $0) }
      guard let preferred = try consumeAny(preferences) else { throw expected(.numberType) }
      type = FieldType(.number(preferred: preferred))
    }
    guard isEncrypted else { return type }
    guard type.canBeEncrypted else {
      throw SchemaSyntaxError(.notEncryptable(type), at: position)
    }
    return type.encrypted
  }

  private static let types: [(String, FieldType)] =
    [("NUMBER", .number), ("ASSET", .asset)]
    + ValueType.Kind.allCases.filter { $0 != .asset }.map {
      ($0.rawValue, FieldType(ValueType($0)))
    }

  /// Parses the indexes of a field.
  ///
  /// - Parameter isSystem: Whether the field is a system field. Those may have any index, because
  ///   CloudKit exports system fields with indexes that other fields of the same type cannot have.
  private mutating func indexes(
    of type: FieldType, isSystem: Bool = false
  ) throws(SchemaSyntaxError) -> Indexes {
    var indexes: Indexes = []
    while true {
      let position = lexer.tokenPosition
      guard let index = try consumeAny(Indexes.names.map { ($0.name, $0.index) }) else {
        return indexes
      }
      guard isSystem || type.possibleIndexes.contains(index) else {
        throw SchemaSyntaxError(.index(index.description, type: type), at: position)
      }
      indexes.insert(index)
    }
  }

  // MARK: Tokens

  /// A name and its position in the source.
  private struct Name {
    let text: String
    let position: SchemaLexer.Position

    var duplicate: SchemaSyntaxError { SchemaSyntaxError(.duplicate(text), at: position) }
  }

  private func expected(_ what: SchemaSyntaxError.Expected) -> SchemaSyntaxError {
    lexer.error(.expected(what))
  }

  private mutating func name(_ what: SchemaSyntaxError.Expected) throws(SchemaSyntaxError) -> Name {
    let text: String
    switch token {
    case .quoted(let name): text = name
    case .word(let name) where !Identifier.reserved.contains(name.lowercased()): text = name
    default: throw expected(what)
    }
    let position = lexer.tokenPosition
    token = try lexer.next()
    return Name(text: text, position: position)
  }

  /// Consumes the token if it is this keyword. Returns whether it was consumed.
  private mutating func consume(_ word: String) throws(SchemaSyntaxError) -> Bool {
    guard token.isWord(word) else { return false }
    token = try lexer.next()
    return true
  }

  /// Consumes the token if it is this punctuation character. Returns whether it was consumed.
  private mutating func consume(_ character: UInt8) throws(SchemaSyntaxError) -> Bool {
    guard token == .punctuation(character) else { return false }
    token = try lexer.next()
    return true
  }

  /// Consumes this keyword.
  ///
  /// - Throws: An error if the token is another one.
  private mutating func expect(_ word: String) throws(SchemaSyntaxError) {
    guard try consume(word) else { throw expected(.keyword(word)) }
  }

  /// Consumes this punctuation character.
  ///
  /// - Throws: An error if the token is another one.
  private mutating func expect(
    _ character: UInt8, or what: SchemaSyntaxError.Expected? = nil
  ) throws(SchemaSyntaxError) {
    guard try consume(character) else {
      throw expected(what ?? .punctuation(Character(Unicode.Scalar(character))))
    }
  }

  /// Consumes the token if it is one of these keywords.
  ///
  /// - Returns: The value of the keyword; nil if the token is none of them.
  private mutating func consumeAny<Value>(
    _ words: [(String, Value)]
  ) throws(SchemaSyntaxError) -> Value? {
    guard let (_, value) = words.first(where: { token.isWord($0.0) }) else { return nil }
    token = try lexer.next()
    return value
  }
}

extension SchemaLexer.Token {
  /// Whether the token is this keyword: an unquoted word, in upper or lower case.
  fileprivate func isWord(_ keyword: String) -> Bool {
    guard case .word(let word) = self, word.utf8.count == keyword.utf8.count else { return false }
    return word.uppercased() == keyword
  }
}
