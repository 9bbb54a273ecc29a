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
      case .key: try builder.key(string, &budget)
      case .string: try builder.add(string, &budget)
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

  /// The newest token as a string. It is invalid if it is not UTF-8 or contains half of a surrogate
  /// pair.
  private var string: LegacyValue {
    let token = bytes[tokenizer.tokenRange]
    let text = token.dropFirst().dropLast()
    guard tokenizer.tokenHasEscapes else { return LegacyValue(text: text) }
    return (try? decoder.decode(String.self, from: Data(token))).map(LegacyValue.string)
      ?? .invalidUnicode(String(decoding: text.prefix(400), as: UTF8.self))
  }

  /// The newest token as a number.
  private var number: LegacyValue {
    guard tokenizer.tokenSize <= LegacyNumber.writtenLimit else { return .real(.nan) }
    let text = String(decoding: bytes[tokenizer.tokenRange], as: UTF8.self)
    // `Int` rejects a decimal point or exponent.
    return Int(text).map(LegacyValue.integer) ?? .real(Double(text) ?? .nan)
  }
}
