/// A pull tokenizer for JSON (RFC 8259). It uses constant memory and no recursion, so it is safe
/// for untrusted documents of any size.
///
///     var tokenizer = JSONTokenizer()
///     while let token = try tokenizer.next(in: bytes.span) { … }
///
/// A document can be passed in chunks, which may end anywhere, even within a token:
///
///     while true {
///       if let token = try tokenizer.next(in: chunk.span, isLast: chunk.isEmpty) { … continue }
///       if chunk.isEmpty { break }
///       chunk = …
///       tokenizer.beginChunk()
///     }
///
/// The bytes are passed to each call because a `Span` cannot be stored. The tokenizer does not
/// check that strings are valid UTF-8.
public struct JSONTokenizer: Sendable {
  /// The kind of a token. Commas and colons are checked, but are not tokens.
  public enum Token: Hashable, Sendable {
    case beginObject, endObject, beginArray, endArray
    /// The key of a member, with its quotation marks.
    case key
    /// A string that is a value, with its quotation marks.
    case string
    case number
    case `true`, `false`, null
  }

  /// The element that is missing in malformed JSON.
  public enum Expected: Hashable, Sendable {
    case value, key, colon
    /// A comma, or the end of the object.
    case commaOrBrace
    /// A comma, or the end of the array.
    case commaOrBracket
    case digit
    /// A character that can be in a string. Control characters must be escaped.
    case character
    /// The rest of an escape sequence.
    case escape
    /// The second half of a surrogate pair.
    case surrogate
    case endOfString
    /// The end of the document.
    case end
  }

  /// The reason for rejecting a document. Offsets are zero-based and in bytes.
  public enum Problem: Error, Hashable, Sendable {
    /// The JSON is malformed: the given element is missing at `offset`.
    case syntax(Expected, offset: Int)
    /// Too many objects and arrays are nested; the first excess one begins at `offset`.
    case tooDeep(offset: Int)
    /// There are too many values; the first excess one begins at `offset`.
    case tooManyValues(offset: Int)

    public var offset: Int {
      switch self {
      case .syntax(_, let offset), .tooDeep(let offset), .tooManyValues(let offset): offset
      }
    }
  }

  /// The largest possible limit of nested objects and arrays.
  public static let maximumDepth = 64

  private let maximumDepth: Int
  private let maximumValues: Int
  private let requiresSurrogatePairs: Bool

  /// The element that follows the previous token.
  private enum Grammar {
    case value, firstValueOrEnd, key, firstKeyOrEnd, colon, commaOrEnd, end
  }

  /// The position within a string.
  private enum Escape {
    case none, letter
    /// Within the hexadecimal digits of `\u`.
    case digits(left: Int)
    /// Between the halves of a surrogate pair.
    case secondBackslash, secondLetter
  }

  /// The position within a number, named for the preceding character.
  private enum Number {
    case minus, zero, integer, point, fraction, exponentLetter, exponentSign, exponent

    var canEnd: Bool {
      switch self {
      case .zero, .integer, .fraction, .exponent: true
      case .minus, .point, .exponentLetter, .exponentSign: false
      }
    }

    var canHaveExponent: Bool { self == .zero || self == .integer || self == .fraction }
  }

  private var grammar = Grammar.value
  /// The open objects and arrays as a stack of bits, innermost in the lowest bit; 1 is an object.
  private var open: UInt64 = 0
  private var values = 0
  /// The token of which a part has been read.
  private var current: Token?
  private var escape = Escape.none
  private var isAfterHighSurrogate = false
  private var unit: UInt32 = 0
  private var number = Number.zero
  private var literalIndex = 0
  /// The position in the current chunk.
  private var position: Int
  /// The number of bytes in the previous chunks.
  private var previousBytes = 0
  private var tokenStart = 0

  /// The number of open objects and arrays.
  public private(set) var depth = 0
  /// The one-based number of the line that has been reached.
  public private(set) var line = 1
  /// The offset of the first byte of the newest token in the document.
  public private(set) var tokenOffset = 0
  /// Whether the newest string or key has an escape sequence.
  public private(set) var tokenHasEscapes = false

  /// Creates a tokenizer for a new document.
  ///
  /// - Parameters:
  ///   - start: The offset in bytes at which the document begins, such as that after a byte order
  ///     mark.
  ///   - maximumDepth: The maximum number of nested objects and arrays, at most 64.
  ///   - maximumValues: The maximum number of values at all levels together. Keys are not counted.
  ///   - requiresSurrogatePairs: Whether the escape sequence of half a surrogate pair is an error.
  public init(
    from start: Int = 0, maximumDepth: Int = Self.maximumDepth, maximumValues: Int = .max,
    requiresSurrogatePairs: Bool = false
  ) {
    position = start
    // There is one bit for each level in a 64-bit word.
    self.maximumDepth = min(maximumDepth, Self.maximumDepth)
    self.maximumValues = maximumValues
    self.requiresSurrogatePairs = requiresSurrogatePairs
  }

