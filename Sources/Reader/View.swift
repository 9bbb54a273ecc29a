import Editions
import Library
import Messages
import Quran
public import Terminal
import Text

extension Model {
  /// The screen for this state. It reads the model and changes nothing.
  public func view() -> Canvas {
    var canvas = Canvas(size: size, style: theme[.text])
    let geometry = geometry
    guard !geometry.isTooSmall else {
      let smallest = Geometry.smallest
      let text = messages.tooSmall(columns: smallest.columns, rows: smallest.rows)
      for (row, line) in wrapped(text, width: size.columns).enumerated() {
        canvas.put(line, row: row, column: 0, style: theme[.text])
      }
      return canvas
    }
    let reading = shownReading
    drawTop(on: &canvas, geometry, reading.cursor)
    drawRules(on: &canvas, geometry)
    if let area = geometry.list { drawList(on: &canvas, area, geometry) }
    if let area = geometry.text {
      drawText(on: &canvas, area, reading)
      if let note = geometry.note { drawNote(on: &canvas, note) }
    }
    drawStatus(on: &canvas, geometry)
    drawOverlay(on: &canvas, geometry)
    drawCorner(on: &canvas, geometry)
    return canvas
  }

  // MARK: The first row

  /// The tabs as they stand on the first row, with their columns.
  var tabSpans: [(tab: Tab, label: String, columns: Range<Int>)] {
    guard let list = geometry.list else { return [] }
    let tabs: [(tab: Tab, action: Action, name: String, short: String)] = [
      (.surahs, .surahs, messages.tabSurahs, messages.tabSurahs),
      (.juz, .juz, messages.tabJuz, messages.tabJuz),
      (.favorites, .favorites, messages.tabFavorites, "♥"),
      (.notes, .notes, messages.tabNotes, "✎"),
      (.search, .searchScreen, messages.tabSearch, messages.tabSearch),
      (.progress, .progress, messages.tabProgress, "%"),
      (.settings, .settings, messages.tabSettings, "≡"),
    ]
    // As much of the names as there is room for.
    for form in TabForm.allCases {
      var column = form == .titled ? 12 : 1
      let gap = form == .short || form == .shortest ? 1 : 2
      let spans = tabs.map { tab, action, name, short in
        let label: String
        switch form {
        case .titled, .whole: label = "\(key(action)) \(name)"
        case .symbols: label = "\(key(action)) \(short)"
        case .short, .shortest:
          let isWhole = tab == self.tab || (form == .short && short == name)
          label = key(action) + (isWhole ? " \(name)" : short == name ? "" : short)
        }
        let span = column..<(column + label.columns)
        column = span.upperBound + gap
        return (tab: tab, label: label, columns: span)
      }
      let end = spans.last?.columns.upperBound ?? 0
      if end <= list.width - 1 || form == .shortest { return spans }
    }
    return []
  }

  /// How the tabs are written: behind the program's name, whole, as symbols, and with
  /// the name of the tab shown, at last with no other.
  private enum TabForm: CaseIterable { case titled, whole, symbols, short, shortest }

  private func drawTop(on canvas: inout Canvas, _ geometry: Geometry, _ ayah: AyahID) {
    if geometry.list != nil {
      if tabSpans.first?.columns.lowerBound ?? 0 > 10 {
        canvas.put("Quran-vi", row: 0, column: 1, style: theme[.title])
      }
      for (tab, label, columns) in tabSpans {
        let style = tab == self.tab ? theme[.title].underlined : theme[.faint]
        canvas.put(label, row: 0, column: columns.lowerBound, style: style)
      }
    }
    if let text = geometry.text {
      drawTitle(ayah, on: &canvas, column: text.column, width: text.width)
    }
  }

