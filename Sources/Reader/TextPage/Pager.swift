import Quran

/// A row of the book: a block, one-based, and a row of it, zero-based.
struct Anchor: Hashable {
  var block: Int
  var row: Int
}

/// Where a reader is: the ayah under the cursor, and the row at the top.
struct Reading: Hashable {
  var cursor: AyahID
  var top: Anchor
}

/// Moves through the book on pages of one height.
///
/// The book is one long page, so that reading goes on from surah to surah. Only
/// blocks on and next to the screen are ever laid out.
struct Pager {
  let typesetter: Typesetter
  /// Rows of the page, at least 1.
  let height: Int

  init(_ typesetter: Typesetter, height: Int) {
    self.typesetter = typesetter
    self.height = max(height, 1)
  }

  /// A reading that begins with an ayah.
  func open(_ ayah: AyahID) -> Reading {
    Reading(cursor: ayah, top: clamp(first(of: ayah)))
  }

  // MARK: Moving

  /// To the next ayah; in one that reaches below the page, a row down.
  func down(_ reading: Reading) -> Reading {
    if last(of: reading.cursor) > bottom(reading) {
      return Reading(cursor: reading.cursor, top: advance(reading.top, by: 1))
    }
    guard let next = reading.cursor.next else { return reading }
    return show(Reading(cursor: next, top: reading.top))
  }

  /// To the previous ayah; in one that begins above the page, a row up.
  func up(_ reading: Reading) -> Reading {
    if first(of: reading.cursor) < reading.top {
      return Reading(cursor: reading.cursor, top: advance(reading.top, by: -1))
    }
    guard let previous = reading.cursor.previous else { return reading }
    return show(Reading(cursor: previous, top: reading.top), fromBelow: true)
  }

  /// The page moved by rows, with the cursor on an ayah that begins on it.
  func scroll(_ reading: Reading, by count: Int) -> Reading {
    let top = clamp(advance(reading.top, by: count))
    if top == reading.top {
      return show(Reading(cursor: count < 0 ? .first : .last, top: top))
    }
    return Reading(cursor: cursor(near: reading.cursor, on: top, forward: count > 0), top: top)
  }

  /// The same place, after the page changed its height or its blocks.
  func show(_ reading: Reading, fromBelow: Bool = false) -> Reading {
    var top = clamp(reading.top)
    let first = first(of: reading.cursor)
    let last = last(of: reading.cursor)
    if isHigher(first, last) {
      // Taller than the page: one that a reader comes to begins at the top, or
      // from below ends at the bottom; one that the page is within stays.
      if !(first...last).contains(top) { top = fromBelow ? advance(last, by: 1 - height) : first }
    } else if first < top {
      top = first
    } else if last > bottom(Reading(cursor: reading.cursor, top: top)) {
      top = advance(last, by: 1 - height)
    }
    return Reading(cursor: reading.cursor, top: clamp(top))
  }

  /// The rows on the page from a row on, with their anchors; fewer at the end of the book.
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

  /// The ayah on a row of the page, zero-based; in flow layout the one at that column.
  func ayah(atRow row: Int, column: Int, of reading: Reading) -> AyahID? {
    let page = page(from: reading.top)
    guard page.indices.contains(row) else { return nil }
    let segments = page[row].row.segments
    let hit = segments.last { $0.column <= column } ?? segments.first
    return (hit?.ayah).flatMap(AyahID.init(index:))
  }

  // MARK: Keeping the place

  /// The text at the top of the page, to find it again in another layout.
  struct Bookmark: Hashable {
    let ayah: Int
    let offset: Int
  }

  func bookmark(_ reading: Reading) -> Bookmark? {
    for (_, row) in page(from: reading.top) {
      if let segment = row.segments.first(where: { $0.offset != nil }), let offset = segment.offset
      {
        return Bookmark(ayah: segment.ayah, offset: offset)
      }
    }
    return nil
  }

  /// A reading of the same text, in this layout.
  func restore(cursor: AyahID, at bookmark: Bookmark?) -> Reading {
    guard let bookmark, let ayah = AyahID(index: bookmark.ayah) else { return show(open(cursor)) }
    let block = typesetter.block(of: ayah)
    let rows = typesetter.block(block).rows
    // A page that began with an ayah begins with it, its number or heading included.
    if bookmark.offset == 0 { return show(Reading(cursor: cursor, top: open(ayah).top)) }
    let row = rows.lastIndex {
      $0.segments.contains { $0.ayah == bookmark.ayah && ($0.offset ?? .max) <= bookmark.offset }
    }
    return show(
      Reading(cursor: cursor, top: Anchor(block: block, row: row ?? self.rows(of: ayah).lowerBound))
    )
  }

  // MARK: Rows

  private func rows(of ayah: AyahID) -> ClosedRange<Int> {
    typesetter.block(typesetter.block(of: ayah)).rows(of: ayah.index)
  }

  private func first(of ayah: AyahID) -> Anchor {
    Anchor(block: typesetter.block(of: ayah), row: rows(of: ayah).lowerBound)
  }

  private func last(of ayah: AyahID) -> Anchor {
    Anchor(block: typesetter.block(of: ayah), row: rows(of: ayah).upperBound)
  }

  private func bottom(_ reading: Reading) -> Anchor { advance(reading.top, by: height - 1) }

  private func isHigher(_ first: Anchor, _ last: Anchor) -> Bool {
    last.row - first.row + 1 > height
  }

  /// The row so many rows on, held at the first and the last of the book.
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

  /// A row that can be at the top: one with a full page below it, if the book has one.
  private func clamp(_ anchor: Anchor) -> Anchor {
    let block = min(max(anchor.block, 1), typesetter.blockCount)
    let row = min(max(anchor.row, 0), typesetter.block(block).rows.count - 1)
    // The blank row above the first heading is above nothing.
    let anchor = max(Anchor(block: block, row: row), Anchor(block: 1, row: 1))
    // Only near the end of the book can the page be short of rows.
    guard block > typesetter.blockCount - height - 1 else { return anchor }
    let last = Anchor(
      block: typesetter.blockCount, row: typesetter.block(typesetter.blockCount).rows.count - 1)
    return min(anchor, advance(last, by: 1 - height))
  }

  /// The cursor's ayah if any of it is on the page and a reader would look for
  /// it there, else the first that begins on the page, or fills it.
  private func cursor(near cursor: AyahID, on top: Anchor, forward: Bool) -> AyahID {
    let bottom = advance(top, by: height - 1)
    let first = first(of: cursor)
    if first >= top && first <= bottom { return cursor }
    let page = page(from: top)
    let begun = page.lazy.compactMap { anchor, _ in self.beginning(at: anchor) }
    if forward, let ayah = begun.first { return ayah }
    if !forward, let ayah = Array(begun).last { return ayah }
    let shown = page.lazy.flatMap(\.row.segments).first.flatMap { AyahID(index: $0.ayah) }
    return shown ?? cursor
  }

  /// The first ayah whose rows begin with this one.
  private func beginning(at anchor: Anchor) -> AyahID? {
    let block = typesetter.block(anchor.block)
    let index = block.rowsOfAyah.firstIndex { $0.lowerBound == anchor.row }
    return index.flatMap { AyahID(index: block.ayahs.lowerBound + $0) }
  }
}

extension Anchor: Comparable {
  static func < (a: Anchor, b: Anchor) -> Bool { (a.block, a.row) < (b.block, b.row) }
}
