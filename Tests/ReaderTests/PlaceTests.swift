import Foundation
import Library
import Quran
import Terminal
import Testing

@testable import Reader

/// Where reading goes on, and looks elsewhere.
@Suite struct PlaceTests {
  private let place = AyahID("20:53")

  private func story(_ size: Size = .medium) throws -> Story { try Story(size, place: place) }

  private func position(of story: inout Story) throws -> String? {
    try story.stored().device[DeviceKey.position]
  }

  @Test(arguments: [
    "g2:69<Enter>", "g2:69<Enter>jj", "5con bo cai vang<Enter><Esc>", "5con bo cai vang<Enter>nn",
    "2jjj<Enter>", "<Enter>]", "<Enter>[jj", "<Enter>G", "<Enter><Home>jj", "'1", "3<Enter>",
    ":goto 2:69<Enter>", "g2:69<Enter>jkjkjkjk", "g2:69<Enter>jjg2:80<Enter>jj",
  ])
  func jumpsLeaveThePlace(keys: String) throws {
    var story = try Story(.medium, place: place) { library, now in
      try library.commit([.setFavorite(AyahID("9:40"), true)], at: now)
      try library.setDeviceValues([DeviceKey.cue(1): .some("18:10")])
    }
    story.press(keys)
    #expect(story.model.pane == .text && story.model.position.cursor != place)
    #expect(try position(of: &story) == "20:53")
    #expect(story.rows.last?.contains("chỗ khác") == true)
    // The first screen still offers to go on there.
    story.press("<A-1>")
    #expect(story.screen.contains("20:53"))
    // After two jumps it is two steps back.
    story.press("<C-o>")
    if story.model.position.cursor != place { story.press("<C-o>") }
    #expect(story.model.pane == .text && story.model.position.cursor == place)
    #expect(story.rows.last?.contains("chỗ khác") == false)
  }

  @Test(arguments: [
    ("<Enter>j", "20:54"), ("<Enter>k", "20:52"), ("g2:69<Enter>r", "2:69"),
    ("g2:69<Enter>b", "2:69"), ("g2:69<Enter>bb", "2:69"), ("g2:69<Enter>jjj", "2:72"),
    ("g2:69<Enter>bjjj", "2:72"), ("<Enter>rRy", "20:1"),
  ])
  func readingMovesThePlace(keys: String, expected: String) throws {
    var story = try story()
    story.press(keys)
    #expect(try position(of: &story) == expected)
    #expect(story.rows.last?.contains("chỗ khác") == false)
  }

  @Test(arguments: [" ", "<PgDn>", "<C-d><C-d>"])
  func readingAPageMovesThePlace(keys: String) throws {
    var story = try Story(.small, place: place)
    story.press("g2:282<Enter>")
    #expect(try position(of: &story) == "20:53")
    story.press(keys)
    #expect(try position(of: &story) == story.model.position.cursor.description)
  }

  /// The ayah under the cursor may end below the page.
  @Test func savingDoesNotMoveThePage() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.press("j<PgDn><PgUp>")
    let top = story.model.position.top
    let isCut = story.model.pager.show(story.model.position) != story.model.position
    #expect(isCut, "the page shows a part of the ayah under the cursor")
    story.pause()
    #expect(story.model.position.top == top)
  }

  /// Two readers of one library would overwrite each other's place for ever.
  @Test func thePlaceOfAnotherReaderStays() throws {
    var story = try story()
    story.press("<Enter>g2:69<Enter>jjj")
    #expect(try position(of: &story) == "2:72")
    try story.library.setDeviceValues([
      DeviceKey.position: .some("9:40"), DeviceKey.jumps: .some("1:7"),
    ])
    story.receive(.refreshed(try story.library.snapshot()))
    #expect(!story.model.hasUnsavedChanges)
    #expect(try position(of: &story) == "9:40")
    story.press("j")
    #expect(try position(of: &story) == "2:73")
  }

  @Test func firstOpenedAyahBecomesThePlace() throws {
    var story = try Story(.medium)
    story.press("g2:69<Enter>")
    #expect(try position(of: &story) == "2:69")
    #expect(story.rows.last?.contains("chỗ khác") == false)
  }

  @Test func ayahOfTheCommandLineLeavesThePlace() throws {
    var story = try Story(.medium, place: place, opening: AyahID("2:255"))
    #expect(story.rows.last?.contains("chỗ khác") == true)
    #expect(try position(of: &story) == "20:53")
  }

  @Test func clickLeavesThePlace() throws {
    var story = try story()
    story.press("<Enter>")
    let row = try #require(story.rows.firstIndex { $0.contains("  54 ") })
    story.send(.mouse(Mouse(.left, row: row, column: 20)))
    #expect(story.model.position.cursor == AyahID("20:54"))
    #expect(try position(of: &story) == "20:53")
  }

  /// A note looked at from a list leads back to the list, and the look is over.
  @Test func noteOpenedFromTheListLeavesThePlace() throws {
    var story = try Story(.medium, place: place) { library, now in
      try library.commit(
        [.addNote(.init(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    story.press("4e")
    #expect(try position(of: &story) == "20:53")
    story.press("<Esc>")
    #expect(try position(of: &story) == "20:53")
    #expect(story.rows.last?.contains("chỗ khác") == false)
  }

  @Test(arguments: [Size.small, .medium, .large])
  func cornersAreShownSideBySide(size: Size) throws {
    var story = try story(size)
    story.sync(.done)
    story.press("g2:69<Enter>")
    let row = try #require(story.rows.last)
    let corners = (size == .small ? "xem" : "chỗ khác") + "  ✓ 12:00"
    #expect(row.contains(corners))
    #expect(row.contains(" 2:69 "))
    // A message does not cover them.
    story.press("Z")
    #expect(story.rows.last?.contains(corners) == true)
  }
}
