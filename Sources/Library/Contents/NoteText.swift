import Text

/// The text of a note as it is stored: in NFC, with `\n` for each line break, otherwise as given.
///
///     try NoteText("Câu Ngai Vàng\r\n").text   // "Câu Ngai Vàng\n"
///
/// U+0000 is removed, because a string of C ends there.
public struct NoteText: Hashable, Sendable {
  /// The text.
  public let text: String

  /// The reason why a string is not the text of a note.
  public enum Problem: Error, Hashable, Sendable {
    /// The string is empty, or has only white space.
    case empty
    /// The string is longer than `limit`, by a number of bytes.
    case tooLong(excess: Int)
  }

  /// The greatest length in bytes of UTF-8. A CloudKit record has at most 1 MB, with its other
  /// fields.
  public static let limit = 900_000

  /// Whether two texts are equal. They are in NFC, so their bytes are compared. Comparing strings
  /// would normalise them again.
  public static func == (one: NoteText, other: NoteText) -> Bool {
    var (one, other) = (one.text, other.text)
    return one.withUTF8 { one in
      other.withUTF8 { one.count == $0.count && one.elementsEqual($0) }
    }
  }

  /// Hashes the bytes of the text.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Creates the text of a note from any string.
  ///
  /// - Throws: `empty` or `tooLong`.
  public init(_ raw: String) throws(Problem) {
    let text = Self.normalized(raw)
    guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
    let count = text.utf8.count
    guard count <= Self.limit else { throw .tooLong(excess: count - Self.limit) }
    self.text = text
  }

  /// Creates a text that was read from the library, without checking it.
  init(stored text: String) {
    self.text = text
  }

  /// Returns a string in the form in which a note stores it. The string may have any length.
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

  /// Returns the text that an external editor has written, in the form in which a note stores it;
  /// nil if the editor wrote nothing: the text that it was given, or none.
  ///
  /// - Parameters:
  ///   - written: The contents of the file. Editors add a line feed at the end of the last line.
  ///   - original: The text that the editor was given.
  public static func edited(_ written: String, from original: String) -> String? {
    var text = normalized(written)
    if text.hasSuffix("\n"), !original.hasSuffix("\n") { text.removeLast() }
    return text.allSatisfy(\.isWhitespace) || text == original ? nil : text
  }

  /// Merges an edit of a text with another version of that text, line by line.
  ///
  /// - Parameters:
  ///   - other: The other version.
  ///   - base: The text that was edited.
  /// - Returns: The text with both changes; nil if they changed the same lines, if one of the texts
  ///   has more than `LineMerge.limit` lines, or if the result is empty or too long for a note.
  package func merged(with other: NoteText, base: NoteText) -> NoteText? {
    if self == other || other == base { return self }
    let merged = LineMerge.merge(base: base.text, text, other.text)
    return merged.flatMap { try? NoteText($0) }
  }

  /// The first line that is not blank, for lists.
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
