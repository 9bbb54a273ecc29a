import Editions
import Foundation
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

@Suite struct SearchScreenTests {
  @Test(arguments: ["đức tin", "đức tin".decomposed])
  func vietnameseInputIsComposed(_ typed: String) throws {
    var story = try Story(.medium)
    story.press("5\(typed)")
    let row = story.rows[1]
    #expect(
      row.unicodeScalars.elementsEqual(
        try Story(.medium).pressing("5đức tin").rows[1].unicodeScalars))
    #expect(row.contains("đức tin"))
    #expect(story.screen.contains("kết quả"))
  }

  @Test func pastedTextIsNormalisedAndHarmless() throws {
    var story = try Story(.medium)
    story.press("5")
    story.send(.paste("khoan\u{1B}]0;x\u{07}\r\ndung".decomposed))
    #expect(story.rows[1].hasPrefix(" Tìm: khoan]0;x dung"))
  }

  @Test func hitsAreSteppedThroughAndUnmarked() throws {
    var story = try Story(.medium)
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

  @Test func backspaceRestoresTheEarlierHits() throws {
    var story = try Story(.medium)
    story.press("5khoan")
    let screen = story.screen
    story.press("x<BS>")
    #expect(story.screen == screen)
  }

  @Test func aHitOnThePageDoesNotMoveIt() throws {
    var story = try Story(.medium)
    story.press("5khoan dung<Enter>")
    let top = story.model.position.top
    #expect(story.model.position.cursor == AyahID("1:1"))
    story.press("n")
    #expect(story.model.position.cursor == AyahID("1:3") && story.model.position.top == top)
    story.press("nnn")
    #expect(story.model.position.top != top)
  }

  @Test func searchTypedBeforeTheIndexRunsOnceItIsReady() throws {
    var story = try Story(.medium, isIndexed: false)
    story.press("5dâng")
    #expect(story.screen.contains("đang lập chỉ mục"))
    story.index()
    #expect(story.screen.contains("2:196"))
  }

  @Test func strangeQueriesKeepTheColumns() throws {
    let plain = try Story(.medium).pressing("5dang ")
    for typed in ["e\u{301}\u{323}", "👨‍👩‍👧", "漢字", "\u{301}", "🇻🇳", "ﷺ", "אב"] {
      let story = plain.pressing(typed)
      #expect(story.canvas.size == plain.canvas.size)
      // What stands at the right edge of the field's row stays there.
      #expect(story.rows[1].columns == 79, "\(typed)")
    }
  }

  @Test func escapeGoesBackToWhereTheSearchWasOpened() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    let before = story.screen
    story.press("/abc<Esc>")
    #expect(story.screen == before)
    story.press("h2/x<Esc>")
    #expect(story.screen.contains("– 2:252 Al-Baqarah"))
  }

  @Test func typingReplacesTheEarlierSearch() throws {
    var story = try Story(.medium, opening: AyahID("1:1"))
    story.press("/khoan dung<Enter>/cha")
    #expect(story.rows[1].hasPrefix(" Tìm: cha "))
    story.press("<Esc>/<End> x")
    #expect(story.rows[1].hasPrefix(" Tìm: cha x"))
  }

  @Test func highlightedHitsStayWhileAnotherSearchIsTypedAndLeft() throws {
    var story = try Story(.medium, opening: AyahID("1:1"))
    story.press("/khoan dung<Enter>/xyz<Esc>n")
    #expect(story.screen.contains("Kết quả 2/119"))
  }

  @Test func wordThatIsAlsoANameOpensAHit() throws {
    var story = try Story(.medium)
    story.press("5anh sang<Enter>")
    #expect(story.model.state.position != "24:1")
    story.press("/ya sin<Enter>")
    #expect(story.model.state.position == "36:1")
  }

  @Test func hitsWrapAroundAtBothEnds() throws {
    var story = try Story(.medium)
    story.press("5khoan dung<Enter>N")
    #expect(story.screen.contains("Kết quả 119/119"))
    story.press("n")
    #expect(story.screen.contains("Kết quả 1/119"))
    story.press("g114:6<Enter>/khoan dung<Enter>")
    story.press("g114:6<Enter>N")
    #expect(story.screen.contains("Chưa tìm gì"))
  }

  @Test func pastingABookKeepsTheFieldShort() throws {
    var story = try Story(.medium)
    story.press("5")
    story.send(.paste(String(repeating: "漢👨‍👩‍👧ا\u{64E} ", count: 5000)))
    #expect(story.rows.allSatisfy { $0.columns <= 80 })
    story.press("x<Left><End><BS>")
    #expect(story.rows.allSatisfy { $0.columns <= 80 })
  }
}

extension String {
  fileprivate var decomposed: String { decomposedStringWithCanonicalMapping }
}
