import Library
import Quran
import Terminal
import Testing

@testable import Reader

/// The lessons for new users in the last row.
@Suite struct LessonTests {
  @Test(arguments: [Size.small, .medium, .large])
  func aLessonEndsWhenItsKeyIsUsed(size: Size) throws {
    var driver = try ReaderDriver(size)
    #expect(driver.rows.last?.contains("Enter mở chương này") == true)
    driver.press("j")
    #expect(driver.rows.last?.contains("Enter mở chương này") == true)
    driver.press("<Enter>")
    #expect(driver.rows.last?.contains("f ♥ yêu thích") == true)
    #expect(driver.rows.last?.contains("n ✎ ghi chú") == true)
    driver.press("fj")
    for hint in ["g đến câu", "/ tìm", "? mọi phím"] {
      #expect(driver.rows.last?.contains(hint) == true)
    }
    driver.press("?<Esc>")
    #expect(driver.rows.last?.contains("mọi phím") == false)
    #expect(try driver.stored().device[DeviceKey.lessons] == "3")
  }

  @Test func lessonsContinueInTheNextSession() throws {
    let driver = try ReaderDriver(.medium, place: .first) {
      library, _ in try library.setDeviceValues([DeviceKey.lessons: "1"])
    }
    #expect(driver.model.lesson == .annotate)
  }

  @Test func usersWithProgressOrFavoritesGetNoLessons() throws {
    #expect(try ReaderDriver(.medium, place: AyahID("2:45")).model.lesson == nil)
    let driver = try ReaderDriver(.medium) { library, now in
      try library.commit([.setFavorite(.first, true)], at: now)
    }
    #expect(driver.model.lesson == nil)
  }

  @Test func browsingIsExplainedOnce() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("g2:255<Enter>")
    #expect(!driver.screen.contains("r tính từ đây"))
    driver.press("j")
    #expect(driver.screen.contains("r tính từ đây, b bật/tắt"))
    driver.press("j")
    #expect(!driver.screen.contains("r tính từ đây"))
    #expect(try driver.stored().device[DeviceKey.browsingExplained] == "1")
  }
}
