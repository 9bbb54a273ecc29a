public import Editions
import Messages
import Quran
import Terminal

extension Model {
  /// Stores the finished index of a text, and runs a search that was typed before. The index of a
  /// text that is not read any more is ignored.
  public mutating func indexed(_ index: SearchIndex, of info: Edition.Info) {
    guard info == edition.info else { return }
    search.index = index
    if !search.query.isEmpty { runSearch() }
  }

  /// Opens the search; the previous query is selected, so that typing replaces it.
  mutating func openSearch() {
    if tab != .search || pane == .text { (search.originTab, search.originPane) = (tab, pane) }
    search.field.isSelected = !search.field.isEmpty
    showTab(.search)
  }

  /// Returns to the screen from which the search was opened.
  mutating func leaveSearch() {
    let pane = search.originPane
    showTab(search.originTab == .search ? .surahs : search.originTab)
    guard pane == .text else { return }
    self.pane = .text
    typeset()
  }

  mutating func handleSearch(_ key: Key) -> [Effect] {
    switch keys.action(for: key, in: .search) {
    case .submit:
      if let suggestion = search.suggestion {
        search.field = TextField(suggestion)
        runSearch()
        return []
      }
      return openSelection()
    case .leave: leaveSearch()
    case .up: return perform(.up)
    case .down: return perform(.down)
    case .pageUp: return perform(.pageUp)
    case .pageDown: return perform(.pageDown)
    default:
      if search.field.handle(key) {
        runSearch()
      } else if let action = keys.action(for: key) {
        // A key that does not type performs its action of the screen.
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
    search.found = search.index?.search(search.query) ?? SearchHits()
    search.suggestion =
      search.hits.isEmpty && search.reference == nil
      ? search.index?.suggestion(for: search.query) : nil
    if isNew || lists[.search].selection >= search.rowCount {
      var list = ListState()
      // A word may match the name of a surah by chance; a number does not.
      if case .surah = search.reference, !search.hits.isEmpty, !text.contains(where: \.isNumber) {
        list.selection = 1
      }
      lists[.search] = list
    }
    revealSelection()
  }

  /// Opens an ayah that the search found, and marks all hits.
  mutating func markHits(at ayah: AyahID) {
    search.marked = search.hits.isEmpty ? nil : MarkedHits(query: search.query, hits: search.hits)
    open(ayah)
    if let position = search.hits.firstIndex(of: ayah) { showHitNumber(position) }
  }

  /// Opens the next marked hit in the order of the list or, if the cursor is not on a hit, the next
  /// one in the Quran; wraps around at the ends.
  mutating func stepHit(_ count: Int) {
    guard let hits = search.marked?.hits else {
      showMessage(messages.noMarkedHits(self.key(.search)))
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
    if search.query == search.marked?.query {
      lists[.search].selection = next + search.referenceRows
      revealSelection()
    }
    showHitNumber(next)
  }

  private mutating func showHitNumber(_ position: Int) {
    let count = search.marked?.hits.count ?? 0
    showMessage(
      messages.hit(
        position + 1, of: count, next: key(.nextHit), previous: key(.previousHit),
        unmark: key(.escape)))
  }

  /// The words to mark in the text; nil if there are none.
  var markedQuery: SearchQuery? {
    let query = tab == .search && pane == .list ? search.query : search.marked?.query
    return query?.isEmpty == false ? query : nil
  }
}
