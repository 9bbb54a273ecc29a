import Editions
import Library
import Messages
import Quran
import Terminal
import Text

// The lists: surahs, juz, and what a search found.
extension Model {
  func drawList(on canvas: inout Canvas, _ area: Geometry.Area, _ geometry: Geometry) {
    drawListHeading(on: &canvas, geometry)
    let (state, count) = list
    if count == 0 {
      let text = emptyListText
      for (line, row) in wrapped(text, width: area.width - 2).enumerated() where line < area.height
      {
        canvas.put(row, row: area.row + line, column: 1, style: theme[.faint])
      }
      return
    }
    let surahs = listedSurahs
    for line in 0..<min(area.height, count - state.top) {
      let index = state.top + line
      let row = area.row + line
      let isSelected = index == state.selection
      switch tab {
      case .surahs: draw(surahs[index].surah, on: &canvas, row: row, width: area.width)
      case .juz: drawJuz(index + 1, on: &canvas, row: row, width: area.width)
      case .favorites: drawFavorite(index, on: &canvas, row: row, width: area.width)
      case .notes: drawNote(index, on: &canvas, row: row, width: area.width)
      case .search: drawHit(index, on: &canvas, row: row, width: area.width)
      case .progress: drawProgress(index, on: &canvas, row: row, width: area.width)
      case .settings: drawSetting(index, on: &canvas, row: row, width: area.width)
      }
      guard isSelected else { continue }
      canvas.put("▸", row: row, column: 0, style: theme[.bar])
      if pane == .list {
        let selection = theme[.selection]
        canvas.restyle(row: row, columns: 0..<area.width) { style in
          guard style != theme[.hit] else { return }
          style = selection
        }
      }
    }
  }

  /// The line above the list: the field that is typed into, or where reading goes on.
  private func drawListHeading(on canvas: inout Canvas, _ geometry: Geometry) {
    guard let area = geometry.listHeading else { return }
    if tab == .search {
      let isTyping = pane == .list && overlay == nil
      let isAnswered = search.query.isEmpty || (search.hits.isEmpty && search.reference != nil)
      let right =
        isAnswered ? "" : index == nil ? messages.indexing : messages.hits(search.hits.count)
      let room = area.width - right.columns - 3
      drawField(
        search.field, prompt: messages.searchPrompt, on: &canvas, row: area.row, column: 1,
        width: room,
        showsCursor: isTyping)
      canvas.put(
        right, row: area.row, column: area.width - right.columns - 1, style: theme[.faint])
      return
    }
    if overlay == .filter || !filter.isEmpty, tab == .surahs {
      drawField(
        filter, prompt: messages.filterPrompt, on: &canvas, row: area.row, column: 1,
        width: area.width - 2, showsCursor: overlay == .filter)
      return
    }
    switch tab {
    case .favorites:
      drawCount(messages.favoriteCount(libraryState.favorites.count), on: &canvas, area)
    case .notes: drawCount(messages.noteCount(libraryState.shown.noteCount), on: &canvas, area)
    case .progress: drawOverall(on: &canvas, area)
    default: drawContinue(on: &canvas, area)
    }
  }

  private func drawCount(_ text: String, on canvas: inout Canvas, _ area: Geometry.Area) {
    canvas.put(text, row: area.row, column: 1, style: theme[.title])
  }

  /// Where reading goes on, and how much of that surah is read.
  private func drawContinue(on canvas: inout Canvas, _ area: Geometry.Area) {
    let ayah = nextPlace ?? reading.cursor
    let used = canvas.put(
      (nextPlace == nil ? messages.startReading : messages.continueReading) + "  ▸ ", row: area.row,
      column: 1,
      style: theme[.faint])
    var room = area.width - used - 2
    let last = libraryState.shown.lastReadAyah(of: ayah.surah)
    if last > 0 {
      let percent = "\(last * 100 / ayah.surah.ayahCount) %"
      let columns = min(max(room - 40, 0), 20)
      let bar = Self.bar(last, of: ayah.surah.ayahCount, columns: columns)
      let right = bar.isEmpty ? percent : "\(bar) \(percent)"
      canvas.put(
        right, row: area.row, column: area.width - right.columns - 1, style: theme[.mark])
      room -= right.columns + 2
    }
    canvas.put(
      "\(ayah) \(ayah.surah.surah.names)".fitted(to: room), row: area.row, column: 1 + used,
      style: theme[.title])
  }

  private var emptyListText: String {
    switch tab {
    case .surahs: messages.noSurahNamed(filter.text.fitted(to: 60))
    case .juz, .progress, .settings: ""
    case .favorites: libraryState.isOpen ? messages.noFavorites : libraryMessage
    case .notes: noteList == nil ? libraryMessage : messages.noNotesYet
    case .search:
      search.query.isEmpty
        ? messages.searchHint
        : index == nil ? messages.indexing : messages.noHits(search.field.text.fitted(to: 60))
    }
  }

