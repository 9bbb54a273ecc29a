/// Reads a JSON document (RFC 8259) of any size piece by piece, in bounded memory and
/// without recursion: the files people import come from anywhere.
struct JSONStream {
  /// Fills a buffer as read(2) does; 0 at the end.
  typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  /// What is nested deeper is refused.
  static let depth = 32

  private let source: Source
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var position = 0
  private var end = 0
  /// Bytes before those in the buffer.
  private var before = 0
  /// One-based.
  private(set) var line = 1

  init(_ source: @escaping Source) {
    self.source = source
  }

  /// Where reading is, in bytes from the start.
  var offset: Int { before + position }

  func failure(_ expected: ExportDocument.Expected) -> ExportDocument.Failure {
    .syntax(offset: offset, line: line, expected: expected)
  }

  // MARK: Bytes

  /// The next byte; nil at the end.
  mutating func peek() throws -> UInt8? {
    if position < end { return buffer[position] }
    before += end
    position = 0
    end = 0
    end = try buffer.withUnsafeMutableBytes(source)
    return end > 0 ? buffer[0] : nil
  }

  mutating func skip() { position += 1 }

  /// The next byte that is no white space.
  mutating func next() throws -> UInt8? {
    while let byte = try peek() {
      switch byte {
      case 0x0A: line += 1
      case 0x20, 0x09, 0x0D: break
      default: return byte
      }
      skip()
    }
    return nil
  }

  mutating func take(_ wanted: UInt8, orExpect expected: ExportDocument.Expected) throws {
    guard try next() == wanted else { throw failure(expected) }
    skip()
  }

  // MARK: Values

  /// What was kept of a value.
  struct Capture {
    /// The value without white space; nil where it is not wanted, or is larger than that.
    private(set) var bytes: [UInt8]?
    private let limit: Int
    private var values = 0

    /// A value has no more values in it: a decoder makes much of each.
    static let values = 1000
    /// A number has no more digits.
    fileprivate static let digits = 400

    init(limit: Int) {
      self.limit = limit
      bytes = limit > 0 ? [] : nil
    }

    fileprivate mutating func append(_ more: ArraySlice<UInt8>) {
      guard let count = bytes?.count else { return }
      if count + more.count > limit { bytes = nil } else { bytes?.append(contentsOf: more) }
    }

    fileprivate mutating func append(_ byte: UInt8) {
      guard let count = bytes?.count else { return }
      if count == limit { bytes = nil } else { bytes?.append(byte) }
    }

    fileprivate mutating func countValue() {
      values += 1
      if values > Self.values { bytes = nil }
    }

    fileprivate mutating func drop() { bytes = nil }
  }

  /// Reads one value whole.
  ///
  /// - Parameters:
  ///   - limit: how many bytes of it are kept at most; nothing of a larger one.
  ///   - depth: how deep it stands itself.
  mutating func value(keeping limit: Int = 0, depth: Int) throws -> Capture {
    var capture = Capture(limit: limit)
    // What is open, innermost last: a bit each, set for objects.
    var open: UInt64 = 0
    var opened = 0
    while true {
      let byte = try next()
      capture.countValue()
      switch byte {
      case UInt8(ascii: "{")?, UInt8(ascii: "[")?:
        let isObject = byte == UInt8(ascii: "{")
        guard depth + opened < Self.depth else {
          throw ExportDocument.Failure.tooDeep(offset: offset, line: line)
        }
        opened += 1
        open = open << 1 | (isObject ? 1 : 0)
        keep(&capture)
        let isEmpty = try next() == UInt8(ascii: isObject ? "}" : "]")
        if !isEmpty {
          if isObject { try key(into: &capture) }
          continue
        }
      case UInt8(ascii: "\"")?: try string(into: &capture)
      case UInt8(ascii: "t")?: try literal("true", into: &capture)
      case UInt8(ascii: "f")?: try literal("false", into: &capture)
      case UInt8(ascii: "n")?: try literal("null", into: &capture)
      case let byte? where byte == UInt8(ascii: "-") || byte.isDigit:
        try number(into: &capture)
      default: throw failure(.value)
      }
      // A value ended: what encloses it goes on or ends, too.
      while true {
        guard opened > 0 else { return capture }
        let isObject = open & 1 == 1
        let byte = try next()
        if byte == UInt8(ascii: ",") {
          keep(&capture)
          if isObject { try key(into: &capture) }
          break
        }
        guard byte == UInt8(ascii: isObject ? "}" : "]") else {
          throw failure(isObject ? .commaOrBrace : .commaOrBracket)
        }
        keep(&capture)
        open >>= 1
        opened -= 1
      }
    }
  }

