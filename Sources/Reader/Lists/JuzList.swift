import Messages
import Quran
import Terminal
import Text

extension Model {
  func drawJuz(_ number: Int, on canvas: inout Canvas, row: Int, width: Int) {
    guard let ayahs = Division.juz.ayahs(of: number) else { return }
    canvas.put(
      String(number).padded(to: 3, alignment: .right), row: row, column: 2, style: theme[.number])
    // The same part is at the same column in every row.
    let page = "\(messages.page) \(ayahs.lowerBound.page)"
    let pageColumn = width - page.columns - 1
    canvas.put(page, row: row, column: pageColumn, style: theme[.faint])
    canvas.put(
      Self.name(of: ayahs.lowerBound).fitted(to: min(Self.endWidth, pageColumn - 7)), row: row,
      column: 6, style: theme[.text])
    let endColumn = 6 + Self.endWidth + 1
    guard endColumn + 2 + Self.endWidth < width - "\(messages.page) 604".columns else { return }
    canvas.put(
      "– \(Self.name(of: ayahs.upperBound))", row: row, column: endColumn, style: theme[.faint])
  }

  /// The columns of the longest first or last ayah of a juz with the name of its surah.
  private static let endWidth =
    (1...Division.juz.count).compactMap(Division.juz.ayahs)
    .flatMap { [name(of: $0.lowerBound).columns, name(of: $0.upperBound).columns] }.max() ?? 0

  private static func name(of ayah: AyahID) -> String {
    "\(ayah) \(ayah.surah.surah.transliteration)"
  }

  var juzListHints: [String] {
    readHints + [helpHint, "\(key(.search)) \(messages.hintSearch)", goToHint]
  }
}
