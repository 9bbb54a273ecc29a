public import Text

/// The size of a terminal in character cells.
public struct Size: Hashable, Sendable {
  /// The number of rows; never negative.
  public var rows: Int
  /// The number of columns; never negative.
  public var columns: Int

  /// Creates a size. Negative numbers become 0.
  public init(rows: Int, columns: Int) {
    self.rows = max(rows, 0)
    self.columns = max(columns, 0)
  }
}

/// A cell of a canvas: one column of one row.
struct Cell: Hashable, Sendable {
  /// The grapheme cluster in this cell, or nil if the cell is the second column of a wide cluster.
  var cluster: Character?
  var style: Style
  /// Whether right-to-left text that the terminal reorders ends in this cell. A left-to-right mark
  /// is sent after the cell. Without the mark, the terminal would show a number that follows the
  /// Arabic before the Arabic.
  var endsRightToLeft = false

  static func blank(_ style: Style) -> Cell { Cell(cluster: " ", style: style) }
}

/// A frame: the grid of cells that a view draws on.
///
/// `put` is the only function that converts text to cells. It replaces control characters, never
/// splits a wide grapheme cluster, and clips text that does not fit.
public struct Canvas: Hashable, Sendable {
  /// The size of the grid.
  public let size: Size
  /// The position of the terminal's cursor, or nil if the cursor is hidden.
  public var cursor: Position?
  /// How text in Arabic script is drawn.
  public let arabic: ArabicDisplay
  var cells: [Cell]

  /// A zero-based position; (0, 0) is the top left cell.
  public struct Position: Hashable, Sendable {
    /// The row, counted from 0 at the top.
    public var row: Int
    /// The column, counted from 0 at the left.
    public var column: Int

    /// Creates a position from a zero-based row and column.
    public init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  /// A part of a text with a style of its own.
  public struct Highlight: Hashable, Sendable {
    /// UTF-8 offsets in the text, which must be sanitized already.
    public var range: Range<Int>
    /// The style of the part.
    public var style: Style

    /// Creates a highlight of a range of UTF-8 offsets.
    public init(_ range: Range<Int>, _ style: Style) {
      self.range = range
      self.style = style
    }
  }

  /// Creates a canvas of blank cells in the given style.
  public init(size: Size, style: Style = Style(), arabic: ArabicDisplay = .shaped) {
    self.size = size
    self.arabic = arabic
    cells = Array(repeating: .blank(style), count: size.rows * size.columns)
  }

  /// Draws text on one row.
  ///
  /// - Parameters:
  ///   - text: The text to draw; `String.sanitizedLine` is applied to it.
  ///   - row: The zero-based row; nothing is drawn if it is outside the canvas.
  ///   - column: The zero-based column at which the text starts; nothing is drawn if it is outside
  ///     the canvas.
  ///   - style: The style of the cells.
  ///   - width: The maximum number of columns.
  ///   - direction: The direction of the line. Text from right to left is aligned to the right edge
  ///     of `width`, or of the canvas.
  ///   - display: How Arabic is drawn; nil to use `arabic`.
  ///   - highlights: The parts of the text with styles of their own; later ones cover earlier ones.
  /// - Returns: The number of columns drawn.
  @discardableResult
  public mutating func put(
    _ text: String, row: Int, column: Int, style: Style, width: Int = .max,
    direction: TextDirection = .leftToRight, display: ArabicDisplay? = nil,
    highlights: [Highlight] = []
  ) -> Int {
    guard row >= 0, row < size.rows, column >= 0, column < size.columns else { return 0 }
    let end = column + min(width, size.columns - column)
    let text = text.sanitizedLine
    let display = display ?? arabic
    var line = VisualLine(text, direction: direction, display: display)
    line.fit(to: end - column)
    let rightToLeftEnd =
      display == .terminal && text.mayHaveRightToLeft ? line.rightToLeftEnd : nil
    let start = direction == .leftToRight ? column : end - line.columns
    var position = start
    for (number, element) in line.elements.enumerated() {
      let columns = element.columns
      // Skip zero-width clusters: there is no cell to draw them in.
      guard columns > 0 else { continue }
      let style = highlights.last { $0.range.overlaps(element.range) }?.style ?? style
      clear(row, position)
      if columns == 2 { clear(row, position + 1) }
      let index = row * size.columns + position
      cells[index] = Cell(
        cluster: element.cluster, style: style, endsRightToLeft: number == rightToLeftEnd)
      if columns == 2 { cells[index + 1] = Cell(cluster: nil, style: style) }
      position += columns
    }
    return position - start
  }

  /// Makes cells of a row blank; columns outside the canvas are ignored.
  public mutating func fill(row: Int, columns: Range<Int>, style: Style) {
    guard row >= 0, row < size.rows else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      clear(row, column)
      cells[row * size.columns + column] = .blank(style)
    }
  }

  /// Changes the style of cells of a row without changing their content; columns outside the canvas
  /// are ignored.
  public mutating func restyle(row: Int, columns: Range<Int>, _ change: (inout Style) -> Void) {
    guard row >= 0, row < size.rows else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      change(&cells[row * size.columns + column].style)
    }
  }

  /// Prepares a cell for being overwritten: if it is half of a wide cluster, blanks the other half.
  private mutating func clear(_ row: Int, _ column: Int) {
    let index = row * size.columns + column
    if cells[index].cluster == nil, column > 0 {
      cells[index - 1].cluster = " "
      cells[index].cluster = " "
    } else if column + 1 < size.columns, cells[index + 1].cluster == nil {
      cells[index + 1].cluster = " "
    }
  }

  /// The text of a row as a terminal shows it, without trailing blanks. The row must be inside the
  /// canvas.
  public func text(row: Int) -> String {
    var line = String(cells[row * size.columns..<(row + 1) * size.columns].compactMap(\.cluster))
    while line.last == " " { line.removeLast() }
    return line
  }

  /// The text of all rows, each terminated by a line feed.
  public var text: String {
    (0..<size.rows).map { text(row: $0) + "\n" }.joined()
  }

  /// The style of a cell. The zero-based row and column must be inside the canvas.
  public func style(row: Int, column: Int) -> Style {
    cells[row * size.columns + column].style
  }
}
