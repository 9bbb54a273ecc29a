import Library
import Terminal

/// The areas of the screen.
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

  /// The minimum width, in columns, at which the list is shown beside the text.
  static let twoPaneColumns = 100
  /// The smallest size at which screens are drawn.
  static let smallest = Size(rows: 6, columns: 24)

  let size: Size
  /// The area of the list; nil if it is not shown.
  let list: Area?
  /// The area of the text, without the panel below it; nil if it is not shown.
  let text: Area?
  /// The row of the heading line above the list; nil if the list is not shown.
  let listHeading: Area?
  /// The horizontal lines, each one row high.
  let rules: [Area]
  /// The panel below the text, including its title: a note, the note editor or footnotes; nil if
  /// there is none.
  let note: Area?
  /// The column of the line between the panes; nil if only one pane is shown.
  let divider: Int?
  let status: Int

  var isTooSmall: Bool { size.rows < Self.smallest.rows || size.columns < Self.smallest.columns }
  var isTwoPane: Bool { divider != nil }

  /// - Parameters:
  ///   - size: the size of the screen.
  ///   - pane: the pane that receives the keys.
  ///   - noteShare: the maximum share of the text's rows that the panel below the text takes, 0…1;
  ///     0 if there is no panel.
  ///   - noteLimit: the maximum number of rows of that panel, including its title.
  init(size: Size, pane: Pane, noteShare: Double = 0, noteLimit: Int = .max) {
    self.size = size
    // Horizontal lines are left out if there are few rows.
    let hasRules = size.rows >= 16
    let bottom = size.rows - 1 - (hasRules ? 1 : 0)
    status = size.rows - 1
    let isWide = size.columns >= Self.twoPaneColumns
    // Leave enough columns for text of the standard width, its gutter and some blank columns.
    let spare = min(size.columns - TextWidth.standard - 20, 76)
    let listWidth =
      isWide ? min(max(size.columns * 2 / 5, 44), max(spare, 56)) : size.columns
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
      // At least one row of the text stays visible above the panel.
      let noteRows =
        noteShare > 0 ? max(min(Int(Double(rows) * noteShare), noteLimit, rows - 1), 0) : 0
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
