import Editions
import Library
import Messages
import Quran
import Text

/// The layout of the text that the user has chosen.
struct PageFormat: Hashable {
  var layout = PageLayout.verse
  /// Whether several editions are shown side by side if there is room.
  var isSideBySide = false
  /// The maximum number of columns of each edition.
  var textWidth = TextWidth.standard
  /// Whether a blank row follows each ayah in verse layout.
  var hasBlankRows = false
  var marks = DivisionMarks.juz
  /// Whether each translation ends with its name.
  var namesTranslations = false
}

/// Lays out the Quran in one or more editions for one width, and caches the blocks.
///
/// The layout depends only on the parameters of `init`. Therefore copies of a model can share the
/// cache, and `view` can fill it.
final class Typesetter {
  /// The editions that are shown, from top to bottom or, if they are side by side, from left to
  /// right; never empty.
  let editions: [Edition]
  /// The same editions in the order in which they were given to `init`.
  let requestedEditions: [Edition.Info]
  let format: PageFormat
  let width: Int
  /// The sentences for the names of divisions and editions.
  let messages: Messages
  /// The blank columns left of the page, which centre it.
  let indent: Int
  /// The columns between the indent and the text: the bar and, in verse layout, the number.
  let gutter: Int
  /// The columns of each edition.
  let measure: Int
  /// Whether the gutter has room for the annotations of an ayah (♥ ✎) beside its number.
  var hasRoomForMarks: Bool { gutter > 6 }
  /// The columns of the text, of all editions if they are side by side.
  private let textWidth: Int
  /// The annotations that are shown with the numbers of ayahs in flow layout, by the ayah's index.
  let annotations: [Int: String]
  /// Whether the editions are side by side: this was requested, and there is room.
  let isInColumns: Bool
  /// For each edition the name with which each of its ayahs ends, as a title and a remark; empty if
  /// they end without one.
  private let names: [[String]]
  private var blocks: [Int: Block] = [:]

  /// The number of blocks after which the cache is emptied.
  private static let cachedBlocks = 512
  /// The number of blank columns between two editions in columns.
  private static let gap = 3
  /// The minimum width of an edition that is shown side by side with others.
  private static let narrowest = 24

  /// - Parameters:
  ///   - editions: the editions, from top to bottom. If they are side by side, those written from
  ///     right to left are moved to the right.
  ///   - width: the columns of the page.
  init(
    _ editions: [Edition], _ format: PageFormat, width: Int, messages: Messages,
    annotations: [Int: String] = [:]
  ) {
    requestedEditions = editions.map(\.info)
    self.format = format
    self.width = width
    self.messages = messages
    self.annotations = annotations
    gutter = format.layout == .flow ? 2 : width < 60 ? 6 : 10
    let room = width - gutter - (width < 60 ? 0 : 1)
    let column = (room - Self.gap * (editions.count - 1)) / editions.count
    isInColumns = format.isSideBySide && editions.count > 1 && column >= Self.narrowest
    measure = max(min(isInColumns ? column : room, format.textWidth), 1)
    let columns = isInColumns ? editions.count : 1
    textWidth = columns * measure + (columns - 1) * Self.gap
    indent = max(room - textWidth, 0) / 2
    self.editions =
      isInColumns
      ? editions.filter { $0.info.direction == .leftToRight }
        + editions.filter { $0.info.direction == .rightToLeft } : editions
    names = self.editions.map {
      format.namesTranslations && $0.info.kind != .original
        ? messages.titleAndRemark(of: $0.info) : []
    }
  }

  var blockCount: Int { layout == .verse ? AyahID.count : Division.ruku.count }

  /// Returns the number of the block that contains an ayah, counted from 1.
  func block(of ayah: AyahID) -> Int { layout == .verse ? ayah.index : ayah.ruku }

