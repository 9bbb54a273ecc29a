import Quran
import Terminal

extension Model {
  mutating func filter(_ key: Key) -> [Effect] {
    switch keys.action(for: key, in: .listPrompt) {
    case .submit:
      overlay = nil
      return openSelection()
    case .up: return perform(.up)
    case .down: return perform(.down)
    case .pageUp: return perform(.pageUp)
    case .pageDown: return perform(.pageDown)
    case .closeIfEmpty where filter.isEmpty:
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