  /// The surah being read at the left, where in the book that is at the right.
  private func drawTitle(
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
      for area in geometry.rules {
        let joint =
          area.width == size.columns ? "┴" : area.column == 0 ? "┤" : "├"
        canvas.put(joint, row: area.row, column: divider, style: theme[.rule])
      }
    }
  }

  // MARK: The last row

  /// What just happened, or at the left the place and what can be done next, and at
  /// the right whose text it is.
  private func drawStatus(on canvas: inout Canvas, _ geometry: Geometry) {
    let row = geometry.status
    if let message {
      draw(message, on: &canvas, lastRow: row)
      return
    }
    let isNarrow = size.columns < 60
    let title = edition.info.isRecognised ? edition.info.title : messages.bundledTitle
    // That the text is not reviewed is said on every screen.
    let caveat = edition.info.isRecognised ? "" : messages.notReviewedShort
    let right = (isNarrow && !caveat.isEmpty ? [caveat] : [title, caveat])
      .filter { !$0.isEmpty }.joined(separator: " – ")
    canvas.put(right, row: row, column: statusWidth - right.columns - 1, style: theme[.faint])
    let room = statusWidth - right.columns - 5
    let gap = isNarrow ? "  " : "   "
    let left = hints.reduce("") { line, part in
      let longer = line.isEmpty ? part : line + gap + part
      return longer.columns <= room ? longer : line
    }
    canvas.put(left, row: row, column: 1, style: theme[.faint])
  }

  /// What can be done here, or where this is.
  private var hints: [String] {
    if editor != nil { return messages.editorHint }
    if case .notes(let panel) = overlay {
      let next = panel.notes?.count ?? 0 > 1 ? ["\(key(.nextNote)) \(messages.hintNextNote)"] : []
      return next + [
        "\(key(.editNote)) \(messages.hintEdit)", "\(key(.deleteNote)) \(messages.hintDelete)",
        "\(Key(.escape)) \(messages.hintClose)",
      ]
    }
    return pane == .text ? textStatus : listHints
  }

  private var textStatus: [String] {
    let ayah = reading.cursor
    let sajda = ayah.sajda.map { "۩ \(messages.sajda)" + ($0 == .obligatory ? "!" : "") }
    let back =
      place.isLooking ? place.ayah.map { messages.jumpBackHint(key(.jumpBack), "\($0)") } : nil
    return ["\(ayah)", "\(ayah.ayah * 100 / ayah.surah.ayahCount) %"] + (back.map { [$0] } ?? [])
      + (browsing != .off && libraryState.isOpen ? [messages.browsing] : [])
      + (sajda.map { [$0] } ?? [])
      + ["\(key(.help)) \(messages.hintHelp)"]
  }

  private var listHints: [String] {
    let read = "\(Key(.enter)) \(messages.hintRead)"
    let help = "\(key(.help)) \(messages.hintHelp)"
    switch tab {
    case .search:
      return [read, "\(Key(.escape)) \(messages.hintBack)", "\(Key(.up))\(Key(.down))"]
    case .surahs:
      return [
        read, help, "\(key(.search)) \(messages.filter)", "\(key(.goTo)) \(messages.hintGoTo)",
      ]
    case .juz:
      return [
        read, help, "\(key(.search)) \(messages.hintSearch)", "\(key(.goTo)) \(messages.hintGoTo)",
      ]
    case .favorites: return [read, help, "\(key(.favorite)) \(messages.hintUnfavorite)"]
    case .notes where selectedNote?.deletedAt != nil:
      return ["\(Key(.enter)) \(messages.hintRestore)", help]
    case .notes:
      return [
        read, help, "\(key(.editNote)) \(messages.hintEdit)",
        "\(key(.deleteNote)) \(messages.hintDelete)",
      ]
    case .progress:
      return [read, help, "\(key(.restart)) \(messages.hintRestart)"]
    case .settings: return [messages.settingsHint, help]
    }
  }

  /// The key of an action; where it has none, that of the palette, which has them all.
  func key(_ action: Action) -> String {
    let key = keys.keys(for: action).first ?? keys.keys(for: .palette).first
    return key?.description ?? Key.control("p").description
  }
}

// MARK: Fitting text into columns

enum Alignment { case left, right }

extension String {
  /// The text cut to so many columns, with an ellipsis where it was longer.
  func fitted(to width: Int) -> String {
    var taken = 0
    // Where there is still room for the ellipsis.
    var cut = startIndex
    for index in indices {
      taken += self[index].columns
      if taken > width { return width > 0 ? self[..<cut] + "…" : "" }
      if taken < width { cut = self.index(after: index) }
    }
    return self
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
