import Editions
import Foundation
import Library
import Quran
import Synchronization
import Terminal
import Testing

@testable import Reader

/// Selecting several ayahs.
@Suite struct SelectionTests {
  private func story(_ size: Size = .medium) throws -> Story {
    try Story(size, opening: AyahID("112:1"))
  }

  @Test(arguments: ["", "mm"])
  func movingExtendsTheSelection(keys: String) throws {
    var story = try story()
    story.press("\(keys)Vjj")
    #expect(story.model.selection == AyahID("112:1")...AyahID("112:3"))
    #expect(story.rows.last?.hasPrefix(" 112:1-3   f ♥   n ✎   y chép   :export ") == true)
    #expect(story.rows.filter { $0.hasPrefix("▌") }.count >= 3)
    story.press("kkk")
    #expect(story.model.selection == AyahID("111:5")...AyahID("112:1"))
    #expect(story.rows.last?.contains("111:5-112:1") == true)
    story.press("V")
    #expect(story.model.selection == nil)
  }

  @Test func flowLayoutHighlightsAllSelectedAyahs() throws {
    var story = try story()
    story.press("mVj")
    let bold = story.model.theme[.number].reversed
    let cells = story.rows.indices.flatMap { row in
      (0..<story.model.size.columns).filter { story.canvas.style(row: row, column: $0) == bold }
    }
    // The numbers of two ayahs.
    #expect(cells.count >= 2)
  }

  @Test func favouritesAreSetTogetherAndUndoneTogether() throws {
    var story = try story()
    story.press("jfkVjjf")
    #expect(story.model.selection == nil)
    #expect(story.screen.contains("♥ 112:1-3 đã thêm vào yêu thích"))
    #expect(try story.stored().favorites.map(\.ayah.ayah) == [1, 2, 3])
    story.press("u")
    #expect(try story.stored().favorites.map(\.ayah.ayah) == [2])
    // If all of them are favourites, they are removed.
    story.press("Vkkf")
    story.press("Vjjf")
    #expect(story.screen.contains("Đã bỏ 112:1-3 khỏi yêu thích"))
    #expect(try story.stored().favorites.isEmpty)
  }

  @Test func aCopyHasEveryAyahWithItsReference() throws {
    var story = try story()
    story.press("VjyVjY")
    let texts = ["112:1", "112:2"].map { "\($0) \(Edition.bundled.text(of: AyahID($0)!))" }
    guard case .copy(let text) = story.effects.first else {
      Issue.record("nothing was copied")
      return
    }
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.dropLast() == texts[...])
    #expect(lines.last?.contains("Quran 112:1-2 (Al-Ikhlas)") == true)
    #expect(story.effects.last == .copy("quranvn://surah/112/ayah/2"))
    #expect(story.model.selection == nil)
  }

  @Test func aNoteBeginsWithTheReference() throws {
    var story = try story()
    story.press("Vjn")
    #expect(story.model.selection == nil && story.model.isWriting)
    // The cursor is on the ayah of the note, and nothing was written yet.
    #expect(story.model.position.cursor == AyahID("112:1") && !story.model.place.isJumpPending)
    story.press("<C-s>")
    #expect(try story.stored().noteCount == 0)
    story.press("Vjntauhid<C-s>")
    let notes = try story.library.notes(of: AyahID("112:1"))
    #expect(notes.map(\.text.text) == ["112:1-2\ntauhid"])
  }

  @Test func selectedAyahsAreExported() throws {
    let requests = Mutex<[FileRequest]>([])
    var story = try Story(
      .medium, opening: AyahID("112:1"),
      files: FileExchange { request, _, _, _ in
        requests.withLock { $0.append(request) }
        return .exported("")
      })
    story.press("Vj:export a.md<Enter>:export b.md<Enter>")
    let range = try #require(AyahID("112:1"))...(try #require(AyahID("112:2")))
    #expect(
      requests.withLock { $0 } == [
        .exportFile(path: "a.md", ayahs: range), .exportFile(path: "b.md", ayahs: nil),
      ])
  }

  @Test(arguments: ["<Esc>", "h", "<A-3>", "g2:255<Enter>", "]"])
  func aSelectionEnds(keys: String) throws {
    var story = try story()
    story.press("Vj\(keys)")
    #expect(story.model.selection == nil && story.model.selectionStart == nil)
  }

  @Test func theEndOfTheSurahExtendsIt() throws {
    var story = try story()
    story.press("VG")
    #expect(story.model.selection == AyahID("112:1")...AyahID("112:4"))
  }

  @Test func aListHasNoSelection() throws {
    var story = try Story(.medium)
    story.press("V")
    #expect(story.screen.contains("Hãy mở một câu trước."))
    #expect(story.model.selectionStart == nil)
  }
}
