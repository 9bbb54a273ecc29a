/// The part of a file that the `Range` header of a request asks for (RFC 9110, 14.2).
enum RequestedRange: Hashable {
  /// The whole file. It is also sent for several ranges and for a header that is not a range, both
  /// of which a server may ignore.
  case whole
  /// These bytes; the first byte of the file is 0.
  case part(Range<Int>)
  /// No byte of the file is in the range.
  case unsatisfiable

  /// - Parameters:
  ///   - header: the value of the header; nil if there is none.
  ///   - size: the size of the file in bytes.
  init(_ header: String?, of size: Int) {
    self = .whole
    guard let header, header.hasPrefix("bytes=") else { return }
    let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }) else { return }
    switch (Int(ends[0]), Int(ends[1])) {
    case (let first?, let last):
      guard last != nil || ends[1].isEmpty, first <= last ?? first else { return }
      // Limit the last byte before 1 is added: it can be `Int.max`.
      self = first < size ? .part(first..<min(last ?? size, size - 1) + 1) : .unsatisfiable
    case (nil, let count?) where ends[0].isEmpty:
      self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .unsatisfiable
    default: return
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
