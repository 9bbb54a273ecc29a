import Editions
import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  func drawSearchRow(_ number: Int, on canvas: inout Canvas, row: Int, width: Int) {
    switch search.row(number) {
    case .reference(let ayah):
      let title = "→ \(ayah) \(ayah.surah.surah.names)"
      canvas.put(title.fitted(to: width - 3), row: row, column: 2, style: theme[.title])
    case .surah(let group): draw(group, on: &canvas, row: row, width: width)
    case .hit(let hit): drawHit(hit, on: &canvas, row: row, width: width)
    case .note(let note):
      let text = search.shownNotes[note.id]?.text.text.sanitizedLine ?? ""
      drawContext(text, of: note.ayah, isNote: true, on: &canvas, row: row, width: width)
    case nil: break
    }
  }

  private func draw(_ group: SearchGroup, on canvas: inout Canvas, row: Int, width: Int) {
    let surah = group.surah.surah
    let count = messages.hits(group.count)
    canvas.put(
      "\(group.surah)".padded(to: 3, alignment: .right), row: row, column: 2,
      style: theme[.number])
    canvas.put(
      surah.names.fitted(to: width - count.columns - 9), row: row, column: 6, style: theme[.text])
    canvas.put(count, row: row, column: width - count.columns - 1, style: theme[.faint])
  }

  private func drawHit(_ hit: Int, on canvas: inout Canvas, row: Int, width: Int) {
    let ayah = search.hits[hit]
    let info = search.found.edition(ofHit: hit)
    let drawn = drawnEdition(ofHit: hit)
    let name =
      info.isBundled && width >= 80
      ? "\(info.id) – \(messages.notReviewedShort)" : messages.idOrRemark(of: info)
    drawContext(
      drawn.textWithoutBasmala(of: ayah).sanitizedLine, of: ayah,
      direction: settings.arabicDisplay == nil ? .leftToRight : drawn.info.direction,
      note: namesEditionsOfHits && info.id != edition.info.id ? "[\(name)]" : "", on: &canvas,
      row: row, width: width)
  }

  /// The edition whose text is shown in the row of a hit: the edition of the hit or, if it is in
  /// Arabic and Arabic is not displayed, the current one. In both cases, the row shows the ID of
  /// the edition of the hit.
  private func drawnEdition(ofHit hit: Int) -> Edition {
    let found = search.editions.edition(ofHit: hit, in: search.found) ?? edition
    return found.info.direction == .leftToRight || settings.arabicDisplay != nil ? found : edition
  }

  /// Whether the rows have room for the ID of the edition of a hit, if it is not the current one.
  private var namesEditionsOfHits: Bool { geometry.list.map { $0.width >= 44 } ?? false }

  /// The edition that the last row names for the list of hits: the current one or, if it has no
  /// hits or the rows have no room for IDs, that of the selected hit. If no hit is selected, that
  /// of the first hit on the screen.
  var creditedEditionOfHits: Edition.Info {
    guard !namesEditionsOfHits || search.found.firstEditionCount == 0, let area = geometry.list
    else {
      return edition.info
    }
    let list = lists[.search]
    let rows = [list.selection] + Array(list.top..<list.top + area.height)
    let hit = rows.lazy.compactMap { row in
      if case .hit(let hit) = search.row(row) { hit } else { nil as Int? }
    }.first
    return hit.map { drawnEdition(ofHit: $0).info } ?? edition.info
  }

  /// Draws the number and surah of an ayah, and the part of a text around the first match.
  ///
  /// - Parameters:
  ///   - isNote: Whether the text is a note, which is drawn after a sign.
  ///   - note: A short text at the right edge.
  private func drawContext(
    _ text: String, of ayah: AyahID, direction: TextDirection = .leftToRight, isNote: Bool = false,
    note: String = "",
    on canvas: inout Canvas, row: Int, width: Int
  ) {
    canvas.put(ayah.description, row: row, column: 2, style: theme[.number])
    var column = 10
    if width >= 60 {
      canvas.put(
        ayah.surah.surah.transliteration.fitted(to: 15), row: row, column: column,
        style: theme[.faint])
      column += 16
    }
    if isNote { column += canvas.put("✎ ", row: row, column: column, style: theme[.text]) }
    var end = width - 1
    if !note.isEmpty {
      canvas.put(note, row: row, column: end - note.columns, style: theme[.faint])
      end -= note.columns + 1
    }
    let matches = search.query.matches(in: text, isEdition: !isNote)
    let context = Context(text, matches: matches, width: end - column)
    canvas.put(
      context.text, row: row, column: column, style: theme[.text], width: end - column,
      direction: direction, highlights: context.matches.map { Canvas.Highlight($0, theme[.hit]) })
  }

  var searchHints: [String] {
    let filter = "\(key(.nextFilter, in: .search)) \(messages.filter)"
    let leave = "\(key(.leave, in: .search)) \(messages.hintBack)"
    guard list.count > 0 else { return [filter, leave] }
    let group = search.isGrouped ? messages.hintHits : messages.hintBySurah
    let open = search.isGrouped ? messages.hintOpen : messages.hintRead
    let submit = "\(key(.submit, in: .search)) \(open)"
    // On a narrow screen, the name of the text leaves no room for all; Enter is guessed most
    // easily.
    let first = size.columns < 60 ? [leave, filter, submit] : [submit, filter, leave]
    return first + ["\(key(.toggleGroups, in: .search)) \(group)"]
  }

  /// Draws the search field, the filter, and the number of hits.
  func drawSearchHeading(on canvas: inout Canvas, _ area: Geometry.Area) {
    let right = searchSummary(width: area.width)
    drawField(
      search.field, prompt: messages.searchPrompt, on: &canvas, row: area.row, column: 1,
      width: area.width - right.columns - 3, showsCursor: pane == .list && overlay == nil)
    canvas.put(right, row: area.row, column: area.width - right.columns - 1, style: theme[.faint])
  }

  /// The filter and the number of hits, abbreviated on a narrow screen so that the query has enough
  /// room.
  private func searchSummary(width: Int) -> String {
    let isAnswered = search.query.isEmpty || (search.isEmpty && search.reference != nil)
    let isIndexing = search.currentIndex == nil || search.isEmpty && isSearchIncomplete
    func summary(_ filter: String, _ count: String) -> String {
      [filter, isAnswered ? "" : isIndexing ? messages.indexing : count]
        .filter { !$0.isEmpty }.joined(separator: " · ")
    }
    let notes = search.foundNotes.count
    let closest = search.closestCount
    let more = messages.moreHits(search.hits.count - closest, notes: notes)
    func counts(_ closestHits: String) -> String {
      let isOnlyMore = closest == 0 && !more.isEmpty
      return [isOnlyMore ? "" : closestHits, more].filter { !$0.isEmpty }.joined(separator: " ")
    }
    let longer = [
      summary(filterName(), messages.hits(search.found, notes: notes)),
      summary(filterName(), counts(messages.hits(closest))),
      summary(filterName(isShort: true), counts(messages.hits(closest))),
    ]
    // At least 24 columns are left for the query.
    let query = messages.searchPrompt.columns + search.field.text.columns + 5
    return longer.first { $0.columns <= width - max(query, 24) }
      ?? summary(filterName(isShort: true), counts("\(closest)"))
  }

  /// The filter, and the surah chosen in the list of surahs unless the filter names it already.
  private func filterName(isShort: Bool = false) -> String {
    func name(_ surah: SurahNumber) -> String {
      isShort ? messages.searchedSurah(surah.rawValue) : surah.surah.transliteration
    }
    let filter =
      switch search.filter {
      case .everything: ""
      case .surah(let surah): name(surah)
      case .juz(let number): "juz \(number)"
      case .favorites: isShort ? "♥" : messages.tabFavorites
      case .notes: isShort ? "✎" : messages.tabNotes
      }
    let surah = search.chosenSurah.flatMap { search.filter == .surah($0) ? nil : name($0) }
    return [filter, surah ?? ""].filter { !$0.isEmpty }.joined(separator: " · ")
  }
}

