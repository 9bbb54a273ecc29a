import Editions
import Library
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// The page on which the user chooses how Arabic is displayed.
struct ArabicDisplayPageTests {
  private let texts: InstalledTexts
  private let key = DeviceKey.arabicDisplay(terminal: "test")

  init() throws {
    texts = try #require(InstalledTexts.several)
  }

  private func driver(
    _ size: Size = .medium, arabic: ArabicDisplay? = .shaped, hasArabic: Bool = true,
    device: [String: String?] = [:]
  ) throws -> ReaderDriver {
    try ReaderDriver(
      size, language: .english, edition: texts.current,
      parallelEditions: hasArabic ? [.arabic: texts.edition("ar.hafs")] : [:], arabic: arabic,
      fill: { library, _ in try library.setDeviceValues(device) })
  }

  @Test(arguments: [("1", "terminal"), ("2", "shaped"), ("0", "off")])
  func theChoiceIsStoredForTheTerminalType(key: String, value: String) throws {
    var driver = try driver()
    driver.press("A" + key)
    #expect(driver.model.overlay == nil)
    #expect(driver.model.settings.arabic.mode.rawValue == value)
    #expect(driver.screen.contains("(chosen for this terminal)"))
    #expect(try driver.stored().device[self.key] == value)
    let again = try self.driver(device: [self.key: value])
    #expect(again.model.settings.arabic.mode.rawValue == value)
    let elsewhere = try self.driver(device: [DeviceKey.arabicDisplay(terminal: "vte"): value])
    #expect(elsewhere.model.settings.arabic.mode == .shaped)
  }

  @Test func framesUseTheChosenArabicDisplay() throws {
    var driver = try driver(arabic: .shaped)
    #expect(driver.canvas.arabic == .shaped)
    // While the page is open the terminal reorders the text, so the user sees the result.
    driver.press("A")
    #expect(driver.canvas.arabic == .terminal)
    driver.press("<Esc>")
    #expect(driver.canvas.arabic == .shaped)
    driver.press("A1")
    #expect(driver.canvas.arabic == .terminal)
    driver.press("A2")
    #expect(driver.canvas.arabic == .shaped)
  }

  @Test(arguments: ["<Esc>", "q"]) func thePageClosesWithoutAChoice(key: String) throws {
    var driver = try driver()
    driver.press("A3x" + key)
    #expect(driver.model.overlay == nil && driver.model.settings.arabic.chosen == nil)
    #expect(try driver.stored().device[self.key] == nil)
  }

  @Test func samplesShowTheFirstAyahOrTheFirstSurahName() throws {
    var driver = try driver()
    driver.press("A")
    #expect(driver.rows.contains { $0.hasPrefix("  1  هَٰذَا نَصٌّ تَجْرِيبِيٌّ") })
    var without = try self.driver(hasArabic: false)
    without.press("A")
    #expect(without.rows.contains("  1  " + SurahNumber.all[0].surah.arabicName))
  }

  @Test func theConfigurationOverridesTheChoice() throws {
    var driver = try driver(arabic: nil, device: [key: "terminal"])
    driver.press("A")
    #expect(driver.screen.contains("The configuration decides: arabic = \"off\""))
    driver.press("2")
    #expect(driver.model.settings.arabic.mode == .off)
    #expect(driver.model.overlay == nil && driver.screen.contains("The configuration decides"))
    #expect(try driver.stored().device[key] == "terminal")
  }

  @Test func noArabicIsShownWhileItIsOff() throws {
    var driver = try driver()
    let name = { (driver: ReaderDriver) in driver.screen.contains("\u{FE94}") }
    #expect(name(driver))
    driver.press("g2:3<Enter>a")
    #expect(driver.model.shownEditions.count == 2)
    driver.press("A0h")
    #expect(driver.model.shownEditions.map(\.info.id) == ["vi.rwwad"] && !name(driver))
    driver.press("a")
    #expect(driver.screen.contains("Arabic is off in this terminal; A chooses"))
    driver.press(":set arabic on<Enter>")
    #expect(driver.model.shownEditions.count == 2 && driver.model.settings.arabic.chosen == nil)
  }

  @Test func theTranslationIsShownWhenArabicIsTurnedOff() throws {
    var driver = try driver()
    driver.press("g2:3<Enter>avA0")
    #expect(driver.model.shownEditions.map(\.info.id) == ["vi.rwwad"])
    #expect(driver.model.texts.shown.showsCurrentEdition)
  }

  @Test func theSetArabicCommandChangesTheChoice() throws {
    var driver = try driver()
    for value in ["terminal", "shaped", "off"] {
      driver.press(":set arabic \(value)<Enter>")
      #expect(driver.model.settings.arabic.chosen?.rawValue == value)
    }
    driver.press(":set arabic auto<Enter>")
    #expect(driver.model.settings.arabic.chosen == nil)
    #expect(try driver.stored().device[key] == nil)
    driver.press(":set arabic choose<Enter>")
    #expect(driver.model.overlay == .arabicDisplay)
    driver.press("<Esc>:set arabic x<Enter>")
    #expect(driver.screen.contains("Allowed: on, choose, auto"))
  }

  @Test func theSettingsScreenOpensThePage() throws {
    var driver = try driver()
    driver.press("7jjjjjjj")
    #expect(
      driver.rows.contains { $0.contains("Arabic ") && $0.contains("program (the default)") })
    driver.press("<Enter>")
    #expect(driver.model.overlay == .arabicDisplay)
  }

  @Test func thePageIsOfferedOnce() throws {
    var driver = try driver()
    driver.press("g2:3<Enter>a")
    #expect(driver.screen.contains("A chooses how"))
    #expect(try driver.stored().device[DeviceKey.arabicDisplayOffered] == "1")
    driver.press("aa")
    #expect(!driver.screen.contains("A chooses how"))
    #expect(driver.screen.contains("The Arabic is shown"))
  }

  @Test func thePageIsNotOfferedAfterAChoiceOrAnOffer() throws {
    for device in [[key: "shaped"], [DeviceKey.arabicDisplayOffered: "1"]] {
      var driver = try driver(device: device)
      driver.press("g2:3<Enter>a")
      #expect(!driver.screen.contains("A chooses how"))
    }
  }

  @Test func theSettingReportsItsModeAndReason() {
    var setting = ArabicSetting(terminal: "x", isKnownToReorder: false)
    #expect(setting.mode == .shaped && setting.reason == .notKnownToReorder)
    setting = ArabicSetting(terminal: "x", isKnownToReorder: true)
    #expect(setting.mode == .terminal && setting.reason == .knownToReorder)
    setting.readChoice(from: [setting.key: "shaped"])
    #expect(setting.mode == .shaped && setting.reason == .chosen)
    setting.readChoice(from: [setting.key: "sideways"])
    #expect(setting.mode == .terminal && setting.reason == .knownToReorder)
    setting = ArabicSetting(terminal: "x", isKnownToReorder: true, configured: .shaped)
    setting.chosen = .off
    #expect(setting.mode == .shaped && setting.reason == .configured)
  }
}
