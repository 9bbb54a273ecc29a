import Foundation
import Library
import Quran
import Terminal
import Testing

@testable import Reader

/// The place, at which reading continues, and jumps, which do not move it.
@Suite struct PlaceTests {
  private let place = AyahID("20:53")

  private func driver(_ size: Size = .medium) throws -> ReaderDriver {
    try ReaderDriver(size, place: place)
  }

  private func position(of driver: inout ReaderDriver) throws -> String? {
    try driver.stored().device[DeviceKey.position]
  }

  @Test(arguments: [
    "g2:69<Enter>", "g2:69<Enter>jj", "5con bo cai vang<Enter><Esc>", "5con bo cai vang<Enter>nn",
    "2jjj<Enter>", "<Enter>]", "<Enter>[jj", "<Enter>G", "<Enter><Home>jj", "'1", "3<Enter>",
    ":goto 2:69<Enter>", "g2:69<Enter>jkjkjkjk", "g2:69<Enter>jjg2:80<Enter>jj",
  ])
  func jumpsDoNotMoveThePlace(keys: String) throws {
    var driver = try ReaderDriver(.medium, place: place) { library, now in
      try library.commit([.setFavorite(AyahID("9:40"), true)], at: now)
      try library.setDeviceValues([DeviceKey.cue(1): .some("18:10")])
    }
    driver.press(keys)
    #expect(driver.model.pane == .text && driver.model.position.cursor != place)
    #expect(try position(of: &driver) == "20:53")
    #expect(driver.rows.last?.contains("chỗ đọc") == true)
    // The first screen still offers to continue at the place.
    driver.press("<A-1>")
    #expect(driver.screen.contains("20:53"))
    // After two jumps the place is two steps back.
    driver.press("<C-o>")
    if driver.model.position.cursor != place { driver.press("<C-o>") }
    #expect(driver.model.pane == .text && driver.model.position.cursor == place)
    #expect(driver.rows.last?.contains("chỗ đọc") == false)
  }

  @Test(arguments: [
    ("<Enter>j", "20:54"), ("<Enter>k", "20:52"), ("g2:69<Enter>r", "2:69"),
    ("g2:69<Enter>b", "2:69"), ("g2:69<Enter>bb", "2:69"), ("g2:69<Enter>jjj", "2:72"),
    ("g2:69<Enter>bjjj", "2:72"), ("<Enter>rRy", "20:1"),
  ])
  func readingMovesThePlace(keys: String, expected: String) throws {
    var driver = try driver()
    driver.press(keys)
    #expect(try position(of: &driver) == expected)
    #expect(driver.rows.last?.contains("chỗ đọc") == false)
  }

  @Test(arguments: [" ", "<PgDn>", "<C-d><C-d>"])
  func readingAPageMovesThePlace(keys: String) throws {
    var driver = try ReaderDriver(.small, place: place)
    driver.press("g2:282<Enter>")
    #expect(try position(of: &driver) == "20:53")
    driver.press(keys)
    #expect(try position(of: &driver) == driver.model.position.cursor.description)
  }

  /// The ayah under the cursor may end below the page.
  @Test func savingDoesNotMoveThePage() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.press("j<PgDn><PgUp>")
    let top = driver.model.position.top
    let isCut = driver.model.pager.show(driver.model.position) != driver.model.position
    #expect(isCut, "the page shows a part of the ayah under the cursor")
    driver.pause()
    #expect(driver.model.position.top == top)
  }

  /// Otherwise two readers of one library would overwrite each other's place again and again.
  @Test func thePlaceOfAnotherReaderIsNotOverwritten() throws {
    var driver = try driver()
    driver.press("<Enter>g2:69<Enter>jjj")
    #expect(try position(of: &driver) == "2:72")
    try driver.library.setDeviceValues([
      DeviceKey.position: .some("9:40"), DeviceKey.jumps: .some("1:7"),
    ])
    driver.receive(.refreshed(try driver.library.snapshot()))
    #expect(!driver.model.hasUnsavedChanges)
    #expect(try position(of: &driver) == "9:40")
    driver.press("j")
    #expect(try position(of: &driver) == "2:73")
  }

  @Test func firstOpenedAyahBecomesThePlace() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("g2:69<Enter>")
    #expect(try position(of: &driver) == "2:69")
    #expect(driver.rows.last?.contains("chỗ đọc") == false)
  }

  @Test func anAyahArgumentDoesNotMoveThePlace() throws {
    var driver = try ReaderDriver(.medium, place: place, opening: AyahID("2:255"))
    #expect(driver.rows.last?.contains("chỗ đọc") == true)
    #expect(try position(of: &driver) == "20:53")
  }

  @Test func clickDoesNotMoveThePlace() throws {
    var driver = try driver()
    driver.press("<Enter>")
    let row = try #require(driver.rows.firstIndex { $0.contains("  54 ") })
    driver.send(.mouse(Mouse(.left, row: row, column: 20)))
    #expect(driver.model.position.cursor == AyahID("20:54"))
    #expect(try position(of: &driver) == "20:53")
  }

  /// Esc in a note that was opened from a list returns to the list and ends the jump.
  @Test func noteOpenedFromTheListDoesNotMoveThePlace() throws {
    var driver = try ReaderDriver(.medium, place: place) { library, now in
      try library.commit(
        [.addNote(.init(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    driver.press("4e")
    #expect(try position(of: &driver) == "20:53")
    driver.press("<Esc>")
    #expect(try position(of: &driver) == "20:53")
    #expect(driver.rows.last?.contains("chỗ đọc") == false)
  }

  @Test(arguments: [Size.small, .medium, .large])
  func theCornerShowsBothTheJumpAndTheSyncStatus(size: Size) throws {
    var driver = try driver(size)
    driver.sync(.done)
    driver.press("g2:69<Enter>")
    let row = try #require(driver.rows.last)
    let corners = (size == .small ? "xem" : "chỗ đọc 20:53") + "  ✓ 12:00"
    #expect(row.contains(corners))
    #expect(row.contains(" 2:69 "))
    // A message does not cover the corner.
    driver.press("Z")
    #expect(driver.rows.last?.contains(corners) == true)
  }
}