  /// Whether the document has been read to the end of its value.
  public var isComplete: Bool { grammar == .end && current == nil }
  /// The offset in bytes of the next byte in the document.
  public var offset: Int { previousBytes + position }
  /// The part of the newest token that is in the current chunk, as a range of the chunk. If `next`
  /// returned nil, it is a part of an incomplete token, or empty.
  public var tokenRange: Range<Int> { tokenStart..<position }
  /// Whether the newest token begins in the current chunk.
  public var tokenBeginsInChunk: Bool { tokenOffset >= previousBytes }
  /// The number of bytes of the newest token that have been read.
  public var tokenSize: Int { offset - tokenOffset }

  /// Begins a new chunk. The previous chunk must have been read to its end.
  public mutating func beginChunk() {
    previousBytes += position
    position = 0
    tokenStart = 0
  }

  /// Reads the next token.
  ///
  /// - Parameters:
  ///   - chunk: The current chunk of the document. It must be the same until `beginChunk()`.
  ///   - isLast: Whether the document ends with this chunk.
  /// - Returns: The token; nil if the chunk ends before the token does, and at the end of the
  ///   document.
  /// - Throws: A `Problem`. After that, the tokenizer cannot be used any more.
  public mutating func next(
    in chunk: Span<UInt8>, isLast: Bool = true
  ) throws(Problem) -> Token? {
    if current == nil, let token = try begin(chunk, isLast) { return token }
    let isWhole: Bool
    switch current {
    case .key, .string: isWhole = try string(chunk, isLast)
    case .number: isWhole = try number(chunk, isLast)
    case .true: isWhole = try literal("true", chunk, isLast)
    case .false: isWhole = try literal("false", chunk, isLast)
    case .null: isWhole = try literal("null", chunk, isLast)
    default: return nil
    }
    guard isWhole else { return nil }
    let token = current
    current = nil
    grammar = token == .key ? .colon : afterValue
    return token
  }

  private var isInObject: Bool { open & 1 == 1 }
  private var afterValue: Grammar { depth == 0 ? .end : .commaOrEnd }

  private func expected(_ expected: Expected) -> Problem { .syntax(expected, offset: offset) }

  // MARK: The structure

  /// Reads up to the first byte of the next token, and sets `current` unless that is the whole
  /// token.
  ///
  /// - Returns: A token of a single byte; nil for all others.
  private mutating func begin(_ chunk: Span<UInt8>, _ isLast: Bool) throws(Problem) -> Token? {
    while true {
      skipWhiteSpace(chunk)
      tokenStart = position
      tokenOffset = offset
      guard position < chunk.count else {
        if isLast, grammar != .end { throw missing }
        return nil
      }
      let byte = chunk[position]
      switch grammar {
      case .value: return try beginValue(byte)
      case .firstValueOrEnd:
        return byte == UInt8(ascii: "]") ? close(.endArray) : try beginValue(byte)
      case .key, .firstKeyOrEnd:
        if byte == UInt8(ascii: "}"), grammar == .firstKeyOrEnd { return close(.endObject) }
        guard byte == UInt8(ascii: "\"") else { throw missing }
        beginString(.key)
        return nil
      case .colon:
        guard byte == UInt8(ascii: ":") else { throw missing }
        position += 1
        grammar = .value
      case .commaOrEnd:
        if byte == UInt8(ascii: isInObject ? "}" : "]") {
          return close(isInObject ? .endObject : .endArray)
        }
        guard byte == UInt8(ascii: ",") else { throw missing }
        position += 1
        grammar = isInObject ? .key : .value
      case .end: throw missing
      }
    }
  }

  private mutating func close(_ token: Token) -> Token {
    position += 1
    open >>= 1
    depth -= 1
    grammar = afterValue
    return token
  }

