import Testing
import Text

/// A terminal of ECMA-48's kind, as far as the reader needs one: it keeps to the
/// size, does not wrap, and records an issue for whatever it does not know.
struct ModelTerminal {
  /// A colour as it was asked for.
  enum Color: Hashable {
    case standard
    case index(Int)
    case rgb(Int, Int, Int)
  }

  struct Look: Hashable {
    var foreground = Color.standard
    var background = Color.standard
    /// SGR parameters, as 1 for bold.
    var attributes: Set<Int> = []
  }

  struct Cell: Hashable {
    /// Nil in the second column of a wide cluster.
    var cluster: Character? = " "
    var look = Look()
  }

  let rows: Int
  let columns: Int
  /// Whether clearing fills with the current background, as terminfo's `bce` says.
  let clearsInBackground: Bool
  /// Whether emoji that are joined from several are drawn side by side.
  let splitsClusters: Bool
  private(set) var cells: [[Cell]]
  private(set) var row = 0
  private(set) var column = 0
  private(set) var showsCursor = false
  private(set) var isSynchronizing = false
  /// Every SGR parameter that came.
  private(set) var parameters: Set<Int> = []
  private var look = Look()

  init(rows: Int, columns: Int, clearsInBackground: Bool, splitsClusters: Bool = false) {
    self.rows = rows
    self.columns = columns
    self.clearsInBackground = clearsInBackground
    self.splitsClusters = splitsClusters
    // What some other program has left.
    let rest = Cell(
      cluster: "#", look: Look(foreground: .index(3), background: .index(5), attributes: [4]))
    cells = Array(repeating: Array(repeating: rest, count: columns), count: rows)
    look = rest.look
    showsCursor = true
  }

  mutating func feed(_ bytes: [UInt8]) {
    var text = Substring(String(decoding: bytes, as: UTF8.self))
    while let first = text.first {
      if first == "\u{1B}" {
        control(&text)
      } else {
        let run = text.prefix { $0 != "\u{1B}" }
        text = text[run.endIndex...]
        for cluster in run { draw(cluster) }
      }
    }
  }

  // MARK: Text

  private mutating func draw(_ cluster: Character) {
    guard splitsClusters else { return put(cluster, cluster.columns) }
    for scalar in cluster.unicodeScalars {
      let part = Character(scalar)
      if part.columns > 0 {
        put(part, part.columns)
      } else if scalar.properties.generalCategory == .nonspacingMark, column > 0 {
        let before = cells[row][column - 1].cluster.map { String($0) } ?? ""
        cells[row][column - 1].cluster = (before + String(part)).first
      }
    }
  }

  private mutating func put(_ cluster: Character, _ width: Int) {
    guard !cluster.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      Issue.record("a control character: \(cluster.unicodeScalars.map(\.value))")
      return
    }
    guard width > 0, width <= columns, row < rows else { return }
    let start = min(column, columns - width)
    for column in start..<(start + width) { clear(column) }
    cells[row][start] = Cell(cluster: cluster, look: look)
    if width == 2 { cells[row][start + 1] = Cell(cluster: nil, look: look) }
    column = min(start + width, columns)
  }

  /// Half of a wide cluster cannot stay when the other goes.
  private mutating func clear(_ column: Int) {
    if cells[row][column].cluster == nil, column > 0 { cells[row][column - 1].cluster = " " }
    if column + 1 < columns, cells[row][column + 1].cluster == nil {
      cells[row][column + 1].cluster = " "
    }
    cells[row][column] = Cell(
      look: Look(background: clearsInBackground ? look.background : .standard))
  }

  // MARK: Control sequences

  private mutating func control(_ text: inout Substring) {
    let sequence = text.dropFirst()
    guard sequence.first == "[",
      let end = sequence.dropFirst().firstIndex(where: { $0.isLetter || $0.isWhitespace })
    else {
      Issue.record("no control sequence: \(text.prefix(8).unicodeScalars.map(\.value))")
      text = text.dropFirst()
      return
    }
    let body = sequence.dropFirst()[..<end]
    let numbers = body.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    switch (sequence[end], body) {
    case ("H", _):
      row = min(max((numbers.first ?? 1), 1), rows) - 1
      column = min(max(numbers.count > 1 ? numbers[1] : 1, 1), columns) - 1
    case ("J", "2"):
      for row in 0..<rows {
        for column in 0..<columns {
          cells[row][column] = Cell(
            look: Look(background: clearsInBackground ? look.background : .standard))
        }
      }
    case ("K", ""): for column in column..<columns { clear(column) }
    case ("m", _): select(numbers.isEmpty ? [0] : numbers)
    case ("h", "?25"): showsCursor = true
    case ("l", "?25"): showsCursor = false
    case ("h", "?2026"): isSynchronizing = true
    case ("l", "?2026"): isSynchronizing = false
    default: Issue.record("CSI \(body)\(sequence[end])")
    }
    text = text[text.index(after: end)...]
  }

  /// Select Graphic Rendition.
  private mutating func select(_ numbers: [Int]) {
    var rest = numbers[...]
    while let number = rest.popFirst() {
      parameters.insert(number)
      switch number {
      case 0: look = Look()
      case 1, 2, 3, 4, 7: look.attributes.insert(number)
      case 30...37: look.foreground = .index(number - 30)
      case 38: look.foreground = Self.color(&rest)
      case 39: look.foreground = .standard
      case 40...47: look.background = .index(number - 40)
      case 48: look.background = Self.color(&rest)
      case 49: look.background = .standard
      case 90...97: look.foreground = .index(number - 90 + 8)
      case 100...107: look.background = .index(number - 100 + 8)
      default: Issue.record("SGR \(number) of \(numbers)")
      }
    }
  }

  private static func color(_ rest: inout ArraySlice<Int>) -> Color {
    let kind = rest.popFirst()
    if kind == 5, let index = rest.popFirst() { return .index(index) }
    if kind == 2, let red = rest.popFirst(), let green = rest.popFirst(),
      let blue = rest.popFirst()
    {
      return .rgb(red, green, blue)
    }
    Issue.record("no colour")
    return .standard
  }
}
