import Editions
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// A number typed before a key in the text.
@Suite struct CountTests {
  private func driver() throws -> ReaderDriver {
    try ReaderDriver(.medium, opening: AyahID("2:100"))
  }

  /// Each row: keys in the text at 2:100, and the ayah under the cursor after them.
  @Test(arguments: [
    ("5j", "2:105"), ("12k", "2:88"), ("3]", "5:1"), ("2[", "1:1"), ("10G", "2:10"),
    ("255<Enter>", "2:255"), ("255l", "2:255"), ("300G", "2:286"), ("0j", "2:101"),
    ("5<Esc>j", "2:101"), ("5fj", "2:101"), ("12<BS>j", "2:101"), ("5<BS>3j", "2:103"),
    ("5t5j", "2:105"), ("g7<Enter>3j", "7:4"),
    ("g2:1<Enter>g3:1<Enter>2<C-o>", "2:100"), ("g2:1<Enter>g3:1<Enter>2<C-o>2<A-o>", "3:1"),
  ])
  func aCountRepeatsAKeyOrSelectsAnAyah(keys: String, expected: String) throws {
    var driver = try driver()
    driver.press(keys)
    #expect(driver.model.position.cursor.description == expected)
    #expect(driver.model.input.count == nil)
  }

  @Test(arguments: ["300G", "300<Enter>"])
  func aNumberThatNoAyahHasIsReported(_ keys: String) throws {
    var driver = try driver()
    driver.press(keys)
    #expect(driver.model.position.cursor == AyahID("2:286"))
    #expect(
      driver.model.message?.text == "Không có câu 2:300; chương 2 (Al-Baqarah) có 286 câu.")
    driver.press("286G")
    #expect(driver.model.message == nil)
  }

  @Test func movingByACountMarksTheAyahsAsRead() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:1"))
    driver.press("5j")
    #expect(try driver.stored().lastReadAyah(of: AyahID("2:1").surah) == 5)
  }

  /// Nobody reads on by more than a page with one key: this is a look elsewhere.
  @Test(arguments: ["200j", "3 ", "9<C-d>"])
  func aCountThatLeavesThePageIsAJump(_ keys: String) throws {
    var driver = try ReaderDriver(.medium, place: AyahID("2:2"))
    driver.press("<Enter>\(keys)")
    let target = driver.model.position.cursor
    #expect(target > AyahID("2:2") && driver.model.place.isJumpPending)
    #expect(try driver.stored().readCount == 0)
    #expect(try driver.stored().device[DeviceKey.position] == "2:2")
    driver.press("<C-o>")
    #expect(driver.model.position.cursor == AyahID("2:2") && !driver.model.place.isJumpPending)
    driver.press("<A-o>")
    #expect(driver.model.position.cursor == target)
  }

  @Test func aCountOfOnePageReads() throws {
    var driver = try ReaderDriver(.medium, place: AyahID("2:2"))
    driver.press("<Enter>1 ")
    #expect(!driver.model.place.isJumpPending)
    #expect(driver.model.place.ayah == driver.model.position.cursor)
    driver.press("2<C-d>")
    #expect(!driver.model.place.isJumpPending)
  }

  @Test func theMessageListsTheKeysForACount() throws {
    var driver = try driver()
    driver.press("3")
    #expect(
      driver.rows.last == " 3: Enter câu 3 · j ] 3 lần · Alt-3 các câu yêu thích")
    driver.press("0")
    #expect(driver.rows.last?.contains("30: Enter câu 30 · j ] 30 lần") == true)
    #expect(driver.rows.last?.contains("Alt-3") == false)
    driver.press("<Esc>")
    #expect(driver.rows.last?.contains("câu 30") == false)
    #expect(driver.model.pane == .text)
  }

  @Test func screensOpenByAltDigitInTextAndByDigitInLists() throws {
    var driver = try driver()
    driver.press("<A-3>")
    #expect(driver.model.tab == .favorites && driver.model.pane == .list)
    driver.press("4")
    #expect(driver.model.tab == .notes)
    driver.press("<A-1>")
    #expect(driver.model.tab == .surahs)
  }

  @Test func hintsInTheTextNameTheKeyThatWorksThere() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:100"), offersTexts: true)
    driver.find(dump: nil)
    #expect(driver.screen.contains("Alt-8"))
    var list = try ReaderDriver(.medium, offersTexts: true)
    list.find(dump: nil)
    #expect(list.screen.contains("8 rồi i") && !list.screen.contains("Alt-8"))
  }

  /// On a terminal that is too small, nobody sees what a key changes.
  @Test func onATerminalThatIsTooSmallKeysChangeNothing() throws {
    var driver = try driver()
    driver.resize(Size(rows: 5, columns: 20))
    driver.press("fjd")
    #expect(try driver.stored().favorites.isEmpty)
    #expect(driver.model.position.cursor == AyahID("2:100"))
    driver.press("<C-c>")
    #expect(driver.effects == [.quit])
  }

  /// A digit that the configuration binds to an action performs it and begins no count.
  @Test func aRemappedDigitIsNoCount() throws {
    let (table, problems) = KeyTable.standard.remapped(["theme": ["5"]])
    #expect(problems.isEmpty)
    var model = Model(
      edition: .bundled, messages: Messages(.vietnamese), size: .medium, opening: AyahID("2:100"),
      keys: table)
    let before = model.theme.id
    _ = model.update(.key("5"), at: 0)
    #expect(model.theme.id != before && model.input.count == nil)
  }
}
