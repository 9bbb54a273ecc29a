import Editions
import Library
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// The page that asks how to show Arabic, and what its answers change.
struct ArabicDisplayPageTests {
  private let texts: InstalledTexts
  private let key = DeviceKey.arabicDisplay(terminal: "test")

  init() throws {
    texts = try #require(InstalledTexts.several)
  }

  private func story(
    _ size: Size = .medium, arabic: ArabicDisplay? = .shaped, hasArabic: Bool = true,
    device: [String: String?] = [:]
  ) throws -> Story {
    try Story(
      size, language: .english, edition: texts.current,
      parallelEditions: hasArabic ? [.arabic: texts.edition("ar.hafs")] : [:], arabic: arabic,
      fill: { library, _ in try library.setDeviceValues(device) })
  }

  @Test(arguments: [("1", "terminal"), ("2", "shaped"), ("0", "off")])
  func theAnswerIsKeptForThisKindOfTerminal(key: String, value: String) throws {
    var story = try story()
    story.press("A" + key)
    #expect(story.model.overlay == nil)
    #expect(story.model.settings.arabic.mode.rawValue == value)
    #expect(story.screen.contains("(chosen for this terminal)"))
    #expect(try story.stored().device[self.key] == value)
    let again = try self.story(device: [self.key: value])
    #expect(again.model.settings.arabic.mode.rawValue == value)
    let elsewhere = try self.story(device: [DeviceKey.arabicDisplay(terminal: "vte"): value])
    #expect(elsewhere.model.settings.arabic.mode == .shaped)
  }

  @Test func theFramesFollowTheAnswer() throws {
    var story = try story(arabic: .shaped)
    #expect(story.canvas.arabic == .shaped)
    // The terminal reorders what it is sent while it is asked what it makes of it.
    story.press("A")
    #expect(story.canvas.arabic == .terminal)
    story.press("<Esc>")
    #expect(story.canvas.arabic == .shaped)
    story.press("A1")
    #expect(story.canvas.arabic == .terminal)
    story.press("A2")
    #expect(story.canvas.arabic == .shaped)
  }

  @Test(arguments: ["<Esc>", "q"]) func thePageCanBeLeftWithoutAnAnswer(key: String) throws {
    var story = try story()
    story.press("A3x" + key)
    #expect(story.model.overlay == nil && story.model.settings.arabic.chosen == nil)
    #expect(try story.stored().device[self.key] == nil)
  }

  @Test func theSamplesAreTheFirstAyahOrTheNameOfTheFirstSurah() throws {
    var story = try story()
    story.press("A")
    #expect(story.rows.contains { $0.hasPrefix("  1  هَٰذَا نَصٌّ تَجْرِيبِيٌّ") })
    var without = try self.story(hasArabic: false)
    without.press("A")
    #expect(without.rows.contains("  1  " + SurahNumber.all[0].surah.arabicName))
  }

  @Test func theConfigurationWinsAndThePageSaysSo() throws {
    var story = try story(arabic: nil, device: [key: "terminal"])
    story.press("A")
    #expect(story.screen.contains("The configuration decides: arabic = \"off\""))
    story.press("2")
    #expect(story.model.settings.arabic.mode == .off)
    #expect(story.model.overlay == nil && story.screen.contains("The configuration decides"))
    #expect(try story.stored().device[key] == "terminal")
  }

  @Test func noArabicIsShownWhileItIsOff() throws {
    var story = try story()
    let name = { (story: Story) in story.screen.contains("\u{FE94}") }
    #expect(name(story))
    story.press("g2:3<Enter>a")
    #expect(story.model.shownEditions.count == 2)
    story.press("A0h")
    #expect(story.model.shownEditions.map(\.info.id) == ["vi.rwwad"] && !name(story))
    story.press("a")
    #expect(story.screen.contains("Arabic is off in this terminal; A chooses"))
    story.press(":set arabic on<Enter>")
    #expect(story.model.shownEditions.count == 2 && story.model.settings.arabic.chosen == nil)
  }

  @Test func aTextThatWasHiddenIsShownIfTheArabicBesideItGoes() throws {
    var story = try story()
    story.press("g2:3<Enter>avA0")
    #expect(story.model.shownEditions.map(\.info.id) == ["vi.rwwad"])
    #expect(story.model.texts.shown.showsCurrentEdition)
  }

  @Test func theCommandLineChoosesToo() throws {
    var story = try story()
    for value in ["terminal", "shaped", "off"] {
      story.press(":set arabic \(value)<Enter>")
      #expect(story.model.settings.arabic.chosen?.rawValue == value)
    }
    story.press(":set arabic auto<Enter>")
    #expect(story.model.settings.arabic.chosen == nil)
    #expect(try story.stored().device[key] == nil)
    story.press(":set arabic choose<Enter>")
    #expect(story.model.overlay == .arabicDisplay)
    story.press("<Esc>:set arabic x<Enter>")
    #expect(story.screen.contains("Choose one of: on, choose, auto"))
  }

  @Test func theSettingsLeadToThePage() throws {
    var story = try story()
    story.press("7jjjjjjj")
    #expect(
      story.rows.contains { $0.contains("Arabic ") && $0.contains("program (the default)") })
    story.press("<Enter>")
    #expect(story.model.overlay == .arabicDisplay)
  }

  @Test func thePageIsOfferedOnce() throws {
    var story = try story()
    story.press("g2:3<Enter>a")
    #expect(story.screen.contains("A chooses how"))
    #expect(try story.stored().device[DeviceKey.arabicDisplayOffered] == "1")
    story.press("aa")
    #expect(!story.screen.contains("A chooses how"))
    #expect(story.screen.contains("The Arabic is shown"))
  }

  @Test func whoHasChosenIsOfferedNothing() throws {
    for device in [[key: "shaped"], [DeviceKey.arabicDisplayOffered: "1"]] {
      var story = try story(device: device)
      story.press("g2:3<Enter>a")
      #expect(!story.screen.contains("A chooses how"))
    }
  }

  @Test func theReasonIsKnown() {
    var setting = ArabicSetting(terminal: "x", isRecognised: false)
    #expect(setting.mode == .shaped && setting.reason == .unrecognised)
    setting = ArabicSetting(terminal: "x", isRecognised: true)
    #expect(setting.mode == .terminal && setting.reason == .recognised)
    setting.readChoice(from: [setting.key: "shaped"])
    #expect(setting.mode == .shaped && setting.reason == .chosen)
    setting.readChoice(from: [setting.key: "sideways"])
    #expect(setting.mode == .terminal && setting.reason == .recognised)
    setting = ArabicSetting(terminal: "x", isRecognised: true, configured: .shaped)
    setting.chosen = .off
    #expect(setting.mode == .shaped && setting.reason == .configured)
  }
}
