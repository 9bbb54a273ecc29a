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
  private func driver(_ size: Size = .medium) throws -> ReaderDriver {
    try ReaderDriver(size, opening: AyahID("112:1"))
  }

  @Test(arguments: ["", "mm"])
  func movingExtendsTheSelection(keys: String) throws {
    var driver = try driver()
    driver.press("\(keys)Vjj")
    #expect(driver.model.selection == AyahID("112:1")...AyahID("112:3"))
    #expect(driver.rows.last?.hasPrefix(" 112:1-3   f ♥   n ✎   y chép   Esc hủy ") == true)
    // Each of these ayahs takes one row.
    let marked = driver.rows.filter { $0.hasPrefix("▌") }
    #expect(marked.map { $0.dropFirst().split(separator: " ").first } == ["1", "2", "3"])
    driver.press("kkk")
    #expect(driver.model.selection == AyahID("111:5")...AyahID("112:1"))
    #expect(driver.rows.last?.contains("111:5-112:1") == true)
    driver.press("V")
    #expect(driver.model.selection == nil)
  }

  @Test func flowLayoutHighlightsAllSelectedAyahs() throws {
    var driver = try driver()
    driver.press("mVj")
    let bold = driver.model.theme[.number].reversed
    let cells = driver.rows.indices.flatMap { row in
      (0..<driver.model.size.columns).filter { driver.canvas.style(row: row, column: $0) == bold }
    }
    // The numbers of the two ayahs, in parentheses.
    #expect(cells.count == "(1)(2)".count)
  }

  @Test func favouritesAreSetTogetherAndUndoneTogether() throws {
    var driver = try driver()
    driver.press("jfkVjjf")
    #expect(driver.model.selection == nil)
    #expect(driver.screen.contains("♥ 112:1-3 đã thêm vào yêu thích"))
    #expect(try driver.stored().favorites.map(\.ayah.ayah) == [1, 2, 3])
    driver.press("u")
    #expect(try driver.stored().favorites.map(\.ayah.ayah) == [2])
    // If all of them are favourites, they are removed.
    driver.press("Vkkf")
    driver.press("Vjjf")
    #expect(driver.screen.contains("Đã bỏ 112:1-3 khỏi yêu thích"))
    #expect(try driver.stored().favorites.isEmpty)
  }

  @Test func aCopyHasEveryAyahWithItsReference() throws {
    var driver = try driver()
    driver.press("VjyVjY")
    let texts = ["112:1", "112:2"].map { "\($0) \(Edition.bundled.text(of: AyahID($0)!))" }
    guard case .copy(let text) = driver.effects.first else {
      Issue.record("nothing was copied")
      return
    }
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.dropLast() == texts[...])
    #expect(lines.last?.contains("Quran 112:1-2 (Al-Ikhlas)") == true)
    #expect(driver.effects.last == .copy("quranvn://surah/112/ayah/2"))
    #expect(driver.model.selection == nil)
  }

  @Test func aNoteBeginsWithTheReference() throws {
    var driver = try driver()
    driver.press("Vjn")
    #expect(driver.model.selection == nil && driver.model.isWriting)
    // The cursor is on the ayah of the note, and nothing was written yet.
    #expect(driver.model.position.cursor == AyahID("112:1") && !driver.model.place.isJumpPending)
    driver.press("<C-s>")
    #expect(try driver.stored().noteCount == 0)
    driver.press("Vjntauhid<C-s>")
    let notes = try driver.library.notes(of: AyahID("112:1"))
    #expect(notes.map(\.text.text) == ["112:1-2 tauhid"])
    // The list of notes shows the reference and the text.
    driver.press("h4")
    #expect(driver.screen.contains("112:1-2 tauhid"))
  }

  @Test func aNoteAboutSeveralAyahsDoesNotContinueAnotherUnfinishedNote() throws {
    let ayah: AyahID = AyahID("112:1")
    var driver = try ReaderDriver(.medium, opening: ayah) { library, now in
      for (index, text) in ["112:1-2 tauhid", "dở"].enumerated() {
        try library.save(
          Draft(
            id: UUID(), noteID: UUID(), ayah: ayah, base: nil, text: text,
            changedAt: now + Int64(index)))
      }
    }
    driver.press("Vjjn")
    #expect(driver.model.editor?.area.text == "112:1-3 ")
    // An unfinished note about the same ayahs is continued.
    driver.press("<Esc>Vjn")
    #expect(driver.model.editor?.area.text == "112:1-2 tauhid")
    driver.press("<C-s>")
    #expect(try driver.library.notes(of: ayah).map(\.text.text) == ["112:1-2 tauhid"])
    #expect(try driver.stored().drafts.map(\.text) == ["dở"])
  }

  /// After a jump, the keys of the selection replace the corner that tells of the jump.
  @Test func aNarrowScreenNamesTheKeyThatCancels() throws {
    var driver = try ReaderDriver(.small, place: AyahID("1:1"))
    driver.press("g2:152<Enter>")
    #expect(driver.rows.last?.hasSuffix("chỗ khác") == true)
    // The first step after a jump explains browsing.
    driver.press("Vjkj")
    #expect(driver.rows.last == " 2:152-153  f ♥  n ✎  y chép  Esc hủy")
  }

  @Test func selectedAyahsAreExported() throws {
    let requests = Mutex<[FileRequest]>([])
    var driver = try ReaderDriver(.medium, opening: AyahID("112:1"))
    driver.files = { request, _, _, _ in
      requests.withLock { $0.append(request) }
      return .exported("")
    }
    driver.press("Vj:export a.md<Enter>:export b.md<Enter>")
    let range = try #require(AyahID("112:1"))...(try #require(AyahID("112:2")))
    #expect(
      requests.withLock { $0 } == [
        .exportFile(path: "a.md", ayahs: range), .exportFile(path: "b.md", ayahs: nil),
      ])
  }

  @Test(arguments: ["<Esc>", "h", "<A-3>", "g2:255<Enter>", "]"])
  func escapeAndJumpsClearTheSelection(keys: String) throws {
    var driver = try driver()
    driver.press("Vj\(keys)")
    #expect(driver.model.selection == nil && driver.model.selectionStart == nil)
  }

  @Test func theKeyForTheSurahEndExtendsTheSelection() throws {
    var driver = try driver()
    driver.press("VG")
    #expect(driver.model.selection == AyahID("112:1")...AyahID("112:4"))
  }

  @Test func aListHasNoSelection() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("V")
    #expect(driver.screen.contains("Hãy mở một câu trước."))
    #expect(driver.model.selectionStart == nil)
  }
}
