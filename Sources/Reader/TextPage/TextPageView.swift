import Editions
import Library
import Messages
import Quran
import Terminal
import Text

// Drawing the text.
extension Model {
  func drawText(on canvas: inout Canvas, _ area: Geometry.Area, _ position: TextPosition) {
    let cursor = position.cursor.index
    let selected = selection.map { $0.lowerBound.index...$0.upperBound.index } ?? cursor...cursor
    let isFocused = pane == .text
    var highlights: [(text: ShownText, all: [Canvas.Highlight])] = []
    for (line, (anchor, row)) in pager.page(from: position.top).enumerated() {
      let screenRow = area.row + line
      if row.contains(where: { selected.contains($0.ayah) && $0.isOfAyah }) {
        canvas.put(
          "▌", row: screenRow, column: area.column + typesetter.indent,
          style: theme[isFocused ? .bar : .faint])
      }
      drawAnnotations(of: row, anchor, on: &canvas, row: screenRow, area)
      for segment in row {
        var shown: [Canvas.Highlight] = []
        if let offset = segment.offset {
          let text = ShownText(ayah: segment.ayah, editionIndex: segment.editionIndex)
          let all: [Canvas.Highlight]
          if let known = highlights.last(where: { $0.text == text }) {
            all = known.all
          } else {
            all = self.highlights(of: text)
            highlights.append((text, all))
          }
          let range = offset..<(offset + segment.text.utf8.count)
          shown = all.filter { $0.range.overlaps(range) }.map {
            let part = $0.range.clamped(to: range)
            return Canvas.Highlight(
              (part.lowerBound - offset)..<(part.upperBound - offset), $0.style)
          }
        }
        canvas.put(
          segment.text, row: screenRow, column: area.column + segment.column,
          style: style(of: segment, isSelected: selected.contains(segment.ayah)),
          width: segment.direction == .rightToLeft
            ? segment.text.columns : area.width - segment.column,
          direction: segment.direction, highlights: shown)
      }
    }
  }

  /// An ayah in one of the editions that are shown.
  private struct ShownText: Equatable {
    let ayah: Int
    let editionIndex: Int
  }

  /// Returns the footnote marks and the search matches in an ayah, with their styles. The ranges
  /// are UTF-8 offsets in the displayed text. Marks without a footnote are dim.
  private func highlights(of shown: ShownText) -> [Canvas.Highlight] {
    guard let ayah = AyahID(index: shown.ayah) else { return [] }
    let text = typesetter.displayedText(of: ayah, in: shown.editionIndex)
    let edition = typesetter.editions[shown.editionIndex]
    let marks = text.utf8.contains(UInt8(ascii: "[")) ? FootnoteMark.marks(in: text) : []
    let hasFootnotes = !marks.isEmpty && edition.footnoteText(of: ayah) != nil
    let matches = highlightedQuery?.matches(in: text) ?? []
    return marks.map {
      Canvas.Highlight(text.utf8Offsets(of: $0.range), theme[hasFootnotes ? .footnote : .faint])
    } + matches.map { Canvas.Highlight(text.utf8Offsets(of: $0), theme[.hit]) }
  }

  /// Draws the annotations of an ayah in verse layout: in the margin after its number or, if the
  /// margin is narrow, the heart before the number and the notes below it.
  private func drawAnnotations(
    of row: Row, _ anchor: Anchor, on canvas: inout Canvas, row screenRow: Int,
    _ area: Geometry.Area
  ) {
    guard typesetter.format.layout == .verse,
      let ayah = row.last.flatMap({ AyahID(index: $0.ayah) })
    else { return }
    let isFavorite = libraryState.shown.isFavorite(ayah)
    let notes = libraryState.shown.noteCount(of: ayah)
    let isUnfinished = libraryState.shown.drafts.contains { $0.ayah == ayah }
    guard isFavorite || notes > 0 || isUnfinished else { return }
    let isNumbered = row.contains { $0.role == .number }
    let style = theme[.mark]
    let column = area.column + typesetter.indent
    if typesetter.hasRoomForMarks {
      guard isNumbered else { return }
      canvas.put(
        Snapshot.annotations(isFavorite: isFavorite, notes: notes, isUnfinished: isUnfinished),
        row: screenRow, column: column + 5, style: style)
      return
    }
    if isNumbered, isFavorite {
      canvas.put("♥", row: screenRow, column: column + 1, style: style)
    }
    let block = typesetter.block(anchor.block)
    let numbered = block.rows.firstIndex { $0.contains { $0.role == .number } } ?? 0
    // If the ayah takes one row only, its pen or `…` is between the number and the text.
    let hasPen = notes > 0 || isUnfinished
    if hasPen, isNumbered, numbered == block.rows(of: ayah.index).upperBound {
      canvas.put(isUnfinished ? "…" : "✎", row: screenRow, column: column + 5, style: style)
    } else if hasPen, anchor.row == numbered + 1 {
      let pen = Snapshot.annotations(isFavorite: false, notes: notes, isUnfinished: isUnfinished)
      canvas.put(pen, row: screenRow, column: column + 2, style: style)
    }
  }

