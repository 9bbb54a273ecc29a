import Editions
import Foundation
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

@Suite struct ActionTests {
  @Test func everyActionHasAKeyAndANameInBothLanguages() {
    let bound = Set(KeyTable.standard.groups.flatMap(\.bindings).map(\.action))
    #expect(bound == Set(Action.allCases))
    for action in Action.allCases {
      #expect(!action.name(Messages(.vietnamese)).isEmpty)
      #expect(!action.name(Messages(.english)).isEmpty)
    }
    for language in Language.allCases {
      let names = Set(Action.allCases.map { $0.name(Messages(language)) })
      #expect(names.count == Action.allCases.count)
    }
  }

  @Test func onlyActionsWithAPlaceShareKeys() {
    // n is the next hit while hits are marked, and the list of texts has keys of its own.
    let keys = KeyTable.standard.groups.flatMap(\.bindings)
      .filter { $0.action.place == nil }.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
    #expect(KeyTable.standard.actions(for: "n") == [.nextHit, .newNote])
  }

  @Test func helpShowsEveryAction() throws {
    var driver = try ReaderDriver(Size(rows: 100, columns: 99))
    driver.press("?")
    for action in Action.allCases {
      #expect(driver.screen.contains(action.name(Messages(.vietnamese))))
    }
  }

  @Test func qQuitsFromTextAndListAndCtrlCFromAnywhere() throws {
    for keys in ["q", "<Enter>q", "g2:255<Enter>q", "<C-c>", "?q<C-c>", "5abc<C-c>"] {
      var driver = try ReaderDriver(.medium)
      driver.press(keys)
      #expect(driver.effects.last == .quit, "\(keys)")
    }
  }

  @Test func helpAndPromptsCloseWithQOrEscape() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("?q")
    #expect(driver.effects.isEmpty)
    #expect(driver.screen.contains("Al-Fatihah"))
    driver.press("<C-p><Esc>g<Esc>:<Esc>/<Esc>")
    #expect(driver.effects.isEmpty)
    #expect(try driver.screen == ReaderDriver(.medium).pressing("?q").screen)
  }

  @Test func copyGivesTheTextWithItsReference() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("112:1"))
    driver.press("yY")
    guard case .copy(let text) = driver.effects.first else {
      Issue.record("nothing was copied")
      return
    }
    #expect(text.hasPrefix(Edition.bundled.text(of: AyahID("112:1"))))
    #expect(text.contains("112:1"))
    #expect(driver.effects.last == .copy("quranvn://surah/112/ayah/1"))
  }

  @Test func paletteRunsTheActionItFinds() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1"))
    driver.press("<C-p>lien mach<Enter>")
    #expect(driver.model.state.layout == "flow")
  }

  @Test func paletteFindsNamesInBothLanguages() throws {
    for text in ["bo mau ke tiep", "next theme"] {
      var driver = try ReaderDriver(.medium)
      driver.press("<C-p>\(text)<Enter>")
      #expect(driver.model.state.theme == "light")
    }
  }

  @Test func commandLineSuggestsCommandsAndValues() throws {
    var driver = try ReaderDriver(.medium)
    driver.press(":")
    #expect(driver.screen.contains("goto đến câu · search tìm · theme bộ màu"))
    driver.press("e")
    #expect(driver.rows[22] == " export xuất")
    // Names and values are offered one after the other.
    driver.press("<C-u>set ")
    #expect(driver.screen.contains("theme  layout  width"))
    #expect(!driver.screen.contains("sepia"))
    driver.press("m<Tab>")
    #expect(driver.rows.last == ":set marks")
    #expect(driver.rows[22] == " off  juz  page")
    driver.press("p<Tab>")
    #expect(driver.rows.last == ":set marks page")
    driver.press("x")
    #expect(!driver.screen.contains("juz  page"))
    // Several spaces count as one.
    driver.press("<C-u>set  marks  p<Tab>")
    #expect(driver.rows.last == ":set marks page")
    // A command may be abbreviated.
    driver.press("<C-u>th d<Tab>")
    #expect(driver.rows.last == ":th dark")
  }

  @Test func commandLineCompletesAndRunsCommands() throws {
    var driver = try ReaderDriver(.medium)
    driver.press(":th<Tab>s<Tab>")
    #expect(driver.rows.last == ":theme sepia")
    driver.press("<Enter>")
    #expect(driver.model.state.theme == "sepia")
    driver.press(":layout flow<Enter>:set arabic off<Enter>")
    #expect(driver.model.state.layout == "flow")
    #expect(driver.model.state.showsArabic == false)
    driver.press(":2:255<Enter>")
    #expect(driver.model.state.position == "2:255")
    driver.press(":theme mud<Enter>")
    #expect(driver.screen.contains("Hãy chọn: terminal, light"))
    driver.press("<C-u>quit<Enter>")
    #expect(driver.effects.last == .quit)
  }

  @Test func severalSpacesBetweenWordsCountAsOne() throws {
    var driver = try ReaderDriver(.medium)
    driver.press(":set  theme  dark<Enter>")
    #expect(driver.model.state.theme == "dark")
    driver.press(":text  use  vi.own<Enter>")
    #expect(driver.textRequests == [.use("vi.own")])
  }

  @Test func theThemeKeyCyclesThroughThemesAndKeepsTheText() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1"))
    let text = driver.rows.dropLast()
    for theme in ThemeName.allCases.dropFirst() {
      driver.press("t")
      #expect(driver.model.state.theme == theme.rawValue)
      #expect(driver.rows.dropLast() == text)
    }
    driver.press("t")
    #expect(driver.model.state.theme == ThemeName.terminal.rawValue)
  }

  @Test func goToPromptTakesLettersThatAreKeysElsewhere() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("gyasin q")
    #expect(driver.effects.isEmpty)
    #expect(driver.screen.contains("yasin q"))
  }
}

extension ReaderDriver {
  func pressing(_ keys: String) -> ReaderDriver {
    var driver = self
    driver.press(keys)
    return driver
  }
}
