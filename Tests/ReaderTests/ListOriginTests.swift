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

  @Test func escReturnsToTheTextThroughOtherLists() throws {
    var driver = try driver()
    driver.press("<A-3>4<Esc>")
    expect(.surahs, .text, in: driver)
    driver.press("<A-3>5<Esc>")
    expect(.favorites, .list, in: driver)
    driver.press("<Esc>")
    expect(.surahs, .text, in: driver)
    driver.press("<A-1>/xyz<Enter><Esc><Esc>")
    expect(.surahs, .text, in: driver)
    // A filter that is not on the screen stays.
    driver.press("<A-1>/ba<Enter><A-3><Esc>")
    expect(.surahs, .text, in: driver)
  }

  @Test func otherListsLeadToTheListOfSurahs() throws {
    var driver = try driver()
    driver.press("<Esc>")
    for keys in ["3", "4", "34", "35<A-4>"] {
      driver.press(keys + "<Esc>")
      expect(.surahs, .list, in: driver)
    }
    driver.press("35<Esc>")
    expect(.favorites, .list, in: driver)
    driver.press("35<A-3><Esc>")
    expect(.surahs, .list, in: driver)
    // Esc leaves the list of surahs as it is.
    driver.press("5<A-1>jjj")
    let rows = driver.rows
    driver.press("<Esc>")
    #expect(driver.rows == rows)
  }

  @Test func theHitsLeadToTheTextInWhichTheSearchWasOpened() throws {
    var driver = try driver()
    driver.press("/khoan <Enter>")
    expect(.search, .text, in: driver)
    // Unmarks the hits, and then goes to their list.
    driver.press("<Esc><Esc>")
    expect(.search, .list, in: driver)
    driver.press("<Esc>")
    expect(.surahs, .text, in: driver)
  }

  @Test func aListThatIsClickedDoesNotLeadToTheText() throws {
    var driver = try driver(.large)
    driver.press("<A-2>")
    driver.press("<Enter>")
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

  /// `h` and `←` go to the left.
  @Test func backLeadsToTheListOfSurahs() throws {
    var driver = try driver()
    driver.press("<A-3>h")
    expect(.surahs, .list, in: driver)
  }
}
