import Library
import Messages
import Quran
import Testing

@testable import Reader

/// The screen while the library is replaced, saved or synced.
struct ReopenedLibraryTests {
  private func favorites(_ indexes: ClosedRange<Int>, _ isFavorite: Bool) throws -> [Change] {
    try indexes.map { .setFavorite(try #require(AyahID(index: $0)), isFavorite) }
  }

  @Test func aScrolledListShrinksWithItsLibrary() throws {
    var driver = try ReaderDriver(.small) { library, now in
      try library.commit(try favorites(1...60, true), at: now)
    }
    driver.press("3G")
    #expect(!driver.screen.contains("1:1"))
    try driver.library.commit(try favorites(2...60, false), at: driver.time)
    try driver.open()
    #expect(driver.screen.contains("1:1"))
  }

  @Test func ayahsAreCountedOnceWhileTheyAreSaved() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:1"))
    driver.isAnswering = false
    driver.press("jjj")
    let before = driver.model.libraryState.shown.readingDays
    #expect(!before.isEmpty)
    #expect(!driver.pendingSaveRequests().isEmpty)
    #expect(driver.model.libraryState.shown.readingDays == before)
  }

  @Test func theSettingsShowTheNewestStateOfSync() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("7")
    #expect(driver.screen.contains(driver.model.messages.syncNotConnected.prefix(20)))
    driver.sync(.done)
    #expect(!driver.screen.contains(driver.model.messages.syncNotConnected.prefix(20)))
  }
}
