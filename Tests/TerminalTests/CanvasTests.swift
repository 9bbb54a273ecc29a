import TestSupport
import Testing
import Text

@testable import Terminal

struct CanvasTests {
  private let red = Style(.palette(1))
  private let blue = Style(.palette(4), on: .palette(233), .bold)

  /// A canvas of one row that holds a text.
  private func row(_ columns: Int, _ text: String = "", _ style: Style = Style()) -> Canvas {
    var canvas = Canvas(size: Size(rows: 1, columns: columns), arabic: .terminal)
    canvas.put(text, row: 0, column: 0, style: style)
    return canvas
  }

  private func clusters(_ canvas: Canvas) -> [Character?] { canvas.cells.map(\.cluster) }

  // MARK: put

  @Test func textIsDrawnWhereItIsPut() {
    var canvas = Canvas(size: Size(rows: 3, columns: 8))
    #expect(canvas.put("đức tin", row: 1, column: 1, style: red) == 7)
    #expect(canvas.text == "\n đức tin\n\n")
    #expect(canvas.style(row: 1, column: 1) == red)
    #expect(canvas.style(row: 1, column: 0) == Style())
    #expect(canvas.style(row: 2, column: 1) == Style())
  }

  @Test func textThatDoesNotFitIsCutAtTheEdge() {
    var canvas = Canvas(size: Size(rows: 2, columns: 5))
    #expect(canvas.put("đức tin", row: 0, column: 3, style: red) == 2)
    #expect(canvas.text == "   đứ\n\n")
    #expect(canvas.put("đức tin", row: 1, column: 1, style: red, width: 2) == 2)
    #expect(canvas.text(row: 1) == " đứ")
  }

  @Test func aWideClusterIsNeverCut() {
    for wide in ["日", "👨‍👩‍👧‍👦", "🇻🇳", "❤️"] {
      var canvas = row(4, "....")
      #expect(canvas.put("a\(wide)", row: 0, column: 2, style: red) == 1)
      #expect(canvas.text == "..a.\n")
      #expect(canvas.put("\(wide)x", row: 0, column: 0, style: red, width: 1) == 0)
      #expect(canvas.text == "..a.\n")
      #expect(canvas.put("\(wide)x", row: 0, column: 0, style: red, width: 2) == 2)
      #expect(clusters(canvas) == [Character(wide), nil, "a", "."])
      #expect(canvas.style(row: 0, column: 1) == red)
    }
  }

  @Test func textAfterAClusterThatDoesNotFitIsNotDrawn() {
    var canvas = row(3)
    #expect(canvas.put("ab日c", row: 0, column: 0, style: red) == 2)
    #expect(canvas.text == "ab\n")
  }

  @Test func drawingOverHalfOfAWideClusterBlanksTheOther() {
    var canvas = row(4, "日本", red)
    canvas.put("x", row: 0, column: 1, style: blue)
    #expect(clusters(canvas) == [" ", "x", "本", nil])
    #expect(canvas.style(row: 0, column: 0) == red)
    canvas = row(4, "日本", red)
    canvas.put("x", row: 0, column: 2, style: blue)
    #expect(clusters(canvas) == ["日", nil, "x", " "])
    canvas = row(4, "日本", red)
    canvas.put("👍", row: 0, column: 1, style: blue)
    #expect(clusters(canvas) == [" ", "👍", nil, " "])
    canvas = row(4, "日本", red)
    canvas.fill(row: 0, columns: 1..<3, style: blue)
    #expect(clusters(canvas) == [" ", " ", " ", " "])
    #expect(canvas.cells.map(\.style) == [red, blue, blue, red])
  }

  /// Random calls of `put` and `fill` leave each wide cluster with its second column.
  @Test func wideClustersAlwaysHaveBothColumns() {
    var random = SeededGenerator(seed: 3)
    var canvas = Canvas(size: Size(rows: 2, columns: 9))
    for _ in 0..<5000 {
      let row = Int.random(in: -1...2, using: &random)
      let column = Int.random(in: -2...10, using: &random)
      if Bool.random(using: &random) {
        let text = ["日本", "a日", "x", "🇻🇳", "日a"].randomElement(using: &random)!
        let width = Int.random(in: -1...5, using: &random)
        let taken = canvas.put(text, row: row, column: column, style: red, width: width)
        if taken < 0 || taken > max(width, 0) { Issue.record("\(taken) of \(width)") }
      } else {
        let end = column + Int.random(in: 0...4, using: &random)
        canvas.fill(row: row, columns: column..<end, style: blue)
      }
      for row in 0..<2 {
        for column in 0..<9 {
          let cell = canvas.cells[row * 9 + column]
          let next = column < 8 ? canvas.cells[row * 9 + column + 1].cluster : " "
          let isWide = cell.cluster?.columns == 2
          if isWide != (next == nil), cell.cluster != nil || next == nil {
            Issue.record("\(clusters(canvas))")
          }
        }
      }
    }
  }

