import Text

/// A text of many lines being written, soft-wrapped, kept in NFC with `\n`.
///
///     var area = TextArea("Bismillah", width: 5)
///     area.insert("\ne\u{302}")
///     area.rows(0..<area.rowCount)   // ["Bismi", "llah", "ê"]
///
/// A line ends at a line feed and may be of any length; a row is what of it stands
/// on one row of the screen. Rows break at spaces, and inside a word only where the
/// word is longer than a row. Spaces at the end of a row take no room of their own:
/// those that do not fit are not seen.
///
/// The cursor stands on a row before what is typed next. After a row that is full
/// it stands at the start of the next, which is there for it even where the line
/// ends; among spaces that are not seen it stands on the last column.
///
/// A key costs as much as the line it changes, or less: rows are kept with their
/// line, and are found anew from a little before the change until they are as they
/// were.
struct TextArea {
  /// Columns to wrap at, at least one.
  private(set) var width: Int
  /// Never empty.
  private(set) var lines: [Line]
  /// UTF-8 bytes of `text`.
  private(set) var byteCount: Int
  /// Rows of all lines, at least one.
  private(set) var rowCount: Int
  /// Where the cursor stands: never inside a grapheme cluster.
  private(set) var place: Place
  /// Rows of the lines before the cursor's.
  private var rowsAbove: Int
  /// The column that moving up and down keeps to, across shorter rows.
  private(set) var wish: Int?
  var history = History()

  /// A place in the text, in UTF-8 bytes from the start of a line.
  struct Place: Hashable, Comparable {
    var line: Int
    var offset: Int

    static func < (one: Place, other: Place) -> Bool {
      (one.line, one.offset) < (other.line, other.offset)
    }
  }

  /// A text to go on with, the cursor at its end.
  init(_ text: String, width: Int) {
    let width = max(width, 1)
    let lines = text.written.lines.map { Line(String($0), width: width) }
    self.width = width
    self.lines = lines
    byteCount = lines.reduce(lines.count - 1) { $0 + $1.text.utf8.count }
    rowCount = lines.reduce(0) { $0 + $1.rowCount }
    place = Place(line: lines.count - 1, offset: lines.last?.text.utf8.count ?? 0)
    rowsAbove = rowCount - (lines.last?.rowCount ?? 0)
  }

  var text: String {
    var text = ""
    text.reserveCapacity(byteCount)
    for (index, line) in lines.enumerated() {
      if index > 0 { text += "\n" }
      text += line.text
    }
    return text
  }

  var isEmpty: Bool { byteCount == 0 }

  /// Wraps at so many columns; one, where there are none.
  mutating func resize(width: Int) {
    guard max(width, 1) != self.width else { return }
    self.width = max(width, 1)
    lines = lines.map { Line($0.text, width: self.width) }
    rowCount = lines.reduce(0) { $0 + $1.rowCount }
    rowsAbove = lines[..<place.line].reduce(0) { $0 + $1.rowCount }
    wish = nil
  }

  // MARK: Rows

  /// Where the cursor is seen: its row in the whole text, and its column, always
  /// less than `width`; zero-based.
  var cursor: (row: Int, column: Int) {
    let line = lines[place.line]
    let column = line.column(of: place.offset, width: width)
    return (rowsAbove + line.row(of: place.offset), min(column, width - 1))
  }

  /// Rows as they are shown: nothing that could harm a terminal, and at most `width`
  /// columns wide. Rows that there are not are left out.
  ///
  /// What does not show (control characters, bidirectional controls) takes no
  /// column; a cluster that is wider than the area is an ellipsis.
  func rows(_ range: Range<Int>) -> [String] {
    let range = range.clamped(to: 0..<rowCount)
    guard !range.isEmpty else { return [] }
    var (line, row) = find(row: range.lowerBound)
    return range.map { _ in
      defer {
        row += 1
        if row == lines[line].rowCount { (line, row) = (line + 1, 0) }
      }
      return lines[line].shown(row: row, width: width)
    }
  }

  /// Puts the cursor where a visual row and column are pressed, or as near as can be.
  mutating func moveCursor(toRow row: Int, column: Int) {
    move(to: place(row: row, column: column))
  }

