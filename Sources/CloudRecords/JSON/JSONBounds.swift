/// How large and how deep a JSON text may be, checked before any decoder sees it.
///
/// The check is one pass over the bytes without allocation or recursion; what passes it is
/// well-formed JSON (RFC 8259) whose cost to decode is bounded. Foundation's own readers
/// are not safe on hostile input: they recurse, and make much of each small value.
public struct JSONBounds: Hashable, Sendable {
  /// The most bytes of the whole text.
  public var bytes: Int
  /// The most objects and lists that may be open at once.
  public var depth: Int
  /// The most values, counted at every level; keys are none.
  public var values: Int
  /// The most bytes of one number.
  public var numberBytes: Int

  public init(bytes: Int, depth: Int = 32, values: Int = 250_000, numberBytes: Int = 400) {
    self.bytes = bytes
    // A bit of one word stands for each level.
    self.depth = min(depth, 64)
    self.values = values
    self.numberBytes = numberBytes
  }

  /// The body of a request.
  public static let request = JSONBounds(bytes: Limits.requestBytes)
  /// The body of an answer, as a client meets it. A page has more in it than was asked for:
  /// stamps, tags and the type of every field.
  public static let answer = JSONBounds(bytes: 4 * Limits.pageBytes, values: 1_000_000)

  /// Why a text is refused.
  public enum Problem: Error, Hashable, Sendable {
    /// More bytes than there may be.
    case tooLong(limit: Int)
    /// More values than there may be; the offset is in bytes, zero-based.
    case tooManyValues(limit: Int, offset: Int)
    case tooDeep(limit: Int, offset: Int)
    case numberTooLong(limit: Int, offset: Int)
    case notUTF8(offset: Int)
    case syntax(Expected, offset: Int)
  }

  /// What should have stood at an offset.
  public enum Expected: String, Hashable, Sendable {
    case value = "a value"
    case key = "a key in quotation marks"
    case colon = "a colon"
    case commaOrBrace = "a comma or a closing brace"
    case commaOrBracket = "a comma or a closing bracket"
    case digit = "a digit"
    case escape = "an escape sequence"
    case surrogate = "the second half of a surrogate pair"
    case endOfString = "a closing quotation mark"
    case end = "the end"
  }

  /// Checks that a text is one JSON value within these bounds.
  public func check(_ text: Span<UInt8>) throws(Problem) {
    guard text.count <= bytes else { throw .tooLong(limit: bytes) }
    do {
      _ = try UTF8Span(validating: text)
    } catch {
      throw .notUTF8(offset: error.byteOffsets.lowerBound)
    }
    var scanner = JSONScanner(bounds: self)
    try scanner.scan(text)
  }
}

extension JSONBounds.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLong(let limit): "the body has more than \(limit) bytes"
    case .tooManyValues(let limit, let offset):
      "more than \(limit) values at byte \(offset)"
    case .tooDeep(let limit, let offset): "nested deeper than \(limit) at byte \(offset)"
    case .numberTooLong(let limit, let offset):
      "a number of more than \(limit) bytes at byte \(offset)"
    case .notUTF8(let offset): "not UTF-8 at byte \(offset)"
    case .syntax(let expected, let offset):
      "not JSON: expected \(expected.rawValue) at byte \(offset)"
    }
  }
}
