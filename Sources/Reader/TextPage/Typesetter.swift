import Editions
import Library
import Quran
import Text

/// Lays out the blocks of an edition for one width, and caches them.
///
/// The layout depends only on the parameters of `init`, so that copies of a model can share the
/// cache, and `view` can fill it.
final class Typesetter {
  let layout: PageLayout
  let width: Int
  /// The columns left of the text: the bar and, in verse layout, the number.
  let margin: Int
  /// The columns of the text, limited because long lines are tiring to read.
  let measure: Int
  /// The marks that are shown with the numbers of ayahs in flow layout, by the ayah's index.
  let marks: [Int: String]
  private let edition: Edition
  private var blocks: [Int: Block] = [:]

  /// The number of blocks after which the cache is emptied.
  private static let cachedBlocks = 512

  init(_ edition: Edition, layout: PageLayout, width: Int, marks: [Int: String] = [:]) {
    self.edition = edition
    self.layout = layout
    self.width = width
    self.marks = marks
    margin = layout == .flow ? 2 : width < 60 ? 6 : 12
    measure = max(min(width - margin - (width < 60 ? 0 : 1), 84), 1)
  }

  var blockCount: Int { layout == .verse ? AyahID.count : Division.ruku.count }

  /// Returns the block, one-based, that holds an ayah.
  func block(of ayah: AyahID) -> Int { layout == .verse ? ayah.index : ayah.ruku }

  /// - Parameter number: one-based, to `blockCount`.
  func block(_ number: Int) -> Block {
    if let block = blocks[number] { return block }
    if blocks.count >= Self.cachedBlocks { blocks.removeAll(keepingCapacity: true) }
    let block = makeBlock(number)
    blocks[number] = block
    return block
  }

  /// Returns the text of an ayah as the page shows it.
  func displayedText(of ayah: AyahID) -> String {
    edition.textWithoutBasmala(of: ayah).sanitizedLine
  }

  private func makeBlock(_ index: Int) -> Block {
    let ayahs =
      layout == .verse
      ? AyahID.first.advanced(by: index - 1)...AyahID.first.advanced(by: index - 1)
      : Division.ruku.ayahs(of: index) ?? AyahID.first...AyahID.first
    let rows = heading(before: ayahs.lowerBound)
    let headingCount = rows.count
    var builder = RowBuilder(margin: margin, measure: measure)
    var ranges: [ClosedRange<Int>] = []
    for ayah in ayahs {
      let text = displayedText(of: ayah)
      if layout == .flow {
        // A number stays on the row of the word that follows it.
        let word = text.prefix { $0 != " " }
        builder.put(
          "(\(ayah.ayah)\(marks[ayah.index] ?? ""))", role: .number,
          ayah: ayah.index, reserving: word.columns + 1)
      }
      let first = builder.row
      builder.put(text, ayah: ayah.index)
      if let sajda = ayah.sajda {
        builder.put(sajda == .obligatory ? "۩!" : "۩", role: .sign, ayah: ayah.index)
      }
      // The heading belongs to the first ayah of the surah, except for the blank row above it.
      let start = ranges.isEmpty ? min(headingCount, 1) : first + headingCount
      ranges.append(start...(builder.row + headingCount))
    }
    var body = builder.finish()
    if layout == .flow {
      body.append(Row())
    } else {
      body[0].segments.insert(number(of: ayahs.lowerBound), at: 0)
    }
    return Block(
      rows: rows + body, rowsOfAyah: ranges,
      ayahs: ayahs.lowerBound.index...ayahs.upperBound.index)
  }

  /// Returns the number of an ayah in the margin.
  private func number(of ayah: AyahID) -> Segment {
    Segment(
      text: String(ayah.ayah).padded(to: 3, alignment: .right),
      column: 2, role: .number, ayah: ayah.index, offset: nil)
  }

  /// Returns the rows above the first ayah of a surah: its name and the basmala.
  private func heading(before ayah: AyahID) -> [Row] {
    guard ayah.ayah == 1 else { return [] }
    let surah = ayah.surah.surah
    var rows = [Row()]
    let name = "\(surah.number) · \(surah.names)"
    rows.append(contentsOf: centered(name, role: .title, ayah: ayah.index))
    if let basmala = edition.heading(of: ayah.surah) {
      rows.append(
        contentsOf: centered(basmala.sanitizedLine, role: .basmala, ayah: ayah.index))
    }
    return rows + [Row()]
  }

  private func centered(_ text: String, role: TextRole, ayah: Int) -> [Row] {
    var builder = RowBuilder(margin: 0, measure: min(measure + margin, width))
    builder.put(text, role: role, ayah: ayah, isOwnText: false)
    return builder.finish().map { row in
      Row(
        segments: row.segments.map {
          let indent = max((min(measure + margin, width) - $0.text.columns) / 2, 0)
          return Segment(
            text: $0.text, column: indent, role: $0.role, ayah: $0.ayah, offset: nil)
        })
    }
  }
}
