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

  /// Whether the Arabic names of surahs are shown where there is enough room.
  var showsArabicNames: Bool { settings.showsArabicNames && settings.arabicDisplay != nil }

  func draw(_ surah: Surah, on canvas: inout Canvas, row: Int, width: Int) {
    let library = libraryState.shown
    let columns = SurahColumns(
      width: width, showsArabicNames: showsArabicNames, showsProgress: library.readCount > 0,
      showsMarks: library.favoriteCount + library.noteCount > 0)
    let last = library.lastReadAyah(of: surah.number)
    let number = String(surah.number.rawValue).padded(to: 3, alignment: .right)
    canvas.put(number, row: row, column: 2, style: theme[.number])
    canvas.put(surah.transliteration, row: row, column: 6, style: theme[.text], width: 15)
    if surah.vietnameseName != surah.transliteration {
      canvas.put(
        surah.vietnameseName.fitted(to: columns.nameEnd(isBegun: last > 0) - 21), row: row,
        column: 21, style: theme[.faint])
    }
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
    // A surah that was not begun has neither a bar nor a percentage.
    if last > 0, let column = columns.bar {
      canvas.put(
        Self.bar(last, of: surah.ayahCount, columns: SurahColumns.barWidth), row: row,
        column: column, style: theme[.mark])
    }
    if last > 0, let column = columns.percent {
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
    readHints + [helpHint, "\(key(.search)) \(messages.filter)", goToHint]
  }
}

/// The layout of a row in the list of surahs. It does not depend on the surah or on its progress,
/// so the same part starts at the same column in every row. The progress follows the name. If a
/// surah was not begun, its name also uses the columns of the progress. No room is reserved for
/// progress, hearts and pens while there are none.
struct SurahColumns: Hashable {
  /// The width of the Arabic name, in columns.
  static let arabicNameWidth = 9
  /// The width of the progress bar, in columns.
  static let barWidth = 8

  /// The column at which the progress bar starts; nil if it does not fit.
  let bar: Int?
  /// The column at which the progress in percent starts; nil if it does not fit.
  let percent: Int?
  /// The column at which the Arabic name starts; nil if it does not fit.
  let arabicName: Int?
  /// The column at which the place of revelation (Makkah or Madinah) starts; nil if it does not
  /// fit.
  let revelation: Int?
  /// The column at which the number of ayahs starts.
  let count: Int
  /// The column at which the symbols for favourites (♥) and notes (✎) start.
  let marks: Int
  /// Whether the symbols are followed by the numbers of favourites and notes.
  let countsMarks: Bool
  /// The first column after the progress.
  private let progressEnd: Int

  /// Creates the layout for a list.
  ///
  /// - Parameters:
  ///   - width: The width of the list, in columns.
  ///   - showsArabicNames: Whether to show the Arabic names if there is enough room.
  ///   - showsProgress: Whether anything was read.
  ///   - showsMarks: Whether there are favourites or notes.
  init(width: Int, showsArabicNames: Bool, showsProgress: Bool = true, showsMarks: Bool = true) {
    // What the parts that are always shown leave for the Vietnamese name, in columns.
    var room = width - 29
    /// Reserves columns for a part, if at least `rest` columns remain for the Vietnamese name.
    ///
    /// - Returns: Whether the part is shown.
    func hasRoom(for columns: Int, leaving rest: Int = 11) -> Bool {
      guard room - columns >= rest else { return false }
      room -= columns
      return true
    }
    let hasPercent = showsProgress && width >= 44 && hasRoom(for: 6, leaving: 0)
    let hasArabicName = showsArabicNames && hasRoom(for: Self.arabicNameWidth + 1)
    countsMarks = showsMarks && hasRoom(for: 10, leaving: hasPercent ? 12 : 18)
    let hasBar =
      showsProgress && countsMarks == showsMarks && hasRoom(for: Self.barWidth + 1, leaving: 14)
    let hasRevelation = hasBar == showsProgress && hasRoom(for: 8, leaving: 18)

    marks = width - (countsMarks ? 12 : 3)
    var end = marks
    func place(_ columns: Int) -> Int {
      end -= columns
      return end
    }
    if countsMarks { end -= 1 }
    count = place(4)
    revelation = hasRevelation ? place(8) : nil
    arabicName = hasArabicName ? place(Self.arabicNameWidth + 1) : nil
    progressEnd = end
    percent = hasPercent ? place(6) : nil
    bar = hasBar ? place(Self.barWidth + 1) : nil
  }

  /// Returns the first column after the Vietnamese name, which starts at column 21.
  ///
  /// - Parameter isBegun: Whether the surah has progress, which is shown after its name.
  func nameEnd(isBegun: Bool) -> Int {
    (isBegun ? bar ?? percent ?? progressEnd : progressEnd) - 1
  }
}