  private mutating func keep(_ capture: inout Capture) {
    capture.append(buffer[position])
    skip()
  }

  /// A key and its colon.
  private mutating func key(into capture: inout Capture) throws {
    guard try next() == UInt8(ascii: "\"") else { throw failure(.key) }
    try string(into: &capture)
    try take(UInt8(ascii: ":"), orExpect: .colon)
    capture.append(UInt8(ascii: ":"))
  }

  /// A key by itself, and its colon.
  ///
  /// - Returns: the key as it stands, with its quotation marks; nil where it is too long
  ///   to be one of ours.
  mutating func key() throws -> [UInt8]? {
    var capture = Capture(limit: 1000)
    guard try next() == UInt8(ascii: "\"") else { throw failure(.key) }
    try string(into: &capture)
    try take(UInt8(ascii: ":"), orExpect: .colon)
    return capture.bytes
  }

  private mutating func string(into capture: inout Capture) throws {
    keep(&capture)
    while try peek() != nil {
      let start = position
      while position < end, buffer[position] >= 0x20, buffer[position] != UInt8(ascii: "\""),
        buffer[position] != UInt8(ascii: "\\")
      {
        position += 1
      }
      capture.append(buffer[start..<position])
      switch try peek() {
      case UInt8(ascii: "\"")?: return keep(&capture)
      case UInt8(ascii: "\\")?: try escape(into: &capture)
      case let byte? where byte < 0x20: throw failure(.character)
      default: continue
      }
    }
    throw failure(.endOfString)
  }

  private mutating func escape(into capture: inout Capture) throws {
    keep(&capture)
    let byte = try peek()
    guard let byte, Array("\"\\/bfnrtu".utf8).contains(byte) else { throw failure(.escape) }
    keep(&capture)
    guard byte == UInt8(ascii: "u") else { return }
    for _ in 0..<4 {
      guard let digit = try peek(), digit.isHexDigit else { throw failure(.escape) }
      keep(&capture)
    }
  }

  private mutating func number(into capture: inout Capture) throws {
    var count = 0
    func digits(_ stream: inout JSONStream, _ capture: inout Capture) throws {
      guard try stream.peek()?.isDigit == true else { throw stream.failure(.digit) }
      while try stream.peek()?.isDigit == true {
        stream.keep(&capture)
        count += 1
      }
    }
    if try peek() == UInt8(ascii: "-") { keep(&capture) }
    if try peek() == UInt8(ascii: "0") { keep(&capture) } else { try digits(&self, &capture) }
    if try peek() == UInt8(ascii: ".") {
      keep(&capture)
      try digits(&self, &capture)
    }
    if let byte = try peek(), byte | 0x20 == UInt8(ascii: "e") {
      keep(&capture)
      if let sign = try peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        keep(&capture)
      }
      try digits(&self, &capture)
    }
    if count > Capture.digits { capture.drop() }
  }

  private mutating func literal(_ word: StaticString, into capture: inout Capture) throws {
    for index in 0..<word.utf8CodeUnitCount {
      guard try peek() == word.utf8Start[index] else { throw failure(.value) }
      keep(&capture)
    }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var isHexDigit: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
  }
}
