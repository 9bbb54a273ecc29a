import Messages
import Quran
import Terminal
import Text

extension Model {
  mutating func handleFilter(_ key: Key) -> [Effect] {
    switch KeyContext.listPrompt.action(for: key) {
    case .submit:
      overlay = nil
      return openSelection()
    case .up: return perform(.up)
    case .down: return perform(.down)
    case .pageUp: return perform(.pageUp)
    case .pageDown: return perform(.pageDown)
    case .closeIfEmpty where lists.filter.isEmpty:
      overlay = nil
      cancelFilter()
    default:
      var field = lists.filter
      if field.handle(key) { setFilter(field) }
    }
    return []
  }

  mutating func setFilter(_ field: TextField) {
    let selected = selectedAyah?.surah
    lists.filter = field
    let kept = listedSurahs.firstIndex { $0 == selected }
    lists[.surahs] = ListState(selection: field.isEmpty ? kept ?? 0 : 0)
    revealSelection()
  }

  /// Clears the filter, and selects the surah that was selected before.
  mutating func cancelFilter() {
    setFilter(TextField())
    guard let surah = lists.surahBeforeFilter else { return }
    lists[.surahs].selection = surah.rawValue - 1
    revealSelection()
  }

  /// Clears the filter of the surahs, and searches the Quran for the text that was typed there.
  mutating func searchForFilter() -> [Effect] {
    let text = lists.filter.text
    setFilter(TextField())
    return openSearch(for: text)
  }

  /// Draws the filter above the list of surahs.
  func drawFilter(on canvas: inout Canvas, _ area: Geometry.Area) {
    let right = lists.filter.isEmpty ? "" : messages.surahsFound(listedSurahs.count)
    canvas.put(right, row: area.row, column: area.width - right.columns - 1, style: theme[.faint])
    drawField(
      lists.filter, prompt: messages.filterPrompt, on: &canvas, row: area.row, column: 1,
      width: area.width - right.columns - 3, showsCursor: overlay == .filter)
  }
}
