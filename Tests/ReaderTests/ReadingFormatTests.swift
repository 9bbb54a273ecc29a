import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// The width of the text, and the marks and blank rows between the ayahs.
@Suite struct ReadingFormatTests {
  private static let wide = Size(rows: 24, columns: 99)

  /// The columns of the page on which rows of the text begin and end.
  private func columns(of driver: ReaderDriver) -> (first: Int, last: Int) {
    let typesetter = driver.model.typesetter
    return (
      typesetter.indent + typesetter.gutter,
      typesetter.indent + typesetter.gutter + typesetter.measure
    )
  }

  @Test func textIsCentredAtTheConfiguredWidth() throws {
    var driver = try ReaderDriver(Self.wide, opening: AyahID("2:255"))
    for (keys, width) in [("", 72), (":set width 60<Enter>", 60), (":set width 200<Enter>", 88)] {
      driver.press(keys)
      let (first, last) = columns(of: driver)
      #expect(last - first == width)
      let typesetter = driver.model.typesetter
      #expect(abs(typesetter.indent - (99 - last - 1)) <= 1, "as many blank columns on both sides")
      let text = driver.rows[2..<22].filter { !$0.isEmpty && !$0.contains("·") }
      #expect(text.count > 3)
      #expect(text.allSatisfy { $0.columns <= last })
      #expect(text.contains { $0.columns > last - 15 }, "the width is used")
    }
    #expect(try driver.stored().textWidth == 200)
  }

  @Test func narrowPagesUseAllColumns() throws {
    for size in [Size.small, Size(rows: 24, columns: 60), .medium] {
      let driver = try ReaderDriver(size, opening: AyahID("2:255"))
      #expect(driver.model.typesetter.indent == 0)
    }
  }

