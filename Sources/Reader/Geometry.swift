import Terminal

/// Where the parts of the screen stand.
struct Geometry: Hashable {
  struct Area: Hashable {
    var row: Int
    var column: Int
    var height: Int
    var width: Int

    func contains(_ mouse: Mouse) -> Bool {
      (row..<row + height).contains(mouse.row) && (column..<column + width).contains(mouse.column)
    }
  }

  /// From here on the list stands beside the text.
  static let twoPaneColumns = 100
  /// Below this there is room for a word only.
  static let smallest = Size(rows: 6, columns: 24)

  let size: Size
  /// Rows of the list, nil where it is not shown.
  let list: Area?
  /// Rows of the text, nil where it is not shown.
  let text: Area?
  /// The row of the heading line above the list ("continue", the search field).
  let listHeading: Area?
  /// Rows that are lines across.
  let rules: [Area]
  /// The title and rows of the note below the text, nil where none is shown.
  let note: Area?
  /// The column of the line between the panes.
  let divider: Int?
  let status: Int

  var isTooSmall: Bool { size.rows < Self.smallest.rows || size.columns < Self.smallest.columns }
  var isTwoPane: Bool { divider != nil }

  /// - Parameters:
  ///   - pane: the one that takes the keys.
  ///   - noteShare: how much of the text's rows a note takes, 0…1.
  init(size: Size, pane: Model.Pane, noteShare: Double = 0) {
    self.size = size
    // Lines are left out where rows are few.
    let hasRules = size.rows >= 16
    let bottom = size.rows - 1 - (hasRules ? 1 : 0)
    status = size.rows - 1
    let isWide = size.columns >= Self.twoPaneColumns
    let listWidth = isWide ? min(max(size.columns * 2 / 5, 44), 56) : size.columns
    let textColumn = isWide ? listWidth + 1 : 0
    let headingRows = hasRules ? 2 : 1
    var rules = hasRules ? [Area(row: bottom, column: 0, height: 1, width: size.columns)] : []
    if isWide || pane == .list {
      listHeading = Area(row: 1, column: 0, height: 1, width: listWidth)
      let top = 1 + headingRows
      list = Area(row: top, column: 0, height: max(bottom - top, 0), width: listWidth)
      if hasRules { rules.append(Area(row: 2, column: 0, height: 1, width: listWidth)) }
    } else {
      listHeading = nil
      list = nil
    }
    if isWide || pane == .text {
      let top = isWide ? 1 + (hasRules ? 1 : 0) : headingRows
      let rows = max(bottom - top, 0)
      // At least a row of the text stays to write about.
      let noteRows = noteShare > 0 ? max(min(Int(Double(rows) * noteShare), rows - 1), 0) : 0
      let width = size.columns - textColumn
      text = Area(row: top, column: textColumn, height: rows - noteRows, width: width)
      note =
        noteRows > 0
        ? Area(row: top + rows - noteRows, column: textColumn, height: noteRows, width: width) : nil
      if hasRules {
        rules.append(Area(row: 1, column: textColumn, height: 1, width: size.columns - textColumn))
      }
    } else {
      text = nil
      note = nil
    }
    self.rules = rules
    divider = isWide ? listWidth : nil
  }
}
