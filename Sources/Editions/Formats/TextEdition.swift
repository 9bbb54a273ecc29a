/// Parses Tanzil's text formats.
enum TextEdition {
  /// The numbers of lines that a text with one ayah per line can have. A text with some ayahs
  /// missing is recognised as well, so that its faults are reported.
  static let plausibleLineCounts = 6_000...6_500

  /// Parses lines `surah|ayah|text`. Blank lines and comments may be anywhere.
  static func parseNumbered(_ text: SourceText) throws(EditionFailure) -> ParsedEdition {
    var lines = LineReader(text.bytes)
    var builder = EditionBuilder()
    var notes = SourceNotes()
    while let line = lines.next() {
      if line.isComment {
        notes.add(comment: line)
      } else if let numbered = NumberedLine(line) {
        try builder.add(surah: numbered.surah, ayah: numbered.ayah, numbered.text.string)
      } else if !line.allSatisfy(\.isBlank) {
        throw .malformed(.tanzilText, line: lines.number)
      }
    }
    return try ParsedEdition(.tanzilText, builder.finish(), notes)
  }

  /// Parses a text with one ayah per line. Comments may be anywhere. Blank lines are empty ayahs,
  /// except before the first ayah and after the last one.
  static func parseLines(_ text: SourceText) throws(EditionFailure) -> ParsedEdition {
    var lines = LineReader(text.bytes)
    var builder = EditionBuilder()
    var notes = SourceNotes()
    var blankLines = 0
    while let line = lines.next() {
      if line.isComment {
        notes.add(comment: line)
      } else if line.allSatisfy(\.isBlank) {
        blankLines += 1
      } else {
        if builder.count > 0 {
          for _ in 0..<blankLines { try builder.addNext("") }
        }
        blankLines = 0
        try builder.addNext(line.string)
      }
    }
    return try ParsedEdition(.ayahLines, builder.finish(), notes)
  }
}

/// A line `surah|ayah|text`.
struct NumberedLine {
  let surah: Int
  let ayah: Int
  let text: ArraySlice<UInt8>

  init?(_ line: ArraySlice<UInt8>) {
    let bar = UInt8(ascii: "|")
    guard let first = line.prefix(5).firstIndex(of: bar),
      let second = line[(first + 1)...].prefix(5).firstIndex(of: bar),
      let surah = line[..<first].smallNumber, let ayah = line[(first + 1)..<second].smallNumber
    else { return nil }
    self.surah = surah
    self.ayah = ayah
    text = line[(second + 1)...]
  }
}