  @Test func blankRowsSeparateAyahsIfEnabled() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("112:1"))
    func row(of ayah: Int, _ driver: ReaderDriver) throws -> Int {
      try #require(
        driver.rows.firstIndex { $0.dropFirst().drop { $0 == " " }.hasPrefix("\(ayah) ") })
    }
    let before = try row(of: 3, driver) - row(of: 2, driver)
    driver.press(":set blankRows true<Enter>")
    #expect(try row(of: 3, driver) - row(of: 2, driver) == before + 1)
    #expect(driver.rows[try row(of: 3, driver) - 1].isEmpty)
    #expect(try driver.stored().flag(.blankRows) == true)
    driver.press("m:set blankRows false<Enter>m")
    #expect(try row(of: 3, driver) - row(of: 2, driver) == before)
  }

  @Test func divisionsAreMarkedWhereTheyBegin() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:141"))
    func marks(_ driver: ReaderDriver) -> [String] {
      driver.rows[1...].filter { $0.contains("juz 2 · hizb 3") || $0.contains("trang 22") }
    }
    #expect(marks(driver).map { $0.drop { $0 == " " } } == ["juz 2 · hizb 3"])
    driver.press("j")
    #expect(driver.rows[1...].contains { $0.hasPrefix("▌") }, "the bar is at the ayah")
    #expect(!marks(driver)[0].contains("▌"))
    driver.press(":set marks page<Enter>")
    #expect(marks(driver).map { $0.drop { $0 == " " } } == ["juz 2 · hizb 3 · trang 22"])
    driver.press("m")
    #expect(marks(driver).contains { $0.contains("[juz 2 · hizb 3 · trang 22]") }, "in flow layout")
    driver.press(":set marks off<Enter>")
    #expect(marks(driver).isEmpty)
    #expect(try driver.stored().string(.marks) == "off")
  }

  @Test func invalidSettingsAreRefusedWithTheChoices() throws {
    for (value, choices) in [
      ("width 20", "40–200."), ("width x", "40–200."), ("blankRows yes", "true, false."),
      ("marks hizb", "off, juz, page."), ("khatm 0", "1–3650 ngày, off."), ("theme x", "terminal,"),
      ("x 1", "theme, layout, width,"), ("", "theme, layout, width,"),
    ] {
      var driver = try ReaderDriver(.medium)
      driver.press(":set \(value)<Enter>")
      #expect(driver.screen.contains("Hãy chọn: \(choices)"), "\(value)")
      #expect(try driver.stored().settings.isEmpty)
    }
  }

  @Test func everySettingCanBeSetByItsName() throws {
    for setting in SettingKey.allCases {
      var driver = try ReaderDriver(.medium)
      let value = try #require(setting.suggestions.last)
      driver.press(":set \(setting.rawValue) \(value)<Enter>")
      #expect(try driver.stored().settings[setting.rawValue] != nil, "\(setting)")
      #expect(driver.model.message != nil, "\(setting)")
    }
  }

  @Test func theDefaultsAreThoseInUse() throws {
    for setting in SettingKey.allCases {
      var driver = try ReaderDriver(.medium)
      let shown = driver.model.value(of: setting)
      driver.press(":set \(setting.rawValue) \(setting.defaultValue)<Enter>")
      #expect(driver.model.value(of: setting) == shown, "\(setting)")
    }
  }

  @Test func theSelectionSkipsBlankRowsOfTheSettings() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("7")
    let gap = try #require(driver.model.settings.rows.firstIndex(of: .gap))
    driver.press(String(repeating: "j", count: gap))
    #expect(driver.model.list.state.selection == gap + 1)
    driver.press("k")
    #expect(driver.model.list.state.selection == gap - 1)
    // Enter on the row about the texts opens the screen of texts.
    driver.press("j<Enter>")
    #expect(driver.model.tab == .texts)
  }

  @Test func theLeftKeyChoosesThePreviousValue() throws {
    for setting in SettingKey.allCases where setting != .khatm {
      var driver = try ReaderDriver(.medium)
      driver.press("7")
      let row = try #require(driver.model.settings.rows.firstIndex(of: .setting(setting)))
      driver.press("j", times: row)
      let first = driver.model.value(of: setting)
      var values = [first]
      repeat {
        driver.press("<Right>")
        values.append(driver.model.value(of: setting))
        // Setting the language to that of the system removes the remark that it is.
      } while values.last.map { !first.hasPrefix($0) } == true && values.count < 9
      #expect(values.count < 9)
      for value in values.dropLast().reversed() {
        driver.press("<Left>")
        #expect(value.hasPrefix(driver.model.value(of: setting)), "\(setting)")
      }
      #expect(driver.model.tab == .settings)
    }
    var driver = try ReaderDriver(.medium)
    driver.press("7lh")
    #expect(driver.model.tab == .settings && driver.model.value(of: .theme).contains("terminal"))
  }

  @Test(arguments: [SettingKey.theme, .layout, .blankRows, .marks, .arabicNames])
  func theKeysGoThroughAllValuesAndAround(setting: SettingKey) throws {
    let values = setting.values
    let first = try #require(values.firstIndex(of: setting.defaultValue))
    let expected = (values[(first + 1)...] + values[...first]).map(setting.stored)
    var driver = try ReaderDriver(.medium)
    driver.press("7")
    let row = try #require(driver.model.settings.rows.firstIndex(of: .setting(setting)))
    driver.press("j", times: row)
    for (key, expected) in [("<Right>", expected), ("<Left>", expected.dropLast().reversed())] {
      let stored = try expected.map { _ in
        driver.press(key)
        return try driver.stored().settings[setting.rawValue]
      }
      #expect(stored == expected)
    }
  }

  @Test func theLeftKeyStaysInTheSettings() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("7")
    for index in driver.model.settings.rows.indices {
      driver.press("<Left>j")
      #expect(driver.model.tab == .settings && driver.model.overlay == nil, "\(index)")
    }
    driver.press("<Left>")
    #expect(driver.rows.last == " Dòng này không có giá trị trước; Esc: rời cài đặt")
    driver.press("<Esc>")
    #expect(driver.model.tab == .surahs)
  }

  @Test func theLanguageGoesBackToThatOfTheSystem() throws {
    var driver = try ReaderDriver(.medium)
    let automatic = driver.model.value(of: .language)
    driver.press("7jjjjj<Enter>")
    #expect(driver.model.messages.language == .english)
    #expect(try driver.stored().string(.language) == "en")
    driver.press("<Enter>")
    #expect(driver.model.messages.language == .vietnamese)
    #expect(try driver.stored().string(.language) == "vi")
    driver.press("<Enter>")
    #expect(driver.model.value(of: .language) == automatic)
    #expect(try driver.stored().string(.language) == nil)
    driver.press("<Left><Left>:set language system<Enter>")
    #expect(driver.model.messages.language == .vietnamese)
    #expect(try driver.stored().string(.language) == nil)
    // Another device removes the setting.
    driver.press("<Enter>")
    try driver.library.commit([.set("language", nil)], at: driver.time)
    driver.receive(.refreshed(try driver.library.snapshot()))
    #expect(driver.model.value(of: .language) == automatic)
  }

  @Test func aFactOfSeveralRowsIsOneStop() throws {
    var driver = try ReaderDriver(.small)
    driver.press("7G")
    #expect(driver.screen.contains("▸ \(driver.model.messages.settingConfig)"))
    // All of its rows are on the screen.
    #expect(driver.screen.contains("toml"))
    var stops: [SettingRow] = []
    for _ in driver.model.settings.rows {
      stops.append(driver.model.settings.rows[driver.model.list.state.selection])
      driver.press("k")
    }
    let rows = driver.model.settings.rows.filter {
      if case .continuation = $0 { false } else { $0 != .gap }
    }
    #expect(rows.count < driver.model.settings.rows.count - 1)
    #expect(Array(stops.prefix(rows.count)) == rows.reversed())
    driver.press("j", times: 40)
    #expect(driver.model.settings.rows[driver.model.list.state.selection] == rows.last)
  }

  @Test func theDaysOfAPlanAreTypedAfterTheCommand() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("7jjjjjjjj<Enter>")
    #expect(driver.screen.contains("1–3650 ngày, off"))
    driver.press("30<Enter>")
    #expect(try driver.stored().khatmPlan?.days == 30)
  }

  @Test func theSettingsScreenChangesTheFormat() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("7jj<Enter>j<Enter>j<Enter>")
    let settings = try driver.stored().settings
    #expect(settings == ["width": "84", "blankRows": "true", "marks": "\"page\""])
  }
}
