import CNcurses
import Text

/// Writes the difference between two frames as the bytes that make a terminal
/// show the second, to be sent in one piece.
struct FrameEncoder {
  let capabilities: Capabilities
  private var bytes: [UInt8] = []
  /// Where the terminal's cursor stands, where that is known.
  private var cursor: Canvas.Position?
  private var style: Style?

  init(_ capabilities: Capabilities) {
    self.capabilities = capabilities
  }

  /// - Parameter old: what the terminal shows; nil where that is unknown.
  mutating func encode(_ new: Canvas, over old: Canvas?) -> [UInt8] {
    bytes.removeAll(keepingCapacity: true)
    cursor = nil
    style = nil
    let old = old?.size == new.size ? old : nil
    if old == nil {
      set(Style())
      append(capabilities.clear)
    }
    for row in 0..<new.size.rows { encode(row: row, of: new, over: old) }
    // Nothing changed but perhaps the cursor.
    if bytes.isEmpty, old?.cursor == new.cursor { return [] }
    if let position = new.cursor {
      move(to: position)
      append(capabilities.showCursor)
    }
    let hide = old?.cursor != nil || old == nil ? capabilities.hideCursor : ""
    let brackets = capabilities.synchronizes ? ("\u{1B}[?2026h", "\u{1B}[?2026l") : ("", "")
    return Array(brackets.0.utf8) + Array(hide.utf8) + bytes + Array(brackets.1.utf8)
  }

  private mutating func encode(row: Int, of new: Canvas, over old: Canvas?) {
    let columns = new.size.columns
    let start = row * columns
    let cells = new.cells
    // The blank run at the end of the row, cleared in one go.
    var end = columns
    if !capabilities.clearToEndOfLine.isEmpty, columns > 0 {
      let last = cells[start + columns - 1]
      if last.cluster == " ", capabilities.clearsInBackground || !isFilled(last.style),
        last.style.attributes.isDisjoint(with: [.underline, .reverse])
      {
        while end > 0, cells[start + end - 1] == last { end -= 1 }
      }
    }
    // Where the next cell to write would follow the last one written.
    var next = columns
    // Whether a cluster was written that may reach over what stands behind it.
    var isSmeared = false
    for column in 0..<end {
      let cell = cells[start + column]
      guard let cluster = cell.cluster, isSmeared || !isSame(cell, old?.cells[start + column])
      else { continue }
      // A few cells written again are shorter than a new address.
      if next < column, column - next <= 4,
        cells[(start + next)..<(start + column)].allSatisfy({
          $0.style == style && $0.cluster?.hasCertainWidth == true
        })
      {
        for column in next..<column {
          write(cells[start + column], at: Canvas.Position(row: row, column: column))
        }
      }
      write(cell, at: Canvas.Position(row: row, column: column))
      next = column + 1
      if !cluster.hasCertainWidth { isSmeared = true }
    }
    guard end < columns else { return }
    let rest = (start + end)..<(start + columns)
    let isClear =
      if let old { old.cells[rest].elementsEqual(cells[rest], by: { isSame($1, $0) }) } else {
        !isFilled(cells[start + end].style)
      }
    guard isSmeared || !isClear else { return }
    move(to: Canvas.Position(row: row, column: end))
    set(cells[start + end].style)
    append(capabilities.clearToEndOfLine)
  }

  /// Whether blanks of that style show anything but the terminal's background.
  private func isFilled(_ style: Style) -> Bool {
    capabilities.colors > .none && style.background != .standard
  }

  /// Whether a terminal that shows the old cell shows the new one.
  private func isSame(_ a: Cell, _ b: Cell?) -> Bool {
    // On a cleared screen a blank is there already.
    guard let b else { return a.cluster == " " && !isFilled(a.style) && isFlat(a.style) }
    if a == b { return true }
    guard a.cluster == " ", b.cluster == " ", isFlat(a.style), isFlat(b.style) else { return false }
    return a.style.background == b.style.background
  }

  private func isFlat(_ style: Style) -> Bool {
    style.attributes.isDisjoint(with: [.underline, .reverse])
  }

  private mutating func write(_ cell: Cell, at position: Canvas.Position) {
    guard let cluster = cell.cluster else { return }
    move(to: position)
    set(cell.style)
    append(cluster)
    // Terminals disagree on the width of joined emoji and the like: after one,
    // the cursor is placed anew and the rest of the row written again, so that
    // every other column shows what belongs there.
    cursor =
      cluster.hasCertainWidth
      ? Canvas.Position(row: position.row, column: position.column + 1) : nil
  }

