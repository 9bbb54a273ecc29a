import Editions
import Quran

/// A row of the laid-out Quran: the number of a block, counted from 1, and the row in it, counted
/// from 0.
struct Anchor: Hashable {
  var block: Int
  var row: Int
}

/// A position of the text: the ayah under the cursor, and the row at the top.
struct TextPosition: Hashable {
  var cursor: AyahID
  var top: Anchor
}

/// Moves through the Quran on pages of one height.
///
/// The Quran is laid out as one long page, so that reading continues from surah to surah. Only
/// blocks on or near the screen are laid out.
struct Pager {
  let typesetter: Typesetter
  /// The rows of the page, at least 1.
  let height: Int

  init(_ typesetter: Typesetter, height: Int) {
    self.typesetter = typesetter
    self.height = max(height, 1)
  }

  /// Returns the position with an ayah under the cursor and at the top of the page.
  func open(_ ayah: AyahID) -> TextPosition {
    TextPosition(cursor: ayah, top: clamp(first(of: ayah)))
  }

  // MARK: Moving

  /// Moves to the next ayah, or a row down if the ayah reaches below the page.
  func down(_ position: TextPosition) -> TextPosition {
    if endsBelow(position) {
      return TextPosition(cursor: position.cursor, top: advance(position.top, by: 1))
    }
    guard let next = position.cursor.next else { return position }
    return show(TextPosition(cursor: next, top: position.top))
  }

  /// Moves to the previous ayah, or a row up if the ayah begins above the page.
  func up(_ position: TextPosition) -> TextPosition {
    if first(of: position.cursor) < position.top {
      return TextPosition(cursor: position.cursor, top: advance(position.top, by: -1))
    }
    guard let previous = position.cursor.previous else { return position }
    return show(TextPosition(cursor: previous, top: position.top), fromBelow: true)
  }

  /// Moves the page by rows, and the cursor to an ayah on it; see `cursor(near:on:forward:)`. At
  /// the start or end of the Quran, moves the cursor to the first or last ayah.
  func scroll(_ position: TextPosition, by count: Int) -> TextPosition {
    let top = clamp(advance(position.top, by: count))
    if top == position.top {
      return show(TextPosition(cursor: count < 0 ? .first : .last, top: top))
    }
    let cursor = cursor(near: position.cursor, on: top, forward: count > 0)
    return TextPosition(cursor: cursor, top: top)
  }

  /// Returns a position with the same cursor that is scrolled as little as possible so that its
  /// ayah is on the page. Call it also after the height of the page or the blocks have changed.
  ///
  /// - Parameters:
  ///   - fromBelow: whether the cursor came from a later ayah.
  ///   - canHideHeading: whether the heading of the surah above the ayah is hidden if both do not
  ///     fit.
  func show(
    _ position: TextPosition, fromBelow: Bool = false, canHideHeading: Bool = false
  ) -> TextPosition {
    var top = clamp(position.top)
    var first = first(of: position.cursor)
    let last = last(of: position.cursor)
    if canHideHeading, isHigher(first, last) { first.row = firstTextRow(of: position.cursor) }
    if isHigher(first, last) {
      // The ayah is taller than the page: coming from above, its first row is at the top; coming
      // from below, its last row is at the bottom; a page within it stays.
      if !(first...last).contains(top) { top = fromBelow ? advance(last, by: 1 - height) : first }
    } else if first < top {
      top = first
    } else if last > bottom(TextPosition(cursor: position.cursor, top: top)) {
      top = advance(last, by: 1 - height)
    }
    return TextPosition(cursor: position.cursor, top: clamp(top))
  }

  /// Returns the position after scrolling by as few rows as possible so that the given rows are on
  /// the page. If they do not all fit, the page begins with the first of them.
  ///
  /// - Parameter rows: the rows, as indexes in the block of the ayah under the cursor.
  func reveal(_ rows: ClosedRange<Int>, in position: TextPosition) -> TextPosition {
    let block = typesetter.block(of: position.cursor)
    let first = Anchor(block: block, row: rows.lowerBound)
    let last = Anchor(block: block, row: rows.upperBound)
    var top = position.top
    if last > bottom(position) { top = advance(last, by: 1 - height) }
    top = min(top, first)
    return TextPosition(cursor: position.cursor, top: clamp(top))
  }

  /// Whether the given rows are on the page; see `reveal`.
  func shows(_ rows: ClosedRange<Int>, in position: TextPosition) -> Bool {
    reveal(rows, in: position) == position
  }

  /// Returns the rows of a page with their anchors; fewer at the end of the Quran.
  func page(from top: Anchor) -> [(anchor: Anchor, row: Row)] {
    var page: [(Anchor, Row)] = []
    var anchor = top
    while page.count < height, anchor.block <= typesetter.blockCount {
      let block = typesetter.block(anchor.block)
      while anchor.row < block.rows.count, page.count < height {
        page.append((anchor, block.rows[anchor.row]))
        anchor.row += 1
      }
      anchor = Anchor(block: anchor.block + 1, row: 0)
    }
    return page
  }

  /// Returns the ayah on a row of the page, zero-based; in flow layout the one at that column. Nil
  /// if the row is blank or below the page.
  func ayah(atRow row: Int, column: Int, of position: TextPosition) -> AyahID? {
    let page = page(from: position.top)
    guard page.indices.contains(row) else { return nil }
    let segments = page[row].row
    let hit =
      segments.filter { $0.column <= column }.max { $0.column < $1.column } ?? segments.first
    return (hit?.ayah).flatMap(AyahID.init(index:))
  }

  /// Whether the ayah under the cursor reaches below the page.
  func endsBelow(_ position: TextPosition) -> Bool {
    last(of: position.cursor) > bottom(position)
  }

