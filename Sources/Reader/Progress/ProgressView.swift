import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  func drawProgress(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    switch progress.rows[index] {
    case .picture(let line):
      var column = 2
      for (text, role) in line {
        column += canvas.put(
          text, row: row, column: column, style: theme[role], width: max(width - column, 0))
      }
    case .surah(let surah):
      drawProgress(of: surah, on: &canvas, row: row, width: width)
    }
  }

  func drawProgress(
    of surah: SurahNumber, on canvas: inout Canvas, row: Int, width: Int
  ) {
    let last = libraryState.shown.lastReadAyah(of: surah)
    let number = surah.description.padded(to: 3, alignment: .right)
    canvas.put(number, row: row, column: 2, style: theme[.number])
    canvas.put(
      surah.surah.transliteration.fitted(to: 15), row: row, column: 6, style: theme[.text])
    let count = "\(last)/\(surah.ayahCount)".padded(to: 7, alignment: .right)
    let percent = last > 0 ? "\(last * 100 / surah.ayahCount) %" : ""
    let right = percent.padded(to: 5, alignment: .right) + (width >= 44 ? " \(count)" : "")
    canvas.put(right, row: row, column: width - right.columns - 1, style: theme[.faint])
    // A surah that was not begun has neither a bar nor a percentage.
    guard last > 0 else { return }
    let room = min(width - 22 - right.columns - 2, 40)
    canvas.put(
      Self.bar(last, of: surah.ayahCount, columns: room), row: row, column: 22,
      style: theme[.mark])
  }

  /// Returns a bar such as `▓▓░░░░░░`. It is completely filled only if `part` equals `whole`, and a
  /// bar of several columns is empty only if `part` is 0.
  static func bar(_ part: Int, of whole: Int, columns: Int) -> String {
    guard columns > 0, whole > 0 else { return "" }
    var filled = part * columns / whole
    if part > 0, filled == 0, columns > 1 { filled = 1 }
    return String(repeating: "▓", count: filled)
      + String(repeating: "░", count: columns - filled)
  }

  /// Draws the progress of the whole Quran above the list.
  func drawOverall(on canvas: inout Canvas, _ area: Geometry.Area) {
    let read = libraryState.shown.readCount
    let text = "\(read * 100 / AyahID.count) %  \(messages.overall(read, of: AyahID.count))"
    var column = area.column + 1
    if area.width >= 60 {
      column +=
        1 + canvas.put(messages.wholeBook, row: area.row, column: column, style: theme[.title])
    }
    canvas.put(
      text, row: area.row, column: area.column + area.width - text.columns - 1,
      style: theme[.faint])
    let room = min(area.width - (column - area.column) - text.columns - 3, 40)
    canvas.put(
      Self.bar(read, of: AyahID.count, columns: room), row: area.row, column: column,
      style: theme[.mark])
  }

  var progressHints: [String] {
    guard selectedAyah != nil else { return [helpHint] }
    guard libraryState.refusal == nil else { return readHints + [helpHint] }
    return readHints + [helpHint, "\(key(.restart)) \(messages.hintRestart)"]
  }
}
