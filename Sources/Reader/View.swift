import Editions
import Quran
public import Terminal
import Text
import Words

extension Model {
  /// The screen for this state. It reads the model and changes nothing.
  public func view() -> Canvas {
    var canvas = Canvas(size: size, style: theme[.text])
    let geometry = geometry
    guard !geometry.isTooSmall else {
      let smallest = Geometry.smallest
      let text = words.tooSmall(columns: smallest.columns, rows: smallest.rows)
      canvas.put(text, row: 0, column: 0, style: theme[.text])
      return canvas
    }
    drawTop(on: &canvas, geometry)
    drawRules(on: &canvas, geometry)
    if let area = geometry.list { drawList(on: &canvas, area, geometry) }
    if let area = geometry.text { drawText(on: &canvas, area) }
    drawStatus(on: &canvas, geometry)
    drawOverlay(on: &canvas, geometry)
    return canvas
  }

  // MARK: The first row

  /// The tabs as they stand on the first row, with their columns.
  var tabSpans: [(tab: Tab, label: String, columns: Range<Int>)] {
    guard geometry.list != nil else { return [] }
    var column = size.columns < 60 ? 1 : 12
    return [
      (Tab.surahs, "1 \(words.tabSurahs)"), (.juz, "2 \(words.tabJuz)"),
      (.search, "5 \(words.tabSearch)"),
    ]
    .map { tab, label in
      let span = column..<(column + label.columns)
      column = span.upperBound + 2
      return (tab, label, span)
    }
  }

  private func drawTop(on canvas: inout Canvas, _ geometry: Geometry) {
    if let list = geometry.list {
      if tabSpans.first?.columns.lowerBound ?? 0 > 10 {
        canvas.put("Quran-vi", row: 0, column: 1, style: theme[.title])
      }
      for (tab, label, columns) in tabSpans where columns.upperBound <= list.width {
        let style = tab == self.tab ? theme[.title].underlined : theme[.faint]
        canvas.put(label, row: 0, column: columns.lowerBound, style: style)
      }
    }
    if let text = geometry.text {
      drawTitle(on: &canvas, column: text.column, width: text.width)
    }
  }

  /// The surah being read at the left, where in the book that is at the right.
  private func drawTitle(on canvas: inout Canvas, column: Int, width: Int) {
    let ayah = shownReading.cursor
    let surah = ayah.surah.surah
    let name = "\(surah.number) \(surah.transliteration) · \(surah.vietnameseName)"
    let used = canvas.put(
      name.fitted(to: width - 2), row: 0, column: column + 1, style: theme[.title])
    var places = [
      "\(words.juz) \(ayah.juz)", "\(words.hizb) \(ayah.hizb)", "\(words.page) \(ayah.page)",
      surah.revelation.rawValue,
    ]
    // What there is no room for is left out, the least telling first.
    while !places.isEmpty {
      let text = places.joined(separator: " · ")
      if used + text.columns + 4 <= width {
        canvas.put(text, row: 0, column: column + width - text.columns - 1, style: theme[.faint])
        return
      }
      places.removeLast()
    }
  }

  private func drawRules(on canvas: inout Canvas, _ geometry: Geometry) {
    for area in geometry.rules {
      let line = String(repeating: "─", count: area.width)
      canvas.put(line, row: area.row, column: area.column, style: theme[.rule])
    }
    if let divider = geometry.divider {
      for row in 0..<(geometry.status - (geometry.rules.isEmpty ? 0 : 1)) {
        canvas.put("│", row: row, column: divider, style: theme[.rule])
      }
    }
  }

  // MARK: The text

  private func drawText(on canvas: inout Canvas, _ area: Geometry.Area) {
    let reading = shownReading
    let cursor = reading.cursor.index
    let page = Pager(typesetter, height: area.height).page(from: reading.top)
    var numbered: Set<Int> = []
    var marks: [Int: [Range<Int>]] = [:]
    for (line, (anchor, row)) in page.enumerated() {
      let screenRow = area.row + line
      if row.segments.contains(where: {
        $0.ayah == cursor && $0.role != .title && $0.role != .basmala
      }) {
        canvas.put(
          "▌", row: screenRow, column: area.column,
          style: pane == .text || geometry.isTwoPane == false ? theme[.bar] : theme[.faint])
      }
      for segment in row.segments {
        let column = area.column + segment.column
        if typesetter.layout == .verse, segment.offset == 0, let ayah = AyahID(index: segment.ayah)
        {
          let number = String(ayah.ayah).padded(to: 3, alignment: .right)
          canvas.put(
            number, row: screenRow,
            column: area.column + typesetter.margin - 3 - (area.width < 60 ? 1 : 2),
            style: segment.ayah == cursor ? theme[.number].bolder : theme[.number])
        }
        var style = theme[segment.role]
        if segment.role == .number, segment.ayah == cursor, numbered.insert(segment.ayah).inserted {
          style = style.reversed
        }
        canvas.put(
          segment.text, row: screenRow, column: column, style: style,
          width: area.width - segment.column)
        if let query = markedQuery, let offset = segment.offset {
          if marks[segment.ayah] == nil {
            marks[segment.ayah] = self.marks(of: query, ayah: segment.ayah)
          }
          mark(marks[segment.ayah] ?? [], in: segment, offset, on: &canvas, row: screenRow, area)
        }
      }
      _ = anchor
    }
  }

