import Library
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// The columns of the list of surahs, and the Arabic name above the text.
struct SurahListTests {
  private let name = SurahNumber.all[0].surah.arabicName

  /// Adds progress and a favourite of the first surah.
  private func fill(_ library: Library, _ now: Int64) throws {
    try library.commit([.setProgress(SurahNumber(1)!, to: 7)], at: now)
    try library.commit([.setFavorite(.first, true)], at: now)
  }

  @Test func arabicNamesNeedAListOfAtLeast56Columns() throws {
    var widths: [Int] = []
    for width in 40..<160 {
      let size = Size(rows: 20, columns: width)
      let begun = try ReaderDriver(size, arabic: .terminal, fill: fill)
      // The columns before the name in the row of the first surah.
      let column = begun.rows[3].firstRange(of: name).map {
        String(begun.rows[3][..<$0.lowerBound]).columns
      }
      #expect(width < 44 || begun.rows[3].contains("100 %"), "\(width) columns")
      if column != nil { widths.append(width) }
    }
    // In a list of at least 56 columns: alone, and beside the text.
    #expect(widths == Array(56..<100) + Array(140..<160))
  }

  /// Before anything is marked, the columns of the marks belong to the names, and so do those of
  /// the progress in the row of a surah that was not begun.
  @Test(arguments: [false, true])
  func noNameIsCutBesideFreeColumns(isBegun: Bool) throws {
    var driver = try ReaderDriver(Size(rows: 130, columns: 40), arabic: nil) { library, now in
      guard isBegun else { return }
      let begun = SurahNumber.all.filter { $0.rawValue.isMultiple(of: 3) }
      try library.commit(begun.map { Change.setProgress($0, to: $0.ayahCount) }, at: now)
      try library.commit([.setFavorite(.first, true)], at: now)
    }
    for width in 40...200 {
      driver.resize(Size(rows: 130, columns: width))
      let list = driver.model.geometry.list?.width ?? width
      for row in driver.rows.dropFirst(3).prefix(114) {
        let text = String(row.prefix(while: { $0 != "│" }))
        guard let cut = text.firstIndex(of: "…") else { continue }
        let gap = text[cut...].dropFirst().prefix { $0 == " " }.count
        // The number of ayahs or a percentage follows, aligned to the right.
        #expect(gap <= 3, "\(width) columns, list of \(list): \(text)")
      }
    }
  }

  @Test func columnsNeverOverlap() {
    for width in 28..<200 {
      for showsArabicNames in [false, true] {
        let columns = SurahColumns(width: width, showsArabicNames: showsArabicNames)
        let parts: [(start: Int?, width: Int)] = [
          (21, columns.nameEnd(isBegun: true) - 21), (columns.bar, SurahColumns.barWidth),
          (columns.percent, 5), (columns.arabicName, SurahColumns.arabicNameWidth),
          (columns.revelation, 7), (columns.count, 3),
          (columns.marks, columns.countsMarks ? 12 : 2),
        ]
        var end = 20
        for case (let start?, let count) in parts where count > 0 {
          #expect(start > end, "\(width) columns")
          end = start + count - 1
        }
        #expect(end < width)
        let next = columns.arabicName ?? columns.revelation ?? columns.count
        #expect(columns.nameEnd(isBegun: false) < next)
      }
    }
  }

  @Test func theArabicNameIsAboveTheTextWhereThereIsRoom() throws {
    for (columns, isShown) in [(40, false), (60, false), (80, true), (99, true), (130, true)] {
      let driver = try ReaderDriver(
        Size(rows: 20, columns: columns), opening: AyahID("1:1"), arabic: .terminal)
      #expect(driver.rows[0].contains("Mở Đầu  \(name)  ") == isShown, "\(columns) columns")
    }
    // The name does not appear and disappear with the width of the page number.
    for page in ["2:1", "2:286"] {
      let driver = try ReaderDriver(
        Size(rows: 20, columns: 74), opening: AyahID(page), arabic: .terminal)
      #expect(!driver.rows[0].contains(SurahNumber.all[1].surah.arabicName), "\(page)")
    }
    let hidden = try ReaderDriver(.medium, opening: AyahID("1:1"), arabic: nil)
    #expect(!hidden.rows[0].contains(name))
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1"), arabic: .terminal) {
      library, now in
      try library.commit([.set(SettingKey.arabicNames.rawValue, "false")], at: now)
    }
    driver.press("j")
    #expect(!driver.rows[0].contains(name))
  }
}
