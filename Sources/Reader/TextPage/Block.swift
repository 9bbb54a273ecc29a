import Editions
import Quran
import Text

/// How ayahs stand on the page.
public enum PageLayout: String, CaseIterable, Sendable {
  /// Each ayah begins a row, its number in the margin.
  case verse
  /// Ayahs run on as prose, a paragraph for each ruku, their numbers within.
  case flow
}

/// A run of text on a row.
struct Segment: Equatable {
  let text: String
  /// Zero-based, from the left edge of the page.
  let column: Int
  let role: Role
  /// Index of the ayah in the book, 1…6236.
  let ayah: Int
  /// Where `text` begins in the ayah's displayed text, in bytes of UTF-8; nil
  /// for what is not the ayah's own text.
  let offset: Int?
}

/// One row of the page.
struct Row: Equatable {
  var segments: [Segment] = []
}

/// A stretch of the book laid out on rows: one ayah, or in flow layout a ruku;
/// before the first ayah of a surah its name and basmala.
struct Block: Equatable {
  let rows: [Row]
  /// The rows of each ayah of the block; the heading belongs to the first.
  let rowsOfAyah: [ClosedRange<Int>]
  /// Indexes of the ayahs in the book.
  let ayahs: ClosedRange<Int>

  func rows(of ayah: Int) -> ClosedRange<Int> {
    rowsOfAyah[min(max(ayah, ayahs.lowerBound), ayahs.upperBound) - ayahs.lowerBound]
  }
}

/// Lays out blocks of an edition for one width, and keeps them.
///
/// What it returns depends on what it was made with alone: a memo, which copies of
/// a model share and `view` may fill.
final class Typesetter {
  let layout: PageLayout
  let width: Int
  /// Columns left of the text: the bar, and in verse layout the number.
  let margin: Int
  /// Columns the text may take; a longer line is tiring to read.
  let measure: Int
  /// By the ayah's index, what stands with its number within the text of flow layout.
  let marks: [Int: String]
  private let edition: Edition
  private var blocks: [Int: Block] = [:]

  /// As many blocks as a reader leafs through before it starts over.
  private static let blocksKept = 512

  init(_ edition: Edition, layout: PageLayout, width: Int, marks: [Int: String] = [:]) {
    self.edition = edition
    self.layout = layout
    self.width = width
    self.marks = marks
    margin = layout == .flow ? 2 : width < 60 ? 6 : 12
    measure = max(min(width - margin - (width < 60 ? 0 : 1), 84), 1)
  }

  var blockCount: Int { layout == .verse ? AyahID.count : Division.ruku.count }

  /// The block, one-based, that holds an ayah.
  func block(of ayah: AyahID) -> Int { layout == .verse ? ayah.index : ayah.ruku }

  /// - Parameter number: one-based, to `blockCount`.
  func block(_ number: Int) -> Block {
    if let block = blocks[number] { return block }
    if blocks.count >= Self.blocksKept { blocks.removeAll(keepingCapacity: true) }
    let block = makeBlock(number)
    blocks[number] = block
    return block
  }

  /// The text of an ayah as the page shows it.
  func displayedText(of ayah: AyahID) -> String { edition.text(of: ayah).sanitizedLine }

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
        // A number stays with the word that follows it.
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
      // The heading belongs to the surah's first ayah, but for the blank row above it.
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

  /// The number of an ayah in the margin.
  private func number(of ayah: AyahID) -> Segment {
    Segment(
      text: String(ayah.ayah).padded(to: 3, alignment: .right),
      column: 2, role: .number, ayah: ayah.index, offset: nil)
  }

  /// The rows above the first ayah of a surah: its name and the basmala.
  private func heading(before ayah: AyahID) -> [Row] {
    guard ayah.ayah == 1 else { return [] }
    let surah = ayah.surah.surah
    var rows = [Row()]
    let name = "\(surah.number) · \(surah.names)"
    rows.append(contentsOf: centered(name, role: .title, ayah: ayah.index))
    if surah.isHeadedByBasmala {
      rows.append(
        contentsOf: centered(displayedText(of: .first), role: .basmala, ayah: ayah.index))
    }
    return rows + [Row()]
  }

  private func centered(_ text: String, role: Role, ayah: Int) -> [Row] {
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

/// Fills rows with words, breaking between them, and inside a word only where
/// it is longer than a row; never inside a grapheme cluster.
struct RowBuilder {
  private let margin: Int
  private let measure: Int
  private var rows = [Row()]
  private var column = 0

  init(margin: Int, measure: Int) {
    self.margin = margin
    self.measure = measure
  }

  /// The row that the next word goes to, unless it is too long for it.
  var row: Int { rows.count - 1 }

  /// Appends text that breaks at spaces.
  ///
  /// - Parameter reserving: columns that must be left behind each word on its row.
  mutating func put(
    _ text: String, role: Role = .text, ayah: Int, isOwnText: Bool = true, reserving: Int = 0
  ) {
    var start = text.startIndex
    // A run of words on one row becomes one segment.
    var run: (start: String.Index, end: String.Index, column: Int)?
    func offset(_ index: String.Index) -> Int? {
      isOwnText && role == .text ? text.utf8.distance(from: text.startIndex, to: index) : nil
    }
    func close(_ rows: inout [Row], _ margin: Int) {
      guard let open = run else { return }
      rows[rows.count - 1].segments.append(
        Segment(
          text: String(text[open.start..<open.end]), column: margin + open.column, role: role,
          ayah: ayah, offset: offset(open.start)))
      run = nil
    }
    while start < text.endIndex {
      let end = text.nextSpace(from: start) ?? text.endIndex
      var word = text[start..<end]
      var columns = word.columns
      if columns > 0 {
        // Spaces between words of a run may be several; they show as they are.
        var gap = run.map { text[$0.end..<word.startIndex].columns } ?? (column == 0 ? 0 : 1)
        if column + gap + columns + reserving > measure, column > 0 {
          close(&rows, margin)
          rows.append(Row())
          column = 0
          gap = 0
        }
        while columns > measure, let cut = word.prefix(columns: measure) {
          rows[rows.count - 1].segments.append(
            Segment(
              text: String(word[..<cut]), column: margin, role: role, ayah: ayah,
              offset: offset(word.startIndex)))
          rows.append(Row())
          word = word[cut...]
          columns = word.columns
        }
        if run == nil {
          run = (word.startIndex, word.endIndex, column + gap)
        } else {
          run?.end = word.endIndex
        }
        column += gap + columns
      }
      start = end < text.endIndex ? text.index(after: end) : end
    }
    close(&rows, margin)
  }

  mutating func finish() -> [Row] { rows }
}

extension String {
  /// The next space that is a cluster of its own: one with marks on it is shown.
  fileprivate func nextSpace(from start: Index) -> Index? {
    var position = start
    while let space = utf8[position...].firstIndex(of: 0x20) {
      if self[space] == " " { return space }
      position = utf8.index(after: space)
    }
    return nil
  }
}

extension Substring {
  /// Where the text that fits into so many columns ends; nil where not even the
  /// first cluster does.
  fileprivate func prefix(columns limit: Int) -> Index? {
    var taken = 0
    var end = startIndex
    for index in indices {
      taken += self[index].columns
      if taken > limit { break }
      end = self.index(after: index)
    }
    return end > startIndex ? end : nil
  }
}
