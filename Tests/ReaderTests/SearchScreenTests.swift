import Editions
import Foundation
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

@Suite struct SearchScreenTests {
  @Test(arguments: ["đức tin", "đức tin".decomposed])
  func vietnameseInputIsComposed(_ typed: String) throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5\(typed)")
    let row = driver.rows[1]
    #expect(
      row.unicodeScalars.elementsEqual(
        try ReaderDriver(.medium).pressing("5đức tin").rows[1].unicodeScalars))
    #expect(row.contains("đức tin"))
    #expect(driver.screen.contains("kết quả"))
  }

  @Test func pastedTextIsNormalisedAndSanitized() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5")
    driver.send(.paste("khoan\u{1B}]0;x\u{07}\r\ndung".decomposed))
    #expect(driver.rows[1].hasPrefix(" Tìm: khoan]0;x dung"))
  }

  @Test func keysStepThroughHitsAndEscClearsHighlights() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5dâng<Enter>")
    #expect(driver.model.state.position == "2:196")
    driver.press("n")
    #expect(driver.model.state.position == "3:35")
    driver.press("N")
    #expect(driver.model.state.position == "2:196")
    let marked = driver.canvas
    driver.press("<Esc>")
    #expect(driver.canvas.text(row: 2) == marked.text(row: 2))
    #expect(driver.canvas != marked)
    driver.press("n")
    #expect(driver.model.state.position == "2:196")
  }

  @Test func backspaceRestoresTheEarlierHits() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5khoan")
    let screen = driver.screen
    driver.press("x<BS>")
    #expect(driver.screen == screen)
  }

  @Test func steppingToAVisibleHitDoesNotScroll() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5khoan dung<Enter>")
    let top = driver.model.position.top
    #expect(driver.model.position.cursor == AyahID("1:1"))
    driver.press("n")
    #expect(driver.model.position.cursor == AyahID("1:3") && driver.model.position.top == top)
    driver.press("nnn")
    #expect(driver.model.position.top != top)
  }

  /// The words are visible even in ayahs taller than the page, in both layouts and beside corners.
  @Test(arguments: ["", "m"]) func theWordsThatWereFoundAreOnThePage(_ keys: String) throws {
    var driver = try ReaderDriver(.small, place: AyahID("36:1"), opening: AyahID("36:1"))
    driver.sync(.done)
    driver.press("\(keys)/khoan dung<Enter>")
    let style = driver.model.theme[.hit]
    let hits = driver.model.search.hits
    var scrolled = 0
    for hit in hits {
      #expect(driver.model.position.cursor == hit)
      let isOnPage = (0..<driver.canvas.size.rows).contains { row in
        (0..<driver.canvas.size.columns).contains {
          driver.canvas.style(row: row, column: $0) == style
        }
      }
      #expect(isOnPage, "\(hit): \(driver.rows)")
      if driver.model.position.top > driver.model.pager.open(hit).top { scrolled += 1 }
      driver.press("n")
    }
    #expect(hits.count == 119 && scrolled > 0)
  }

  @Test func theWordsThatWereFoundStayOnThePage() throws {
    var driver = try ReaderDriver(.medium)
    // The words are at the end of the longest ayah.
    driver.press("5\"làm hại\"<Enter>")
    while driver.model.state.ayah != AyahID("2:282") { driver.press("n") }
    expectMatches(true, in: driver)
    for size in [Size.small, .medium, .small, .large] {
      driver.resize(size)
      expectMatches(true, in: driver)
    }
    driver.resize(.small)
    for key in ["m", "m"] {
      driver.press(key)
      expectMatches(true, in: driver)
    }
    // If the words were scrolled away, a resize does not bring them back.
    driver.press("<Home>g2:282<Enter>")
    driver.resize(.medium)
    expectMatches(false, in: driver)
  }

  @Test func theWordsThatWereFoundAreShownAgainWithTheirText() throws {
    let texts = try InstalledTexts("ar.hafs")
    var driver = try ReaderDriver(
      .small, parallelEditions: [.arabic: texts.edition("ar.hafs")])
    driver.press("5\"làm hại\"<Enter>")
    while driver.model.state.ayah != AyahID("2:282") { driver.press("n") }
    driver.press("a")
    expectMatches(true, in: driver)
    driver.press("v")
    expectMatches(false, in: driver)
    driver.press("v")
    expectMatches(true, in: driver)
  }

  /// Each of these keys shows a message of several rows, at the bottom or directly below the tabs.
  @Test(arguments: ["v", "c"])
  func messagesDoNotCoverTheWordsThatWereFound(_ key: String) throws {
    var driver = try ReaderDriver(.small)
    driver.press("5\"làm hại\"<Enter>")
    var firstRows: Set<Int> = []
    for _ in driver.model.search.hits {
      driver.press(key)
      let model = driver.model
      let canvas = driver.canvas
      let (message, area) = try (#require(model.message), #require(model.geometry.text))
      let last = model.lastRow(of: message, model.geometry)
      let start = String(message.text.prefix(20))
      firstRows.insert(try #require(driver.rows.firstIndex { $0.contains(start) }))
      let matches = try #require(model.rowsOfOpenedMatches)
      let block = model.typesetter.block(of: model.position.cursor)
      for (row, line) in model.pager.page(from: model.position.top).enumerated()
      where line.anchor.block == block && matches.contains(line.anchor.row) {
        let isMarked = (0..<canvas.size.columns).contains {
          canvas.style(row: area.row + row, column: $0) == model.theme[.hit]
        }
        #expect(isMarked, "row \(area.row + row), the message ends at \(last):\n\(canvas.text)")
      }
      driver.press("n")
    }
    #expect(firstRows.contains(1) && firstRows.subtracting([1]).allSatisfy { $0 >= 9 })
  }

  @Test func aMessageDoesNotCoverTheAyahIfTheWordsAreNotOnThePage() throws {
    var driver = try ReaderDriver(.small)
    driver.press("5\"làm hại\"<Enter>")
    while driver.model.state.ayah != AyahID("2:282") { driver.press("n") }
    driver.press("<Home>g2:281<Enter>")
    driver.press("<Enter><Esc>")
    while driver.model.state.ayah != AyahID("2:282") { driver.press("j") }
    driver.press("v")
    let message = try #require(driver.model.message)
    #expect(message.text.columns > 40)
    let rows = driver.rows
    #expect(rows.contains { $0.contains(" 282 ") }, "\(driver.screen)")
  }

  /// Expects that the screen shows highlighted words of a hit, or that it shows none.
  private func expectMatches(
    _ isExpected: Bool, in driver: ReaderDriver, at location: SourceLocation = #_sourceLocation
  ) {
    let (canvas, style) = (driver.canvas, driver.model.theme[.hit])
    let isShown = (0..<canvas.size.rows).contains { row in
      (0..<canvas.size.columns).contains { canvas.style(row: row, column: $0) == style }
    }
    #expect(isShown == isExpected, "\(canvas.text)", sourceLocation: location)
  }

  /// Enter opens the first hit even if it is typed before the text is indexed.
  @Test(arguments: ["5khoan dung<Enter>j", "5maryam<Enter>j", "52:255<Enter>j"])
  func enterWaitsForTheIndex(_ keys: String) throws {
    var early = try ReaderDriver(.medium, isIndexed: false)
    early.press(keys)
    early.index()
    var later = try ReaderDriver(.medium)
    later.press(keys)
    #expect(early.model.pane == .text && early.rows == later.rows)
  }

  @Test func searchTypedBeforeTheIndexRunsOnceItIsReady() throws {
    var driver = try ReaderDriver(.medium, isIndexed: false)
    driver.press("5dâng")
    #expect(driver.screen.contains("đang lập chỉ mục"))
    driver.index()
    #expect(driver.screen.contains("2:196"))
  }

  @Test func unusualCharactersKeepTheColumnsAligned() throws {
    let plain = try ReaderDriver(.medium).pressing("5dang ")
    for typed in ["e\u{301}\u{323}", "👨‍👩‍👧", "漢字", "\u{301}", "🇻🇳", "ﷺ", "אב"] {
      let driver = plain.pressing(typed)
      #expect(driver.canvas.size == plain.canvas.size)
      // The text at the right edge of the field's row does not move.
      #expect(driver.rows[1].columns == 79, "\(typed)")
    }
  }

  @Test func escapeReturnsToWhereTheSearchWasOpened() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    let before = driver.screen
    driver.press("/abc<Esc>")
    #expect(driver.screen == before)
    driver.press("h2/x<Esc>")
    #expect(driver.screen.contains("– 2:252 Al-Baqarah"))
  }

  @Test func typingReplacesTheEarlierSearch() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1"))
    driver.press("/khoan dung<Enter>/cha")
    #expect(driver.rows[1].hasPrefix(" Tìm: cha "))
    driver.press("<Esc>/<End> x")
    #expect(driver.rows[1].hasPrefix(" Tìm: cha x"))
  }

  @Test func aCancelledSearchKeepsTheHighlightedHits() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1"))
    driver.press("/khoan dung<Enter>/xyz<Esc>n")
    #expect(driver.screen.contains("Kết quả 2/119"))
  }

  @Test func wordThatIsAlsoASurahNameOpensAHit() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5anh sang<Enter>")
    #expect(driver.model.state.position != "24:1")
    driver.press("/ya sin<Enter>")
    #expect(driver.model.state.position == "36:1")
  }

  @Test func hitsWrapAroundAtBothEnds() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5khoan dung<Enter>N")
    #expect(driver.screen.contains("Kết quả 119/119"))
    driver.press("n")
    #expect(driver.screen.contains("Kết quả 1/119"))
    driver.press("g114:6<Enter>/khoan dung<Enter>")
    driver.press("g114:6<Enter>N")
    #expect(driver.screen.contains("Không có kết quả nào được tô sáng"))
  }

  @Test func aLongPasteDoesNotOverflowTheField() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5")
    driver.send(.paste(String(repeating: "漢👨‍👩‍👧ا\u{64E} ", count: 5000)))
    #expect(driver.rows.allSatisfy { $0.columns <= 80 })
    driver.press("x<Left><End><BS>")
    #expect(driver.rows.allSatisfy { $0.columns <= 80 })
  }

  @Test func theContextIsTheLongestRunOfMatches() {
    let text = "hôm qua tôi đứng chờ xe rất lâu ở bến rồi mới gặp bạn, một người thật khoan dung"
    let query = SearchQuery("khoan dung")
    let context = Context(text, matches: query.matches(in: text), width: 30)
    #expect(context.text.contains("khoan dung"))
    #expect(context.matches.count == 2)
  }

  @Test func narrowScreensNameTheFilterAndTheWayOut() throws {
    var driver = try ReaderDriver(.small, language: .english)
    driver.press("5khoan dung")
    let status = try #require(driver.rows.last)
    #expect(status.contains("Tab filter") && status.contains("Esc back"), "\(status)")
  }

  @Test(arguments: [("2:300", "286"), ("juz 31", "30"), ("-khoan", "excluded")])
  func theReasonIsShownIfNothingCanBeFound(_ query: String, _ reason: String) throws {
    var driver = try ReaderDriver(.medium, language: .english)
    driver.press("5\(query)")
    #expect(driver.screen.contains(reason))
  }
}

extension String {
  fileprivate var decomposed: String { decomposedStringWithCanonicalMapping }
}
