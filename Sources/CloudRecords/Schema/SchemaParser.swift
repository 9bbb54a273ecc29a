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
  /// A comment that begins with the word `required`, on the line on which the declaration of a
  /// field begins and after it, marks the field as required; see `FieldDefinition.isRequired`.
  ///
  /// Keywords are not case-sensitive. Apple's own record types, such as `Users`, are treated like
  /// all others. A system field must have its own type, and may have any index.
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
    try take("DEFINE")
    try take("SCHEMA")
    var schema = Schema()
    // A role may be used before it is created.
    var uses: [Name] = []
    while token != .end {
      if try skip("CREATE") {
        try take("ROLE")
        let name = try name(.roleName)
        guard schema.roles.insert(name.text).inserted else { throw name.duplicate }
      } else if try skip("RECORD") {
        try take("TYPE")
        let name = try name(.recordTypeName)
        guard schema[name.text] == nil else { throw name.duplicate }
        schema[name.text] = try recordType(name.text, uses: &uses)
      } else {
        throw expected(.recordTypeOrRole)
      }
      try take(UInt8(ascii: ";"))
    }
    for role in uses where !schema.roles.contains(role.text) {
      throw SchemaSyntaxError(.unknownRole(role.text), at: role.position)
    }
    return schema
  }

  private mutating func recordType(
    _ name: String, uses: inout [Name]
  ) throws(SchemaSyntaxError) -> RecordType {
    var type = RecordType(name)
    var declared: Set<String> = []
    var names: [Name] = []
    try take(UInt8(ascii: "("))
    repeat {
      if try skip("GRANT") {
        try grant(in: &type, uses: &uses)
      } else {
        let name = try self.name(.fieldOrGrant)
        guard declared.insert(name.text).inserted else { throw name.duplicate }
        names.append(name)
        let typePlace = lexer.start
        let fieldType = try self.fieldType()
        guard let field = SystemField(rawValue: name.text) else {
          type.fields[name.text] = FieldDefinition(fieldType, try indexes(of: fieldType))
          continue
        }
        guard fieldType == field.type else {
          throw SchemaSyntaxError(.systemType(field), at: typePlace)
        }
        type[field] = try indexes(of: fieldType, isSystem: true)
      }
    } while try skip(UInt8(ascii: ","))
    try take(UInt8(ascii: ")"), or: .commaOrParenthesis)
    for mark in lexer.requiredMarks {
      // The comment is about the last field before it whose declaration begins on its line.
      let marked = names.last {
        $0.position.line == mark.line && $0.position.column < mark.column
      }
      if let marked { type.fields[marked.text]?.isRequired = true }
    }
    return type
  }

  private mutating func grant(
    in type: inout RecordType, uses: inout [Name]
  ) throws(SchemaSyntaxError) {
    var permissions: Set<Permission> = []
    repeat {
      guard let permission = try takeAny(Permission.allCases.map { ($0.rawValue, $0) }) else {
        throw expected(.permission)
      }
      permissions.insert(permission)
    } while try skip(UInt8(ascii: ","))
    try take("TO")
    let name = try name(.roleName)
    let role = Role(name: name.text)
    if case .custom = role { uses.append(name) }
    type.grants[role].formUnion(permissions)
  }

  private mutating func fieldType() throws(SchemaSyntaxError) -> FieldType {
    guard try skip("LIST") else { return try primitive() }
    try take(UInt8(ascii: "<"))
    if token.isWord("LIST") { throw lexer.error(.nestedList) }
    let type = try primitive().list
    try take(UInt8(ascii: ">"))
    return type
  }

  private mutating func primitive() throws(SchemaSyntaxError) -> FieldType {
    let isEncrypted = try skip("ENCRYPTED")
    let position = lexer.start
    guard var type = try takeAny(Self.types) else { throw expected(.fieldType) }
    if type == .number, try skip("PREFERRED") {
      try take("AS")
      let preferences = FieldType.Preference.allCases.map { ($0.rawValue, $0) }
      guard let preferred = try takeAny(preferences) else { throw expected(.numberType) }
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
      let position = lexer.start
      guard let index = try takeAny(Indexes.names.map { ($0.name, $0.index) }) else {
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
    let position = lexer.start
    token = try lexer.next()
    return Name(text: text, position: position)
  }

  /// Consumes the token if it is a keyword.
  ///
  /// - Returns: Whether it was consumed.
  private mutating func skip(_ word: String) throws(SchemaSyntaxError) -> Bool {
    guard token.isWord(word) else { return false }
    token = try lexer.next()
    return true
  }

  /// Consumes the token if it is a punctuation character.
  ///
  /// - Returns: Whether it was consumed.
  private mutating func skip(_ mark: UInt8) throws(SchemaSyntaxError) -> Bool {
    guard token == .mark(mark) else { return false }
    token = try lexer.next()
    return true
  }

  /// Consumes a keyword.
  ///
  /// - Throws: An error if the token is not that keyword.
  private mutating func take(_ word: String) throws(SchemaSyntaxError) {
    guard try skip(word) else { throw expected(.keyword(word)) }
  }

  /// Consumes a punctuation character.
  ///
  /// - Throws: An error if the token is not that character.
  private mutating func take(
    _ mark: UInt8, or what: SchemaSyntaxError.Expected? = nil
  ) throws(SchemaSyntaxError) {
    guard try skip(mark) else {
      throw expected(what ?? .mark(Character(Unicode.Scalar(mark))))
    }
  }

  /// Consumes the token if it is one of several keywords.
  ///
  /// - Returns: The value of the keyword; nil if the token is none of them.
  private mutating func takeAny<Value>(
    _ words: [(String, Value)]
  ) throws(SchemaSyntaxError) -> Value? {
    guard let (_, value) = words.first(where: { token.isWord($0.0) }) else { return nil }
    token = try lexer.next()
    return value
  }
}

extension SchemaLexer.Token {
  /// Whether the token is a keyword: unquoted, in any case.
  fileprivate func isWord(_ keyword: String) -> Bool {
    guard case .word(let word) = self, word.utf8.count == keyword.utf8.count else { return false }
    return word.uppercased() == keyword
  }
}
