import Quran
import Testing

@testable import Reader

@Suite struct SurahFilterTests {
  /// Each row: the typed text, and the numbers of the surahs that are found.
  @Test(arguments: [
    ("fatihah", [1]), ("al-fatihah", [1]), ("bo ca", [2, 7]), ("Con bò", [2]), ("cai", [2]),
    ("yasin", [36]), ("ya sin", [36]), ("الفاتحة", [1]), ("فاتحة", [1]),
    ("11", [11, 110, 111, 112, 113, 114]),
    ("aqarah", []), ("zzz", []),
  ])
  func surahsAreFoundByTheStartOfAWord(_ text: String, _ surahs: [Int]) {
    #expect(SurahFilter.surahs(matching: text).map(\.rawValue) == surahs)
  }

  @Test func anEmptyFilterMatchesEverySurah() {
    #expect(SurahFilter.surahs(matching: " - ").count == SurahNumber.count)
  }

  @Test func textThatNamesNoSurahIsSearched() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("/khoan dung")
    #expect(driver.screen.contains("Enter tìm trong bản văn, Esc bỏ lọc"))
    driver.press("<Enter>")
    #expect(driver.rows[1].hasPrefix(" Tìm: khoan dung ") && driver.rows[1].contains("119"))
    driver.press("<Esc>")
    #expect(driver.model.tab == .surahs && driver.screen.contains("Al-Fatihah"))
  }

  @Test(arguments: ["/xyz<Esc>", "/an n<Down><Esc>", "/al<BS><BS><BS>"])
  func leavingTheFilterSelectsTheSurahOfBefore(_ keys: String) throws {
    var driver = try ReaderDriver(.medium)
    driver.press("jjj\(keys)")
    #expect(driver.model.overlay == nil)
    #expect(driver.model.selectedAyah?.surah.rawValue == 4)
  }

  @Test func theFilterStartsEmptyAndShowsTheCount() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("/al a")
    #expect(driver.rows[1].contains("Lọc: al a") && driver.rows[1].hasSuffix(" chương"))
    driver.press("<Enter>h/")
    #expect(driver.rows[1].contains("Lọc:") && !driver.rows[1].contains("al a"))
    #expect(driver.screen.contains("Al-Fatihah"))
  }
}
