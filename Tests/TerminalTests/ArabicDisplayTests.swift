import Foundation
import TestSupport
import Testing
import Text

@testable import Terminal

/// The order and the forms of Arabic on the screen.
@Suite struct ArabicDisplayTests {
  private func shown(
    _ text: String, _ direction: TextDirection = .rightToLeft, _ display: ArabicDisplay = .shaped,
    columns: Int = 40
  ) -> Canvas {
    var canvas = Canvas(size: Size(rows: 1, columns: columns), arabic: display)
    canvas.put(text, row: 0, column: 0, style: Style(), direction: direction)
    return canvas
  }

  /// The clusters of the cells that are not blank.
  private func cells(_ canvas: Canvas) -> [String] {
    canvas.cells.compactMap { $0.cluster.map(String.init) }.filter { $0 != " " }
  }

  // MARK: Shaping

  @Test func lettersAreJoinedAndReversed() {
    // beh, seen, meem: final meem at the left
    #expect(cells(shown("بسم")) == ["\u{FEE2}", "\u{FEB4}", "\u{FE91}"])
    // A letter after a non-joining letter has its isolated form.
    #expect(cells(shown("دار")) == ["\u{FEAD}", "\u{FE8D}", "\u{FEA9}"])
  }

  @Test func marksStayWithTheirLetters() {
    #expect(
      cells(shown("بِسْمِ")) == ["\u{FEE2}\u{650}", "\u{FEB4}\u{652}", "\u{FE91}\u{650}"])
  }

  @Test func lamAndAlefAreALigature() {
    #expect(cells(shown("لا")) == ["\u{FEFB}"])
    // With marks between and after them, and joined to the letter before
    #expect(cells(shown("بِلَآ")) == ["\u{FEF6}\u{64E}", "\u{FE91}\u{650}"])
    #expect(cells(shown("لَاۤ")) == ["\u{FEFB}\u{64E}\u{6E4}"])
    // More marks than a cell has room for
    #expect(cells(shown("لَُِّا\u{653}")).count == 2)
    // There is no such form with alef wasla.
    #expect(cells(shown("لٱ")).count == 2)
  }

  @Test func aLineBeginsAtTheRight() {
    let canvas = shown("بسم الله")
    #expect(canvas.text(row: 0).first == " ")
    #expect(canvas.cells.last?.cluster == "\u{FE91}")
    #expect(canvas.cells.first?.cluster == " ")
  }

  @Test func textThatDoesNotFitIsCutAtItsEnd() {
    for display in [ArabicDisplay.shaped, .terminal] {
      let cells = cells(shown("دار 1", .rightToLeft, display, columns: 2))
      #expect(Set(cells.map { $0.decomposedStringWithCompatibilityMapping }) == ["د", "ا"])
    }
  }

  @Test func numbersAndLatinKeepTheirOrder() {
    #expect(shown("آية 255 Quran", .leftToRight).text(row: 0).hasSuffix(" Quran"))
    #expect(shown("دار 255").text(row: 0).contains("255"))
    #expect(shown("a (دار) b", .leftToRight).text(row: 0) == "a (\u{FEAD}\u{FE8D}\u{FEA9}) b")
  }

  @Test func reorderingTerminalsGetTheLogicalOrder() {
    #expect(cells(shown("بسم", .rightToLeft, .terminal)) == ["ب", "س", "م"])
    #expect(shown("بسم", .rightToLeft, .terminal).cells.last?.cluster == "م")
  }

  @Test func textWithoutArabicIsUnchanged() {
    for text in ["Đấng Hằng Sống", "日本語", "e\u{302}\u{301}", "👨‍👩‍👧 x", ""] {
      #expect(shown(text, .leftToRight).text(row: 0) == text)
    }
  }

  @Test func highlightsFollowTheirLetters() {
    var canvas = Canvas(size: Size(rows: 1, columns: 8))
    let bold = Style(.standard, on: .standard, .bold)
    // The second of the three letters, which is also drawn in the middle.
    canvas.put(
      "بسم", row: 0, column: 0, style: Style(), direction: .rightToLeft,
      highlights: [Canvas.Highlight(2..<4, bold)])
    #expect((0..<8).map { canvas.style(row: 0, column: $0) == bold }.firstIndex(of: true) == 6)
    #expect((0..<8).filter { canvas.style(row: 0, column: $0) == bold }.count == 1)
  }

  // MARK: The whole text

  /// The number of each letter and mark. Presentation forms count as the letters of their NFKC.
  private func letters(_ text: some StringProtocol) -> [Unicode.Scalar: Int] {
    var counts: [Unicode.Scalar: Int] = [:]
    for scalar in text.unicodeScalars where scalar != " " {
      switch scalar.value {
      case 0xFB50...0xFDFF, 0xFE70...0xFEFC:
        for letter in String(scalar).precomposedStringWithCompatibilityMapping.unicodeScalars {
          counts[letter, default: 0] += 1
        }
      default: counts[scalar, default: 0] += 1
      }
    }
    return counts
  }

  @Test(.enabled(if: PublishedFiles.phoneApp != nil, "the Arabic text is not here"))
  func noCodePointOfTheArabicIsLost() throws {
    for ayah in try PublishedArabic.ayahs() {
      let text = ayah.sanitizedLine
      let canvas = shown(text, columns: text.columns)
      var drawn = ""
      for cell in canvas.cells {
        guard let cluster = cell.cluster, cluster != " " else { continue }
        // A mark never begins a cell, and ncurses has room for all of them.
        drawn.unicodeScalars.append(contentsOf: cluster.unicodeScalars)
        #expect(cluster.unicodeScalars.count <= CursesCell.limit)
        #expect(cluster.unicodeScalars.first?.properties.generalCategory != .nonspacingMark)
      }
      #expect(letters(drawn) == letters(text))
    }
  }

  // MARK: Terminals

  @Test func terminalsThatReorderAreKnown() {
    let terminal: [[String: String]] = [
      ["TERM": "xterm-256color", "VTE_VERSION": "5802"], ["TERM": "xterm", "VTE_VERSION": "7600"],
      ["KONSOLE_VERSION": "230804"], ["TERM": "mlterm"], ["TERM": "putty-256color"],
      ["TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"],
    ]
    for environment in terminal { #expect(ArabicDisplay(for: environment) == .terminal) }
    let shaped: [[String: String]] = [
      [:], ["TERM": "xterm-256color"], ["TERM": "linux"], ["TERM": "alacritty"],
      ["VTE_VERSION": "5702"], ["VTE_VERSION": "x"], ["TERM": "xterm-kitty"],
      // A multiplexer draws cells, whatever terminal is outside.
      ["TERM": "tmux-256color", "VTE_VERSION": "7600"],
      ["TERM": "xterm-256color", "TMUX": "/tmp/x", "VTE_VERSION": "7600"],
      ["TERM": "screen", "KONSOLE_VERSION": "230804"], ["STY": "1.x", "VTE_VERSION": "7600"],
    ]
    for environment in shaped { #expect(ArabicDisplay(for: environment) == .shaped) }
  }

  @Test func terminalKindsOfEnvironments() {
    for (environment, kind) in [
      (["TERM": "xterm-256color", "VTE_VERSION": "7600"], "vte"),
      (["TERM": "xterm-256color", "VTE_VERSION": "5702"], "vte-old"),
      (["TERM": "xterm-256color", "KONSOLE_VERSION": "230804"], "konsole"),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], "apple_terminal"),
      (["TERM": "xterm-256color"], "xterm-256color"), (["TERM": "mlterm"], "mlterm"),
      // The kind of the terminal outside of a multiplexer is unknown.
      (["TERM": "screen-256color", "TMUX": "/tmp/x", "VTE_VERSION": "7600"], "tmux"),
      (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux"], "tmux"),
      (["TERM": "screen", "KONSOLE_VERSION": "230804"], "screen"),
      (["TERM": "xterm", "STY": "1.x"], "screen"),
      ([:], "unknown"), (["TERM": "Đ \u{1B}[x"], "x"),
      (["TERM": String(repeating: "a", count: 99)], String(repeating: "a", count: 40)),
    ] as [([String: String], String)] {
      #expect(ArabicDisplay.terminalKind(for: environment) == kind)
    }
  }
}
