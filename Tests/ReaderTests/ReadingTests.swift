import Editions
import Library
import Messages
import Quran
import Reader
import Terminal
import Testing
import Text

@Suite struct ReadingTests {
  /// The text of an ayah's rows on the screen, without margin and number.
  private func seen(_ driver: ReaderDriver) -> [String] {
    driver.rows.filter { $0.hasPrefix("▌") }.map {
      String($0.dropFirst().drop { $0 == " " || $0.isNumber })
    }
  }

  @Test(arguments: [Size.small, .medium, Size(rows: 8, columns: 30)])
  func longestAyahIsReadToItsEndWithOneKey(_ size: Size) throws {
    var driver = try ReaderDriver(size, opening: AyahID("2:282"))
    var text = ""
    var rows: [String] = []
    var presses = 0
    while driver.model.state.position == "2:282" {
      let now = seen(driver)
      // Rows already seen scroll up one at a time; new rows are below them.
      let overlap =
        (0...now.count).reversed().first { rows.suffix($0).elementsEqual(now.prefix($0)) } ?? 0
      for row in now.dropFirst(overlap) {
        rows.append(row)
        text += (text.isEmpty ? "" : " ") + row
      }
      driver.press("j")
      presses += 1
      #expect(presses < 200)
    }
    #expect(text == Edition.bundled.text(of: AyahID("2:282")))
    #expect(driver.model.state.position == "2:283")
  }

  @Test(arguments: [PageLayout.verse, .flow], [Size.small, .medium, .large])
  func movingDownShowsEveryWordOfTheSurah(_ layout: PageLayout, _ size: Size) throws {
    var driver = try ReaderDriver(
      size, layout: layout, opening: AyahID("36:1"))
    var seen: Set<Substring> = []
    while driver.model.state.position.map({ $0 < "37" }) == true {
      for row in driver.rows { seen.formUnion(row.split(separator: " ")) }
      let before = driver.model.state.position
      let screen = driver.screen
      driver.press("j")
      if driver.model.state.position == before, driver.screen == screen { break }
    }
    for ayah in SurahNumber(36)!.ayahs {
      for word in Edition.bundled.text(of: ayah).split(separator: " ") {
        #expect(seen.contains(word), "\(ayah) \(word)")
      }
    }
  }

  @Test func movingDownAndUpReturnsToTheStart() throws {
    for layout in PageLayout.allCases {
      var driver = try ReaderDriver(
        .small, layout: layout, opening: AyahID("2:280"))
      driver.press("j", times: 60)
      driver.press("k", times: 200)
      while driver.model.state.ayah! > AyahID("2:280") { driver.press("k") }
      driver.press("g2:280<Enter>")
      #expect(driver.model.state.ayah == AyahID("2:280"))
      #expect(driver.screen.contains("280"))
    }
  }