  private mutating func beginValue(_ byte: UInt8) throws(Problem) -> Token? {
    guard values < maximumValues else { throw .tooManyValues(offset: offset) }
    values += 1
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let isObject = byte == UInt8(ascii: "{")
      guard depth < maximumDepth else { throw .tooDeep(offset: offset) }
      depth += 1
      open = open << 1 | (isObject ? 1 : 0)
      position += 1
      grammar = isObject ? .firstKeyOrEnd : .firstValueOrEnd
      return isObject ? .beginObject : .beginArray
    case UInt8(ascii: "\""): beginString(.string)
    case UInt8(ascii: "t"): beginLiteral(.true)
    case UInt8(ascii: "f"): beginLiteral(.false)
    case UInt8(ascii: "n"): beginLiteral(.null)
    case UInt8(ascii: "-"): beginNumber(.minus)
    case UInt8(ascii: "0"): beginNumber(.zero)
    case UInt8(ascii: "1")...UInt8(ascii: "9"): beginNumber(.integer)
    default: throw missing
    }
    return nil
  }

  /// The problem that the next token is missing.
  private var missing: Problem {
    switch grammar {
    case .value, .firstValueOrEnd: expected(.value)
    case .key, .firstKeyOrEnd: expected(.key)
    case .colon: expected(.colon)
    case .commaOrEnd: expected(isInObject ? .commaOrBrace : .commaOrBracket)
    case .end: expected(.end)
    }
  }

  private mutating func skipWhiteSpace(_ chunk: Span<UInt8>) {
    while position < chunk.count {
      switch chunk[position] {
      case 0x20, 0x09, 0x0D: break
      case 0x0A: line += 1
      default: return
      }
      position += 1
    }
  }

  // MARK: Strings

  private mutating func beginString(_ token: Token) {
    position += 1
    current = token
    escape = .none
    tokenHasEscapes = false
  }

  /// Reads a string from the position within it.
  ///
  /// - Returns: Whether it is complete.
  private mutating func string(_ chunk: Span<UInt8>, _ isLast: Bool) throws(Problem) -> Bool {
    while position < chunk.count {
      guard case .none = escape else {
        try escapeSequence(chunk[position])
        continue
      }
      var index = position
      defer { position = index }
      while index < chunk.count {
        let byte = chunk[index]
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
        index += 1
      }
      guard index < chunk.count else { break }
      position = index
      switch chunk[index] {
      case UInt8(ascii: "\""):
        index += 1
        return true
      case UInt8(ascii: "\\"):
        index += 1
        escape = .letter
        tokenHasEscapes = true
      default: throw expected(.character)
      }
    }
    guard isLast else { return false }
    switch escape {
    case .none: throw expected(.endOfString)
    case .letter, .digits: throw expected(.escape)
    case .secondBackslash: throw expected(.surrogate)
    case .secondLetter: throw .syntax(.surrogate, offset: offset - 1)
    }
  }

  /// Reads one byte of an escape sequence after its backslash.
  private mutating func escapeSequence(_ byte: UInt8) throws(Problem) {
    switch escape {
    case .none: break
    case .letter:
      switch byte {
      case UInt8(ascii: "u"): beginDigits()
      case _ where byte.isEscapeLetter: escape = .none
      default: throw expected(.escape)
      }
      position += 1
    case .digits(let left):
      guard let digit = byte.hexadecimalDigit else { throw expected(.escape) }
      unit = unit << 4 | UInt32(digit)
      position += 1
      escape = left > 1 ? .digits(left: left - 1) : .none
      if left == 1, requiresSurrogatePairs { try checkSurrogate() }
    case .secondBackslash:
      guard byte == UInt8(ascii: "\\") else { throw expected(.surrogate) }
      position += 1
      escape = .secondLetter
    case .secondLetter:
      guard byte == UInt8(ascii: "u") else { throw .syntax(.surrogate, offset: offset - 1) }
      position += 1
      beginDigits()
    }
  }

  private mutating func beginDigits() {
    unit = 0
    escape = .digits(left: 4)
  }

  /// Checks that the code unit of an escape sequence completes or begins a pair, or is not a
  /// surrogate.
  private mutating func checkSurrogate() throws(Problem) {
    switch unit {
    case 0xD800..<0xDC00 where !isAfterHighSurrogate:
      isAfterHighSurrogate = true
      escape = .secondBackslash
    case 0xDC00..<0xE000 where isAfterHighSurrogate: isAfterHighSurrogate = false
    case _ where isAfterHighSurrogate, 0xDC00..<0xE000: throw expected(.surrogate)
    default: break
    }
  }

  // MARK: Numbers and literals

  private mutating func beginNumber(_ first: Number) {
    position += 1
    current = .number
    number = first
  }

  /// Reads a number from the position within it.
  ///
  /// - Returns: Whether it is complete.
  private mutating func number(_ chunk: Span<UInt8>, _ isLast: Bool) throws(Problem) -> Bool {
    while position < chunk.count {
      switch chunk[position] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        switch number {
        case .minus: number = chunk[position] == UInt8(ascii: "0") ? .zero : .integer
        case .point: number = .fraction
        case .exponentLetter, .exponentSign: number = .exponent
        case .zero: return true
        case .integer, .fraction, .exponent: break
        }
      case UInt8(ascii: ".") where number == .zero || number == .integer: number = .point
      case UInt8(ascii: "e") where number.canHaveExponent: number = .exponentLetter
      case UInt8(ascii: "E") where number.canHaveExponent: number = .exponentLetter
      case UInt8(ascii: "+") where number == .exponentLetter: number = .exponentSign
      case UInt8(ascii: "-") where number == .exponentLetter: number = .exponentSign
      default:
        guard number.canEnd else { throw expected(.digit) }
        return true
      }
      position += 1
    }
    guard isLast else { return false }
    guard number.canEnd else { throw expected(.digit) }
    return true
  }

  private mutating func beginLiteral(_ token: Token) {
    position += 1
    current = token
    literalIndex = 1
  }

  /// Reads a literal from the position within it.
  ///
  /// - Returns: Whether it is complete.
  private mutating func literal(
    _ word: StaticString, _ chunk: Span<UInt8>, _ isLast: Bool
  ) throws(Problem) -> Bool {
    while literalIndex < word.utf8CodeUnitCount {
      guard position < chunk.count else {
        if isLast { throw expected(.value) }
        return false
      }
      guard chunk[position] == word.utf8Start[literalIndex] else { throw expected(.value) }
      position += 1
      literalIndex += 1
    }
    return true
  }
}
