import TestSupport
import Testing
import Text

@testable import Terminal

struct FrameEncoderTests {
  // MARK: What a terminal shows

  /// A colour as a terminal of that depth is asked for it.
  private static func color(_ color: Color, _ depth: Capabilities.ColorDepth) -> ModelTerminal.Color
  {
    switch (color, depth) {
    case (.standard, _), (_, .none): .standard
    case (.palette(let index), .eight): .index(Int(index) % 8)
    case (.palette(let index), _): .index(Int(index))
    case (.rgb(let red, let green, let blue), .eight):
      .index(Palette.nearest(red, green, blue, of: 8))
    case (.rgb(let red, let green, let blue), .sixteen):
      .index(Palette.nearest(red, green, blue, of: 16))
    case (.rgb(let red, let green, let blue), .palette):
      .index(Palette.nearest256(red, green, blue))
    case (.rgb(let red, let green, let blue), .direct): .rgb(Int(red), Int(green), Int(blue))
    }
  }

  private static func look(_ style: Style, _ depth: Capabilities.ColorDepth) -> ModelTerminal.Look {
    var attributes: Set<Int> = []
    for (attribute, code) in [
      (Style.Attributes.bold, 1), (.dim, 2), (.italic, 3), (.underline, 4), (.reverse, 7),
    ] where style.attributes.contains(attribute) {
      attributes.insert(code)
    }
    return ModelTerminal.Look(
      foreground: color(style.foreground, depth), background: color(style.background, depth),
      attributes: attributes)
  }

  /// What can be seen of a cell: of a blank without lines and reverse, the background.
  private static func seen(_ cell: ModelTerminal.Cell) -> ModelTerminal.Cell {
    guard cell.cluster == " ", cell.look.attributes.isDisjoint(with: [4, 7]) else { return cell }
    return ModelTerminal.Cell(
      cluster: " ", look: ModelTerminal.Look(background: cell.look.background))
  }

  /// Expects the terminal to show the canvas, but for the columns of the given clusters.
  private static func expect(
    _ terminal: ModelTerminal, shows canvas: Canvas, depth: Capabilities.ColorDepth,
    but unsure: Set<Character> = [], _ context: @autoclosure () -> String
  ) {
    for row in 0..<canvas.size.rows {
      var isUnsure = false
      for column in 0..<canvas.size.columns {
        let wanted = canvas.cells[row * canvas.size.columns + column]
        let found = terminal.cells[row][column]
        if let cluster = wanted.cluster { isUnsure = unsure.contains(cluster) }
        guard !isUnsure else { continue }
        // The second column of a wide cluster looks as the first does.
        if wanted.cluster == nil, found.cluster == nil { continue }
        let cell = ModelTerminal.Cell(cluster: wanted.cluster, look: look(wanted.style, depth))
        if seen(found) != seen(cell) {
          Issue.record("\(row):\(column) is \(found), not \(cell); \(context())")
          return
        }
      }
    }
    #expect(terminal.showsCursor == (canvas.cursor != nil))
    if let cursor = canvas.cursor {
      #expect(terminal.row == cursor.row)
      #expect(terminal.column == cursor.column)
    }
    #expect(!terminal.isSynchronizing)
  }

  // MARK: Random frames

  private static let texts = [
    "Nhân danh Allah", "đức tin", "e\u{302}\u{301}", "بِسۡمِ ٱللَّهِ", "لّ\u{06E1}\u{064E}\u{0670}",
    "日本語", "한국", "├──┤", "▓▓░░", "♥ ✎2", "✓ 12:03", "   ", " x ", "→", "…", "กำ का",
  ]
  private static let emoji = [
    "👍", "👍🏽", "👨‍👩‍👧‍👦", "🇻🇳", "❤️", "☪️", "👩‍❤️‍👨", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  ]

