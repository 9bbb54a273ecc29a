import Text

/// Rows and columns of a terminal.
public struct Size: Hashable, Sendable {
  public var rows: Int
  public var columns: Int

  public init(rows: Int, columns: Int) {
    self.rows = max(rows, 0)
    self.columns = max(columns, 0)
  }
}

/// One column of one row.
struct Cell: Hashable, Sendable {
  /// What stands here; nil in the second column of a wide cluster.
  var cluster: Character?
  var style: Style

  static func blank(_ style: Style) -> Cell { Cell(cluster: " ", style: style) }
}

/// A screenful of cells: what a view draws on.
///
/// `put` is the one place where text becomes cells. Control characters do not
/// survive it, a wide cluster is never cut, and what does not fit is not drawn.
public struct Canvas: Hashable, Sendable {
  public let size: Size
  /// Where the terminal's cursor stands, if it is to be seen; zero-based.
  public var cursor: Position?
  var cells: [Cell]

  /// Zero-based, from the top left.
  public struct Position: Hashable, Sendable {
    public var row: Int
    public var column: Int

    public init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  public init(size: Size, style: Style = Style()) {
    self.size = size
    cells = Array(repeating: .blank(style), count: size.rows * size.columns)
  }

  /// Draws text on one row, from a column on.
  ///
  /// - Parameters:
  ///   - row, column: zero-based; outside the canvas nothing is drawn.
  ///   - width: columns it may take at most.
  /// - Returns: the columns it took.
  @discardableResult
  public mutating func put(
    _ text: String, row: Int, column: Int, style: Style, width: Int = .max
  ) -> Int {
    guard row >= 0, row < size.rows, column >= 0, column < size.columns else { return 0 }
    let end = column + min(width, size.columns - column)
    var position = column
    for cluster in text.displayableLine.flatMap(\.drawn) {
      let columns = cluster.columns
      // What takes no column of its own has nothing to show.
      guard columns > 0 else { continue }
      guard position + columns <= end else { break }
      clear(row, position)
      if columns == 2 { clear(row, position + 1) }
      let index = row * size.columns + position
      cells[index] = Cell(cluster: cluster, style: style)
      if columns == 2 { cells[index + 1] = Cell(cluster: nil, style: style) }
      position += columns
    }
    return position - column
  }

  /// Makes columns of a row blank.
  public mutating func fill(row: Int, columns: Range<Int>, style: Style) {
    guard row >= 0, row < size.rows else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      clear(row, column)
      cells[row * size.columns + column] = .blank(style)
    }
  }

  /// Changes how columns of a row look, not what stands there.
  public mutating func restyle(row: Int, columns: Range<Int>, _ change: (inout Style) -> Void) {
    guard row >= 0, row < size.rows else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      change(&cells[row * size.columns + column].style)
    }
  }

  /// Blanks the other half when one half of a wide cluster is drawn over.
  private mutating func clear(_ row: Int, _ column: Int) {
    let index = row * size.columns + column
    if cells[index].cluster == nil, column > 0 {
      cells[index - 1].cluster = " "
      cells[index].cluster = " "
    } else if column + 1 < size.columns, cells[index + 1].cluster == nil {
      cells[index + 1].cluster = " "
    }
  }

  /// The text of a row as a terminal shows it, without the blanks at its end.
  public func text(row: Int) -> String {
    var line = String(cells[row * size.columns..<(row + 1) * size.columns].compactMap(\.cluster))
    while line.last == " " { line.removeLast() }
    return line
  }

  /// All rows, each ended by a line feed.
  public var text: String {
    (0..<size.rows).map { text(row: $0) + "\n" }.joined()
  }

  /// How a cell looks; zero-based.
  public func style(row: Int, column: Int) -> Style {
    cells[row * size.columns + column].style
  }
}

extension Character {
  /// What is drawn beside each other of it: an Arabic number sign and its digits, else all in one.
  fileprivate var drawn: [Character] {
    columns > 2 ? unicodeScalars.map(Character.init) : [self]
  }
}