  /// The place at a row and column of the whole text, or the nearest to it on that row.
  func place(row: Int, column: Int) -> Place {
    let (line, row) = find(row: min(max(row, 0), rowCount - 1))
    return Place(
      line: line, offset: lines[line].offset(row: row, column: max(column, 0), width: width))
  }

  /// The line that a row of the whole text belongs to, and which of its rows it is.
  private func find(row: Int) -> (line: Int, row: Int) {
    var line = place.line
    var first = rowsAbove
    while row < first {
      line -= 1
      first -= lines[line].rowCount
    }
    while row >= first + lines[line].rowCount {
      first += lines[line].rowCount
      line += 1
    }
    return (line, row - first)
  }

  /// Rows of the lines before one, counted from the cursor's line on: it is near.
  private func rows(above line: Int) -> Int {
    line < place.line
      ? lines[line..<place.line].reduce(rowsAbove) { $0 - $1.rowCount }
      : lines[place.line..<line].reduce(rowsAbove) { $0 + $1.rowCount }
  }

  // MARK: Places

  var end: Place {
    Place(line: lines.count - 1, offset: lines[lines.count - 1].text.utf8.count)
  }

  /// Moves the cursor, which ends the run of typing or deleting.
  ///
  /// - Parameter wish: the column to keep to when moving up and down goes on.
  mutating func move(to place: Place, wish: Int? = nil) {
    stand(at: place)
    self.wish = wish
    history.endRun()
  }

  /// Puts the cursor where a change left it.
  mutating func stand(at place: Place) {
    rowsAbove = rows(above: place.line)
    self.place = place
    wish = nil
  }

  func text(_ range: Range<Place>) -> String {
    let (start, end) = (range.lowerBound, range.upperBound)
    guard start.line < end.line else {
      return String(lines[start.line].text.bytes(start.offset..<end.offset))
    }
    var text = String(lines[start.line].text.bytes(start.offset...))
    for line in lines[start.line + 1..<end.line] { text += "\n" + line.text }
    return text + "\n" + lines[end.line].text.bytes(..<end.offset)
  }

  /// Bytes from one place to another.
  func byteCount(of range: Range<Place>) -> Int {
    let (start, end) = (range.lowerBound, range.upperBound)
    return lines[start.line..<end.line].reduce(end.offset - start.offset) {
      $0 + $1.text.utf8.count + 1
    }
  }

  /// Puts text in place of other, just as it is, and the cursor before it.
  mutating func replace(_ range: Range<Place>, with text: String) {
    let (start, end) = (range.lowerBound, range.upperBound)
    stand(at: start)
    byteCount += text.utf8.count - byteCount(of: range)
    let (first, last) = (lines[start.line], lines[end.line])
    let pieces = text.lines
    let new = pieces.enumerated().map { index, piece in
      let head = index == 0 ? first : nil
      let tail = index == pieces.count - 1 ? last : nil
      return Line(head, upTo: start.offset, piece, tail, from: end.offset, width: width)
    }
    rowCount += new.reduce(0) { $0 + $1.rowCount }
    rowCount -= lines[start.line...end.line].reduce(0) { $0 + $1.rowCount }
    lines.replaceSubrange(start.line...end.line, with: new)
  }
}

extension TextArea: Hashable {
  /// Whether the same is seen; what could be undone is not compared.
  static func == (one: TextArea, other: TextArea) -> Bool {
    one.place == other.place && one.width == other.width && one.byteCount == other.byteCount
      && one.lines == other.lines
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(place)
    hasher.combine(byteCount)
  }
}

extension TextArea.Place {
  /// The place after some text that begins here.
  func advanced(by text: some StringProtocol) -> Self {
    var place = self
    for byte in text.utf8 {
      if byte == 0x0A {
        place = Self(line: place.line + 1, offset: 0)
      } else {
        place.offset += 1
      }
    }
    return place
  }
}

extension String {
  /// A part, by UTF-8 bytes; no scalar may be cut.
  func bytes(_ range: some RangeExpression<Int>) -> Substring {
    let range = range.relative(to: 0..<utf8.count)
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    return self[start..<utf8.index(start, offsetBy: range.count)]
  }

  /// What stands between line feeds.
  fileprivate var lines: [Substring] {
    utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
  }
}
