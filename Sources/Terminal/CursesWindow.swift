import CCurses

/// Draws frames with ncurses, which sends only what changed.
struct CursesWindow {
  private let window: UnsafeMutablePointer<WINDOW>
  /// The number of colours of the terminal; 0 if colours are not used.
  let colors: Int
  private var pairs: [Pair: Int32] = [:]
  private var shown: Canvas?

  private struct Pair: Hashable {
    let foreground: Int
    let background: Int
  }

  /// Creates a window as large as the terminal that ncurses opened last.
  ///
  /// - Parameter usesColors: Whether to draw colours if the terminal has them.
  init?(usesColors: Bool) {
    guard let window = newwin(0, 0, 0, 0) else { return nil }
    self.window = window
    idlok(window, true)
    if usesColors, has_colors(), start_color() == OK, use_default_colors() == OK {
      colors = Int(curses_color_count())
    } else {
      colors = 0
    }
  }

  /// Sets a new size. The content of the screen is then unknown, so the next frame is drawn
  /// completely.
  mutating func resize(_ size: Size) {
    resizeterm(Int32(size.rows), Int32(size.columns))
    wresize(window, Int32(size.rows), Int32(size.columns))
    shown = nil
  }

  /// Makes the next frame be drawn completely.
  mutating func invalidate() { shown = nil }

  /// Whether the window shows exactly this frame, so that drawing it would not change anything.
  func isShowing(_ frame: Canvas) -> Bool { shown == frame }

  /// Draws a frame, clipped to the window.
  mutating func show(_ frame: Canvas) {
    let height = min(frame.size.rows, Int(getmaxy(window)))
    let width = min(frame.size.columns, Int(getmaxx(window)))
    let old = shown?.size == frame.size ? shown : nil
    if old == nil { clearok(window, true) }
    for row in 0..<height where old?.cells(of: row) != frame.cells(of: row) {
      draw(frame.cells(of: row).prefix(width), in: row)
      // Terminals disagree about the width of joined emoji and similar clusters, so a row with one
      // is redrawn completely.
      if [frame, old].contains(where: { $0?.cells(of: row).hasCertainWidths == false }) {
        wredrawln(window, Int32(row), 1)
      }
    }
    shown = frame
    leaveok(window, frame.cursor == nil)
    curs_set(frame.cursor == nil ? 0 : 1)
    if let cursor = frame.cursor { wmove(window, Int32(cursor.row), Int32(cursor.column)) }
    wnoutrefresh(window)
    doupdate()
  }

  private mutating func draw(_ cells: ArraySlice<Cell>, in row: Int) {
    var line: [cchar_t] = []
    line.reserveCapacity(cells.count)
    for (characters, style) in CursesCell.row(cells) {
      var drawn = cchar_t()
      _ = curses_set_cell(&drawn, characters + [0], attributes(style), pair(style))
      line.append(drawn)
    }
    // Unlike wadd_wch, this does not move the cursor and therefore does not wrap.
    mvwadd_wchnstr(window, Int32(row), 0, line, Int32(line.count))
  }

  // MARK: Styles

  private func attributes(_ style: Style) -> attr_t {
    var attributes: attr_t = 0
    if style.attributes.contains(.bold) { attributes |= curses_bold }
    if style.attributes.contains(.dim) { attributes |= curses_dim }
    if style.attributes.contains(.italic) { attributes |= curses_italic }
    if style.attributes.contains(.underline)
      || colors == 0 && style.attributes.contains(.underlineWithoutColors)
    {
      attributes |= curses_underline
    }
    if style.attributes.contains(.reverse) { attributes |= curses_reverse }
    return attributes
  }

  /// Returns the number of the colour pair of a style, and allocates the pair if it is new. Returns
  /// 0, the terminal's default pair, if no more pairs are available.
  private mutating func pair(_ style: Style) -> Int32 {
    guard colors > 0 else { return 0 }
    let pair = Pair(foreground: number(style.foreground), background: number(style.background))
    guard pair != Pair(foreground: -1, background: -1) else { return 0 }
    if let known = pairs[pair] { return known }
    let number = Int32(pairs.count + 1)
    guard number < curses_pair_count(),
      init_extended_pair(number, Int32(pair.foreground), Int32(pair.background)) == OK
    else { return 0 }
    pairs[pair] = number
    return number
  }

  /// The number of the colour in ncurses; -1 is the terminal's default colour.
  private func number(_ color: Color) -> Int {
    switch color {
    case .standard: -1
    case .palette(let index): Palette.nearest(Int(index), of: colors)
    }
  }
}

extension Canvas {
  fileprivate func cells(of row: Int) -> ArraySlice<Cell> {
    cells[row * size.columns..<(row + 1) * size.columns]
  }
}

extension ArraySlice<Cell> {
  fileprivate var hasCertainWidths: Bool {
    allSatisfy { $0.cluster?.hasCertainWidth ?? true }
  }
}