  /// Why there is nothing of the library to show.
  private var libraryMessage: String {
    libraryState.refusal.map(messages.explain) ?? messages.loading
  }

  // MARK: Rows

  private func draw(_ surah: Surah, on canvas: inout Canvas, row: Int, width: Int) {
    let number = String(surah.number.rawValue).padded(to: 3, alignment: .right)
    canvas.put(number, row: row, column: 2, style: theme[.number])
    canvas.put(surah.transliteration, row: row, column: 6, style: theme[.text], width: 15)
    let favorites = libraryState.shown.favoriteCount(of: surah.number)
    let notes = libraryState.shown.noteCount(of: surah.number)
    let last = libraryState.shown.lastReadAyah(of: surah.number)
    let percent = "\(last * 100 / surah.ayahCount) %".padded(to: 5, alignment: .right)
    let count = String(surah.ayahCount).padded(to: 3, alignment: .right)
    guard width >= 60 else {
      // Beside the text, or on a narrow screen.
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
    // Arabic stands at the right edge of its column.
    if showsArabicNames {
      end -= 10
      let name = surah.arabicName.padded(to: 9, alignment: .right)
      canvas.put(name, row: row, column: end, style: theme[.text])
    }
    canvas.put(
      surah.vietnameseName.fitted(to: end - 22), row: row, column: 21, style: theme[.faint])
  }

  private func drawJuz(_ number: Int, on canvas: inout Canvas, row: Int, width: Int) {
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

  private func drawHit(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    guard let ayah = search.target(index) else { return }
    if search.reference != nil, index == 0 {
      let place = "→ \(ayah) \(ayah.surah.surah.names)"
      canvas.put(place.fitted(to: width - 3), row: row, column: 2, style: theme[.title])
      return
    }
    let reference = ayah.description
    canvas.put(reference, row: row, column: 2, style: theme[.number])
    var column = 10
    if width >= 60 {
      canvas.put(
        ayah.surah.surah.transliteration.fitted(to: 15), row: row, column: column,
        style: theme[.faint])
      column += 16
    }
    let text = edition.text(of: ayah).sanitizedLine
    let context = Context(text, matches: search.query.matches(in: text), width: width - column - 1)
    canvas.put(context.text, row: row, column: column, style: theme[.text])
    for columns in context.marks {
      canvas.restyle(
        row: row, columns: (column + columns.lowerBound)..<(column + columns.upperBound)
      ) { $0 = theme[.hit] }
    }
  }

  func drawField(
    _ field: TextField, prompt: String, on canvas: inout Canvas, row: Int, column: Int, width: Int,
    showsCursor: Bool
  ) {
    let used = canvas.put(prompt, row: row, column: column, style: theme[.title], width: width)
    let room = max(width - used, 1)
    // The end of a long text is what is being typed.
    var first = field.head.endIndex
    var taken = 0
    while first > field.head.startIndex {
      let before = field.head.index(before: first)
      let columns = field.head[before].columns
      guard taken + columns <= room - 1 else { break }
      (first, taken) = (before, taken + columns)
    }
    let style = theme[field.isSelected ? .selection : .text]
    let start = column + used
    canvas.put(
      field.head[first...] + field.tail, row: row, column: start, style: style, width: room)
    if showsCursor {
      canvas.cursor = Canvas.Position(row: row, column: min(start + taken, size.columns - 1))
    }
  }

  func wrapped(_ text: String, width: Int) -> [String] {
    var builder = RowBuilder(margin: 0, measure: max(width, 1))
    builder.put(text, ayah: 0)
    return builder.finish().map { $0.segments.map(\.text).joined(separator: " ") }
  }
}

/// The part of an ayah around what a search found in it.
struct Context {
  let text: String
  /// Columns of the matches in `text`.
  let marks: [Range<Int>]

  init(_ text: String, matches: [Range<String.Index>], width: Int) {
    var start = text.startIndex
    if text.columns > width, let first = matches.first,
      text[..<first.upperBound].columns > width - 1
    {
      // Some words lead up to the first match; where the text ends soon after
      // it, as many as there is room for.
      let rest = text[first.lowerBound...].columns
      var room = max(width / 3, width - rest - 2)
      start = first.lowerBound
      while start > text.startIndex, room > 0 {
        start = text.index(before: start)
        room -= text[start].columns
      }
      // No word is cut at its start.
      if let space = text[start..<first.lowerBound].firstIndex(of: " ") {
        start = text.index(after: space)
      }
    }
    let lead = start > text.startIndex ? "…" : ""
    let shown = (lead + text[start...]).fitted(to: width)
    let columns = shown.columns
    self.text = shown
    marks = matches.compactMap { match in
      guard match.lowerBound >= start else { return nil }
      let from = lead.columns + text[start..<match.lowerBound].columns
      let to = from + text[match].columns
      return from < columns ? from..<min(to, columns) : nil
    }
  }
}
