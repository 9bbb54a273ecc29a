import Editions
import Library
import Messages
import Quran
import Terminal
import TestSupport
import Testing
import Text

@testable import Reader

/// Several texts on the page: the Arabic, and one to compare with.
struct ShownTextsTests {
  private let texts: InstalledTexts

  init() throws {
    texts = try #require(InstalledTexts.several)
  }

  private func driver(
    _ size: Size = .medium, hasArabic: Bool = true, arabic: ArabicDisplay? = .terminal,
    fill: (Library, Int64) throws -> Void = { _, _ in }
  ) throws -> ReaderDriver {
    var parallelEditions: [ParallelEdition: Edition] = [
      .text("vi.own"): texts.edition("vi.own"), .text("vi.rwwad"): texts.current,
    ]
    if hasArabic { parallelEditions[.arabic] = texts.edition("ar.hafs") }
    return try ReaderDriver(
      size, language: .english, edition: texts.current, parallelEditions: parallelEditions,
      arabic: arabic,
      fill: fill)
  }

  /// A driver that shows the screen of texts.
  private func driverInTexts(_ size: Size = .medium) throws -> ReaderDriver {
    var driver = try driver(size)
    driver.press("8")
    driver.texts(.done(nil, texts.reading()))
    return driver
  }

  private func ids(_ driver: ReaderDriver) -> [String] { driver.model.shownEditions.map(\.info.id) }

  // MARK: The Arabic

  @Test func theArabicIsShownAboveTheTranslation() throws {
    var driver = try driver()
    driver.press("g2:3<Enter>a")
    #expect(ids(driver) == ["ar.hafs", "vi.rwwad"])
    #expect(driver.screen.contains("The Arabic is shown"))
    let row = try #require(driver.rows.firstIndex { $0.contains("تَجْرِيبِيٌّ لِلْآيَةِ 2:3 ") })
    #expect(driver.rows[row].hasPrefix("▌  3"))
    #expect(driver.rows[row + 1].contains("vi.rwwad nói điều gì đó về câu 2:3"))
    // The Arabic ends at the right edge of the text.
    #expect(driver.rows[row].columns == 79)
    driver.press("a")
    #expect(ids(driver) == ["vi.rwwad"] && driver.screen.contains("The Arabic is hidden"))
    #expect(driver.model.state.ayah == AyahID("2:3"))
  }

  @Test func theShownTextsAreStored() throws {
    var driver = try driver()
    driver.press("g2:3<Enter>ac")
    #expect(try driver.stored().device[DeviceKey.arabicShown] == "1")
    #expect(try driver.stored().device[DeviceKey.textsSideBySide] == "1")
    let again = try self.driver { library, _ in
      try library.setDeviceValues([
        DeviceKey.arabicShown: "1", DeviceKey.comparedText: "vi.own",
        DeviceKey.textsSideBySide: "1",
      ])
    }
    #expect(ids(again) == ["ar.hafs", "vi.rwwad", "vi.own"])
  }

