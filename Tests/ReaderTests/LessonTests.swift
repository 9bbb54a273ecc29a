import Library
import Quran
import Terminal
import Testing

@testable import Reader

/// What a new reader is told in the last row.
@Suite struct LessonTests {
  @Test(arguments: [Size.small, .medium, .large])
  func aLessonEndsWhenItIsFollowed(size: Size) throws {
    var story = try Story(size)
    #expect(story.rows.last?.contains("Enter mở chương này") == true)
    story.press("j")
    #expect(story.rows.last?.contains("Enter mở chương này") == true)
    story.press("<Enter>")
    #expect(story.rows.last?.contains("f ♥ yêu thích") == true)
    #expect(story.rows.last?.contains("n ✎ ghi chú") == true)
    story.press("fj")
    for hint in ["g đến câu", "/ tìm", "? mọi phím"] {
      #expect(story.rows.last?.contains(hint) == true)
    }
    story.press("?<Esc>")
    #expect(story.rows.last?.contains("mọi phím") == false)
    #expect(try story.stored().device[DeviceKey.lessons] == "3")
  }

  @Test func lessonsGoOnInTheNextSession() throws {
    let story = try Story(.medium, place: .first) {
      library, _ in try library.setDeviceValues([DeviceKey.lessons: "1"])
    }
    #expect(story.model.lesson == .mark)
  }

  @Test func whoHasReadOrMarkedIsTaughtNothing() throws {
    #expect(try Story(.medium, place: AyahID("2:45")).model.lesson == nil)
    let story = try Story(.medium) { library, now in
      try library.commit([.setFavorite(.first, true)], at: now)
    }
    #expect(story.model.lesson == nil)
  }

  @Test func browsingIsExplainedOnce() throws {
    var story = try Story(.medium)
    story.press("g2:255<Enter>")
    #expect(!story.screen.contains("r tính từ đây"))
    story.press("j")
    #expect(story.screen.contains("r tính từ đây, b bật/tắt"))
    story.press("j")
    #expect(!story.screen.contains("r tính từ đây"))
    #expect(try story.stored().device[DeviceKey.browsingExplained] == "1")
  }
}
