import Editions
import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  func drawHit(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
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
    let text = edition.textWithoutBasmala(of: ayah).sanitizedLine
    let context = Context(text, matches: search.query.matches(in: text), width: width - column - 1)
    canvas.put(
      context.text, row: row, column: column, style: theme[.text], width: width - column - 1,
      direction: edition.info.direction,
      highlights: context.matches.map { Canvas.Highlight($0, theme[.hit]) })
  }

  var searchHints: [String] {
    [
      "\(key(.submit, in: .search)) \(messages.hintRead)",
      "\(key(.leave, in: .search)) \(messages.hintBack)",
      key(.up, in: .search) + key(.down, in: .search),
    ]
  }

  /// Draws the search field, and the number of hits.
  func drawSearchHeading(on canvas: inout Canvas, _ area: Geometry.Area) {
    let isAnswered = search.query.isEmpty || (search.hits.isEmpty && search.reference != nil)
    // On a narrow screen the query needs the room more than the number of other hits does.
    let exactCount = search.found.exactCount.flatMap { $0 > 0 ? $0 : nil }
    let count =
      area.width < 60
      ? messages.hits(exactCount ?? search.hits.count) : messages.hits(search.found)
    let right = isAnswered ? "" : search.index == nil ? messages.indexing : count
    drawField(
      search.field, prompt: messages.searchPrompt, on: &canvas, row: area.row, column: 1,
      width: area.width - right.columns - 3, showsCursor: pane == .list && overlay == nil)
    canvas.put(right, row: area.row, column: area.width - right.columns - 1, style: theme[.faint])
  }
}

/// The part of an ayah around the first match of a search.
struct Context {
  let text: String
  /// The matches as UTF-8 offsets in `text`.
  let matches: [Range<Int>]

  init(_ text: String, matches: [Range<String.Index>], width: Int) {
    var start = text.startIndex
    if text.columns > width, let first = matches.first,
      text[..<first.upperBound].columns > width - 1
    {
      // Some words before the first match are shown, as many as there is room for if the text ends
      // soon after it.
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
    self.text = shown
    let count = shown.utf8.count
    self.matches = matches.compactMap { match in
      guard match.lowerBound >= start else { return nil }
      let from = lead.utf8.count + text[start..<match.lowerBound].utf8.count
      let to = from + text[match].utf8.count
      return from < count ? from..<min(to, count) : nil
    }
  }
}
