import Text

extension TextArea {
  /// A line of the text, with the positions at which it is wrapped.
  struct Line {
    let text: String
    /// The offsets at which the rows after the first begin, in UTF-8 bytes.
    private let breaks: [Int]

    init(_ text: String, width: Int) {
      self.init(text, width: width, keeping: [], rest: [], shift: 0)
    }

    /// Creates a line from the start of one line, new text, and the end of another.
    init(
      _ head: Line?, upTo start: Int, _ piece: Substring, _ tail: Line?, from end: Int, width: Int
    ) {
      let before = head?.text.bytes(..<start) ?? ""
      let after = tail?.text.bytes(end...) ?? ""
      var text = ""
      text.reserveCapacity(before.utf8.count + piece.utf8.count + after.utf8.count)
      text += before
      text += piece
      text += after
      // The new text may join the cluster before it, and so move the start of the row of that
      // cluster. It may also move the start of the row above, because a word may now fit there, or
      // no longer fit. All earlier breaks stay valid.
      let kept = head.map { max($0.row(of: max(start - 1, 0)) - 2, 0) } ?? 0
      self.init(
        text, width: width, keeping: head?.breaks[..<kept] ?? [],
        rest: tail.map { $0.breaks[$0.breaks.partitioningIndex { $0 >= end }...] } ?? [],
        shift: text.utf8.count - (tail?.text.utf8.count ?? 0))
    }

    /// - Parameters:
    ///   - kept: the breaks that are already known.
    ///   - rest: the breaks of the line from which the end of this one comes, as offsets in that
    ///     line. Once this line breaks at one of them, it breaks at all later ones.
    ///   - shift: the number of bytes by which that end has moved.
    private init(
      _ text: String, width: Int, keeping kept: ArraySlice<Int>, rest: ArraySlice<Int>, shift: Int
    ) {
      self.text = text
      var breaks = Array(kept)
      var rest = rest
      let cells = Cells(text: text, width: width)
      var offset = breaks.last ?? 0
      var column = 0
      // The position after the last space on the row.
      var gap: (offset: Int, column: Int)?
      while offset < cells.end {
        let cell = cells.cell(at: offset)
        if cell.isBlank {
          offset += cell.length
          column += cell.columns
          gap = (offset, column)
          continue
        }
        while cell.columns > 0, column + cell.columns > width {
          let start = gap?.offset ?? offset
          column -= gap?.column ?? column
          gap = nil
          breaks.append(start)
          rest = rest.drop { $0 + shift < start }
          if let next = rest.first, next + shift == start {
            self.breaks = breaks + rest.dropFirst().lazy.map { $0 + shift }
            return
          }
        }
        offset += cell.length
        column += cell.columns
      }
      if column >= width { breaks.append(cells.end) }
      self.breaks = breaks
    }

    // MARK: Rows

    var rowCount: Int { breaks.count + 1 }

    /// Returns the row on which a position is shown.
    func row(of offset: Int) -> Int { breaks.partitioningIndex { $0 > offset } }

    private func bytes(ofRow row: Int) -> Range<Int> {
      (row == 0 ? 0 : breaks[row - 1])..<(row < breaks.count ? breaks[row] : text.utf8.count)
    }

    /// Returns the number of columns before a position on its row.
    func column(of offset: Int, width: Int) -> Int {
      let cells = Cells(text: text, width: width)
      return cells.sequence(bytes(ofRow: row(of: offset)).lowerBound..<offset).reduce(0) {
        $0 + $1.cell.columns
      }
    }

    /// Returns the position at a column of a row: the start of the cluster that is shown there, or
    /// the last position of the row if the row is shorter.
    func offset(row: Int, column: Int, width: Int) -> Int {
      let cells = Cells(text: text, width: width)
      let bytes = bytes(ofRow: row)
      var taken = 0
      var last = bytes.lowerBound
      for (offset, cell) in cells.sequence(bytes) {
        if taken >= column || taken + cell.columns > column { return offset }
        taken += cell.columns
        last = offset
      }
      // The position at the end of a wrapped row is shown at the start of the next row.
      return row < breaks.count ? last : bytes.upperBound
    }

    func shown(row: Int, width: Int) -> String {
      var shown = ""
      let cells = Cells(text: text, width: width)
      var column = 0
      var wasChanged = false
      for (offset, cell) in cells.sequence(bytes(ofRow: row)) {
        column += cell.columns
        guard column <= width else { break }
        let (cluster, isChanged) = cells.shown(at: offset)
        guard let first = cluster.first else {
          wasChanged = true
          continue
        }
        // A zero-width space keeps clusters apart if what was between them is not shown.
        if isChanged || wasChanged, let last = shown.last {
          if (String(last) + [first]).first != last { shown += "\u{200B}" }
        }
        shown += cluster
        wasChanged = isChanged
      }
      return shown
    }

    // MARK: Clusters and words

    /// Returns the end of the cluster that begins at a position.
    func next(after offset: Int) -> Int {
      let cells = Cells(text: text, width: 1)
      return offset < cells.end ? offset + cells.cell(at: offset).length : offset
    }

    /// Returns the start of the cluster that ends at a position.
    func previous(before offset: Int) -> Int {
      guard offset > 0 else { return 0 }
      let cells = Cells(text: text, width: 1)
      let start = bytes(ofRow: row(of: offset - 1)).lowerBound
      return cells.sequence(start..<offset).reduce(start) { $1.offset }
    }

    /// Returns the first position at or after an offset that is not inside a cluster.
    func boundary(from offset: Int) -> Int {
      let cells = Cells(text: text, width: 1)
      var start = bytes(ofRow: row(of: offset)).lowerBound
      while start < min(offset, cells.end) { start += cells.cell(at: start).length }
      return start
    }

    /// Returns the start of the last word that begins before a position; nil if there are only
    /// spaces before it.
    func wordStart(before offset: Int) -> Int? {
      let cells = Cells(text: text, width: 1)
      var end = offset
      for row in (0...row(of: max(offset - 1, 0))).reversed() {
        let start = bytes(ofRow: row).lowerBound
        var found: Int?
        var wasBlank = row == 0
        for (offset, cell) in cells.sequence(start..<end) {
          if wasBlank, !cell.isBlank { found = offset }
          wasBlank = cell.isBlank
        }
        if let found { return found }
        // Whether a word begins at the start of this row depends on the end of the row above.
        if start < end { end = start + cells.cell(at: start).length }
      }
      return nil
    }

    /// Returns the end of the first word that ends after a position; nil if there are only spaces
    /// after it.
    func wordEnd(after offset: Int) -> Int? {
      let cells = Cells(text: text, width: 1)
      var isInWord = false
      for (offset, cell) in cells.sequence(offset..<cells.end) {
        if isInWord, cell.isBlank { return offset }
        isInWord = !cell.isBlank
      }
      return isInWord ? cells.end : nil
    }
  }
}

extension TextArea.Line: Equatable {
  static func == (one: Self, other: Self) -> Bool { one.text == other.text }
}

extension Array {
  /// Returns the index of the first element that satisfies a condition, or `count` if there is
  /// none. All elements after the first that satisfies the condition must satisfy it, too.
  fileprivate func partitioningIndex(where isSo: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isSo(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
