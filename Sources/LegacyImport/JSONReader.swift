import FoundationEssentials
import Text

/// Reads JSON (RFC 8259).
///
/// `JSONTokenizer` checks the syntax, the budget limits the depth and the number of values before
/// they are created, and duplicate keys of dictionaries are preserved. `JSONDecoder` decodes only
/// the escape sequences of strings.
struct JSONReader {
  private let bytes: [UInt8]
  private var tokenizer: JSONTokenizer
  private var builder = TreeBuilder()
  private let decoder = JSONDecoder()

  /// Creates a reader at the beginning of a document.
  ///
  /// - Parameters:
  ///   - bytes: The document in UTF-8.
  ///   - start: The position after the byte order mark, if any.
  init(_ bytes: [UInt8], from start: Int = 0) {
    self.bytes = bytes
    tokenizer = JSONTokenizer(from: start)
  }

  /// Parses the whole document.
  ///
  /// - Throws: `damaged` or a failure of the budget.
  mutating func read(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    while let token = try next() {
      try budget.checkCancellation(after: tokenizer.tokenSize)
      switch token {
      case .beginObject: try builder.begin(dictionary: true, &budget)
      case .beginArray: try builder.begin(dictionary: false, &budget)
      case .endObject, .endArray: builder.end(&budget)
      case .key: try builder.key(try string(&budget), &budget)
      case .string: try builder.add(try string(&budget), &budget)
      case .number: try builder.add(number, &budget)
      case .true: try builder.add(.bool(true), &budget)
      case .false: try builder.add(.bool(false), &budget)
      case .null: try builder.add(.null, &budget)
      }
    }
    guard let root = builder.root else { throw .damaged(.json, offset: tokenizer.offset) }
    return root
  }

  private mutating func next() throws(LegacyFailure) -> JSONTokenizer.Token? {
    let bytes = bytes
    do {
      return try tokenizer.next(in: bytes.span)
    } catch {
      throw .damaged(.json, offset: error.offset)
    }
  }

  /// The newest token as a string.
  private func string(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    let text = bytes[tokenizer.tokenRange].dropFirst().dropLast()
    guard tokenizer.tokenHasEscapes else { return LegacyValue(text: text) }
    return try unescaped(text, &budget).map(LegacyValue.string)
      ?? .invalidUnicode(String(decoding: text.prefix(400), as: UTF8.self))
  }

  /// Decodes the escape sequences of a string. Returns nil if the string is invalid UTF-8 or
  /// contains half of a surrogate pair.
  private func unescaped(
    _ text: ArraySlice<UInt8>, _ budget: inout Budget
  ) throws(LegacyFailure) -> String? {
    var result = ""
    var rest = text
    // Decode in pieces, because `JSONDecoder` cannot be cancelled.
    while !rest.isEmpty {
      let end = Self.end(ofPieceOf: rest)
      let quote = Data([UInt8(ascii: "\"")])
      let token = quote + rest[..<end] + quote
      guard let piece = try? decoder.decode(String.self, from: token) else { return nil }
      result += piece
      try budget.checkCancellation(after: token.count)
      rest = rest[end...]
    }
    return result
  }

  /// The end of the next piece. It does not split a character, an escape sequence or a surrogate
  /// pair.
  private static func end(ofPieceOf text: ArraySlice<UInt8>) -> Int {
    var position = text.startIndex
    let wanted = position + Budget.cancellationInterval
    while position < min(wanted, text.endIndex) {
      guard text[position] == UInt8(ascii: "\\") else {
        position += 1
        continue
      }
      guard text[position + 1] == UInt8(ascii: "u") else {
        position += 2
        continue
      }
      // Keep the second half of a surrogate pair in the same piece. If another escape sequence
      // follows, the string is invalid anyway.
      let isFirst =
        text[position + 2] | 0x20 == UInt8(ascii: "d")
        && (8..<12).contains(text[position + 3].hexadecimalDigit ?? 0)
      position += 6
      if isFirst, position < text.endIndex, text[position] == UInt8(ascii: "\\") {
        position += text[position + 1] == UInt8(ascii: "u") ? 6 : 2
      }
    }
    while position < text.endIndex, text[position] & 0xC0 == 0x80 { position += 1 }
    return position
  }

  /// The newest token as a number.
  private var number: LegacyValue {
    guard tokenizer.tokenSize <= LegacyNumber.writtenLimit else { return .real(.nan) }
    let text = String(decoding: bytes[tokenizer.tokenRange], as: UTF8.self)
    // `Int` rejects a decimal point or exponent.
    return Int(text).map(LegacyValue.integer) ?? .real(Double(text) ?? .nan)
  }
}
