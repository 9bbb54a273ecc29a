import Library
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// The columns of the list of surahs, and the Arabic name above the text.
struct SurahListTests {
  private let name = SurahNumber.all[0].surah.arabicName

  /// Progress, favourites and notes of the first surah.
  private func fill(_ library: Library, _ now: Int64) throws {
    try library.commit([.setProgress(SurahNumber(1)!, to: 7)], at: now)
    try library.commit([.setFavorite(.first, true)], at: now)
  }

  @Test func theArabicNameIsTheSameWithAndWithoutProgress() throws {
    var widths: [Int] = []
    for width in 40..<160 {
      let size = Size(rows: 20, columns: width)
      let begun = try Story(size, arabic: .terminal, fill: fill)
      let fresh = try Story(size, arabic: .terminal)
      // The columns before the name in the row of the first surah.
      let columns = [begun, fresh].map { story in
        story.rows[3].firstRange(of: name).map { String(story.rows[3][..<$0.lowerBound]).columns }
      }
      #expect(columns[0] == columns[1], "\(width) columns")
      #expect(width < 44 || begun.rows[3].contains("100 %"), "\(width) columns")
      if columns[0] != nil { widths.append(width) }
    }
    // In a list of at least 56 columns: alone, and beside the text.
    #expect(widths == Array(56..<100) + Array(140..<160))
  }

  @Test func partsNeverOverlap() {
    for width in 28..<200 {
      for showsArabicNames in [false, true] {
        let columns = SurahColumns(width: width, showsArabicNames: showsArabicNames)
        let parts: [(start: Int?, width: Int)] = [
          (21, columns.nameEnd - 21), (columns.arabicName, SurahColumns.arabicNameWidth),
          (columns.revelation, 7), (columns.count, 3), (columns.bar, SurahColumns.barWidth),
          (columns.percent, 5), (columns.marks, columns.countsMarks ? 12 : 2),
        ]
        var end = 20
        for case (let start?, let count) in parts where count > 0 {
          #expect(start > end, "\(width) columns")
          end = start + count - 1
        }
        #expect(end < width)
      }
    }
  }

  @Test func theArabicNameIsAboveTheTextWhereThereIsRoom() throws {
    for (columns, isShown) in [(40, false), (60, false), (80, true), (99, true), (130, true)] {
      let story = try Story(
        Size(rows: 20, columns: columns), opening: AyahID("1:1"), arabic: .terminal)
      #expect(story.rows[0].contains("Mở Đầu  \(name)  ") == isShown, "\(columns) columns")
    }
    let hidden = try Story(.medium, opening: AyahID("1:1"), arabic: nil)
    #expect(!hidden.rows[0].contains(name))
    var story = try Story(.medium, opening: AyahID("1:1"), arabic: .terminal) { library, now in
      try library.commit([.set(SettingKey.arabicNames.rawValue, "false")], at: now)
    }
    story.press("j")
    #expect(!story.rows[0].contains(name))
  }
}