/// The part of a text around the longest run of matches, or around the first of several longest
/// ones. Matches with nothing but spaces and punctuation between them are a run. The longest run
/// is preferred to the first match, because in `đứng chờ bạn, một người khoan dung` the query
/// `khoan dung` matches `đứng` as well.
struct Context {
  let text: String
  /// The matches as UTF-8 offsets in `text`.
  let matches: [Range<Int>]

  init(_ text: String, matches: [Range<String.Index>], width: Int) {
    var start = text.startIndex
    if text.columns > width, let first = Self.longestRun(of: matches, in: text),
      text[..<first.upperBound].columns > width - 1
    {
      // Some words before the first match are shown, as many as there is room for if the text ends
      // soon after it.
      let rest = text[first.lowerBound...].columns
      var room = min(max(width / 3, width - rest - 2), width - text[first].columns - 2)
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
    let rest = lead + text[start...]
    let shown = rest.fitted(to: width)
    self.text = shown
    // If the text was cut, a match can end where it was cut; the added ellipsis is not highlighted.
    let count = shown.utf8.count - (shown == rest ? 0 : "…".utf8.count)
    self.matches = matches.compactMap { match in
      guard match.lowerBound >= start else { return nil }
      let from = lead.utf8.count + text[start..<match.lowerBound].utf8.count
      let to = from + text[match].utf8.count
      return from < count ? from..<min(to, count) : nil
    }
  }

  /// Returns the range of the run with the most matches; nil if there are no matches.
  static func longestRun(
    of matches: [Range<String.Index>], in text: String
  ) -> Range<String.Index>? {
    var longest: (count: Int, range: Range<String.Index>)?
    var run: (count: Int, range: Range<String.Index>)?
    for match in matches {
      if let former = run, !hasWords(String(text[former.range.upperBound..<match.lowerBound])) {
        run = (former.count + 1, former.range.lowerBound..<match.upperBound)
      } else {
        run = (1, match)
      }
      if let run, run.count > longest?.count ?? 0 { longest = run }
    }
    return longest?.range
  }

  /// Whether a text has letters or digits, other than those of footnote marks.
  private static func hasWords(_ text: String) -> Bool {
    var text = text
    for mark in FootnoteMark.marks(in: text).reversed() { text.removeSubrange(mark.range) }
    return text.contains { $0.isLetter || $0.isNumber }
  }
}
