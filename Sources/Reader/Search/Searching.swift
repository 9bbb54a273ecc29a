import Editions
import Messages
import Quran
import Terminal

// The search screen, and walking through what it found.
extension Model {
  /// Opens the search; what was searched for last is there, and gives way to what
  /// is typed.
  mutating func openSearch() {
    if tab != .search || pane == .text { (search.originTab, search.originPane) = (tab, pane) }
    search.field.isSelected = !search.field.isEmpty
    showTab(.search)
  }

  /// Back to where the search was opened.
  mutating func leaveSearch() {
    let pane = search.originPane
    showTab(search.originTab == .search ? .surahs : search.originTab)
    guard pane == .text else { return }
    self.pane = .text
    typeset()
  }

  mutating func handleSearch(_ key: Key) -> [Effect] {
    switch key.code {
    case .enter, .tab: return openSelection()
    case .escape: leaveSearch()
    case .up, .down, .pageUp, .pageDown: return keys.action(for: key).map { perform($0) } ?? []
    default:
      if search.field.handle(key) {
        runSearch()
      } else if let action = keys.action(for: key) {
        // What is no text is what it is elsewhere.
        return perform(action)
      }
    }
    return []
  }

  mutating func runSearch() {
    let text = search.field.text
    let isNew = text != search.query.text
    search.query = SearchQuery(text)
    search.reference = try? QuranReference(parsing: text)
    search.hits = index?.search(search.query) ?? []
    if isNew || lists[.search]?.selection ?? 0 >= search.rowCount {
      var list = ListState()
      // A word may be the name of a surah by chance; a number is meant.
      if case .surah = search.reference, !search.hits.isEmpty, !text.contains(where: \.isNumber) {
        list.selection = 1
      }
      lists[.search] = list
    }
    revealSelection()
  }

  /// Opens what the search leads to, with its hits marked.
  mutating func markHits(at ayah: AyahID) {
    marked = search.hits.isEmpty ? nil : Marked(query: search.query, hits: search.hits)
    open(ayah)
    if let position = search.hits.firstIndex(of: ayah) { sayHit(position) }
  }

  /// To the next marked hit, in the order of the list; from elsewhere, to the one
  /// that comes next in the book. Round at the ends.
  mutating func stepHit(_ count: Int) {
    guard let hits = marked?.hits else {
      say(messages.noMarkedHits(self.key(.search)))
      return
    }
    let cursor = reading.cursor
    let inBook = hits.indices.sorted { hits[$0] < hits[$1] }
    let next =
      if let now = hits.firstIndex(of: cursor) {
        (now + count + hits.count) % hits.count
      } else if count > 0 {
        inBook.first { hits[$0] > cursor } ?? inBook[0]
      } else {
        inBook.last { hits[$0] < cursor } ?? inBook[inBook.count - 1]
      }
    open(hits[next])
    if search.query == marked?.query {
      lists[.search, default: ListState()].selection = next + search.referenceRows
      revealSelection()
    }
    sayHit(next)
  }

  private mutating func sayHit(_ position: Int) {
    let count = marked?.hits.count ?? 0
    say(messages.hit(position + 1, of: count, next: key(.nextHit), previous: key(.previousHit)))
  }
}
