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
  }

  @Test func onlyKeysOfAPlaceAreBoundTwice() {
    // n is the next hit while hits are marked, and the list of texts has keys of its own.
    let keys = KeyTable.standard.groups.flatMap(\.bindings)
      .filter { $0.action.place == nil }.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
    #expect(KeyTable.standard.actions(for: "n") == [.nextHit, .newNote])
  }

  @Test func helpShowsEveryAction() throws {
    var story = try Story(Size(rows: 100, columns: 99))
    story.press("?")
    for action in Action.allCases {
      #expect(story.screen.contains(action.name(Messages(.vietnamese))))
    }
  }

  @Test func quittingNeedsOneKeyFromTheTextAndTheList() throws {
    for keys in ["q", "<Enter>q", "g2:255<Enter>q", "<C-c>", "?q<C-c>", "5abc<C-c>"] {
      var story = try Story(.medium)
      story.press(keys)
      #expect(story.effects.last == .quit, "\(keys)")
    }
  }

  @Test func escapeAndHelpClose() throws {
    var story = try Story(.medium)
    story.press("?q")
    #expect(story.effects.isEmpty)
    #expect(story.screen.contains("Al-Fatihah"))
    story.press("<C-p><Esc>g<Esc>:<Esc>/<Esc>")
    #expect(story.effects.isEmpty)
    #expect(try story.screen == Story(.medium).pressing("?q").screen)
  }

  @Test func copyGivesTheTextWithItsReference() throws {
    var story = try Story(.medium, opening: AyahID("112:1"))
    story.press("yY")
    guard case .copy(let text) = story.effects.first else {
      Issue.record("nothing was copied")
      return
    }
    #expect(text.hasPrefix(Edition.bundled.text(of: AyahID("112:1"))))
    #expect(text.contains("112:1"))
    #expect(story.effects.last == .copy("quranvn://surah/112/ayah/1"))
  }

  @Test func paletteRunsTheActionItFinds() throws {
    var story = try Story(.medium, opening: AyahID("1:1"))
    story.press("<C-p>lien mach<Enter>")
    #expect(story.model.state.layout == "flow")
  }

  @Test func paletteFindsNamesInBothLanguages() throws {
    for text in ["bo mau ke tiep", "next theme"] {
      var story = try Story(.medium)
      story.press("<C-p>\(text)<Enter>")
      #expect(story.model.state.theme == "light")
    }
  }

  @Test func commandLineShowsWhatCanBeTyped() throws {
    var story = try Story(.medium)
    story.press(":")
    #expect(story.screen.contains("goto đến câu · search tìm · theme bộ màu"))
    story.press("e")
    #expect(story.rows[22] == " export xuất")
    // Names and values are offered one after the other.
    story.press("<C-u>set ")
    #expect(story.screen.contains("theme  layout  width"))
    #expect(!story.screen.contains("sepia"))
    story.press("m<Tab>")
    #expect(story.rows.last == ":set marks")
    #expect(story.rows[22] == " off  juz  page")
    story.press("p<Tab>")
    #expect(story.rows.last == ":set marks page")
    story.press("x")
    #expect(!story.screen.contains("juz  page"))
  }

  @Test func commandLineSetsAndCompletes() throws {
    var story = try Story(.medium)
    story.press(":th<Tab>s<Tab>")
    #expect(story.rows.last == ":theme sepia")
    story.press("<Enter>")
    #expect(story.model.state.theme == "sepia")
    story.press(":layout flow<Enter>:set arabic off<Enter>")
    #expect(story.model.state.layout == "flow")
    #expect(story.model.state.showsArabic == false)
    story.press(":2:255<Enter>")
    #expect(story.model.state.position == "2:255")
    story.press(":theme mud<Enter>")
    #expect(story.screen.contains("Hãy chọn: terminal, light"))
    story.press("<C-u>quit<Enter>")
    #expect(story.effects.last == .quit)
  }

  @Test func themesWrapAroundAndKeepTheText() throws {
    var story = try Story(.medium, opening: AyahID("1:1"))
    let text = story.rows.dropLast()
    for theme in ThemeName.allCases.dropFirst() {
      story.press("t")
      #expect(story.model.state.theme == theme.rawValue)
      #expect(story.rows.dropLast() == text)
    }
    story.press("t")
    #expect(story.model.state.theme == ThemeName.terminal.rawValue)
  }

  @Test func goToPromptTakesLettersThatAreKeysElsewhere() throws {
    var story = try Story(.medium)
    story.press("gyasin q")
    #expect(story.effects.isEmpty)
    #expect(story.screen.contains("yasin q"))
  }
}

extension Story {
  func pressing(_ keys: String) -> Story {
    var story = self
    story.press(keys)
    return story
  }
}
