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
  private func seen(_ story: Story) -> [String] {
    story.rows.filter { $0.hasPrefix("▌") }.map {
      String($0.dropFirst().drop { $0 == " " || $0.isNumber })
    }
  }

  @Test(arguments: [Size.small, .medium, Size(rows: 8, columns: 30)])
  func longestAyahIsReadToItsEndWithOneKey(_ size: Size) throws {
    var story = try Story(size, opening: AyahID("2:282"))
    var text = ""
    var rows: [String] = []
    var presses = 0
    while story.model.state.position == "2:282" {
      let now = seen(story)
      // Rows already seen scroll up one at a time; what is new stands below.
      let overlap =
        (0...now.count).reversed().first { rows.suffix($0).elementsEqual(now.prefix($0)) } ?? 0
      for row in now.dropFirst(overlap) {
        rows.append(row)
        text += (text.isEmpty ? "" : " ") + row
      }
      story.press("j")
      presses += 1
      #expect(presses < 200)
    }
    #expect(text == Edition.bundled.text(of: AyahID("2:282")))
    #expect(story.model.state.position == "2:283")
  }

  @Test(arguments: [PageLayout.verse, .flow], [Size.small, .medium, .large])
  func wholeSurahIsSeenRowByRow(_ layout: PageLayout, _ size: Size) throws {
    var story = try Story(
      size, layout: layout, opening: AyahID("36:1"))
    var seen: Set<Substring> = []
    while story.model.state.position.map({ $0 < "37" }) == true {
      for row in story.rows { seen.formUnion(row.split(separator: " ")) }
      let before = story.model.state.position
      let screen = story.screen
      story.press("j")
      if story.model.state.position == before, story.screen == screen { break }
    }
    for ayah in SurahNumber(36)!.ayahs {
      for word in Edition.bundled.text(of: ayah).split(separator: " ") {
        #expect(seen.contains(word), "\(ayah) \(word)")
      }
    }
  }

  @Test func goingDownAndUpReturnsToTheStart() throws {
    for layout in PageLayout.allCases {
      var story = try Story(
        .small, layout: layout, opening: AyahID("2:280"))
      story.press("j", times: 60)
      story.press("k", times: 200)
      while story.model.state.ayah! > AyahID("2:280") { story.press("k") }
      story.press("g2:280<Enter>")
      #expect(story.model.state.ayah == AyahID("2:280"))
      #expect(story.screen.contains("280"))
    }
  }

  @Test func pagesForwardSkipNoRow() throws {
    var story = try Story(.medium, opening: AyahID("18:1"))
    var words: Set<Substring> = []
    while story.model.state.ayah!.surah == SurahNumber(18)! {
      for row in story.rows { words.formUnion(row.split(separator: " ")) }
      story.press(" ")
    }
    for row in story.rows { words.formUnion(row.split(separator: " ")) }
    for ayah in SurahNumber(18)!.ayahs {
      for word in Edition.bundled.text(of: ayah).split(separator: " ") {
        #expect(words.contains(word), "\(ayah) \(word)")
      }
    }
  }

  @Test func readingContinuesAcrossSurahsAndStopsAtTheEnds() throws {
    var story = try Story(.medium, opening: AyahID("1:7"))
    story.press("j")
    #expect(story.model.state.position == "2:1")
    story.press("k")
    #expect(story.model.state.position == "1:7")
    story.press("<Home>k")
    #expect(story.model.state.position == "1:1")
    story.press("g114:6<Enter>jjj")
    #expect(story.model.state.position == "114:6")
    #expect(story.screen.contains("Đã hết Kinh Quran"))
    story.press("]")
    #expect(story.model.state.position == "114:6")
    story.press("[")
    #expect(story.model.state.position == "113:1")
  }

  @Test func resizingKeepsTheAyahInView() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    for (rows, columns) in [(3, 10), (1, 1), (12, 40), (40, 120), (24, 80), (10, 24), (50, 200)] {
      story.resize(Size(rows: rows, columns: columns))
      #expect(story.model.state.position == "2:255")
      guard columns >= 24, rows >= 6 else { continue }
      #expect(story.rows.contains { $0.contains("▌") && $0.contains("255") }, "\(columns)x\(rows)")
    }
  }

  @Test func resizingInsideATallAyahKeepsTheLine() throws {
    var story = try Story(.small, opening: AyahID("2:282"))
    story.press("j", times: 12)
    let first = try #require(seen(story).first?.split(separator: " ").first)
    story.resize(Size(rows: 12, columns: 60))
    #expect(try #require(seen(story).first).split(separator: " ").contains(first))
  }

  @Test func changingTheLayoutKeepsTheAyah() throws {
    var story = try Story(.medium, opening: AyahID("20:50"))
    story.press("m")
    #expect(story.model.state.position == "20:50")
    #expect(story.rows.contains { $0.contains("▌") && $0.contains("(50)") })
    story.press("m")
    #expect(story.rows.contains { $0.contains("▌") && $0.contains(" 50 ") })
  }

  @Test(arguments: [
    ("2:255", "2:255"), ("2 255", "2:255"), ("baqarah 255", "2:255"), ("ya sin", "36:1"),
    ("juz 30", "78:1"), ("trang 604", "112:1"), ("36", "36:1"),
    ("quranvn://surah/2/ayah/999", "2:286"),
  ])
  func goToTakesEveryForm(_ typed: String, _ position: String) throws {
    var story = try Story(.medium)
    story.press("g\(typed)<Enter>")
    #expect(story.model.state.position == position)
    #expect(story.rows.contains { $0.hasPrefix("▌") })
  }

  @Test func emptyGoToIsTheFirstAyah() throws {
    var story = try Story(.medium, opening: AyahID("2:100"))
    story.press("g<Enter>")
    #expect(story.model.state.position == "2:1")
  }

  @Test func refusedGoToKeepsThePromptAndThePlace() throws {
    var story = try Story(.medium, opening: AyahID("112:1"))
    story.press("g115<Enter>")
    #expect(story.screen.contains("112"))
    #expect(story.model.state.position == "112:1")
    story.press("<C-u>114<Enter>")
    #expect(story.model.state.position == "114:1")
  }

  @Test func enterContinuesWhereReadingStopped() throws {
    var story = try Story(.medium, place: AyahID("2:45"))
    #expect(story.screen.contains("Đọc tiếp  ▸ 2:45 Al-Baqarah"))
    story.press("<Enter>")
    #expect(story.model.state.position == "2:45")
    story.press("hj<Enter>")
    #expect(story.model.state.position == "3:1")
  }

  @Test func browsingTheListsKeepsThePlace() throws {
    var story = try Story(.large, place: AyahID("2:45"))
    story.press("jjjj2jj1kk")
    #expect(story.model.state.position == "2:45")
  }

  @Test(arguments: [Size.small, .medium, .large], [PageLayout.verse, .flow])
  func pagesEndWithAFullLastPage(_ size: Size, _ layout: PageLayout) throws {
    var story = try Story(
      size, layout: layout, opening: AyahID("113:1"))
    story.press(" ", times: 12)
    let end = story.screen
    #expect(end.contains("jinn"))
    #expect(story.model.state.position == "114:6")
    story.press(" ")
    #expect(
      story.rows.dropLast(3)
        == end.split(separator: "\n", omittingEmptySubsequences: false)
        .dropLast().map(String.init).dropLast(3))
    story.press("g1:1<Enter><C-u><C-u>")
    let top = story.rows.first { $0.contains("Al-Fatihah · Mở Đầu") && $0.contains("1 · ") }
    #expect(top != nil)
  }

  @Test func juzBeingReadLeadsBackToThePlace() throws {
    var story = try Story(.large, opening: AyahID("2:255"))
    story.press("<A-2>")
    #expect(story.screen.contains("▌255"))
    story.press("<Enter>")
    #expect(story.model.state.position == "2:255")
  }

  @Test func wheelOverAPreviewKeepsThePlace() throws {
    var story = try Story(.large, opening: AyahID("2:253"))
    story.press("hjj")
    let before = story.screen
    story.send(.mouse(Mouse(.wheelDown, row: 20, column: 100)))
    #expect(story.screen != before)
    #expect(story.model.state.position == "2:253")
    story.press("j")
    story.press("k")
    #expect(story.screen == before)
  }

  @Test func listFollowsReadingIntoTheNextSurah() throws {
    var story = try Story(.large, opening: AyahID("113:5"))
    story.press("jj")
    let row = try #require(story.rows.first { $0.hasPrefix("▸") })
    #expect(row.contains("An-Nas"))
  }

  @Test func goingElsewhereDropsAFilterThatHidesThePlace() throws {
    var story = try Story(.medium)
    story.press("/yu<Enter>g1:1<Enter>h")
    // That was a look: reading goes on in Yunus.
    #expect(story.screen.contains("Đọc tiếp  ▸ 10:1 "))
    #expect(try #require(story.rows.first { $0.hasPrefix("▸") }).contains("Al-Fatihah"))
  }

  @Test func unboundKeysAreReported() throws {
    var story = try Story(.medium, opening: AyahID("1:1"))
    story.press("z")
    #expect(story.screen.contains("z: phím này chưa gán lệnh"))
    story.press("N")
    #expect(story.screen.contains("Chưa tìm gì; / để tìm."))
  }
}
