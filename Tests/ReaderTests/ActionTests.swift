import Commands
import Editions
import Foundation
import Quran
import Reader
import Terminal
import Testing
import Text
import Words

@Suite struct ActionTests {
  @Test func everyActionHasAKeyAndANameInBothLanguages() {
    let bound = Set(KeyTable.standard.groups.flatMap(\.bindings).map(\.action))
    #expect(bound == Set(Action.allCases))
    for action in Action.allCases {
      #expect(!action.name(Words(.vietnamese)).isEmpty)
      #expect(!action.name(Words(.english)).isEmpty)
    }
  }

  @Test func noKeyIsBoundTwice() {
    let keys = KeyTable.standard.groups.flatMap(\.bindings).flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
  }

  @Test func helpShowsEveryAction() {
    var story = Story(Size(rows: 80, columns: 100))
    story.press("?")
    for action in Action.allCases {
      #expect(story.screen.contains(action.name(Words(.vietnamese))))
    }
  }

  @Test func quittingNeedsOneKeyFromTheTextAndTheList() {
    for keys in ["q", "<Enter>q", "g2:255<Enter>q", "<C-c>", "?q<C-c>", "5abc<C-c>"] {
      var story = Story(.medium)
      story.press(keys)
      #expect(story.effects.last == .quit, "\(keys)")
    }
  }

  @Test func escapeAndHelpClose() {
    var story = Story(.medium)
    story.press("?q")
    #expect(story.effects.isEmpty)
    #expect(story.screen.contains("Al-Fatihah"))
    story.press("<C-p><Esc>g<Esc>:<Esc>/<Esc>")
    #expect(story.effects.isEmpty)
    #expect(story.screen == Story(.medium).pressing("?q").screen)
  }

  @Test func copyGivesTheTextWithItsReference() {
    var story = Story(.medium, opening: AyahID("112:1"))
    story.press("yY")
    guard case .copy(let text) = story.effects.first else {
      Issue.record("nothing was copied")
      return
    }
    #expect(text.hasPrefix(Edition.bundled.text(of: AyahID("112:1"))))
    #expect(text.contains("112:1"))
    #expect(story.effects.last == .copy("quranvn://surah/112/ayah/1"))
  }

  @Test func paletteRunsWhatItFinds() {
    var story = Story(.medium, opening: AyahID("1:1"))
    story.press("<C-p>lien mach<Enter>")
    #expect(story.model.state.layout == "flow")
  }

  @Test func commandLineSetsAndCompletes() {
    var story = Story(.medium)
    story.press(":th<Tab>s<Tab><Enter>")
    #expect(story.model.state.theme == "sepia")
    story.press(":layout flow<Enter>:set arabic off<Enter>")
    #expect(story.model.state.layout == "flow")
    #expect(story.model.state.showsArabicNames == false)
    story.press(":2:255<Enter>")
    #expect(story.model.state.position == "2:255")
    story.press(":theme mud<Enter>")
    #expect(story.screen.contains("mud"))
    story.press(":q<Enter>")
    #expect(story.effects.last == .quit)
  }

  @Test func themesGoRoundAndKeepTheText() {
    var story = Story(.medium, opening: AyahID("1:1"))
    let text = story.rows.dropLast()
    for theme in Theme.ID.allCases.dropFirst() {
      story.press("t")
      #expect(story.model.state.theme == theme.rawValue)
      #expect(story.rows.dropLast() == text)
    }
    story.press("t")
    #expect(story.model.state.theme == Theme.ID.terminal.rawValue)
  }

