import Editions
import Library
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// Several texts on the page: the Arabic, and one to compare with.
struct ShownTextsTests {
  private let texts: InstalledTexts

  init() throws {
    texts = try #require(InstalledTexts.several)
  }

  private func story(
    _ size: Size = .medium, hasArabic: Bool = true, arabic: ArabicDisplay? = .terminal,
    fill: (Library, Int64) throws -> Void = { _, _ in }
  ) throws -> Story {
    var parallelEditions: [ParallelEdition: Edition] = [
      .text("vi.own"): texts.edition("vi.own"), .text("vi.rwwad"): texts.current,
    ]
    if hasArabic { parallelEditions[.arabic] = texts.edition("ar.hafs") }
    return try Story(
      size, language: .english, edition: texts.current, parallelEditions: parallelEditions,
      arabic: arabic,
      fill: fill)
  }

  private func ids(_ story: Story) -> [String] { story.model.shownEditions.map(\.info.id) }

  // MARK: The Arabic

  @Test func theArabicIsShownAboveTheTranslation() throws {
    var story = try story()
    story.press("g2:3<Enter>a")
    #expect(ids(story) == ["ar.hafs", "vi.rwwad"])
    #expect(story.screen.contains("The Arabic is shown"))
    let row = try #require(story.rows.firstIndex { $0.contains("تَجْرِيبِيٌّ لِلْآيَةِ 2:3 ") })
    #expect(story.rows[row].hasPrefix("▌  3"))
    #expect(story.rows[row + 1].contains("vi.rwwad nói điều gì đó về câu 2:3"))
    // It ends at the right edge of the text.
    #expect(story.rows[row].columns == 79)
    story.press("a")
    #expect(ids(story) == ["vi.rwwad"] && story.screen.contains("The Arabic is hidden"))
    #expect(story.model.state.ayah == AyahID("2:3"))
  }

  @Test func theChoiceIsKept() throws {
    var story = try story()
    story.press("g2:3<Enter>ac")
    #expect(try story.stored().device[DeviceKey.arabicShown] == "1")
    #expect(try story.stored().device[DeviceKey.textsSideBySide] == "1")
    let again = try self.story { library, _ in
      try library.setDeviceValues([
        DeviceKey.arabicShown: "1", DeviceKey.comparedText: "vi.own",
        DeviceKey.textsSideBySide: "1",
      ])
    }
    #expect(ids(again) == ["ar.hafs", "vi.rwwad", "vi.own"])
  }

  @Test func withoutTheArabicItIsSaidHowToGetIt() throws {
    var story = try story(hasArabic: false)
    story.press("g2:3<Enter>a")
    #expect(ids(story) == ["vi.rwwad"])
    #expect(story.screen.contains("The Arabic is not installed; Alt-8, then i,"))
    #expect(try story.stored().device[DeviceKey.arabicShown] != "1")
  }

  @Test func whoTurnedArabicOffIsToldSo() throws {
    var story = try story(arabic: nil) { library, _ in
      try library.setDeviceValues([DeviceKey.arabicShown: "1"])
    }
    #expect(ids(story) == ["vi.rwwad"])
    story.press("a")
    #expect(story.screen.contains("arabic = \"off\"") && ids(story) == ["vi.rwwad"])
  }

  @Test func oneTextAlwaysStays() throws {
    var story = try story()
    story.press("g2:3<Enter>v")
    #expect(ids(story) == ["vi.rwwad"] && story.screen.contains("the only text on the page"))
    story.press("av")
    #expect(ids(story) == ["ar.hafs"] && story.screen.contains("The translation is hidden"))
    story.press("v")
    #expect(ids(story) == ["ar.hafs", "vi.rwwad"])
    // Hiding the Arabic brings the translation back.
    story.press("va")
    #expect(ids(story) == ["vi.rwwad"])
    // What is hidden stays so after a restart.
    story.press("av")
    #expect(try story.stored().device[DeviceKey.translationHidden] == "1")
    let again = try self.story { library, _ in
      try library.setDeviceValues([
        DeviceKey.arabicShown: "1", DeviceKey.translationHidden: "1",
      ])
    }
    #expect(ids(again) == ["ar.hafs"])
  }

  @Test(arguments: [Size.small, .medium, .large], ["a", "am", "ac", "av", "avm", "acm"])
  func everyLineFitsAndTheCursorMovesByAyahs(_ size: Size, _ keys: String) throws {
    var story = try story(size)
    story.press("g2:250<Enter>\(keys)")
    for ayah in 251...258 {
      while story.model.state.ayah != AyahID("2:\(ayah)") { story.press("j") }
      let area = try #require(story.model.geometry.text)
      for (_, row) in story.model.pager.page(from: story.model.position.top) {
        for segment in row.segments {
          #expect(segment.column >= 0 && segment.column + segment.text.columns <= area.width)
        }
      }
    }
    for _ in 0..<30 { story.press("k") }
    #expect(try #require(story.model.state.ayah) <= #require(AyahID("2:252")))
  }