  /// What the query finds in an ayah, as ranges of bytes of its displayed text.
  private func marks(of query: SearchQuery, ayah: Int) -> [Range<Int>] {
    guard let ayah = AyahID(index: ayah) else { return [] }
    let text = typesetter.displayedText(of: ayah)
    return query.matches(in: text).map {
      text.utf8.distance(
        from: text.startIndex, to: $0.lowerBound)..<text.utf8.distance(
          from: text.startIndex, to: $0.upperBound)
    }
  }

  private func mark(
    _ ranges: [Range<Int>], in segment: Segment, _ offset: Int, on canvas: inout Canvas, row: Int,
    _ area: Geometry.Area
  ) {
    let text = segment.text.utf8
    for range in ranges where range.upperBound > offset && range.lowerBound < offset + text.count {
      let start = text.index(text.startIndex, offsetBy: max(range.lowerBound - offset, 0))
      let end = text.index(
        text.startIndex, offsetBy: min(range.upperBound - offset, text.count))
      let column = area.column + segment.column + segment.text[..<start].columns
      canvas.restyle(row: row, columns: column..<(column + segment.text[start..<end].columns)) {
        $0 = theme[.hit]
      }
    }
  }

  // MARK: The last row

  private func drawStatus(on canvas: inout Canvas, _ geometry: Geometry) {
    let row = geometry.status
    if let message {
      draw(message, on: &canvas, lastRow: row)
      return
    }
    var right = edition.info.isRecognised ? edition.info.title : words.bundledTitle
    if !edition.info.isRecognised { right += " – \(words.notReviewedShort)" }
    let left = pane == .text ? textStatus : listHints
    let used = canvas.put(
      left.fitted(to: size.columns - 2), row: row, column: 1, style: theme[.faint])
    for text in [right, words.notReviewedShort] where used + text.columns + 4 <= size.columns {
      canvas.put(text, row: row, column: size.columns - text.columns - 1, style: theme[.faint])
      return
    }
  }

  private var textStatus: String {
    let ayah = reading.cursor
    var parts = ["\(ayah)", "\(ayah.ayah * 100 / ayah.surah.ayahCount) %"]
    if let sajda = ayah.sajda {
      parts.append("۩ \(words.sajda)" + (sajda == .obligatory ? "!" : ""))
    }
    parts.append("\(key(.help)) \(words.hintHelp)")
    return parts.joined(separator: "  ")
  }

  private var listHints: String {
    let keyOfSearch = key(.search)
    let hints =
      tab == .search
      ? ["↑↓", "Enter \(words.hintRead)", "Esc \(words.hintBack)"]
      : [
        "\(keyOfSearch) \(tab == .surahs ? words.filter : words.hintSearch)",
        "Enter \(words.hintRead)", "\(key(.help)) \(words.hintHelp)",
        "\(key(.goTo)) \(words.hintGoTo)",
      ]
    return hints.reduce("") { line, hint in
      let longer = line.isEmpty ? hint : "\(line)   \(hint)"
      return longer.columns <= size.columns - 2 ? longer : line
    }
  }

  func key(_ action: Action) -> String { keys.keys(for: action).first?.description ?? "" }
}

// MARK: Fitting text into columns

enum Alignment { case left, right }

extension String {
  /// The text cut to so many columns, with an ellipsis where it was longer.
  func fitted(to width: Int) -> String {
    guard columns > width else { return self }
    guard width > 0 else { return "" }
    var taken = 0
    var result = ""
    for cluster in self {
      guard taken + cluster.columns <= width - 1 else { break }
      taken += cluster.columns
      result.append(cluster)
    }
    return result + "…"
  }

  /// The text with blanks up to so many columns.
  func padded(to width: Int, alignment: Alignment = .left) -> String {
    let fill = String(repeating: " ", count: max(width - columns, 0))
    return alignment == .left ? self + fill : fill + self
  }
}

extension Style {
  var underlined: Style { with(.underline) }
  var reversed: Style { with(.reverse) }
  var bolder: Style { with(.bold) }

  private func with(_ attribute: Attributes) -> Style {
    var style = self
    style.attributes.insert(attribute)
    return style
  }
}