  /// Returns the style of a segment. In flow layout a row may hold several ayahs, so the text of
  /// the ayah under the cursor and of selected ayahs is highlighted, too.
  func style(of segment: Segment, isSelected: Bool) -> Style {
    var style = theme[segment.role]
    // Arabic script has no italics.
    if segment.direction == .rightToLeft { style.attributes.remove(.italic) }
    guard isSelected, segment.isOfAyah else { return style }
    switch (typesetter.format.layout, segment.role) {
    case (.flow, .number): return style.reversed
    case (.flow, _), (.verse, .number): return style.bolder
    case (.verse, _): return style
    }
  }

  /// Draws the name of the surah at the left, and its juz, hizb, page and place of revelation at
  /// the right. Its Arabic name follows the name at the left if everything else fits beside it,
  /// whichever page of the surah is shown.
  func drawTitle(
    _ ayah: AyahID, on canvas: inout Canvas, column: Int, width: Int
  ) {
    let surah = ayah.surah.surah
    let name = "\(surah.number) \(surah.names)"
    let used = canvas.put(
      name.fitted(to: width - 2), row: 0, column: column + 1, style: theme[.title])
    var places = [
      "\(messages.juz) \(ayah.juz)", "\(messages.hizb) \(ayah.hizb)",
      "\(messages.page) \(ayah.page)",
      surah.revelation.rawValue,
    ]
    let arabicName = surah.arabicName
    let longest = [
      "\(messages.juz) 30", "\(messages.hizb) 60", "\(messages.page) 604",
      surah.revelation.rawValue,
    ].joined(separator: " · ")
    if showsArabicNames, used + arabicName.columns + longest.columns + 6 <= width {
      canvas.put(
        arabicName, row: 0, column: column + used + 3, style: theme[.title],
        width: arabicName.columns, direction: .rightToLeft)
    }
    // Parts that do not fit are left out, the least important first.
    while !places.isEmpty {
      let text = places.joined(separator: " · ")
      if used + text.columns + 4 <= width {
        canvas.put(text, row: 0, column: column + width - text.columns - 1, style: theme[.faint])
        return
      }
      places.removeLast()
    }
  }

  /// The keys of a selection, or the state of reading and the keys of the text.
  var textHints: [String] {
    if let selection { return selectionHints(selection) }
    let marks =
      libraryState.refusal == nil
      ? [
        "\(key(.favorite)) \(messages.hintFavorite)", "\(key(.newNote)) \(messages.hintNote)",
      ] : []
    return readingHints + [helpHint] + marks
      + ["\(key(.search)) \(messages.hintSearch)", goToHint]
  }

  /// The number of the ayah under the cursor. If the ayah continues below the page, a second hint
  /// says which key scrolls down.
  var ayahHints: [String] {
    let ayah = "\(position.cursor)"
    guard pager.endsBelow(position) else { return [ayah] }
    return [ayah, "\(key(.down)) \(messages.hintMoreOfAyah)"]
  }

  /// The hints of the ayah under the cursor, and those of reading.
  var readingHints: [String] { ayahHints + readingStateHints }

  /// The share of the surah up to the ayah under the cursor in percent, the keys for the hits of a
  /// search, whether reading counts, how to return after a jump, and whether it is an ayah of
  /// prostration.
  var readingStateHints: [String] {
    let ayah = position.cursor
    let isBrowsing = progress.browsing != .off && libraryState.isOpen
    let back =
      place.isJumpPending
      ? jumps.previous(of: ayah).map { messages.jumpBackHint(key(.jumpBack), "\($0)") } : nil
    let hits = search.highlighted == nil ? nil : hitHints
    return [
      "\(ayah.ayah * 100 / ayah.surah.ayahCount) %", hits,
      isBrowsing ? messages.browsing(key(.browse)) : nil, back, ayah.sajda.map(messages.sajda),
    ].compactMap(\.self)
  }
}

extension Segment {
  /// Whether it is the text or the number of an ayah, not a heading or mark before it.
  var isOfAyah: Bool { role != .title && role != .basmala && role != .division }
}
