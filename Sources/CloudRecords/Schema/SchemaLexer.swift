/// Splits the source of a schema into tokens.
struct SchemaLexer {
  enum Token: Hashable {
    /// A keyword or an unquoted name.
    case word(String)
    /// A name in quotation marks, without them.
    case quoted(String)
    /// One of the punctuation characters `( ) , ; < >`.
    case punctuation(UInt8)
    /// The end of the source.
    case end
  }

  /// A position in the source; see `SchemaSyntaxError`.
  struct Position {
    var line = 1
    var column = 1
  }

  private let text: [UInt8]
  private var offset = 0
  private var position = Position()

  /// The position of the last token.
  private(set) var tokenPosition = Position()
  /// The positions of the comments so far that mark a field as required.
  private(set) var requiredComments: [Position] = []

  init(_ text: String) throws(SchemaSyntaxError) {
    self.text = Array(text.utf8)
    guard self.text.count <= Limits.schemaBytes else { throw error(.tooLarge) }
    // Skips a byte order mark.
    if self.text.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// Returns an error at the position of the last token.
  func error(_ problem: SchemaSyntaxError.Problem) -> SchemaSyntaxError {
    SchemaSyntaxError(problem, at: tokenPosition)
  }

  /// Reads the next token.
  mutating func next() throws(SchemaSyntaxError) -> Token {
    try skipSpace()
    tokenPosition = position
    guard let byte = peek() else { return .end }
    switch byte {
    case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "<"), UInt8(ascii: ">"):
      advance()
      return .punctuation(byte)
    case UInt8(ascii: "\""): return .quoted(try quoted())
    case _ where Identifier.isStart(byte):
      let from = offset
      while let byte = peek(), Identifier.isPart(byte) { advance() }
      return .word(try name(from..<offset))
    default: throw error(.character)
    }
  }

  private mutating func quoted() throws(SchemaSyntaxError) -> String {
    advance()
    let from = offset
    while let byte = peek(), byte >= 0x20, byte != 0x7F {
      if byte == UInt8(ascii: "\"") {
        let name = try name(from..<offset)
        advance()
        guard !name.isEmpty else { throw error(.emptyName) }
        return name
      }
      advance()
    }
    throw error(.unfinishedName)
  }

  private func name(_ range: Range<Int>) throws(SchemaSyntaxError) -> String {
    guard range.count <= Limits.schemaNameLength else { throw error(.nameTooLong) }
    return String(decoding: text[range], as: UTF8.self)
  }

  /// Skips whitespace and comments: `//` and `--` up to the end of the line, and `/* */`.
  private mutating func skipSpace() throws(SchemaSyntaxError) {
    while let byte = peek() {
      switch (byte, peek(1)) {
      case (0x20, _), (0x09, _), (0x0A, _), (0x0D, _):
        advance()
      case (UInt8(ascii: "/"), UInt8(ascii: "/")?), (UInt8(ascii: "-"), UInt8(ascii: "-")?):
        let (from, comment) = (offset + 2, position)
        while let byte = peek(), byte != 0x0A, byte != 0x0D { advance() }
        addIfRequired(comment: from..<max(from, offset), at: comment)
      case (UInt8(ascii: "/"), UInt8(ascii: "*")?):
        tokenPosition = position
        advance()
        advance()
        let from = offset
        while peek() != UInt8(ascii: "*") || peek(1) != UInt8(ascii: "/") {
          guard peek() != nil else { throw error(.unfinishedComment) }
          advance()
        }
        addIfRequired(comment: from..<offset, at: tokenPosition)
        advance()
        advance()
      default: return
      }
    }
  }

  /// Adds a comment to `requiredComments` if it marks a field as required.
  private mutating func addIfRequired(comment: Range<Int>, at position: Position) {
    let words = text[comment].drop { $0 == 0x20 || $0 == 0x09 }
    let required = Array(FieldDefinition.requiredWord.utf8)
    guard words.starts(with: required) else { return }
    if let next = words.dropFirst(required.count).first, Identifier.isPart(next) { return }
    requiredComments.append(position)
  }

  private func peek(_ ahead: Int = 0) -> UInt8? {
    offset + ahead < text.count ? text[offset + ahead] : nil
  }

  private mutating func advance() {
    let byte = text[offset]
    offset += 1
    if byte == 0x0A {
      position.line += 1
      position.column = 1
    } else if peek().map({ $0 & 0xC0 == 0x80 }) != true {
      // Columns count Unicode scalars: only the last byte of a scalar advances the column.
      position.column += 1
    }
  }
}