  @Test func numberPromptsTakeLettersThatAreKeysElsewhere() {
    var story = Story(.medium)
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

@Suite struct SearchScreenTests {
  @Test(arguments: ["đức tin", "đức tin".decomposed])
  func vietnameseArrivesWholeHoweverItIsTyped(_ typed: String) {
    var story = Story(.medium)
    story.press("5\(typed)")
    let row = story.rows[1]
    #expect(
      row.unicodeScalars.elementsEqual(Story(.medium).pressing("5đức tin").rows[1].unicodeScalars))
    #expect(row.contains("đức tin"))
    #expect(story.screen.contains("kết quả"))
  }

  @Test func pastedTextIsNormalisedAndHarmless() {
    var story = Story(.medium)
    story.press("5")
    story.send(.paste("khoan\u{1B}]0;x\u{07}\r\ndung".decomposed))
    #expect(story.rows[1].hasPrefix(" Tìm: khoan]0;x dung"))
  }

  @Test func hitsAreWalkedAndUnmarked() {
    var story = Story(.medium)
    story.press("5dâng<Enter>")
    #expect(story.model.state.position == "2:196")
    story.press("n")
    #expect(story.model.state.position == "3:35")
    story.press("N")
    #expect(story.model.state.position == "2:196")
    let marked = story.canvas
    story.press("<Esc>")
    #expect(story.canvas.text(row: 2) == marked.text(row: 2))
    #expect(story.canvas != marked)
    story.press("n")
    #expect(story.model.state.position == "2:196")
  }

  @Test func backspaceBringsBackTheEarlierHits() {
    var story = Story(.medium)
    story.press("5khoan")
    let screen = story.screen
    story.press("x<BS>")
    #expect(story.screen == screen)
  }

  @Test func searchTypedBeforeTheIndexIsReadyIsAnsweredWhenItIs() {
    var story = Story(.medium, isIndexed: false)
    story.press("5dâng")
    #expect(story.screen.contains("đang lập chỉ mục"))
    story.index()
    #expect(story.screen.contains("2:196"))
  }

  @Test func strangeQueriesKeepTheColumns() {
    let plain = Story(.medium).pressing("5dang ")
    for typed in ["e\u{301}\u{323}", "👨‍👩‍👧", "漢字", "\u{301}", "🇻🇳", "ﷺ", "אב"] {
      let story = plain.pressing(typed)
      #expect(story.canvas.size == plain.canvas.size)
      // What stands at the right edge of the field's row stays there.
      #expect(story.rows[1].columns == 79, "\(typed)")
    }
  }
}

@Suite struct MouseTests {
  @Test func wheelScrollsWhatItIsOver() {
    var story = Story(.large, opening: AyahID("2:1"))
    let list = story.rows.map { $0.prefix(40) }
    for _ in 0..<3 { story.send(.mouse(Mouse(.wheelDown, row: 20, column: 100))) }
    #expect(
      story.rows.map { $0.prefix(40) }.dropFirst(2).prefix(30) == list.dropFirst(2).prefix(30))
    #expect(!story.screen.contains("Alif. Lam. Mim."))
  }

  @Test func clickSelectsAndDoubleClickOpens() {
    var story = Story(.medium)
    let click = Mouse(.left, row: 7, column: 10)
    story.send(.mouse(click))
    #expect(story.rows[7].hasPrefix("▸"))
    #expect(story.model.state.position == nil)
    story.time += 200
    story.send(.mouse(click))
    #expect(story.model.state.position == "5:1")
  }

  @Test func slowClicksAreNotADoubleClick() {
    var story = Story(.medium)
    let click = Mouse(.left, row: 7, column: 10)
    story.send(.mouse(click))
    story.time += 2000
    story.send(.mouse(click))
    #expect(story.model.state.position == nil)
  }

  @Test func clickInTheTextMovesTheCursor() throws {
    var story = Story(.medium, opening: AyahID("1:1"))
    let row = try #require(story.rows.firstIndex { $0.contains("Đấng làm Vua") })
    story.send(.mouse(Mouse(.left, row: row, column: 20)))
    #expect(story.model.state.position == "1:4")
    story.send(.mouse(Mouse(.right, row: row, column: 20)))
    #expect(story.screen.contains("Câu này · 1:4"))
    story.press("<Enter>")
    #expect(story.effects.count == 1)
  }

  @Test func tabsAreClicked() {
    var story = Story(.medium)
    let column = story.rows[0].distance(
      from: story.rows[0].startIndex, to: story.rows[0].firstRange(of: "2 Juz")!.lowerBound)
    story.send(.mouse(Mouse(.left, row: 0, column: column)))
    #expect(story.screen.contains("1:1 Al-Fatihah – 2:141 Al-Baqarah"))
  }

  @Test func clicksAnywhereDoNoHarm() {
    var story = Story(Size(rows: 20, columns: 110))
    for row in 0..<22 {
      for column in stride(from: 0, to: 115, by: 6) {
        for button in [Mouse.Button.left, .right, .middle, .wheelUp, .wheelDown] {
          story.send(.mouse(Mouse(button, row: row, column: column)))
          #expect(story.canvas.size == Size(rows: 20, columns: 110))
        }
      }
    }
  }
}

extension String {
  var decomposed: String { decomposedStringWithCanonicalMapping }
}
