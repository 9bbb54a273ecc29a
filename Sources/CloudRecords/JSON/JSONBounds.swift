public import Text

/// Limits on the size and depth of JSON, checked before it is decoded.
///
/// The check takes linear time and neither allocates memory nor recurses. JSON that passes it is
/// well-formed (RFC 8259) and can be decoded at a bounded cost. Foundation's decoders alone are not
/// safe for untrusted input: they recurse, and allocate much memory for each small value.
public struct JSONBounds: Hashable, Sendable {
  /// The maximum number of bytes.
  public var bytes: Int
  /// The maximum number of nested objects and arrays, at most 64.
  public var depth: Int
  /// The maximum number of values at all levels together. Keys are not counted.
  public var values: Int
  /// The maximum length of a number in bytes.
  public var numberBytes: Int

  /// Creates bounds.
  ///
  /// - Parameters:
  ///   - bytes: The maximum number of bytes.
  ///   - depth: The maximum number of nested objects and arrays. A value above 64 is reduced to 64.
  ///   - values: The maximum number of values at all levels together.
  ///   - numberBytes: The maximum length of a number in bytes.
  public init(bytes: Int, depth: Int = 32, values: Int = 250_000, numberBytes: Int = 400) {
    self.bytes = bytes
    self.depth = min(depth, JSONTokenizer.maximumDepth)
    self.values = values
    self.numberBytes = numberBytes
  }

  /// The bounds of a request body.
  public static let request = JSONBounds(bytes: Limits.requestBytes)
  /// The bounds of a response body.
  ///
  /// They exceed `Limits.pageBytes` because a response also contains creation and modification
  /// stamps, change tags and the types of all fields.
  public static let response = JSONBounds(bytes: 4 * Limits.pageBytes, values: 1_000_000)

  /// The reason for rejecting JSON. Offsets are zero-based and in bytes.
  public enum Problem: Error, Hashable, Sendable {
    /// There are more than `limit` bytes.
    case tooLong(limit: Int)
    /// There are more than `limit` values; the first excess value is at `offset`.
    case tooManyValues(limit: Int, offset: Int)
    /// More than `limit` objects and arrays are nested; the first excess one begins at `offset`.
    case tooDeep(limit: Int, offset: Int)
    /// The number that begins at `offset` has more than `limit` bytes.
    case numberTooLong(limit: Int, offset: Int)
    /// The first invalid UTF-8 sequence is at `offset`.
    case notUTF8(offset: Int)
    /// The JSON is malformed: the given element is missing at `offset`.
    case syntax(Expected, offset: Int)
  }

  /// The element that is missing in malformed JSON.
  public typealias Expected = JSONTokenizer.Expected

  /// Checks that bytes are a single JSON value within these bounds.
  ///
  /// - Throws: The first problem.
  public func check(_ text: Span<UInt8>) throws(Problem) {
    guard text.count <= bytes else { throw .tooLong(limit: bytes) }
    do {
      _ = try UTF8Span(validating: text)
    } catch {
      throw .notUTF8(offset: error.byteOffsets.lowerBound)
    }
    var tokenizer = JSONTokenizer(
      maximumDepth: depth, maximumValues: values, requiresSurrogatePairs: true)
    while let token = try next(of: &tokenizer, in: text) {
      guard token != .number || tokenizer.tokenSize <= numberBytes else {
        throw .numberTooLong(limit: numberBytes, offset: tokenizer.tokenOffset)
      }
    }
  }

  private func next(
    of tokenizer: inout JSONTokenizer, in text: Span<UInt8>
  ) throws(Problem) -> JSONTokenizer.Token? {
    do {
      return try tokenizer.next(in: text)
    } catch {
      switch error {
      case .syntax(let expected, let offset): throw .syntax(expected, offset: offset)
      case .tooDeep(let offset): throw .tooDeep(limit: depth, offset: offset)
      case .tooManyValues(let offset): throw .tooManyValues(limit: values, offset: offset)
      }
    }
  }
}
