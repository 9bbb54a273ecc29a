import Text

/// A note's text as it is stored: NFC, lines ended by `\n`, otherwise as given.
///
///     try NoteText("Câu Ngai Vàng\r\n").text   // "Câu Ngai Vàng\n"
///
/// U+0000 is dropped: no editor can show it, and C programs end there.
public struct NoteText: Hashable, Sendable {
  public let text: String

  public enum Problem: Error, Hashable, Sendable {
    /// Nothing, or nothing but white space.
    case empty
    /// - Parameter excess: by how many bytes it is over the limit.
    case tooLong(excess: Int)
  }

  /// Bytes of UTF-8. A CloudKit record holds 1 MB, its other fields included.
  public static let limit = 900_000

  /// Texts in NFC are the same where their bytes are: to compare strings, they are
  /// normalised first.
  public static func == (one: NoteText, other: NoteText) -> Bool {
    var (one, other) = (one.text, other.text)
    return one.withUTF8 { one in
      other.withUTF8 { one.count == $0.count && one.elementsEqual($0) }
    }
  }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  public init(_ raw: String) throws(Problem) {
    let text = Self.normalized(raw)
    guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
    let count = text.utf8.count
    guard count <= Self.limit else { throw .tooLong(excess: count - Self.limit) }
    self.text = text
  }

  /// A text that the library holds: it was checked when it was stored.
  init(stored text: String) {
    self.text = text
  }

  /// The text as a note of it would be stored, of whatever length.
  public static func normalized(_ raw: String) -> String {
    var text = raw
    if text.utf8.contains(where: { $0 == 0 || $0 == 13 }) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.utf8.count)
      var isAfterReturn = false
      for byte in text.utf8 {
        switch byte {
        case 0: break
        case 13: bytes.append(10)
        case 10 where isAfterReturn: break
        default: bytes.append(byte)
        }
        isAfterReturn = byte == 13
      }
      text = String(decoding: bytes, as: UTF8.self)
    }
    return text.nfc
  }

  /// Merges an edit of a text with another version of that text, line by line.
  ///
  /// - Parameters:
  ///   - other: The other version.
  ///   - base: The text that was edited.
  /// - Returns: The text with both changes; nil if they changed the same lines, or if it is too long
  ///   for a note.
  func merged(with other: NoteText, base: NoteText) -> NoteText? {
    if self == other || other == base { return self }
    let merged = LineMerge.merge(base: base.text, text, other.text)
    return merged.flatMap { try? NoteText($0) }
  }

  /// The first line with anything on it, for lists.
  public var firstLine: Substring {
    var rest = text[...]
    while !rest.isEmpty {
      let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n"))
      let line = rest[..<(end ?? rest.endIndex)]
      if line.contains(where: { !$0.isWhitespace }) { return line }
      rest = end.map { rest[rest.utf8.index(after: $0)...] } ?? ""
    }
    return ""
  }
}
