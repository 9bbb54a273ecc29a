import Messages
import Quran
import Terminal
import Text

extension Model {
  func drawJuz(_ number: Int, on canvas: inout Canvas, row: Int, width: Int) {
    guard let ayahs = Division.juz.ayahs(of: number) else { return }
    canvas.put(
      String(number).padded(to: 3, alignment: .right), row: row, column: 2, style: theme[.number])
    let first = ayahs.lowerBound
    let last = ayahs.upperBound
    var text = "\(first) \(first.surah.surah.transliteration)"
    let end =
      first.surah == last.surah ? "\(last)" : "\(last) \(last.surah.surah.transliteration)"
    text += " – \(end)"
    canvas.put(text.fitted(to: width - 7), row: row, column: 6, style: theme[.text])
    let page = "\(messages.page) \(first.page)"
    if 6 + text.columns + page.columns + 3 <= width {
      canvas.put(page, row: row, column: width - page.columns - 1, style: theme[.faint])
    }
  }

  var juzListHints: [String] {
    [readHint, helpHint, "\(key(.search)) \(messages.hintSearch)", goToHint]
  }
}