  @Test func pagesForwardSkipNoRow() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("18:1"))
    var words: Set<Substring> = []
    while driver.model.state.ayah!.surah == SurahNumber(18)! {
      for row in driver.rows { words.formUnion(row.split(separator: " ")) }
      driver.press(" ")
    }
    for row in driver.rows { words.formUnion(row.split(separator: " ")) }
    for ayah in SurahNumber(18)!.ayahs {
      for word in Edition.bundled.text(of: ayah).split(separator: " ") {
        #expect(words.contains(word), "\(ayah) \(word)")
      }
    }
  }

  @Test func readingContinuesAcrossSurahsAndStopsAtTheEnds() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("1:7"))
    driver.press("j")
    #expect(driver.model.state.position == "2:1")
    driver.press("k")
    #expect(driver.model.state.position == "1:7")
    driver.press("<Home>k")
    #expect(driver.model.state.position == "1:1")
    driver.press("g114:6<Enter>jjj")
    #expect(driver.model.state.position == "114:6")
    #expect(driver.screen.contains("Đã hết Kinh Quran"))
    driver.press("]")
    #expect(driver.model.state.position == "114:6")
    driver.press("[")
    #expect(driver.model.state.position == "113:1")
  }

  @Test func resizingKeepsTheAyahInView() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    for (rows, columns) in [(3, 10), (1, 1), (12, 40), (40, 120), (24, 80), (10, 24), (50, 200)] {
      driver.resize(Size(rows: rows, columns: columns))
      #expect(driver.model.state.position == "2:255")
      guard columns >= 24, rows >= 6 else { continue }
      #expect(driver.rows.contains { $0.contains("▌") && $0.contains("255") }, "\(columns)x\(rows)")
    }
  }

  @Test func resizingInsideATallAyahKeepsTheLine() throws {
    var driver = try ReaderDriver(.small, opening: AyahID("2:282"))
    driver.press("j", times: 12)
    let first = try #require(seen(driver).first?.split(separator: " ").first)
    driver.resize(Size(rows: 12, columns: 60))
    #expect(try #require(seen(driver).first).split(separator: " ").contains(first))
  }

  @Test func changingTheLayoutKeepsTheAyah() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("20:50"))
    driver.press("m")
    #expect(driver.model.state.position == "20:50")
    #expect(driver.rows.contains { $0.contains("▌") && $0.contains("(50)") })
    driver.press("m")
    #expect(driver.rows.contains { $0.contains("▌") && $0.contains(" 50 ") })
  }

  @Test(arguments: [
    ("2:255", "2:255"), ("2 255", "2:255"), ("baqarah 255", "2:255"), ("ya sin", "36:1"),
    ("juz 30", "78:1"), ("trang 604", "112:1"), ("36", "36:1"),
    ("quranvn://surah/2/ayah/999", "2:286"),
  ])
  func goToAcceptsEveryFormOfReference(_ typed: String, _ position: String) throws {
    var driver = try ReaderDriver(.medium)
    driver.press("g\(typed)<Enter>")
    #expect(driver.model.state.position == position)
    #expect(driver.rows.contains { $0.hasPrefix("▌") })
  }

  @Test func emptyGoToOpensTheFirstAyahOfTheSurah() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:100"))
    driver.press("g<Enter>")
    #expect(driver.model.state.position == "2:1")
  }

  @Test func refusedGoToKeepsThePromptAndThePlace() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("112:1"))
    driver.press("g115<Enter>")
    #expect(driver.screen.contains("115") && driver.model.state.position == "112:1")
    driver.press("<C-u>114<Enter>")
    #expect(driver.model.state.position == "114:1")
  }

  @Test func enterContinuesWhereReadingStopped() throws {
    var driver = try ReaderDriver(.medium, place: AyahID("2:45"))
    #expect(driver.screen.contains("Đọc tiếp  ▸ 2:45 Al-Baqarah"))
    driver.press("<Enter>")
    #expect(driver.model.state.position == "2:45")
    driver.press("hj<Enter>")
    #expect(driver.model.state.position == "3:1")
  }

  @Test func browsingTheListsKeepsThePlace() throws {
    var driver = try ReaderDriver(.large, place: AyahID("2:45"))
    driver.press("jjjj2jj1kk")
    #expect(driver.model.state.position == "2:45")
  }

  @Test(arguments: [Size.small, .medium, .large], [PageLayout.verse, .flow])
  func pagingStopsAtAFullLastPage(_ size: Size, _ layout: PageLayout) throws {
    var driver = try ReaderDriver(
      size, layout: layout, opening: AyahID("113:1"))
    driver.press(" ", times: 12)
    let end = driver.screen
    #expect(end.contains("jinn"))
    #expect(driver.model.state.position == "114:6")
    driver.press(" ")
    #expect(
      driver.rows.dropLast(3)
        == end.split(separator: "\n", omittingEmptySubsequences: false)
        .dropLast().map(String.init).dropLast(3))
    driver.press("g1:1<Enter><C-u><C-u>")
    let top = driver.rows.first { $0.contains("Al-Fatihah · Mở Đầu") && $0.contains("1 · ") }
    #expect(top != nil)
  }

  @Test func openingTheCurrentJuzReturnsToTheAyah() throws {
    var driver = try ReaderDriver(.large, opening: AyahID("2:255"))
    driver.press("<A-2>")
    #expect(driver.screen.contains("▌255"))
    driver.press("<Enter>")
    #expect(driver.model.state.position == "2:255")
  }

  @Test func wheelOverAPreviewKeepsThePlace() throws {
    var driver = try ReaderDriver(.large, opening: AyahID("2:253"))
    driver.press("hjj")
    let before = driver.screen
    driver.send(.mouse(Mouse(.wheelDown, row: 20, column: 100)))
    #expect(driver.screen != before)
    #expect(driver.model.state.position == "2:253")
    driver.press("j")
    driver.press("k")
    #expect(driver.screen == before)
  }

  @Test func listFollowsReadingIntoTheNextSurah() throws {
    var driver = try ReaderDriver(.large, opening: AyahID("113:5"))
    driver.press("jj")
    let row = try #require(driver.rows.first { $0.hasPrefix("▸") })
    #expect(row.contains("An-Nas"))
  }

  @Test func jumpingClearsAFilterThatHidesTheSurah() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("/yu<Enter>g1:1<Enter>h")
    // The jump did not move the place: reading continues in Yunus.
    #expect(driver.screen.contains("Đọc tiếp  ▸ 10:1 "))
    #expect(try #require(driver.rows.first { $0.hasPrefix("▸") }).contains("Al-Fatihah"))
  }

  @Test func unboundKeysAreReported() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1"))
    driver.press("z")
    #expect(driver.screen.contains("z: phím này chưa gán lệnh"))
    driver.press("N")
    #expect(driver.screen.contains("Không có kết quả nào được tô sáng; / để tìm."))
  }
}
