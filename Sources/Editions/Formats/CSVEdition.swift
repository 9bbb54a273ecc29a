/// Parses QuranEnc's CSV: comments or a quoted preamble, a header, and a record for each ayah.
enum CSVEdition {
  /// The header must be among this number of lines, not counting blank lines and comments.
  static let preambleLines = 200

  /// Whether a line is the header.
  static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.count < 200 else { return false }
    return Columns(line.string.split(separator: ",").map { String($0) }) != nil
  }

  static func parse(_ text: SourceText) throws(EditionFailure) -> ParsedEdition {
    var scanner = CSVScanner(text)
    var builder = EditionBuilder()
    var notes = SourceNotes()
    var columns: Columns?
    while true {
      if let comment = scanner.nextComment() {
        notes.add(comment: comment)
        continue
      }
      let line = scanner.line
      guard let record = try scanner.next() else { break }
      if record.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) { continue }
      guard let known = columns else {
        columns = Columns(record)
        if columns == nil { notes.add(comment: record.joined(separator: "\n")) }
        continue
      }
      guard record.count > known.last, let surah = number(record[known.surah]),
        let ayah = number(record[known.ayah])
      else { throw .malformed(.quranEncCSV, line: line) }
      try builder.add(
        surah: surah, ayah: ayah, record[known.translation],
        footnotes: known.footnotes.map { record[$0] } ?? "")
    }
    return try ParsedEdition(.quranEncCSV, builder.finish(), notes)
  }

  private static func number(_ field: String) -> Int? { Array(field.utf8)[...].smallNumber }

  /// The positions of the columns.
  private struct Columns {
    let surah: Int
    let ayah: Int
    let translation: Int
    let footnotes: Int?

    var last: Int { max(surah, ayah, translation, footnotes ?? 0) }

    /// Returns nil if the record is not a header.
    init?(_ record: [String]) {
      let names = record.map { name in
        name.lowercased().filter { !$0.isWhitespace && $0 != "\"" && $0 != "\u{FEFF}" }
      }
      guard let surah = names.firstIndex(of: "sura"), let ayah = names.firstIndex(of: "aya"),
        let translation = names.firstIndex(of: "translation")
      else { return nil }
      self.surah = surah
      self.ayah = ayah
      self.translation = translation
      footnotes = names.firstIndex(of: "footnotes")
    }
  }
}
