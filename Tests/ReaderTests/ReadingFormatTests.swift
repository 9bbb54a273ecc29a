import Library
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// How wide the text is, and what stands between the ayahs.
@Suite struct ReadingFormatTests {
  private static let wide = Size(rows: 24, columns: 99)

  /// The columns of the page on which rows of the text begin and end.
  private func columns(of story: Story) -> (first: Int, last: Int) {
    let typesetter = story.model.typesetter
    return (
      typesetter.indent + typesetter.gutter,
      typesetter.indent + typesetter.gutter + typesetter.measure
    )
  }

  @Test func theTextIsCentredAtItsWidth() throws {
    var story = try Story(Self.wide, opening: AyahID("2:255"))
    for (keys, width) in [("", 72), (":set width 60<Enter>", 60), (":set width 200<Enter>", 88)] {
      story.press(keys)
      let (first, last) = columns(of: story)
      #expect(last - first == width)
      let typesetter = story.model.typesetter
      #expect(abs(typesetter.indent - (99 - last - 1)) <= 1, "as many blank columns on both sides")
      let text = story.rows[2..<22].filter { !$0.isEmpty && !$0.contains("·") }
      #expect(text.count > 3)
      #expect(text.allSatisfy { $0.columns <= last })
      #expect(text.contains { $0.columns > last - 15 }, "the width is used")
    }
    #expect(try story.stored().textWidth == 200)
  }

  @Test func narrowPagesUseAllColumns() throws {
    for size in [Size.small, Size(rows: 24, columns: 60), .medium] {
      let story = try Story(size, opening: AyahID("2:255"))
      #expect(story.model.typesetter.indent == 0)
    }
  }

  @Test func aBlankRowFollowsEachAyahIfWanted() throws {
    var story = try Story(.medium, opening: AyahID("112:1"))
    func row(of ayah: Int, _ story: Story) throws -> Int {
      try #require(
        story.rows.firstIndex { $0.dropFirst().drop { $0 == " " }.hasPrefix("\(ayah) ") })
    }
    let before = try row(of: 3, story) - row(of: 2, story)
    story.press(":set blankRows true<Enter>")
    #expect(try row(of: 3, story) - row(of: 2, story) == before + 1)
    #expect(story.rows[try row(of: 3, story) - 1].isEmpty)
    #expect(try story.stored().flag(.blankRows) == true)
    story.press("m:set blankRows false<Enter>m")
    #expect(try row(of: 3, story) - row(of: 2, story) == before)
  }

  @Test func divisionsAreMarkedWhereTheyBegin() throws {
    var story = try Story(.medium, opening: AyahID("2:141"))
    func marks(_ story: Story) -> [String] {
      story.rows[1...].filter { $0.contains("juz 2 · hizb 3") || $0.contains("trang 22") }
    }
    #expect(marks(story).map { $0.drop { $0 == " " } } == ["juz 2 · hizb 3"])
    story.press("j")
    #expect(story.rows[1...].contains { $0.hasPrefix("▌") }, "the bar is at the ayah")
    #expect(!marks(story)[0].contains("▌"))
    story.press(":set marks page<Enter>")
    #expect(marks(story).map { $0.drop { $0 == " " } } == ["juz 2 · hizb 3 · trang 22"])
    story.press("m")
    #expect(marks(story).contains { $0.contains("[juz 2 · hizb 3 · trang 22]") }, "in flow layout")
    story.press(":set marks off<Enter>")
    #expect(marks(story).isEmpty)
    #expect(try story.stored().string(.marks) == "off")
  }

  @Test func otherValuesAreRefusedWithTheChoices() throws {
    for (value, choices) in [
      ("width 20", "40–200."), ("width x", "40–200."), ("blankRows yes", "true, false."),
      ("marks hizb", "off, juz, page."), ("khatm 0", "1–3650 ngày, off."), ("theme x", "terminal,"),
      ("x 1", "arabic, theme, layout,"), ("", "arabic, theme, layout,"),
    ] {
      var story = try Story(.medium)
      story.press(":set \(value)<Enter>")
      #expect(story.screen.contains("Hãy chọn: \(choices)"), "\(value)")
      #expect(try story.stored().settings.isEmpty)
    }
  }

  @Test func everySettingCanBeSetByItsName() throws {
    for setting in SettingKey.allCases {
      var story = try Story(.medium)
      let value = try #require(setting.suggestions.last)
      story.press(":set \(setting.rawValue) \(value)<Enter>")
      #expect(try story.stored().settings[setting.rawValue] != nil, "\(setting)")
      #expect(story.model.message != nil || setting == .language, "\(setting)")
    }
  }

  @Test func blankRowsOfTheSettingsScreenArePassedOver() throws {
    var story = try Story(.medium)
    story.press("7")
    let gap = try #require(story.model.settings.rows.firstIndex(of: .gap))
    story.press(String(repeating: "j", count: gap))
    #expect(story.model.list.state.selection == gap + 1)
    story.press("k")
    #expect(story.model.list.state.selection == gap - 1)
    // The fact about the texts opens their screen.
    story.press("j<Enter>")
    #expect(story.model.tab == .texts)
  }

  @Test func theSettingsScreenChangesThem() throws {
    var story = try Story(.medium)
    story.press("7jj<Enter>j<Enter>j<Enter>")
    let settings = try story.stored().settings
    #expect(settings == ["width": "84", "blankRows": "true", "marks": "\"page\""])
  }
}