  @Test func controlCharactersAreNotDrawn() {
    let texts: [(String, String)] = [
      ("\u{1B}[31mđỏ\u{1B}[0m", "[31mđỏ[0m"), ("\u{1B}]0;title\u{7}x", "]0;titlex"),
      ("\u{9B}31m\u{9D}0;t\u{9C}", "31m0;t"), ("a\u{0}b\u{8}c\u{7F}d\u{85}e", "abcd e"),
      ("a\tb\r\nc\rd", "a b c d"), ("\u{1B}", ""),
    ]
    for (text, shown) in texts {
      #expect(row(40, text).text(row: 0) == shown)
    }
    var all = String.UnicodeScalarView()
    for value in UInt32(0)...0x2FF { all.append(Unicode.Scalar(value)!) }
    for cluster in clusters(row(2000, String(all))).compactMap(\.self) {
      for scalar in cluster.unicodeScalars where scalar.properties.generalCategory == .control {
        Issue.record("U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test func marksStayOnTheirLetters() {
    // Lam with four marks, as in 5:18; a word; decomposed Vietnamese letters; a mark alone.
    for (text, columns) in [
      ("لّ\u{06E1}\u{064E}\u{0670}", 1), ("بِسۡمِ", 3), ("e\u{302}\u{301}a\u{323}", 2), ("\u{301}", 1),
    ] {
      let canvas = row(10, text)
      let drawn = clusters(canvas).prefix(columns).compactMap(\.self)
      #expect(
        Array(String(drawn).unicodeScalars) == Array(text.sanitizedLine.unicodeScalars))
      #expect(clusters(canvas).dropFirst(columns).allSatisfy { $0 == " " })
    }
  }

  @Test func zeroWidthClustersAreNotDrawn() {
    var canvas = row(4)
    #expect(canvas.put("a\u{200B}b\u{AD}c", row: 0, column: 0, style: red) == 3)
    #expect(clusters(canvas) == ["a", "b", "c", " "])
  }

  // MARK: Bounds

  @Test func nothingIsDrawnOutsideTheCanvas() {
    let blank = Canvas(size: Size(rows: 2, columns: 3))
    var canvas = blank
    for (row, column) in [(-1, 0), (2, 0), (0, -1), (0, 3), (.max, .max), (.min, .min)] {
      #expect(canvas.put("x", row: row, column: column, style: red) == 0)
    }
    #expect(canvas.put("x", row: 0, column: 0, style: red, width: 0) == 0)
    #expect(canvas.put("x", row: 0, column: 0, style: red, width: -5) == 0)
    #expect(canvas.put("x", row: 0, column: 0, style: red, width: .min) == 0)
    for row in [-1, 2, .max, .min] {
      canvas.fill(row: row, columns: 0..<3, style: red)
      canvas.restyle(row: row, columns: 0..<3) { $0 = red }
    }
    canvas.fill(row: 0, columns: 3..<9, style: red)
    canvas.fill(row: 0, columns: -9..<0, style: red)
    canvas.restyle(row: 0, columns: 3 ..< .max) { $0 = red }
    canvas.restyle(row: 0, columns: 1..<1) { $0 = red }
    #expect(canvas == blank)
  }

  @Test func aCanvasMayBeEmpty() {
    for size in [Size(rows: 0, columns: 5), Size(rows: 5, columns: 0), Size(rows: -1, columns: -1)]
    {
      var canvas = Canvas(size: size)
      #expect(canvas.put("x", row: 0, column: 0, style: red) == 0)
      canvas.fill(row: 0, columns: 0..<5, style: red)
      canvas.restyle(row: 0, columns: 0..<5) { $0 = red }
      #expect(canvas.cells.isEmpty)
      #expect(canvas.text == String(repeating: "\n", count: size.rows))
    }
  }

  @Test func fillBlanksOnlyColumnsOfTheCanvas() {
    var canvas = row(5, "abcde", red)
    canvas.fill(row: 0, columns: -3..<2, style: blue)
    #expect(clusters(canvas) == [" ", " ", "c", "d", "e"])
    #expect(canvas.cells.map(\.style) == [blue, blue, red, red, red])
    canvas.fill(row: 0, columns: 4 ..< .max, style: blue)
    #expect(canvas.text == "  cd\n")
  }

  @Test func restyleChangesTheStyleButNotTheText() {
    var canvas = row(5, "a日bc", red)
    canvas.restyle(row: 0, columns: 1 ..< .max) { $0.attributes.insert(.reverse) }
    #expect(clusters(canvas) == ["a", "日", nil, "b", "c"])
    let reversed = Style(.palette(1), .reverse)
    #expect(canvas.cells.map(\.style) == [red, reversed, reversed, reversed, reversed])
  }

  @Test func trailingBlanksAreNotPartOfTheText() {
    #expect(row(6, " a b  ").text == " a b\n")
    #expect(row(6).text == "\n")
  }
}
