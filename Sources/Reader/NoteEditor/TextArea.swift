import Library

/// A text of several lines that is being edited: soft-wrapped, in NFC, with `\n` between lines.
///
///     var area = TextArea("Bismillah", width: 5)
///     area.insert("\ne\u{302}")
///     area.rows(0..<area.rowCount)   // ["Bismi", "llah", "ê"]
///
/// A line ends at a line feed and may have any length; a row is the part of it that is shown on one
/// row of the screen. Rows break at spaces, and inside a word only if the word is longer than a
/// row. Spaces at the end of a row that do not fit are not shown.
///
/// The cursor is shown where the next typed text will appear: after a full row, this is the start
/// of the next row, which exists even if the line ends there. Among spaces that are not shown, the
/// cursor is shown on the last column.
///
/// The cost of a key is at most proportional to the length of the line that it changes and to the
/// number of lines: rows are stored with their line, and are computed again from shortly before the
/// change until they are the same as before.
struct TextArea {
  /// The width of a row in columns, at least 1.
  private(set) var width: Int
  /// The lines; never empty.
  private(set) var lines: [Line]
  /// The length of `text` in UTF-8 bytes.
  private(set) var byteCount: Int
  /// The number of rows of all lines, at least 1.
  private(set) var rowCount: Int
  /// The position of the cursor, never inside a grapheme cluster.
  private(set) var position: Position
  /// The column to which moving up and down returns after shorter rows; nil if the cursor was moved
  /// otherwise.
  private(set) var goalColumn: Int?
  var history = History()

  /// A position in the text; the offset is in UTF-8 bytes from the start of the line.
  struct Position: Hashable, Comparable {
    var line: Int
    var offset: Int

    static func < (one: Position, other: Position) -> Bool {
      (one.line, one.offset) < (other.line, other.offset)
    }
  }

  /// Creates an area that contains a text, with the cursor at the end of the text.
  ///
  /// - Parameter width: The number of columns. Values below 1 are treated as 1.
  init(_ text: String, width: Int) {
    let width = max(width, 1)
    let lines = NoteText.normalized(text).lines.map { Line(String($0), width: width) }
    self.width = width
    self.lines = lines
    byteCount = lines.reduce(lines.count - 1) { $0 + $1.text.utf8.count }
    rowCount = lines.reduce(0) { $0 + $1.rowCount }
    position = Position(line: lines.count - 1, offset: lines.last?.text.utf8.count ?? 0)
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

  /// Wraps the text at another width, at least 1.
  mutating func resize(width: Int) {
    guard max(width, 1) != self.width else { return }
    self.width = max(width, 1)
    lines = lines.map { Line($0.text, width: self.width) }
    rowCount = lines.reduce(0) { $0 + $1.rowCount }
    goalColumn = nil
  }

  // MARK: Rows

  /// The row and column of the cursor, zero-based: the row in the whole text, the column always
  /// less than `width`.
  var cursor: (row: Int, column: Int) {
    let line = lines[position.line]
    let column = line.column(of: position.offset, width: width)
    let rowsAbove = lines[..<position.line].reduce(0) { $0 + $1.rowCount }
    return (rowsAbove + line.row(of: position.offset), min(column, width - 1))
  }

  /// Returns rows as they are shown, harmless to a terminal and at most `width` columns wide. Rows
  /// that do not exist are left out.
  ///
  /// Characters that are not shown (control characters, bidirectional controls) have no width; a
  /// cluster that is wider than the area is shown as an ellipsis.
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

  /// Moves the cursor to a row and column, or to the nearest position.
  mutating func moveCursor(toRow row: Int, column: Int) {
    move(to: position(row: row, column: column))
  }

  /// Returns the position at a row and column of the whole text, or the nearest position on that
  /// row.
  func position(row: Int, column: Int) -> Position {
    let (line, row) = find(row: min(max(row, 0), rowCount - 1))
    return Position(
      line: line, offset: lines[line].offset(row: row, column: max(column, 0), width: width))
  }

  /// Returns the line of a row of the whole text, and the row's number in it.
  private func find(row: Int) -> (line: Int, row: Int) {
    var (line, row) = (0, row)
    while row >= lines[line].rowCount {
      row -= lines[line].rowCount
      line += 1
    }
    return (line, row)
  }

  // MARK: Positions

  var end: Position {
    Position(line: lines.count - 1, offset: lines[lines.count - 1].text.utf8.count)
  }

  /// Moves the cursor, which ends a run of typing or deleting.
  ///
  /// - Parameter goalColumn: the column to which moving up and down returns.
  mutating func move(to position: Position, goalColumn: Int? = nil) {
    setPosition(position)
    self.goalColumn = goalColumn
    history.endRun()
  }

  /// Sets the position of the cursor after a change.
  mutating func setPosition(_ position: Position) {
    self.position = position
    goalColumn = nil
  }

  func text(_ range: Range<Position>) -> String {
    let (start, end) = (range.lowerBound, range.upperBound)
    guard start.line < end.line else {
      return String(lines[start.line].text.bytes(start.offset..<end.offset))
    }
    var text = String(lines[start.line].text.bytes(start.offset...))
    for line in lines[start.line + 1..<end.line] { text += "\n" + line.text }
    return text + "\n" + lines[end.line].text.bytes(..<end.offset)
  }

  /// Returns the number of UTF-8 bytes in a range, including line feeds.
  func byteCount(of range: Range<Position>) -> Int {
    let (start, end) = (range.lowerBound, range.upperBound)
    return lines[start.line..<end.line].reduce(end.offset - start.offset) {
      $0 + $1.text.utf8.count + 1
    }
  }

  /// Replaces a range with a string, which is not normalised, and moves the cursor to the start of
  /// the range.
  mutating func replace(_ range: Range<Position>, with text: String) {
    let (start, end) = (range.lowerBound, range.upperBound)
    setPosition(start)
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
  /// Whether two areas have the same text, cursor and width. The undo history is not compared.
  static func == (one: TextArea, other: TextArea) -> Bool {
    one.position == other.position && one.width == other.width && one.byteCount == other.byteCount
      && one.lines == other.lines
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(position)
    hasher.combine(byteCount)
  }
}

extension TextArea.Position {
  /// Returns the position at the end of a string that begins here.
  func advanced(by text: some StringProtocol) -> Self {
    var position = self
    for byte in text.utf8 {
      if byte == 0x0A {
        position = Self(line: position.line + 1, offset: 0)
      } else {
        position.offset += 1
      }
    }
    return position
  }
}

extension String {
  /// Returns the part of this string between two UTF-8 offsets, which must not be inside a scalar.
  func bytes(_ range: some RangeExpression<Int>) -> Substring {
    let range = range.relative(to: 0..<utf8.count)
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    return self[start..<utf8.index(start, offsetBy: range.count)]
  }

  /// The substrings between line feeds.
  fileprivate var lines: [Substring] {
    utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
  }
}
