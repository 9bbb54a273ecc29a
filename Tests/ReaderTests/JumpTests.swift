import Foundation
import Library
import Quran
import Terminal
import Testing

@testable import Reader

/// The places from which the user jumped to others.
@Suite struct JumpTests {
  private let place = AyahID("20:53")

  private func story(_ jumps: String = "") throws -> Story {
    try Story(.medium, place: place) { library, now in
      try library.commit([.setFavorite(AyahID("9:40"), true)], at: now)
      try library.setDeviceValues([
        DeviceKey.cue(1): .some("18:10"), DeviceKey.jumps: .some(jumps),
      ])
    }
  }

  @Test func keysLeadBackAndForward() throws {
    var story = try story()
    story.press("<Enter>g2:69<Enter>jjjg36<Enter><C-o>")
    #expect(story.model.position.cursor == AyahID("2:72"))
    #expect(story.rows.last?.contains("chỗ khác") == false)
    story.press("<C-o>")
    #expect(story.model.position.cursor == place)
    // To go back to an earlier place is a jump, too.
    #expect(try story.stored().device[DeviceKey.position] == "2:72")
    #expect(story.rows.last?.contains("chỗ khác") == true)
    story.press("<C-o>")
    #expect(story.screen.contains("Không còn chỗ nào trước đó"))
    story.press("<A-o><A-o>")
    #expect(story.model.position.cursor == AyahID("36:1"))
    story.press("<A-o>")
    #expect(story.screen.contains("Không còn chỗ nào phía sau"))
  }

  @Test func theHintNamesWhereTheKeyLeads() throws {
    var story = try story()
    story.press("<Enter>g2:69<Enter>g36<Enter>")
    #expect(story.rows.last?.contains("Ctrl-o về 2:69") == true)
    story.press("<C-o>")
    #expect(story.rows.last?.contains("Ctrl-o về 20:53") == true)
  }

  /// Each row: keys after the text is open, and the ayah to which Ctrl-o leads then.
  @Test(arguments: [
    ("j]", "20:54"), ("]]]", "20:53"), ("][j]", "20:2"), ("G", "20:53"), ("<Home>", "20:53"),
    ("'1", "20:53"), ("/con bo cai vang<Enter>", "20:53"), ("/allah<Enter>nnN", "20:53"),
    ("hjj<Enter>", "20:53"), ("3<Enter>", "20:53"), (":22:1<Enter>", "20:53"),
  ])
  func everyJumpIsRecorded(keys: String, expected: String) throws {
    var story = try story()
    story.press("<Enter>\(keys)")
    #expect(story.model.pane == .text && story.model.position.cursor.description != expected)
    story.press("<C-o>")
    #expect(story.model.pane == .text && story.model.position.cursor.description == expected)
  }

  @Test func readingIsNoJump() throws {
    var story = try story()
    story.press("<Enter>jjj <PgUp><C-d>k<C-o>")
    #expect(story.screen.contains("Không còn chỗ nào trước đó"))
  }

  @Test func thePlacesAreKeptAcrossStarts() throws {
    var story = try story("1:7 3:1")
    story.press("<Enter>g2:69<Enter>")
    #expect(try story.stored().device[DeviceKey.jumps] == "1:7 3:1 20:53")
    var next = try self.story("1:7 3:1 20:53")
    next.press("<Enter><C-o>")
    #expect(next.model.position.cursor == AyahID("3:1"))
    #expect(try next.stored().device[DeviceKey.jumps] == "1:7")
  }

  @Test func aNoteOpenedFromTheListIsNoJump() throws {
    var story = try Story(.medium, place: place) { library, now in
      try library.commit([.addNote(.init(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    story.press("4e<Esc>")
    #expect(story.model.pane == .list)
    #expect(try story.stored().device[DeviceKey.jumps] == nil)
  }

  @Test func twoQuotesLeadToTheAyahLeftLast() throws {
    var story = try story()
    story.press("<Enter>''")
    #expect(story.screen.contains("Không còn chỗ nào trước đó"))
    story.press("g2:69<Enter>j'")
    #expect(story.screen.contains("' 20:53"))
    story.press("'")
    #expect(story.model.position.cursor == place && story.model.overlay == nil)
    story.press("''")
    #expect(story.model.position.cursor == AyahID("2:70"))
    // To set a cue takes a number.
    story.press("M'")
    #expect(story.model.overlay == .cues(isSetting: true))
  }

  /// Each row: keys in the text of surah 20, and the ayah that they open.
  @Test(arguments: [
    ("g120<Enter>", "20:120"), ("g:7<Enter>", "20:7"), (":7<Enter>", "20:7"),
    (":135<Enter>", "20:135"), ("gg<Enter>", "20:1"), ("g7<Enter>", "7:1"),
    ("g114<Enter>", "114:1"),
    (":goto 7<Enter>", "7:1"), (":2:7<Enter>", "2:7"), (":goto :7<Enter>", "20:7"),
    ("h:7<Enter>", "7:1"),
  ])
  func aNumberCanBeAnAyahOfTheSurah(keys: String, expected: String) throws {
    var story = try story()
    story.press("<Enter>\(keys)")
    #expect(story.model.position.cursor.description == expected)
    #expect(story.model.pane == .text)
  }

  @Test func aNumberBeyondTheSurahIsRefused() throws {
    var story = try story()
    story.press("<Enter>g:136<Enter>")
    #expect(story.screen.contains("135"))
    #expect(story.model.position.cursor == place)
    story.press("<Esc>g136")
    #expect(!story.screen.contains("→"))
    story.press("<BS>5")
    #expect(story.screen.contains("→ 20:135"))
  }
}
