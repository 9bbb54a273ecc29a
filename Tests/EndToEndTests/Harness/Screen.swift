/// What a terminal shows, row by row, without spaces at the ends of rows.
struct Screen: Equatable, CustomStringConvertible {
  let rows: [String]

  /// Whether one row shows all of these, code point for code point.
  func contains(_ texts: String...) -> Bool {
    rows.contains { row in texts.allSatisfy(row.shows) }
  }

  /// The number of the ayah under the reader's cursor, which a bar marks.
  var cursorAyah: Int? {
    for row in rows {
      guard let bar = row.firstIndex(of: "▌") else { continue }
      let number = row[bar...].dropFirst().drop { $0 == " " || $0 == "♥" }.prefix { $0.isNumber }
      if let number = Int(number) { return number }
    }
    return nil
  }

  var description: String { rows.map { "|\($0)" }.joined(separator: "\n") }
}
