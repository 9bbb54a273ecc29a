import Quran
import Testing

@testable import Reader

@Suite struct SurahFilterTests {
  /// Each row: what is typed, and the numbers of the surahs that are found.
  @Test(arguments: [
    ("fatihah", [1]), ("al-fatihah", [1]), ("bo ca", [2, 7]), ("Con bò", [2]), ("cai", [2]),
    ("yasin", [36]), ("ya sin", [36]), ("الفاتحة", [1]), ("فاتحة", [1]),
    ("11", [11, 110, 111, 112, 113, 114]),
    ("aqarah", []), ("zzz", []),
  ])
  func namesAreFoundFromAWordOn(_ text: String, _ surahs: [Int]) {
    #expect(SurahFilter.surahs(matching: text).map(\.rawValue) == surahs)
  }

  @Test func nothingTypedIsEverySurah() {
    #expect(SurahFilter.surahs(matching: " - ").count == SurahNumber.count)
  }

  @Test func theFilterBeginsEmptyAndCounts() throws {
    var story = try Story(.medium)
    story.press("/al a")
    #expect(story.rows[1].contains("Lọc: al a") && story.rows[1].hasSuffix(" chương"))
    story.press("<Enter>h/")
    #expect(story.rows[1].contains("Lọc:") && !story.rows[1].contains("al a"))
    #expect(story.screen.contains("Al-Fatihah"))
  }
}
