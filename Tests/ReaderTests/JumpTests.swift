import Foundation
import Library
import Quran
import Terminal
import Testing

@testable import Reader

/// The list of ayahs from which the user jumped, and the keys that return to them.
@Suite struct JumpTests {
  private let place = AyahID("20:53")

  private func driver(_ jumps: String = "") throws -> ReaderDriver {
    try ReaderDriver(.medium, place: place) { library, now in
      try library.commit([.setFavorite(AyahID("9:40"), true)], at: now)
      try library.setDeviceValues([
        DeviceKey.cue(1): .some("18:10"), DeviceKey.jumps: .some(jumps),
      ])
    }
  }

  @Test func jumpKeysMoveBackAndForward() throws {
    var driver = try driver()
    driver.press("<Enter>g2:69<Enter>jjjg36<Enter><C-o>")
    #expect(driver.model.position.cursor == AyahID("2:72"))
    #expect(driver.rows.last?.contains("chỗ đọc") == false)
    driver.press("<C-o>")
    #expect(driver.model.position.cursor == place)
    // Going back further than the place is a jump, too.
    #expect(try driver.stored().device[DeviceKey.position] == "2:72")
    #expect(driver.rows.last?.contains("chỗ đọc") == true)
    driver.press("<C-o>")
    #expect(driver.screen.contains("Không còn chỗ nào trước đó"))
    driver.press("<A-o><A-o>")
    #expect(driver.model.position.cursor == AyahID("36:1"))
    driver.press("<A-o>")
    #expect(driver.screen.contains("Không còn chỗ nào phía sau"))
  }

  @Test func theHintNamesTheTargetOfTheBackKey() throws {
    var driver = try driver()
    driver.press("<Enter>g2:69<Enter>g36<Enter>")
    #expect(driver.rows.last?.contains("Ctrl-o về 2:69") == true)
    driver.press("<C-o>")
    #expect(driver.rows.last?.contains("Ctrl-o về 20:53") == true)
  }

  /// Each row: keys in the open text, and the ayah to which Ctrl-o leads after them.
  @Test(arguments: [
    ("j]", "20:54"), ("]]]", "20:53"), ("][j]", "20:2"), ("G", "20:53"), ("<Home>", "20:53"),
    ("'1", "20:53"), ("/con bo cai vang<Enter>", "20:53"), ("/allah<Enter>nnN", "20:53"),
    ("hjj<Enter>", "20:53"), ("3<Enter>", "20:53"), (":22:1<Enter>", "20:53"),
  ])
  func everyJumpIsRecorded(keys: String, expected: String) throws {
    var driver = try driver()
    driver.press("<Enter>\(keys)")
    #expect(driver.model.pane == .text && driver.model.position.cursor.description != expected)
    driver.press("<C-o>")
    #expect(driver.model.pane == .text && driver.model.position.cursor.description == expected)
  }

  @Test func readingOnIsNotAJump() throws {
    var driver = try driver()
    driver.press("<Enter>jjj <PgUp><C-d>k<C-o>")
    #expect(driver.screen.contains("Không còn chỗ nào trước đó"))
  }

  @Test func jumpsAreKeptAcrossRestarts() throws {
    var driver = try driver("1:7 3:1")
    driver.press("<Enter>g2:69<Enter>")
    #expect(try driver.stored().device[DeviceKey.jumps] == "1:7 3:1 20:53")
    var next = try self.driver("1:7 3:1 20:53")
    next.press("<Enter><C-o>")
    #expect(next.model.position.cursor == AyahID("3:1"))
    #expect(try next.stored().device[DeviceKey.jumps] == "1:7")
  }

  @Test func aNoteOpenedFromTheListIsNotAJump() throws {
    var driver = try ReaderDriver(.medium, place: place) { library, now in
      try library.commit([.addNote(.init(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    driver.press("4e<Esc>")
    #expect(driver.model.pane == .list)
    #expect(try driver.stored().device[DeviceKey.jumps] == nil)
  }

  @Test func twoQuotesReturnToTheAyahBeforeTheJump() throws {
    var driver = try driver()
    driver.press("<Enter>''")
    #expect(driver.screen.contains("Không còn chỗ nào trước đó"))
    driver.press("g2:69<Enter>j'")
    #expect(driver.screen.contains("' 20:53"))
    driver.press("'")
    #expect(driver.model.position.cursor == place && driver.model.overlay == nil)
    driver.press("''")
    #expect(driver.model.position.cursor == AyahID("2:70"))
    // A cue is set with a number only.
    driver.press("M'")
    #expect(driver.model.overlay == .cues(isSetting: true))
  }

  /// Each row: keys in the text of surah 20, and the ayah that they open.
  @Test(arguments: [
    ("g120<Enter>", "20:120"), ("g:7<Enter>", "20:7"), (":7<Enter>", "20:7"),
    (":135<Enter>", "20:135"), ("gg<Enter>", "20:1"), ("g7<Enter>", "7:1"),
    ("g114<Enter>", "114:1"),
    (":goto 7<Enter>", "7:1"), (":2:7<Enter>", "2:7"), (":goto :7<Enter>", "20:7"),
    ("h:7<Enter>", "7:1"),
  ])
  func aNumberOpensASurahOrAnAyahOfTheSurah(keys: String, expected: String) throws {
    var driver = try driver()
    driver.press("<Enter>\(keys)")
    #expect(driver.model.position.cursor.description == expected)
    #expect(driver.model.pane == .text)
  }

  @Test func aNumberBeyondTheSurahIsRefused() throws {
    var driver = try driver()
    driver.press("<Enter>g:136<Enter>")
    #expect(driver.screen.contains("135"))
    #expect(driver.model.position.cursor == place)
    driver.press("<Esc>g136")
    #expect(!driver.screen.contains("→"))
    driver.press("<BS>5")
    #expect(driver.screen.contains("→ 20:135"))
  }
}
