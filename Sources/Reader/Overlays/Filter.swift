import Quran
import Terminal

extension Model {
  mutating func filter(_ key: Key) -> [Effect] {
    switch key.code {
    case .enter:
      overlay = nil
      return openSelection()
    case .up, .down, .pageUp, .pageDown:
      if let action = keys.action(for: key) { _ = perform(action) }
    case .backspace where filter.isEmpty:
      overlay = nil
    default:
      var field = filter
      if field.handle(key) { setFilter(field) }
    }
    return []
  }

  mutating func setFilter(_ field: TextField) {
    let selected = selectedAyah?.surah
    filter = field
    let kept = listedSurahs.firstIndex { $0 == selected }
    lists[.surahs] = ListState(selection: field.isEmpty ? kept ?? 0 : 0)
    revealSelection()
  }
}
