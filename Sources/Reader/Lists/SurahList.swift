import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  /// The surahs that match the filter.
  var listedSurahs: [SurahNumber] {
    lists.filter.isEmpty ? SurahNumber.all : SurahFilter.surahs(matching: lists.filter.text)
  }

  /// Whether the names of surahs are shown in Arabic, too, where there is room.
  var showsArabicNames: Bool { settings.showsArabicNames && settings.arabicDisplay != nil }

  func draw(_ surah: Surah, on canvas: inout Canvas, row: Int, width: Int) {
    let columns = SurahColumns(width: width, showsArabicNames: showsArabicNames)
    let number = String(surah.number.rawValue).padded(to: 3, alignment: .right)
    canvas.put(number, row: row, column: 2, style: theme[.number])
    canvas.put(surah.transliteration, row: row, column: 6, style: theme[.text], width: 15)
    canvas.put(
      surah.vietnameseName.fitted(to: columns.nameEnd - 21), row: row, column: 21,
      style: theme[.faint])
    if let column = columns.arabicName {
      // Arabic is aligned to the right edge of its column.
      canvas.put(
        surah.arabicName, row: row, column: column, style: theme[.text],
        width: SurahColumns.arabicNameWidth, direction: .rightToLeft)
    }
    if let column = columns.revelation {
      canvas.put(surah.revelation.rawValue, row: row, column: column, style: theme[.faint])
    }
    let count = String(surah.ayahCount).padded(to: 3, alignment: .right)
    canvas.put(count, row: row, column: columns.count, style: theme[.faint])
    let last = libraryState.shown.lastReadAyah(of: surah.number)
    if let column = columns.bar {
      canvas.put(
        Self.bar(last, of: surah.ayahCount, columns: SurahColumns.barWidth), row: row,
        column: column, style: theme[last > 0 ? .mark : .faint])
    }
    // Without the bar, a surah that was not begun has no percentage.
    if let column = columns.percent, last > 0 || columns.bar != nil {
      let percent = "\(last * 100 / surah.ayahCount) %".padded(to: 5, alignment: .right)
      canvas.put(percent, row: row, column: column, style: theme[.faint])
    }
    let favorites = libraryState.shown.favoriteCount(of: surah.number)
    let notes = libraryState.shown.noteCount(of: surah.number)
    if columns.countsMarks {
      let hearts = favorites > 0 ? "♥ \(favorites)" : ""
      let pens = notes > 0 ? "✎ \(notes)" : ""
      canvas.put(hearts, row: row, column: columns.marks, style: theme[.mark], width: 5)
      canvas.put(pens, row: row, column: columns.marks + 6, style: theme[.mark], width: 6)
    } else {
      let marks = (favorites > 0 ? "♥" : " ") + (notes > 0 ? "✎" : " ")
      canvas.put(marks, row: row, column: columns.marks, style: theme[.mark])
    }
  }

  var surahListHints: [String] {
    [readHint, helpHint, "\(key(.search)) \(messages.filter)", goToHint]
  }
}

/// The columns of the list of surahs. They depend on the width of the list alone, so that each is
/// at the same place in all rows, whether or not a surah was begun.
struct SurahColumns: Hashable {
  static let arabicNameWidth = 9
  static let barWidth = 8

  /// The column after the room for the Vietnamese name, which begins at column 21.
  let nameEnd: Int
  /// The first column of the Arabic name; nil if there is no room for it.
  let arabicName: Int?
  /// The first column of the place of revelation; nil if there is no room for it.
  let revelation: Int?
  /// The first column of the number of ayahs.
  let count: Int
  /// The first column of the progress bar; nil if there is no room for it.
  let bar: Int?
  /// The first column of the progress in percent; nil if there is no room for it.
  let percent: Int?
  /// The first column of the hearts and pens.
  let marks: Int
  /// Whether the hearts and pens are counted.
  let countsMarks: Bool

  /// - Parameters:
  ///   - width: The number of columns of the list.
  ///   - showsArabicNames: Whether the Arabic names are shown where there is room.
  init(width: Int, showsArabicNames: Bool) {
    // The columns that the marks, the count and a gap leave for the Vietnamese name.
    var room = width - 29
    /// Reserves columns for a part that is shown only if at least `rest` columns remain for the
    /// Vietnamese name.
    func hasRoom(for columns: Int, leaving rest: Int = 11) -> Bool {
      guard room - columns >= rest else { return false }
      room -= columns
      return true
    }
    let hasPercent = width >= 44 && hasRoom(for: 6, leaving: 0)
    let hasArabicName = showsArabicNames && hasRoom(for: Self.arabicNameWidth + 1)
    countsMarks = hasRoom(for: 10)
    let hasBar = countsMarks && hasRoom(for: Self.barWidth + 1)
    let hasRevelation = hasBar && hasRoom(for: 8, leaving: 18)

    marks = width - (countsMarks ? 12 : 3)
    var end = marks
    func place(_ columns: Int) -> Int {
      end -= columns
      return end
    }
    percent = hasPercent ? place(6) : nil
    bar = hasBar ? place(Self.barWidth + 1) : nil
    count = place(4)
    if countsMarks { end -= 1 }
    revelation = hasRevelation ? place(8) : nil
    arabicName = hasArabicName ? place(Self.arabicNameWidth + 1) : nil
    nameEnd = end - 1
  }
}