  /// Returns a block, and lays it out if it is not in the cache.
  ///
  /// - Parameter number: the number of the block, 1…`blockCount`.
  func block(_ number: Int) -> Block {
    if let block = blocks[number] { return block }
    if blocks.count >= Self.cachedBlocks { blocks.removeAll(keepingCapacity: true) }
    let block = makeBlock(number)
    blocks[number] = block
    return block
  }

  /// Returns the text of an ayah as the page shows it.
  ///
  /// - Parameter editionIndex: the index of the edition in `editions`.
  func displayedText(of ayah: AyahID, in editionIndex: Int) -> String {
    editions[editionIndex].textWithoutBasmala(of: ayah).sanitizedLine
  }

  /// Returns the rows that contain a part of the text of an ayah, as indexes in the block of the
  /// ayah; nil if no row does.
  ///
  /// - Parameters:
  ///   - offsets: the part, as a range of UTF-8 offsets into `displayedText`.
  ///   - editionIndex: the index of the edition in `editions`.
  func rows(
    of offsets: Range<Int>, in ayah: AyahID, of editionIndex: Int
  ) -> ClosedRange<Int>? {
    let rows = block(block(of: ayah)).rows
    let shown = rows.indices.filter { row in
      rows[row].contains { segment in
        guard segment.ayah == ayah.index, segment.editionIndex == editionIndex,
          let start = segment.offset
        else { return false }
        return offsets.overlaps(start..<start + segment.text.utf8.count)
      }
    }
    guard let first = shown.first, let last = shown.last else { return nil }
    return first...last
  }

  private var layout: PageLayout { format.layout }

  private func makeBlock(_ index: Int) -> Block {
    let ayahs =
      layout == .verse
      ? AyahID.first.advanced(by: index - 1)...AyahID.first.advanced(by: index - 1)
      : Division.ruku.ayahs(of: index) ?? AyahID.first...AyahID.first
    var rows = heading(before: ayahs.lowerBound)
    // The heading belongs to the first ayah of the surah, except for the blank row above it.
    let start = min(rows.count, 1)
    let headingCount = rows.count
    var rowsOfAyah: [ClosedRange<Int>] = []
    if layout == .flow, editions.count == 1 {
      var builder = builder(for: 0)
      for ayah in ayahs {
        let first = put(ayah, in: 0, &builder)
        rowsOfAyah.append(
          (rowsOfAyah.isEmpty ? start : first + headingCount)...(builder.row + headingCount))
      }
      rows += builder.finish()
    } else {
      for ayah in ayahs {
        let first = rows.count
        rows += self.rows(of: ayah)
        rowsOfAyah.append((rowsOfAyah.isEmpty ? start : first)...(rows.count - 1))
      }
    }
    if layout == .flow || format.hasBlankRows { rows.append(Row()) }
    return Block(
      rows: rows, rowsOfAyah: rowsOfAyah, ayahs: ayahs.lowerBound.index...ayahs.upperBound.index)
  }

  private func builder(for editionIndex: Int) -> RowBuilder {
    RowBuilder(
      margin: indent + gutter + (isInColumns ? editionIndex * (measure + Self.gap) : 0),
      measure: measure, editionIndex: editionIndex, direction: editions[editionIndex].info.direction
    )
  }

