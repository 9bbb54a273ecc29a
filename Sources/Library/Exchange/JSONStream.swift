import Text

/// Reads the JSON of a file or pipe of any size in bounded memory.
struct JSONStream {
  /// Fills a buffer as read(2) does. Returns 0 at the end.
  typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  /// The maximum number of nested objects and arrays.
  static let maximumDepth = 32

  private let source: Source
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// The number of bytes in the buffer.
  private var count = 0
  private var isAtEnd = false
  private var hasBegun = false
  private var tokenizer = JSONTokenizer(maximumDepth: maximumDepth)

  init(_ source: @escaping Source) {
    self.source = source
  }

  /// The one-based number of the current line.
  var line: Int { tokenizer.line }

  /// The bytes of a value, without white space.
  struct Capture {
    /// The maximum number of values within a value, because a decoder needs much memory for each.
    static let maximumValues = 1000
    /// The maximum size of a number in bytes.
    static let maximumNumberSize = 400

    /// The bytes; nil if they are not wanted, or the value exceeds a limit.
    private(set) var bytes: [UInt8]?
    private let limit: Int
    private var values = 0
    private var needsComma = false

    /// Creates an empty capture.
    ///
    /// - Parameter limit: The maximum size in bytes; 0 if the bytes are not wanted.
    init(limit: Int) {
      self.limit = limit
      bytes = limit > 0 ? [] : nil
    }

    /// Adds the part of a token that is in the buffer.
    ///
    /// - Parameter token: The token if it is complete.
    fileprivate mutating func add(
      _ part: ArraySlice<UInt8>, isFirst: Bool, of token: JSONTokenizer.Token?, size: Int
    ) {
      guard bytes != nil else { return }
      let isEnd =
        switch token {
        case .endObject, .endArray: true
        default: false
        }
      if isFirst, needsComma, !isEnd, !part.isEmpty {
        append(UInt8(ascii: ","))
        needsComma = false
      }
      append(part)
      switch token {
      case nil: return
      case .key:
        append(UInt8(ascii: ":"))
        needsComma = false
      case .beginObject, .beginArray:
        values += 1
        needsComma = false
      case .endObject, .endArray: needsComma = true
      case .string, .number, .true, .false, .null:
        values += 1
        needsComma = true
      }
      if values > Self.maximumValues { bytes = nil }
      if case .number = token, size > Self.maximumNumberSize { bytes = nil }
    }

    private mutating func append(_ byte: UInt8) {
      guard let size = bytes?.count else { return }
      if size == limit { bytes = nil } else { bytes?.append(byte) }
    }

    private mutating func append(_ more: ArraySlice<UInt8>) {
      guard let size = bytes?.count else { return }
      if size + more.count > limit { bytes = nil } else { bytes?.append(contentsOf: more) }
    }
  }

  /// Reads a token, and adds it to a capture.
  ///
  /// - Returns: The token; nil at the end of the document.
  /// - Throws: An `ExportDocument.Failure`, or the error of the source.
  mutating func next(into capture: inout Capture) throws -> JSONTokenizer.Token? {
    if !hasBegun { try begin() }
    while true {
      let token = try scan()
      capture.add(
        buffer[tokenizer.tokenRange], isFirst: tokenizer.tokenBeginsInChunk, of: token,
        size: tokenizer.tokenSize)
      if token != nil || isAtEnd { return token }
      tokenizer.beginChunk()
      count = 0
      try fill()
    }
  }

  private mutating func scan() throws(ExportDocument.Failure) -> JSONTokenizer.Token? {
    let buffer = buffer
    do {
      return try tokenizer.next(in: buffer.span.extracting(..<count), isLast: isAtEnd)
    } catch {
      switch error {
      case .syntax(let expected, let offset):
        throw .syntax(offset: offset, line: line, expected: expected)
      case .tooDeep(let offset), .tooManyValues(let offset):
        throw .tooDeep(offset: offset, line: line)
      }
    }
  }

  /// Reads a value.
  ///
  /// - Parameter limit: The maximum size of the captured bytes; 0 if they are not wanted.
  mutating func value(capturing limit: Int = 0) throws -> Capture {
    var capture = Capture(limit: limit)
    let depth = tokenizer.depth
    repeat { _ = try next(into: &capture) } while tokenizer.depth > depth
    return capture
  }

  /// Reads the rest of a value.
  ///
  /// - Parameters:
  ///   - depth: The number of objects and arrays around the value.
  ///   - capture: The capture that has the first token of the value.
  mutating func finishValue(atDepth depth: Int, into capture: inout Capture) throws {
    while tokenizer.depth > depth { _ = try next(into: &capture) }
  }

  /// Skips the byte order mark.
  private mutating func begin() throws {
    hasBegun = true
    while count < 3, !isAtEnd { try fill() }
    guard buffer[..<count].starts(with: [0xEF, 0xBB, 0xBF]) else { return }
    tokenizer = JSONTokenizer(from: 3, maximumDepth: Self.maximumDepth)
  }

  private mutating func fill() throws {
    let read = try buffer.withUnsafeMutableBytes { [count] in
      try source(UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
    }
    count += read
    isAtEnd = read == 0
  }
}
