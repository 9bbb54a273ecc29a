import Quran
import Terminal
import Testing

@testable import Reader

/// Where Esc leads from a list.
struct ListOriginTests {
  private func driver(_ size: Size = .medium) throws -> ReaderDriver {
    try ReaderDriver(size, opening: AyahID("2:255"))
  }

  private func expect(
    _ tab: Tab, _ pane: Pane, in driver: ReaderDriver,
    at location: SourceLocation = #_sourceLocation
  ) {
    let (shownTab, shownPane) = (driver.model.tab, driver.model.pane)
    #expect(shownTab == tab && shownPane == pane, sourceLocation: location)
  }

  @Test(arguments: [Size.medium, .large], ["1", "2", "3", "4", "5", "6", "7", "8"])
  func escReturnsToTheText(_ size: Size, _ key: String) throws {
    var driver = try driver(size)
    driver.press("<A-\(key)>")
    #expect(driver.model.pane == .list)
    driver.press("<Esc>")
    expect(.surahs, .text, in: driver)
    #expect(driver.model.state.ayah == AyahID("2:255"))
    // The text leads to the list, and the list does not lead to the text again.
    driver.press("<Esc>")
    expect(.surahs, .list, in: driver)
    driver.press("<Esc>")
    expect(.surahs, .list, in: driver)
  }

  /// The keys are typed in the text.
  @Test(arguments: [
    // Through other lists, and through the search that was opened in one of them.
    ("<A-3>4<Esc>", Tab.surahs, Pane.text),
    ("<A-3>5<Esc>", .favorites, .list),
    ("<A-3>5<Esc><Esc>", .surahs, .text),
    ("<A-1>/xyz<Enter><Esc><Esc>", .surahs, .text),
    // Esc does not clear a filter that is not on the screen.
    ("<A-1>/ba<Enter><A-3><Esc>", .surahs, .text),
    // From the hits: the first Esc removes their highlighting.
    ("/khoan <Enter><Esc><Esc>", .search, .list),
    ("/khoan <Enter><Esc><Esc><Esc>", .surahs, .text),
    // Without the text: the first Esc opens the list of surahs.
    ("<Esc>4<Esc>", .surahs, .list),
    ("<Esc>34<Esc>", .surahs, .list),
    ("<Esc>35<Esc>", .favorites, .list),
    ("<Esc>35<A-3><Esc>", .surahs, .list),
    ("<Esc>35<A-4><Esc>", .surahs, .list),
    // `h` leads to the list of surahs.
    ("<A-3>h", .surahs, .list),
  ])
  func keysLeadBack(_ keys: String, _ tab: Tab, _ pane: Pane) throws {
    var driver = try driver()
    driver.press(keys)
    expect(tab, pane, in: driver)
  }

  @Test func escLeavesTheListOfSurahsAsItIs() throws {
    var driver = try driver()
    driver.press("<Esc>5<A-1>jjj")
    let rows = driver.rows
    driver.press("<Esc>")
    #expect(driver.rows == rows)
  }

  @Test func aListThatIsClickedDoesNotLeadToTheText() throws {
    var driver = try driver(.large)
    driver.press("<A-2><Enter>")
    expect(.juz, .text, in: driver)
    driver.send(.mouse(Mouse(.left, row: 7, column: 10)))
    expect(.juz, .list, in: driver)
    driver.press("<Esc>")
    expect(.surahs, .list, in: driver)
  }

  @Test func aClickOnATabClosesTheFilter() throws {
    var driver = try driver()
    driver.press("<A-1>/hang")
    let row = driver.rows[0]
    let column = row.distance(from: row.startIndex, to: row.firstRange(of: "2 Juz")!.lowerBound)
    driver.send(.mouse(Mouse(.left, row: 0, column: column)))
    expect(.juz, .list, in: driver)
    driver.press("<Esc>")
    expect(.surahs, .text, in: driver)
  }
}