  // MARK: Keeping the text at the top

  /// The text at the top of the page, to find it again in another layout.
  struct TopText: Hashable {
    /// The index of the ayah in the Quran, 1…6236.
    let ayah: Int
    /// The ID of the edition.
    let edition: String
    /// The offset in the displayed text of the ayah, in UTF-8 bytes.
    let offset: Int
    /// Whether the ayah begins here: in its first edition.
    let beginsAyah: Bool
  }

  func topText(of position: TextPosition) -> TopText? {
    for (_, row) in page(from: position.top) {
      if let segment = row.first(where: { $0.offset != nil }), let offset = segment.offset {
        let edition = typesetter.editions[segment.editionIndex].info.id
        return TopText(
          ayah: segment.ayah, edition: edition, offset: offset,
          beginsAyah: offset == 0 && segment.editionIndex == 0)
      }
    }
    return nil
  }

  /// Returns the position of the same text in this layout. If `topText` is nil, the ayah under the
  /// cursor is at the top.
  func position(cursor: AyahID, showing topText: TopText?) -> TextPosition {
    guard let topText, let ayah = AyahID(index: topText.ayah) else { return show(open(cursor)) }
    let block = typesetter.block(of: ayah)
    let rows = typesetter.block(block).rows
    // A page that began with an ayah begins with it again, including its number or heading.
    if topText.beginsAyah {
      return show(TextPosition(cursor: cursor, top: open(ayah).top))
    }
    let editionIndex = typesetter.editions.firstIndex { $0.info.id == topText.edition }
    let row = rows.lastIndex {
      $0.contains {
        $0.ayah == topText.ayah && $0.editionIndex == editionIndex
          && ($0.offset ?? .max) <= topText.offset
      }
    }
    let top = Anchor(block: block, row: row ?? self.rows(of: ayah).lowerBound)
    return show(TextPosition(cursor: cursor, top: top))
  }

  // MARK: Rows

  private func rows(of ayah: AyahID) -> ClosedRange<Int> {
    typesetter.block(typesetter.block(of: ayah)).rows(of: ayah.index)
  }

  /// Returns the first row of an ayah below the heading of its surah.
  private func firstTextRow(of ayah: AyahID) -> Int {
    let rows = typesetter.block(typesetter.block(of: ayah)).rows
    return rows.firstIndex { $0.contains { $0.ayah == ayah.index && $0.isOfAyah } }
      ?? self.rows(of: ayah).lowerBound
  }

  private func first(of ayah: AyahID) -> Anchor {
    Anchor(block: typesetter.block(of: ayah), row: rows(of: ayah).lowerBound)
  }

  private func last(of ayah: AyahID) -> Anchor {
    Anchor(block: typesetter.block(of: ayah), row: rows(of: ayah).upperBound)
  }

  private func bottom(_ position: TextPosition) -> Anchor { advance(position.top, by: height - 1) }

  private func isHigher(_ first: Anchor, _ last: Anchor) -> Bool {
    last.row - first.row + 1 > height
  }

  /// Returns the row that is a number of rows away, or the first or last one of the Quran.
  private func advance(_ anchor: Anchor, by count: Int) -> Anchor {
    var anchor = anchor
    anchor.row += count
    while anchor.row < 0, anchor.block > 1 {
      anchor.block -= 1
      anchor.row += typesetter.block(anchor.block).rows.count
    }
    while anchor.row >= typesetter.block(anchor.block).rows.count {
      let count = typesetter.block(anchor.block).rows.count
      guard anchor.block < typesetter.blockCount else {
        anchor.row = count - 1
        break
      }
      anchor.row -= count
      anchor.block += 1
    }
    anchor.row = max(anchor.row, 0)
    return anchor
  }

  /// Returns the nearest row that can be at the top: one with a full page below it, if there is
  /// one.
  private func clamp(_ anchor: Anchor) -> Anchor {
    let block = min(max(anchor.block, 1), typesetter.blockCount)
    let row = min(max(anchor.row, 0), typesetter.block(block).rows.count - 1)
    // The blank row above the first heading is never shown.
    let anchor = max(Anchor(block: block, row: row), Anchor(block: 1, row: 1))
    // Only pages near the end of the Quran can have too few rows.
    guard block > typesetter.blockCount - height - 1 else { return anchor }
    let last = Anchor(
      block: typesetter.blockCount, row: typesetter.block(typesetter.blockCount).rows.count - 1)
    return min(anchor, advance(last, by: 1 - height))
  }

  /// Returns the ayah of the cursor if it begins on the page, else the first ayah that begins on
  /// the page (going back, the last), else the ayah that fills it.
  private func cursor(near cursor: AyahID, on top: Anchor, forward: Bool) -> AyahID {
    let bottom = advance(top, by: height - 1)
    let first = first(of: cursor)
    if first >= top && first <= bottom { return cursor }
    let page = page(from: top)
    let begun = page.lazy.compactMap { anchor, _ in self.beginning(at: anchor) }
    if forward, let ayah = begun.first { return ayah }
    if !forward, let ayah = Array(begun).last { return ayah }
    let shown = page.lazy.flatMap(\.row).first.flatMap { AyahID(index: $0.ayah) }
    return shown ?? cursor
  }

  /// Returns the first ayah that begins on a row; nil if none does.
  private func beginning(at anchor: Anchor) -> AyahID? {
    let block = typesetter.block(anchor.block)
    let index = block.rowsOfAyah.firstIndex { $0.lowerBound == anchor.row }
    return index.flatMap { AyahID(index: block.ayahs.lowerBound + $0) }
  }
}

extension Anchor: Comparable {
  static func < (a: Anchor, b: Anchor) -> Bool { (a.block, a.row) < (b.block, b.row) }
}
