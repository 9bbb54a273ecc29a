import Library
import Messages
import Quran
import Terminal
import Text

enum Tab: Int, CaseIterable {
  case surahs, juz, favorites, notes, search, progress, settings, texts

  /// The action that opens the screen.
  var action: Action {
    switch self {
    case .surahs: .surahs
    case .juz: .juz
    case .favorites: .favorites
    case .notes: .notes
    case .search: .searchScreen
    case .progress: .progress
    case .settings: .settings
    case .texts: .texts
    }
  }
}

/// The pane that receives the keys; on a narrow screen, the only one shown.
enum Pane: Hashable { case list, text }

extension Model {
  /// The tabs of the first row, with their columns.
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
      (.texts, .texts, messages.tabTexts, "¶"),
    ]
    // The longest form that fits is used.
    for form in TabForm.allCases {
      var column = form == .titled ? 12 : 1
      let gap = form == .titled || form == .whole || form == .symbols ? 2 : 1
      let spans = tabs.map { tab, action, name, short in
        let label: String
        switch form {
        case .titled, .whole, .tight: label = "\(tabKey(action)) \(name)"
        case .symbols: label = "\(tabKey(action)) \(short)"
        case .short, .shortest, .nameless:
          let isWhole =
            form != .nameless && tab == self.tab || (form == .short && short == name)
          label = tabKey(action) + (isWhole ? " \(name)" : short == name ? "" : short)
        }
        let span = column..<(column + label.columns)
        column = span.upperBound + gap
        return (tab: tab, label: label, columns: span)
      }
      let end = spans.last?.columns.upperBound ?? 0
      if end <= list.width - 1 || form == .nameless { return spans }
    }
    return []
  }

  /// The key that is shown for a tab: its first key, or that of the palette if it has none. It is
  /// the same while the text has the focus, although a digit then works only with Alt.
  private func tabKey(_ action: Action) -> String {
    keys.keys(for: action).first?.description ?? key(.palette)
  }

  /// The forms of the tabs, from the widest to the narrowest. The first one that fits is used.
  private enum TabForm: CaseIterable {
    /// Full names, after the name of the program.
    case titled
    /// Full names.
    case whole
    /// Full names with smaller gaps.
    case tight
    /// Symbols instead of names where there are any.
    case symbols
    /// The full name of the selected tab, and short names for the others.
    case short
    /// The full name of the selected tab, and only the keys, with a symbol where there is one,
    /// for the others.
    case shortest
    /// Only the keys, with a symbol where there is one.
    case nameless
  }

  func drawTop(on canvas: inout Canvas, _ geometry: Geometry, _ ayah: AyahID) {
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
}