  /// Appends an ayah, in flow layout with its number, and returns the row of its text.
  private func put(_ ayah: AyahID, in editionIndex: Int, _ builder: inout RowBuilder) -> Int {
    let text = displayedText(of: ayah, in: editionIndex)
    if layout == .flow {
      // A number stays on the row of the word that follows it.
      let word = text.prefix { $0 != " " }
      if editionIndex == 0, let mark = mark(of: ayah) {
        builder.put("[\(mark)]", role: .division, ayah: ayah.index, reserving: word.columns + 8)
      }
      builder.put(
        "(\(ayah.ayah)\(annotations[ayah.index] ?? ""))", role: .number,
        ayah: ayah.index, reserving: word.columns + 1)
    }
    let row = builder.row
    builder.put(text, ayah: ayah.index)
    if let sajda = ayah.sajda, editionIndex == editions.count - 1 {
      builder.put(sajda == .obligatory ? "۩!" : "۩", role: .sign, ayah: ayah.index)
    }
    let name = names[editionIndex]
    // In a narrow column, a name behind the text would look like a part of it.
    if isInColumns, !name.isEmpty { builder.startRow() }
    for (index, part) in name.enumerated() {
      // The name is not divided between two rows if it fits on one, or else only before its remark.
      let rest = name[index...].joined(separator: " – ")
      let room = [rest, part].map { $0.columns + 1 }.first { $0 < measure } ?? 0
      builder.put("–", role: .faint, ayah: ayah.index, reserving: room)
      builder.put(part, role: .faint, ayah: ayah.index)
    }
    return row
  }

  /// Returns the rows of an ayah in all editions.
  private func rows(of ayah: AyahID) -> [Row] {
    let texts = editions.indices.map { editionIndex in
      var builder = builder(for: editionIndex)
      _ = put(ayah, in: editionIndex, &builder)
      return builder.finish()
    }
    var rows: [Row]
    if isInColumns {
      let count = texts.map(\.count).max() ?? 0
      rows = (0..<count).map { row in texts.flatMap { row < $0.count ? $0[row] : [] } }
    } else {
      rows = texts.flatMap { $0 }
    }
    guard layout == .verse else { return rows }
    rows[0].insert(number(of: ayah), at: 0)
    if let mark = mark(of: ayah) {
      rows.insert(contentsOf: centered(mark, role: .division, ayah: ayah.index), at: 0)
    }
    return rows
  }

  /// Returns the names of the divisions that begin with an ayah and are marked; nil if there are
  /// none.
  private func mark(of ayah: AyahID) -> String? {
    guard format.marks != .off else { return nil }
    let previous = ayah.previous
    var names: [String] = []
    if previous?.juz != ayah.juz { names.append("\(messages.juz) \(ayah.juz)") }
    if previous?.hizb != ayah.hizb { names.append("\(messages.hizb) \(ayah.hizb)") }
    if format.marks == .page, previous?.page != ayah.page {
      names.append("\(messages.page) \(ayah.page)")
    }
    return names.isEmpty ? nil : names.joined(separator: " · ")
  }

  /// Returns the number of an ayah in the margin.
  private func number(of ayah: AyahID) -> Segment {
    Segment(
      text: String(ayah.ayah).padded(to: 3, alignment: .right),
      column: indent + (hasRoomForMarks ? 1 : 2), role: .number, ayah: ayah.index, offset: nil)
  }

  /// Returns the rows above the first ayah of a surah: its name and the basmala.
  private func heading(before ayah: AyahID) -> [Row] {
    guard ayah.ayah == 1 else { return [] }
    let surah = ayah.surah.surah
    var rows = [Row()]
    let name = "\(surah.number) · \(surah.names)"
    rows.append(contentsOf: centered(name, role: .title, ayah: ayah.index))
    for edition in editions {
      guard let basmala = edition.heading(of: ayah.surah) else { continue }
      rows.append(
        contentsOf: centered(
          basmala.sanitizedLine, role: .basmala, ayah: ayah.index,
          direction: edition.info.direction))
    }
    return rows + [Row()]
  }

  private func centered(
    _ text: String, role: TextRole, ayah: Int, direction: TextDirection = .leftToRight
  ) -> [Row] {
    let room = min(gutter + textWidth, width)
    var builder = RowBuilder(margin: 0, measure: room)
    builder.put(text, role: role, ayah: ayah, isOwnText: false)
    return builder.finish().map { row in
      row.map { segment in
        var segment = segment
        segment.column = indent + max((room - segment.text.columns) / 2, 0)
        segment.direction = direction
        return segment
      }
    }
  }
}