  private static func color(_ random: inout SeededGenerator) -> Color {
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1: .standard
    case 2: .palette(UInt8.random(in: 0..<16, using: &random))
    default: .hex(UInt32.random(in: 0...0xFFFFFF, using: &random))
    }
  }

  private static func style(_ random: inout SeededGenerator) -> Style {
    let isPlain = Bool.random(using: &random)
    return Style(
      color(&random), on: color(&random),
      isPlain ? [] : Style.Attributes(rawValue: UInt8.random(in: 0..<32, using: &random)))
  }

  private static func change(_ canvas: inout Canvas, _ random: inout SeededGenerator) {
    let row = Int.random(in: 0..<canvas.size.rows, using: &random)
    let start = Int.random(in: 0..<canvas.size.columns, using: &random)
    let columns = start..<Int.random(in: start...canvas.size.columns, using: &random)
    let style = style(&random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: canvas.fill(row: row, columns: columns, style: style)
    case 1: canvas.fill(row: row, columns: start..<canvas.size.columns, style: style)
    case 2: canvas.restyle(row: row, columns: columns) { $0 = style }
    case 3:
      canvas.cursor =
        Bool.random(using: &random) ? nil : Canvas.Position(row: row, column: start)
    case 4:
      canvas.put(
        emoji.randomElement(using: &random)!, row: row, column: start, style: style)
    default:
      canvas.put(
        texts.randomElement(using: &random)!, row: row, column: start, style: style)
    }
  }

  private static func canvas(_ random: inout SeededGenerator) -> Canvas {
    let size = Size(
      rows: Int.random(in: 1...12, using: &random), columns: Int.random(in: 1...30, using: &random))
    return Canvas(size: size, style: Bool.random(using: &random) ? Style() : style(&random))
  }

  private struct Kind: CustomTestStringConvertible {
    let depth: Capabilities.ColorDepth
    let clearsInBackground: Bool
    var synchronizes = false

    var capabilities: Capabilities {
      var capabilities = Capabilities(colors: depth)
      capabilities.clearsInBackground = clearsInBackground
      capabilities.synchronizes = synchronizes
      return capabilities
    }

    var testDescription: String { "\(depth), bce \(clearsInBackground), 2026 \(synchronizes)" }
  }

  private static let kinds = [
    Kind(depth: .none, clearsInBackground: true), Kind(depth: .none, clearsInBackground: false),
    Kind(depth: .eight, clearsInBackground: true), Kind(depth: .sixteen, clearsInBackground: false),
    Kind(depth: .palette, clearsInBackground: true),
    Kind(depth: .palette, clearsInBackground: false),
    Kind(depth: .direct, clearsInBackground: true, synchronizes: true),
    Kind(depth: .direct, clearsInBackground: false),
  ]

  /// Shows random frames, each over the one before, and has each checked.
  private static func showRandomFrames(
    _ capabilities: Capabilities, splitsClusters: Bool, seed: UInt64,
    check: (ModelTerminal, Canvas, String) -> Void
  ) {
    var random = SeededGenerator(seed: seed)
    var encoder = FrameEncoder(capabilities)
    for round in 0..<40 {
      var shown: Canvas?
      var canvas = canvas(&random)
      var terminal = ModelTerminal(
        rows: canvas.size.rows, columns: canvas.size.columns,
        clearsInBackground: capabilities.clearsInBackground, splitsClusters: splitsClusters)
      for frame in 0..<12 {
        for _ in 0..<Int.random(in: 0...12, using: &random) { change(&canvas, &random) }
        let bytes = encoder.encode(canvas, over: shown)
        terminal.feed(bytes)
        shown = canvas
        check(terminal, canvas, "round \(round), frame \(frame): \(bytes.escaped)")
      }
    }
  }

  @Test(arguments: kinds)
  private func aTerminalThatShowsAFrameShowsTheNext(_ kind: Kind) {
    Self.showRandomFrames(kind.capabilities, splitsClusters: false, seed: 1) {
      Self.expect($0, shows: $1, depth: kind.depth, $2)
    }
  }

  /// Terminals disagree on the width of emoji that are joined from several.
  @Test(arguments: kinds)
  private func aTerminalThatMisjudgesEmojiIsWrongInTheirColumnsOnly(_ kind: Kind) {
    // Those that the terminal draws side by side, and what it draws of Thai and Devanagari.
    let unsure = Set(Self.emoji.map { Character($0) } + ["กำ", "का"])
    Self.showRandomFrames(kind.capabilities, splitsClusters: true, seed: 2) {
      Self.expect($0, shows: $1, depth: kind.depth, but: unsure, $2)
    }
  }

  @Test func aFrameOfAnotherSizeIsDrawnWhole() {
    var random = SeededGenerator(seed: 5)
    var encoder = FrameEncoder(Capabilities(colors: .direct))
    var shown: Canvas?
    for round in 0..<200 {
      var canvas = Self.canvas(&random)
      for _ in 0..<20 { Self.change(&canvas, &random) }
      guard shown?.size != canvas.size else { continue }
      var terminal = ModelTerminal(
        rows: canvas.size.rows, columns: canvas.size.columns, clearsInBackground: true)
      terminal.feed(encoder.encode(canvas, over: shown))
      Self.expect(terminal, shows: canvas, depth: .direct, "round \(round)")
      shown = canvas
    }
  }

  @Test func joinedEmojiDoNotSmearOverTheTextBehindThem() {
    var encoder = FrameEncoder(Capabilities(colors: .direct))
    var old = Canvas(size: Size(rows: 1, columns: 20))
    old.put("abcdefgh", row: 0, column: 0, style: Style())
    var terminal = ModelTerminal(
      rows: 1, columns: 20, clearsInBackground: true, splitsClusters: true)
    terminal.feed(encoder.encode(old, over: nil))
    var new = old
    new.put("👨‍👩‍👧‍👦", row: 0, column: 2, style: Style())
    terminal.feed(encoder.encode(new, over: old))
    let shown = String(terminal.cells[0].dropFirst(4).map { $0.cluster ?? "?" })
    #expect(shown == "efgh            ")
    #expect(terminal.cells[0][0].cluster == "a")
    // What changes on both sides of one does not draw it again.
    var last = new
    last.put("x", row: 0, column: 1, style: Style())
    last.put("y", row: 0, column: 4, style: Style())
    terminal.feed(encoder.encode(last, over: new))
    let left = String(terminal.cells[0].dropFirst(4).map { $0.cluster ?? "?" })
    #expect(left == "yfgh            ")
    #expect(terminal.cells[0][1].cluster == "x")
  }

  // MARK: Bytes

  @Test(arguments: kinds)
  private func anEqualFrameIsNoBytes(_ kind: Kind) {
    var random = SeededGenerator(seed: 9)
    var encoder = FrameEncoder(kind.capabilities)
    for _ in 0..<200 {
      var canvas = Self.canvas(&random)
      for _ in 0..<10 { Self.change(&canvas, &random) }
      #expect(encoder.encode(canvas, over: canvas) == [])
    }
  }

  @Test func withoutColoursNoneAreAskedFor() {
    for clearsInBackground in [true, false] {
      let kind = Kind(depth: .none, clearsInBackground: clearsInBackground)
      Self.showRandomFrames(kind.capabilities, splitsClusters: false, seed: 4) { terminal, _, _ in
        #expect(terminal.parameters.isSubset(of: [0, 1, 2, 3, 4, 7]))
      }
    }
  }

  @Test func whereStylesAreUnknownNoneAreAskedFor() {
    var capabilities = Capabilities(colors: .none)
    capabilities.hasStyles = false
    Self.showRandomFrames(capabilities, splitsClusters: false, seed: 4) { terminal, _, _ in
      #expect(terminal.parameters.isEmpty)
    }
  }

  @Test func onlyWhatChangedIsSent() {
    var encoder = FrameEncoder(Capabilities(colors: .direct))
    var old = Canvas(size: Size(rows: 24, columns: 80))
    for row in 0..<24 {
      old.put(String(repeating: "chữ ", count: 20), row: row, column: 0, style: Style())
    }
    var new = old
    new.put("x", row: 10, column: 40, style: Style())
    #expect(encoder.encode(new, over: old) == Array("\u{1B}[11;41H\u{1B}[mx".utf8))
    new = old
    new.cursor = Canvas.Position(row: 3, column: 0)
    #expect(encoder.encode(new, over: old) == Array("\u{1B}[4H\u{1B}[?25h".utf8))
    #expect(encoder.encode(old, over: new) == Array("\u{1B}[?25l".utf8))
  }

  @Test func aPageOfTextIsUnderFourKilobytes() {
    let text = """
      Nhân danh Allah, Đấng Rất Mực Nhân Từ, Đấng Rất Mực Khoan Dung. Mọi lời ca tụng đều thuộc về
      """
    var old = Canvas(size: Size(rows: 24, columns: 80))
    var new = old
    for row in 0..<24 {
      old.put(String(repeating: "#", count: 80), row: row, column: 0, style: Style())
      new.put(String(text.dropFirst(row % 10)), row: row, column: 0, style: Style())
    }
    #expect(zip(old.cells, new.cells).allSatisfy { $0 != $1 })
    var encoder = FrameEncoder(Capabilities(colors: .direct))
    #expect(encoder.encode(new, over: old).count < 4096)
    #expect(encoder.encode(new, over: nil).count < 4096)
  }

  @Test func bracketsAreWrittenOnlyAroundSomething() {
    var capabilities = Capabilities(colors: .direct)
    capabilities.synchronizes = true
    var encoder = FrameEncoder(capabilities)
    let old = Canvas(size: Size(rows: 2, columns: 4))
    var new = old
    new.put("x", row: 0, column: 0, style: Style())
    let text = String(decoding: encoder.encode(new, over: old), as: UTF8.self)
    #expect(text == "\u{1B}[?2026h\u{1B}[1H\u{1B}[mx\u{1B}[?2026l")
    #expect(encoder.encode(new, over: new) == [])
  }

  @Test func aTerminalThatCannotClearARowIsSentBlanks() {
    var capabilities = Capabilities(colors: .direct)
    capabilities.clearToEndOfLine = ""
    Self.showRandomFrames(capabilities, splitsClusters: false, seed: 6) { terminal, canvas, bytes in
      #expect(!bytes.contains("^[[K"))
      Self.expect(terminal, shows: canvas, depth: .direct, bytes)
    }
  }
}

extension [UInt8] {
  /// For people: ESC as ^[.
  fileprivate var escaped: String {
    String(decoding: self, as: UTF8.self).replacing("\u{1B}", with: "^[")
  }
}
