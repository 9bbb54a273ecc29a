/// A document in valid UTF-8, without its byte order mark.
struct SourceText {
  let bytes: [UInt8]

  /// - Throws: `notUTF8` with the place of the first invalid sequence.
  init(validating document: [UInt8]) throws(EditionFailure) {
    do {
      _ = try UTF8Span(validating: document.span)
    } catch {
      let offset = error.byteOffsets.lowerBound
      throw .notUTF8(offset: offset, line: document.line(at: offset))
    }
    bytes = document.hasByteOrderMark ? Array(document.dropFirst(3)) : document
  }
}

/// Reads the lines of a document, without their line ends (LF or CR LF) and without a byte order
/// mark.
struct LineReader {
  private let bytes: [UInt8]
  private var position: Int
  /// The one-based number of the last line returned.
  private(set) var number = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.hasByteOrderMark ? 3 : 0
  }

  mutating func next() -> ArraySlice<UInt8>? {
    guard position < bytes.count else { return nil }
    let start = position
    var end = start
    while end < bytes.count, bytes[end] != 0x0A { end += 1 }
    position = end + 1
    number += 1
    if end > start, bytes[end - 1] == 0x0D { end -= 1 }
    return bytes[start..<end]
  }
}

extension [UInt8] {
  fileprivate var hasByteOrderMark: Bool { starts(with: [0xEF, 0xBB, 0xBF]) }

  /// The one-based number of the line that contains an offset.
  func line(at offset: Int) -> Int {
    1 + self[..<Swift.min(offset, count)].count { $0 == 0x0A }
  }
}

extension UInt8 {
  /// Whether the byte is a space, tab or carriage return.
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
  var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension ArraySlice<UInt8> {
  var isComment: Bool { first == UInt8(ascii: "#") }
  var string: String { String(decoding: self, as: UTF8.self) }

  /// The value of one to four decimal digits, or nil if the bytes are something else.
  var smallNumber: Int? {
    guard (1...4).contains(count), allSatisfy(\.isDecimalDigit) else { return nil }
    return reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}
