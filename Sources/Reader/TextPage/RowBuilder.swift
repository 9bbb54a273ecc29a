import Quran
import Text

/// Fills rows with words. It breaks between words, and inside a word only if the word is longer
/// than a row; never inside a grapheme cluster.
struct RowBuilder {
  private let margin: Int
  private let measure: Int
  private let editionIndex: Int
  private let direction: TextDirection
  private var rows = [Row()]
  private var column = 0

  /// - Parameters:
  ///   - margin: the columns left of the text.
  ///   - measure: the columns of the text.
  ///   - editionIndex: the index of the edition in the shown editions.
  init(
    margin: Int, measure: Int, editionIndex: Int = 0, direction: TextDirection = .leftToRight
  ) {
    self.margin = margin
    self.measure = measure
    self.editionIndex = editionIndex
    self.direction = direction
  }

  /// The index of the last row. The next word is put on it if it fits.
  var row: Int { rows.count - 1 }

  /// Begins a row, unless the last one is empty.
  mutating func startRow() {
    guard column > 0 else { return }
    rows.append(Row())
    column = 0
  }

  /// Appends text, and breaks it at spaces.
  ///
  /// - Parameters:
  ///   - isOwnText: whether the text is the displayed text of the ayah, so that segments have their
  ///     offsets in it.
  ///   - reserving: the number of columns that are left free after each word on its row.
  mutating func put(
    _ text: String, role: TextRole = .text, ayah: Int, isOwnText: Bool = true, reserving: Int = 0
  ) {
    var start = text.startIndex
    // Words that follow one another on a row become one segment.
    var run: (start: String.Index, end: String.Index, column: Int)?
    func offset(_ index: String.Index) -> Int? {
      isOwnText && role == .text ? text.utf8.distance(from: text.startIndex, to: index) : nil
    }
    func close(_ rows: inout [Row], _ margin: Int) {
      guard let open = run else { return }
      rows[rows.count - 1].append(
        Segment(
          text: String(text[open.start..<open.end]), column: margin + open.column, role: role,
          ayah: ayah, offset: offset(open.start), editionIndex: editionIndex))
      run = nil
    }
    while start < text.endIndex {
      let end = text.nextSpace(from: start) ?? text.endIndex
      var word = text[start..<end]
      var columns = word.columns
      if columns > 0 {
        // Several spaces between words are shown as they are.
        var gap = run.map { text[$0.end..<word.startIndex].columns } ?? (column == 0 ? 0 : 1)
        if column + gap + columns + reserving > measure, column > 0 {
          close(&rows, margin)
          rows.append(Row())
          column = 0
          gap = 0
        }
        while columns > measure, let cut = word.prefix(columns: measure) {
          rows[rows.count - 1].append(
            Segment(
              text: String(word[..<cut]), column: margin, role: role, ayah: ayah,
              offset: offset(word.startIndex), editionIndex: editionIndex))
          rows.append(Row())
          word = word[cut...]
          columns = word.columns
        }
        if run == nil {
          run = (word.startIndex, word.endIndex, column + gap)
        } else {
          run?.end = word.endIndex
        }
        column += gap + columns
      }
      start = end < text.endIndex ? text.index(after: end) : end
    }
    close(&rows, margin)
  }

  /// Returns the rows. Text from right to left begins at the right edge of each.
  func finish() -> [Row] {
    guard direction == .rightToLeft else { return rows }
    return rows.map { row in
      row.map { segment in
        var segment = segment
        segment.column = 2 * margin + measure - segment.column - segment.text.columns
        segment.direction = direction
        return segment
      }
    }
  }
}

extension String {
  /// Returns the next space that is a cluster of its own. A space with combining marks is a part of
  /// a word.
  fileprivate func nextSpace(from start: Index) -> Index? {
    var position = start
    while let space = utf8[position...].firstIndex(of: 0x20) {
      if self[space] == " " { return space }
      position = utf8.index(after: space)
    }
    return nil
  }
}

extension Substring {
  /// Returns the end of the text that fits into a number of columns; nil if not even the first
  /// cluster fits.
  fileprivate func prefix(columns limit: Int) -> Index? {
    var taken = 0
    var end = startIndex
    for index in indices {
      taken += self[index].columns
      if taken > limit { break }
      end = self.index(after: index)
    }
    return end > startIndex ? end : nil
  }
}
