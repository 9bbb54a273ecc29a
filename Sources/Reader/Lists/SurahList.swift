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

  func draw(_ surah: Surah, on canvas: inout Canvas, row: Int, width: Int) {
    let number = String(surah.number.rawValue).padded(to: 3, alignment: .right)
    canvas.put(number, row: row, column: 2, style: theme[.number])
    canvas.put(surah.transliteration, row: row, column: 6, style: theme[.text], width: 15)
    let favorites = libraryState.shown.favoriteCount(of: surah.number)
    let notes = libraryState.shown.noteCount(of: surah.number)
    let last = libraryState.shown.lastReadAyah(of: surah.number)
    let percent = "\(last * 100 / surah.ayahCount) %".padded(to: 5, alignment: .right)
    let count = String(surah.ayahCount).padded(to: 3, alignment: .right)
    guard width >= 60 else {
      // The list is beside the text, or the screen is narrow.
      let hearts = (favorites > 0 ? "♥" : " ") + (notes > 0 ? "✎" : " ")
      let right = width >= 44 ? "\(count) \(last > 0 ? percent : "     ") " : "\(count) "
      canvas.put(hearts, row: row, column: width - 3, style: theme[.mark])
      canvas.put(right, row: row, column: width - 3 - right.columns, style: theme[.faint])
      canvas.put(
        surah.vietnameseName.fitted(to: width - 21 - 4 - right.columns), row: row, column: 21,
        style: theme[.faint])
      return
    }
    let hearts = favorites > 0 ? "♥ \(favorites)" : ""
    let pens = notes > 0 ? "✎ \(notes)" : ""
    canvas.put(hearts, row: row, column: width - 12, style: theme[.mark], width: 5)
    canvas.put(pens, row: row, column: width - 6, style: theme[.mark], width: 6)
    canvas.put(percent, row: row, column: width - 18, style: theme[.faint])
    canvas.put(
      Self.bar(last, of: surah.ayahCount, columns: 8), row: row, column: width - 27,
      style: theme[last > 0 ? .mark : .faint])
    canvas.put(count, row: row, column: width - 31, style: theme[.faint])
    var end = width - 32
    if width >= 90 {
      end -= 8
      canvas.put(surah.revelation.rawValue, row: row, column: end, style: theme[.faint])
    }
    // Arabic is aligned to the right edge of its column.
    if settings.showsArabicNames, settings.machine.arabicDisplay != nil {
      end -= 10
      canvas.put(
        surah.arabicName, row: row, column: end, style: theme[.text], width: 9,
        direction: .rightToLeft)
    }
    canvas.put(
      surah.vietnameseName.fitted(to: end - 22), row: row, column: 21, style: theme[.faint])
  }

  var surahListHints: [String] {
    [readHint, helpHint, "\(key(.search)) \(messages.filter)", goToHint]
  }
}