  @Test func whatIsBeingWrittenIsInTheOrderOfTheCursor() throws {
    var story = try story(arabic: .shaped)
    story.press("g2:3<Enter>nبسم")
    #expect(story.screen.contains("بسم"))
    let cursor = try #require(story.canvas.cursor)
    #expect(story.rows[cursor.row] == "  بسم" && cursor.column == 5)
    // Once it is saved, it is read like any other Arabic.
    story.press("<C-s><Tab>")
    #expect(story.screen.contains("\u{FEE2}\u{FEB4}\u{FE91}") && !story.screen.contains("بسم"))
    story.press("<Esc>:بسم")
    #expect(story.rows.last == ":بسم" && story.canvas.cursor?.column == 4)
  }

  // MARK: Columns

  @Test func columnsNeedTwoTexts() throws {
    var story = try story()
    story.press("g2:3<Enter>c")
    #expect(story.screen.contains("There is one text on the page"))
    story.press("ac")
    #expect(story.screen.contains("Texts side by side"))
    let row = try #require(story.rows.first { $0.contains("câu 2:3") || $0.contains("2:3 ") })
    #expect(row.contains("vi.rwwad") && row.contains("نَصٌّ"))
  }

  @Test func inNarrowTextTheyAreBelowEachOther() throws {
    var story = try story(.small)
    story.press("g2:3<Enter>ac")
    #expect(story.screen.contains("Texts side by side, as soon"))
    #expect(story.rows.allSatisfy { !($0.contains("vi.rwwad") && $0.contains("نَصٌّ")) })
    let arabic = try #require(story.rows.firstIndex { $0.contains("نَصٌّ") })
    let translation = try #require(story.rows.firstIndex { $0.contains("vi.rwwad") })
    #expect(arabic < translation)
  }

  // MARK: Comparing

  @Test func aSecondTextIsChosenAndGivenUp() throws {
    var story = try story()
    story.press("8")
    story.texts(.done(nil, texts.reading()))
    story.press("jj")
    #expect(story.model.selectedText?.id == "vi.own")
    story.press("c")
    #expect(ids(story) == ["vi.rwwad", "vi.own"])
    #expect(story.screen.contains("Compared with vi.own"))
    #expect(story.rows.contains { $0.contains("○ vi.own") })
    #expect(try story.stored().device[DeviceKey.comparedText] == "vi.own")
    story.press("c")
    #expect(ids(story) == ["vi.rwwad"] && story.screen.contains("Not compared"))
    story.press("jc")
    #expect(story.screen.contains("is the one that is read"))
    // The Arabic has a key of its own.
    story.press("kkc")
    #expect(story.model.selectedText?.id == "ar.hafs" && ids(story) == ["ar.hafs", "vi.rwwad"])
    story.press("c")
    #expect(ids(story) == ["vi.rwwad"])
  }

  @Test func theComparedTextIsGivenUpWhereItIsReadOrRemoved() throws {
    var story = try story()
    story.press("8")
    story.texts(.done(nil, texts.reading()))
    story.press("jjcv")
    #expect(ids(story) == ["vi.own"])
    story.texts(.done(nil, texts.reading("vi.own")))
    #expect(ids(story) == ["vi.own"] && story.model.texts.shown.comparedID == nil)
    #expect(story.rows.contains { $0.contains("● vi.own") })
    story.press("v")
    #expect(story.screen.contains("the only text on the page"))
    story.press("jc")
    #expect(ids(story) == ["vi.own", "vi.rwwad"])
    story.texts(.done(nil, try InstalledTexts("vi.own").reading("vi.own")))
    #expect(ids(story) == ["vi.own"])
    #expect(try story.stored().device[DeviceKey.comparedText] == "")
  }

  @Test func footnotesOfAllTextsAreShown() throws {
    var story = try story(.large)
    story.texts(.done(nil, texts.reading("vi.own")))
    story.press("g2:255<Enter>o")
    #expect(story.screen.contains("came without its footnotes"))
    story.press("<A-8>")
    story.texts(.done(nil, texts.reading("vi.own")))
    story.press("jjjcg2:255<Enter>o")
    #expect(story.screen.contains("Footnotes · 2:255") && story.screen.contains("[2] Chú thích"))
  }

  // MARK: Searching

  @Test func matchesAreMarkedWhereTheyAreDrawn() throws {
    var story = try story(arabic: .shaped)
    story.index(of: texts.current)
    story.press("g2:3<Enter>a/\"nói điều\"<Enter>")
    let hit = story.model.theme[.hit]
    let row = try #require(story.rows.firstIndex { $0.contains("vi.rwwad nói điều") })
    let marked = (0..<80).filter { story.canvas.style(row: row, column: $0) == hit }
    #expect(marked.count == "nói điều".columns)
  }
}
