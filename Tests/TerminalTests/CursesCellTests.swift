import CCurses
import TestSupport
import Testing
import Text

@testable import Terminal

struct CursesCellTests {
  private func cells(_ cluster: Character) throws -> [String] {
    try #require(curses_use_utf8())
    return CursesCell(cluster, columns: cluster.columns).characters.map { characters in
      String(String.UnicodeScalarView(characters.compactMap { Unicode.Scalar(UInt32($0)) }))
    }
  }

  @Test func lettersWithTheirMarksAreOneCell() throws {
    for cluster: Character in ["j", "đ", "ế", "e\u{302}\u{301}", "\u{628}\u{651}\u{64E}", "─"] {
      #expect(try cells(cluster) == [String(cluster)])
    }
  }

  @Test func aWideLetterIsOneCell() throws {
    for cluster: Character in ["日", "한", "👍"] { #expect(try cells(cluster) == [String(cluster)]) }
  }

  @Test func noMarkBeyondTheFourthIsShown() throws {
    let marks = ["\u{300}", "\u{301}", "\u{302}", "\u{303}", "\u{304}", "\u{305}"]
    #expect(try cells(Character("a" + marks.joined())) == ["a" + marks.prefix(4).joined()])
  }

  /// The code points of the cells of a row, in hexadecimal.
  private func row(
    _ texts: [(String, column: Int)], _ display: ArabicDisplay = .terminal
  ) throws -> [String] {
    try #require(curses_use_utf8())
    var canvas = Canvas(size: Size(rows: 1, columns: 12), arabic: display)
    for (text, column) in texts { canvas.put(text, row: 0, column: column, style: Style()) }
    return CursesCell.row(canvas.cells[...]).map { characters, _ in
      characters.map { String($0, radix: 16) }.joined(separator: " ")
    }
  }

  @Test func reorderedArabicIsFollowedByALeftToRightMark() throws {
    let blank = "20"
    #expect(
      try row([("ab", 0), ("\u{628}\u{64E}\u{627}", 4), ("7", 8)])
        == ["61", "62", blank, blank, "628 64e", "627 200e", blank, blank, "37"]
        + [blank, blank, blank])
    // The number belongs to the text.
    #expect(try row([("\u{628} 12", 0)])[..<4] == ["628", blank, "31", "32 200e"])
    #expect(try row([("\u{628} a", 0)])[..<3] == ["628 200e", blank, "61"])
    // Neither shaped Arabic nor other text is reordered.
    #expect(try !row([("\u{628}", 0), ("7", 4)], .shaped).joined().contains("200e"))
    #expect(try !row([("đức 12", 0)]).joined().contains("200e"))
  }

  @Test func arabicMarksAreKeptBesideTheLeftToRightMark() throws {
    let marks = "\u{64E}\u{651}\u{670}\u{6E4}"
    let cells = try row([("\u{628}\u{627}\(marks)", 0), ("7", 4)])
    #expect(cells[..<4] == ["628", "627 64e 651 670 6e4", "20 200e", "20"])
    // Drawing over the end of the text removes the left-to-right mark.
    #expect(try !row([("\u{628}\u{627}", 0), ("x", 1)]).joined().contains("200e"))
  }

  @Test func aFlagIsTwoCells() throws {
    #expect(try cells("🇻🇳") == ["\u{1F1FB}", "\u{1F1F3}"])
  }

  @Test func joinedEmojisAreShownAsTheFirst() throws {
    #expect(try cells("👨‍👩‍👧‍👦") == ["👨"])
    #expect(try cells("👍🏽") == ["👍"])
    // The emoji form takes two columns, but ncurses counts one.
    #expect(try cells("❤️") == ["\u{2764}", " "])
  }

  @Test(
    .enabled(
      if: PublishedFiles.phoneApp != nil,
      "the published Arabic is neither in $QURAN_TEST_DATA nor beside the checkout"))
  func noMarkOfTheArabicIsLost() throws {
    let clusters = Set(try PublishedArabic.ayahs().joined(separator: " "))
    #expect(clusters.count > 500)
    for cluster in clusters
    where try cells(cluster).joined().unicodeScalars.map(\.value)
      != cluster.unicodeScalars.map(\.value)
    {
      Issue.record("\(cluster.unicodeScalars.map { String($0.value, radix: 16) })")
    }
  }

  @Test func onlySomeScriptsHaveCertainWidths() {
    for text in ["đức tin", "Ελλάς", "Слово", "نَصُّ ٱلتَّجْرِبَةِ", "a\u{302}\u{301}", "“…” → ▌▓ ─"] {
      for cluster in text { #expect(cluster.hasCertainWidth, "\(cluster)") }
    }
    for cluster: Character in ["日", "👍", "❤️", "♥", "क", "কা", "த", "ก", "\u{6DD}"] {
      #expect(!cluster.hasCertainWidth, "\(cluster)")
    }
  }

  @Test func charactersOfUnknownWidthAreReplaced() throws {
    #expect(try cells("\u{E123}") == ["\u{E123}"])
    #expect(try cells("\u{378}") == ["\u{FFFD}"])
    #expect(try cells("\u{10FFFF}") == ["\u{FFFD}"])
  }

  @Test func everyClusterTakesTheColumnsOfTheCanvas() throws {
    try #require(curses_use_utf8())
    for value in UInt32(0x20)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value), case let cluster = Character(scalar),
        cluster.columns > 0
      else { continue }
      let width = CursesCell(cluster, columns: cluster.columns).characters
        .reduce(0) { $0 + Int(curses_width($1[0])) }
      if width != cluster.columns { Issue.record("U+\(String(value, radix: 16)): \(width)") }
    }
  }
}