  private mutating func move(to position: Canvas.Position) {
    guard cursor != position else { return }
    if let format = capabilities.moveCursor {
      append(String(cString: terminfo_format(format, Int32(position.row), Int32(position.column))))
    } else if position.column == 0 {
      append("\u{1B}[\(position.row + 1)H")
    } else {
      append("\u{1B}[\(position.row + 1);\(position.column + 1)H")
    }
    cursor = position
  }

  // MARK: Styles

  private mutating func set(_ new: Style) {
    guard style != new, capabilities.hasStyles else { return }
    var codes: [String] = []
    if style?.attributes != new.attributes {
      codes = [""]
      for (attribute, code) in Self.attributeCodes where new.attributes.contains(attribute) {
        codes.append(code)
      }
      style = Style(.standard, on: .standard, new.attributes)
    }
    if let old = style, capabilities.colors > .none {
      if old.foreground != new.foreground { codes.append(code(new.foreground, base: 30)) }
      if old.background != new.background { codes.append(code(new.background, base: 40)) }
    }
    style = new
    guard !codes.isEmpty else { return }
    append("\u{1B}[" + codes.joined(separator: ";") + "m")
  }

  private static let attributeCodes: [(Style.Attributes, String)] = [
    (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"), (.reverse, "7"),
  ]

  /// SGR parameters of a colour; `base` is 30 for text, 40 for background.
  private func code(_ color: Color, base: Int) -> String {
    switch color {
    case .standard: return String(base + 9)
    case .palette(let index): return code(palette: Int(index), base: base)
    case .rgb(let red, let green, let blue):
      switch capabilities.colors {
      case .direct: return "\(base + 8);2;\(red);\(green);\(blue)"
      case .palette:
        return "\(base + 8);5;\(Palette.nearest256(red, green, blue))"
      default:
        let count = capabilities.colors == .sixteen ? 16 : 8
        return code(palette: Palette.nearest(red, green, blue, of: count), base: base)
      }
    }
  }

  private func code(palette index: Int, base: Int) -> String {
    if index < 8 || capabilities.colors == .eight { return String(base + index % 8) }
    return String(base + 60 + index - 8)
  }

  // MARK: Bytes

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
  private mutating func append(_ cluster: Character) { bytes.append(contentsOf: cluster.utf8) }
}

extension Character {
  /// Whether every terminal draws it one column wide: Latin, Arabic and their
  /// neighbours with their marks, punctuation, arrows, lines and blocks.
  fileprivate var hasCertainWidth: Bool {
    if utf8.count == 1 { return true }
    return columns == 1
      && unicodeScalars.allSatisfy {
        switch $0.value {
        case 0...0x10FF, 0x1E00...0x1EFF, 0x2010...0x2027, 0x2190...0x21FF, 0x2500...0x25BF: true
        default: false
        }
      }
  }
}

/// The colours of xterm's palettes.
enum Palette {
  /// xterm's defaults for 0…15; terminals differ, and readers change them.
  private static let sixteen: [(Int, Int, Int)] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
    (255, 0, 255), (0, 255, 255), (255, 255, 255),
  ]
  private static let steps = [0, 95, 135, 175, 215, 255]

  /// The nearest of the 6 × 6 × 6 cube and the 24 greys, 16…255.
  static func nearest256(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    let wanted = (Int(red), Int(green), Int(blue))
    func step(_ value: Int) -> Int {
      steps.indices.min { abs(steps[$0] - value) < abs(steps[$1] - value) } ?? 0
    }
    let cube = (step(wanted.0), step(wanted.1), step(wanted.2))
    // The mean, weighted as in `distance`, between the greys 8, 18, 28 …
    let mean = (3 * wanted.0 + 6 * wanted.1 + wanted.2) / 10
    let grey = min(max((mean - 3) / 10, 0), 23)
    let level = 8 + grey * 10
    let isGreyNearer =
      distance(wanted, (level, level, level))
      < distance(wanted, (steps[cube.0], steps[cube.1], steps[cube.2]))
    return isGreyNearer ? 232 + grey : 16 + 36 * cube.0 + 6 * cube.1 + cube.2
  }

  /// The nearest of the first 8 or 16.
  static func nearest(_ red: UInt8, _ green: UInt8, _ blue: UInt8, of count: Int) -> Int {
    let wanted = (Int(red), Int(green), Int(blue))
    return sixteen.indices.prefix(count).min {
      distance(wanted, sixteen[$0]) < distance(wanted, sixteen[$1])
    } ?? 7
  }

  private static func distance(_ a: (Int, Int, Int), _ b: (Int, Int, Int)) -> Int {
    let (red, green, blue) = (a.0 - b.0, a.1 - b.1, a.2 - b.2)
    // Weighted as the eye is.
    return 3 * red * red + 6 * green * green + blue * blue
  }
}