  /// In a narrow column, the name would look like a part of the text.
  @Test func theNamesOfTextsSideBySideBeginARow() throws {
    var driver = try driverInTexts()
    driver.press("jjcg2:256<Enter>c")
    try #require(driver.model.shownEditions.count == 2)
    let page = driver.model.pager.page(from: driver.model.position.top)
    let segments = page.flatMap(\.row)
    let names = segments.filter { $0.text.hasPrefix("–") && $0.role == .faint }
    #expect(names.count > 4)
    for (_, row) in page {
      for name in row where name.role == .faint {
        #expect(
          !row.contains { $0.role == .text && $0.editionIndex == name.editionIndex })
      }
    }
  }

  @Test func theRemarkOfABundledTextIsNotDivided() throws {
    let typesetter = Typesetter(
      [texts.current, .bundled], PageFormat(isSideBySide: true, namesTranslations: true), width: 80,
      messages: Messages(.vietnamese))
    try #require(typesetter.isInColumns)
    let rows = typesetter.block(of: AyahID("2:255"))
    let names = typesetter.block(rows).rows.flatMap { $0 }.filter {
      $0.role == .faint && $0.editionIndex == 1
    }
    #expect(
      names.map(\.text).joined(separator: " ") == "– Bản diễn ý kèm theo – chưa thẩm định")
    #expect(names.last?.text == "chưa thẩm định")
  }

  @Test func theArabicThatEndsTheColumnsSaysSo() throws {
    var driver = try driverInTexts()
    driver.press("jjcg2:256<Enter>c")
    try #require(driver.model.typesetter.isInColumns)
    driver.press("a")
    #expect(driver.model.shownEditions.count == 3 && !driver.model.typesetter.isInColumns)
    #expect(driver.screen.contains("The Arabic is shown. Texts side by side, as soon as there"))
    driver.press("a")
    #expect(driver.screen.contains("The Arabic is hidden"))
  }

  @Test func missingArabicIsReportedWithTheKeysToInstallIt() throws {
    var driver = try driver(hasArabic: false)
    driver.press("g2:3<Enter>a")
    #expect(ids(driver) == ["vi.rwwad"])
    #expect(driver.screen.contains("The Arabic is not installed; Alt-8, then i,"))
    #expect(try driver.stored().device[DeviceKey.arabicShown] != "1")
  }

  @Test func shownTextsThatCannotBeReadAreReportedAtTheStart() throws {
    let withoutArabic = try driver(hasArabic: false) { library, _ in
      try library.setDeviceValues([DeviceKey.arabicShown: "1"])
    }
    #expect(withoutArabic.screen.contains("Cannot read the Arabic that was shown here; 8"))
    let withoutText = try driver { library, _ in
      try library.setDeviceValues([DeviceKey.comparedText: "vi.gone"])
    }
    #expect(withoutText.screen.contains("Cannot read the text “vi.gone” that was shown here"))
    var unused = try driver(hasArabic: false)
    #expect(!unused.screen.contains("Cannot read"))
    unused.press("A")
    #expect(!unused.screen.contains("Cannot read"))
  }

  @Test func arabicTurnedOffInTheConfigurationIsReported() throws {
    var driver = try driver(arabic: nil) { library, _ in
      try library.setDeviceValues([DeviceKey.arabicShown: "1"])
    }
    #expect(ids(driver) == ["vi.rwwad"])
    driver.press("a")
    #expect(driver.screen.contains("arabic = \"off\"") && ids(driver) == ["vi.rwwad"])
  }

  @Test func oneTextAlwaysRemainsVisible() throws {
    var driver = try driver()
    driver.press("g2:3<Enter>v")
    #expect(ids(driver) == ["vi.rwwad"] && driver.screen.contains("the only text on the page"))
    driver.press("av")
    #expect(ids(driver) == ["ar.hafs"] && driver.screen.contains("The translation is hidden"))
    driver.press("v")
    #expect(ids(driver) == ["ar.hafs", "vi.rwwad"])
    // Hiding the Arabic brings the translation back.
    driver.press("va")
    #expect(ids(driver) == ["vi.rwwad"])
    // The translation stays hidden after a restart.
    driver.press("av")
    #expect(try driver.stored().device[DeviceKey.translationHidden] == "1")
    let again = try self.driver { library, _ in
      try library.setDeviceValues([
        DeviceKey.arabicShown: "1", DeviceKey.translationHidden: "1",
      ])
    }
    #expect(ids(again) == ["ar.hafs"])
  }

  @Test(arguments: [Size.small, .medium, .large], ["a", "am", "ac", "av", "avm", "acm"])
  func everyLineFitsAndTheCursorMovesByAyahs(_ size: Size, _ keys: String) throws {
    var driver = try driver(size)
    driver.press("g2:250<Enter>\(keys)")
    for ayah in 251...258 {
      while driver.model.state.ayah != AyahID("2:\(ayah)") { driver.press("j") }
      let area = try #require(driver.model.geometry.text)
      for (_, row) in driver.model.pager.page(from: driver.model.position.top) {
        for segment in row {
          #expect(segment.column >= 0 && segment.column + segment.text.columns <= area.width)
        }
      }
    }
    for _ in 0..<30 { driver.press("k") }
    #expect(try #require(driver.model.state.ayah) <= #require(AyahID("2:252")))
  }

  @Test func arabicIsNotReorderedWhileItIsTyped() throws {
    var driver = try driver(arabic: .shaped)
    driver.press("g2:3<Enter>nبسم")
    #expect(driver.screen.contains("بسم"))
    let cursor = try #require(driver.canvas.cursor)
    #expect(driver.rows[cursor.row] == "  بسم" && cursor.column == 5)
    // The saved note is shaped and reordered like any other Arabic.
    driver.press("<C-s><Tab>")
    #expect(driver.screen.contains("\u{FEE2}\u{FEB4}\u{FE91}") && !driver.screen.contains("بسم"))
    driver.press("<Esc>:بسم")
    #expect(driver.rows.last == ":بسم" && driver.canvas.cursor?.column == 4)
  }

  // MARK: Columns

  @Test func columnsNeedTwoTexts() throws {
    var driver = try driver()
    driver.press("g2:3<Enter>c")
    #expect(driver.screen.contains("There is one text on the page"))
    driver.press("ac")
    #expect(driver.screen.contains("Texts side by side"))
    let row = try #require(driver.rows.first { $0.contains("câu 2:3") || $0.contains("2:3 ") })
    #expect(row.contains("vi.rwwad") && row.contains("نَصٌّ"))
  }

  @Test func narrowPagesShowTheTextsBelowEachOther() throws {
    var driver = try driver(.small)
    driver.press("g2:3<Enter>ac")
    #expect(driver.screen.contains("Texts side by side, as soon"))
    #expect(driver.rows.allSatisfy { !($0.contains("vi.rwwad") && $0.contains("نَصٌّ")) })
    let arabic = try #require(driver.rows.firstIndex { $0.contains("نَصٌّ") })
    let translation = try #require(driver.rows.firstIndex { $0.contains("vi.rwwad") })
    #expect(arabic < translation)
  }

  // MARK: Comparing

  @Test func comparisonIsTurnedOnAndOff() throws {
    var driver = try driverInTexts()
    driver.press("jj")
    #expect(driver.model.selectedText?.id == "vi.own")
    driver.press("c")
    #expect(ids(driver) == ["vi.rwwad", "vi.own"])
    #expect(driver.screen.contains("Compared with vi.own"))
    #expect(driver.rows.contains { $0.contains("○ vi.own") })
    #expect(try driver.stored().device[DeviceKey.comparedText] == "vi.own")
    driver.press("c")
    #expect(ids(driver) == ["vi.rwwad"] && driver.screen.contains("Not compared"))
    driver.press("jc")
    #expect(driver.screen.contains("You are reading this text already"))
    // On the Arabic, the key shows and hides the Arabic instead.
    driver.press("kkc")
    #expect(driver.model.selectedText?.id == "ar.hafs" && ids(driver) == ["ar.hafs", "vi.rwwad"])
    driver.press("c")
    #expect(ids(driver) == ["vi.rwwad"])
  }

  @Test func keysWaitForTextsThatAreBeingLoaded() throws {
    var driver = try driver()
    driver.isLoadingAtOnce = false
    driver.press("g2:3<Enter>av")
    #expect(ids(driver) == ["vi.rwwad"])
    driver.press("j")
    driver.loadTexts()
    #expect(ids(driver) == ["ar.hafs"] && driver.model.state.ayah == AyahID("2:4"))
    driver.press("vac")
    #expect(ids(driver) == ["vi.rwwad"])
    #expect(driver.screen.contains("There is one text on the page"))
  }

  @Test func keysThatWaitTwiceKeepTheirOrder() throws {
    var driver = try ReaderDriver(
      .medium, language: .english, isOpen: false, edition: texts.current,
      parallelEditions: [.arabic: texts.edition("ar.hafs")], arabic: .terminal)
    driver.isLoadingAtOnce = false
    driver.press("<Enter>favc")
    try driver.open()
    driver.loadTexts()
    #expect(ids(driver) == ["ar.hafs"])
    #expect(!driver.model.texts.shown.isSideBySide && driver.screen.contains("There is one text"))
  }

  @Test func keysWaitForTheListOfTexts() throws {
    var driver = try driver()
    driver.press("8jjc")
    #expect(ids(driver) == ["vi.rwwad"])
    driver.texts(.done(nil, texts.reading()))
    #expect(ids(driver) == ["vi.rwwad", "vi.own"])
  }

  @Test func aMissingTextRemainsChosen() throws {
    var driver = try driver { library, _ in
      try library.setDeviceValues([DeviceKey.comparedText: "vi.gone"])
    }
    driver.press("8")
    driver.texts(.done(nil, texts.reading()))
    #expect(try driver.stored().device[DeviceKey.comparedText] == "vi.gone")
  }

  @Test func aTextThatWasRemovedIsNotComparedAnyMore() throws {
    var driver = try driver { library, _ in
      try library.setDeviceValues([DeviceKey.comparedText: "vi.own"])
    }
    // The list of texts was never shown, and the chosen text is missing.
    driver.press(":text remove vi.own<Enter>")
    driver.texts(.done(nil, try InstalledTexts("ar.hafs").reading(problem: "missing")))
    #expect(try driver.stored().device[DeviceKey.comparedText] == "")
  }

  @Test func comparisonPausesWhileTheTextIsReadAndEndsIfItIsRemoved() throws {
    var driver = try driverInTexts()
    driver.press("jjcv")
    #expect(ids(driver) == ["vi.own"])
    driver.texts(.done(nil, texts.reading("vi.own")))
    #expect(ids(driver) == ["vi.own"])
    #expect(driver.rows.contains { $0.contains("● vi.own") })
    driver.press("v")
    #expect(driver.screen.contains("the only text on the page"))
    driver.texts(.done(nil, texts.reading()))
    #expect(ids(driver) == ["vi.rwwad", "vi.own"])
    driver.texts(.done(nil, texts.reading("vi.own")))
    driver.press("jc")
    #expect(ids(driver) == ["vi.own", "vi.rwwad"])
    driver.texts(.done(nil, try InstalledTexts("vi.own").reading("vi.own")))
    #expect(ids(driver) == ["vi.own"])
    #expect(try driver.stored().device[DeviceKey.comparedText] == "")
  }

  @Test func theTextThatIsNamedAndCopiedIsOnThePage() throws {
    var driver = try driverInTexts()
    driver.press("jjcv")
    #expect(ids(driver) == ["vi.own"])
    driver.press("g2:3<Enter>jj")
    #expect(driver.rows.last?.contains("vi.own") == true, "\(driver.rows)")
    driver.press("y")
    guard case .copy(let copied) = driver.effects.last else {
      Issue.record("nothing was copied")
      return
    }
    #expect(copied.contains("vi.own") && !copied.contains("Rowwad"), "\(copied)")
  }

  @Test(arguments: ["", "c", "m"]) func translationsThatAreComparedAreNamed(_ keys: String) throws {
    var driver = try driverInTexts(Size(rows: 60, columns: 200))
    driver.press("jjcg2:3<Enter>a\(keys)jj")
    #expect(ids(driver) == ["ar.hafs", "vi.rwwad", "vi.own"])
    #expect(driver.model.typesetter.isInColumns == (keys == "c"))
    #expect((driver.model.layout == .flow) == (keys == "m"))
    let names = ["– Rowwad Translation Center", "– vi.own"]
    for name in names {
      #expect(driver.rows.contains { $0.contains(name) }, "\(keys), \(name): \(driver.rows)")
    }
    #expect(driver.rows.last?.contains("Rowwad Translation Center · vi.own") == true)
    // A translation that is shown alone is named, too, if it is not the current one.
    driver.press("vj")
    #expect(driver.rows.last?.contains("vi.own") == true)
    #expect(!driver.screen.contains(names[0]) && driver.screen.contains(names[1]))
  }

  @Test func aTextThatIsChosenIsShown() throws {
    var driver = try driverInTexts()
    driver.press("jjcv")
    #expect(ids(driver) == ["vi.own"])
    driver.texts(.done(nil, texts.reading("vi.quranvi")))
    #expect(ids(driver) == ["vi.quranvi", "vi.own"])
    // A text that is already the chosen one is shown, too.
    driver.press("v")
    #expect(ids(driver) == ["vi.own"])
    driver.press(":text use vi.quranvi<Enter>")
    #expect(ids(driver) == ["vi.quranvi", "vi.own"])
  }

  @Test func aLongTitleLeavesRoomForTheAyah() throws {
    let lines = (AyahID.first...AyahID.last).map { "\($0.surah)|\($0.ayah)|văn \($0)\n" }.joined()
    var parsed = try ParsedEdition.parse(Array(lines.utf8))[0]
    parsed.info = texts.edition("vi.own").info
    parsed.info.title = String(repeating: "dài ", count: 30)
    let folder = try TemporaryDirectory()
    let long = try InstalledEditions(directory: folder.path).install(parsed, at: 0)
    for size in [Size.small, .medium, .large] {
      var driver = try ReaderDriver(
        size, language: .english, opening: AyahID("2:3"), edition: long,
        fill: { library, time in try library.commit([.setFavorite(.first, true)], at: time) })
      driver.press("jj")
      let last = try #require(driver.rows.last)
      #expect(last.contains("2:5") && last.contains("dài dài"))
      #expect(last.columns <= size.columns)
    }
  }

  @Test func theBundledTextIsNotTakenForTheRecognisedOneBesideIt() throws {
    var driver = try ReaderDriver(
      .large, language: .english, opening: AyahID("2:3"), edition: texts.current,
      parallelEditions: [.text("vi.quranvi"): .bundled],
      fill: { library, time in
        try library.setDeviceValues([DeviceKey.comparedText: "vi.quranvi"])
        try library.commit([.setFavorite(.first, true)], at: time)
      })
    driver.press("jj")
    let label = "Bundled rendering – not reviewed"
    #expect(driver.rows.filter { $0.contains("– \(label)") }.count > 2)
    let last = try #require(driver.rows.last)
    #expect(last.hasSuffix("Rowwad Translation Center · \(label)"), "\(last)")
  }

  @Test func footnotesOfAllTextsAreShown() throws {
    var driver = try driver(.large)
    driver.texts(.done(nil, texts.reading("vi.own")))
    driver.press("g2:255<Enter>o")
    #expect(driver.screen.contains("came without its footnotes"))
    driver.press("<A-8>")
    driver.texts(.done(nil, texts.reading("vi.own")))
    driver.press("jjjcg2:255<Enter>o")
    #expect(driver.screen.contains("Footnotes · 2:255") && driver.screen.contains("[2] Chú thích"))
  }

  // MARK: Searching

  @Test func matchesAreHighlightedWhereTheyAreDrawn() throws {
    var driver = try driver(arabic: .shaped)
    driver.index(of: texts.current)
    driver.press("g2:3<Enter>a/\"nói điều\"<Enter>")
    let hit = driver.model.theme[.hit]
    let row = try #require(driver.rows.firstIndex { $0.contains("vi.rwwad nói điều") })
    let marked = (0..<80).filter { driver.canvas.style(row: row, column: $0) == hit }
    #expect(marked.count == "nói điều".columns)
  }
}
