import Editions
import Quran

/// The search screen: the query, and what it finds.
struct SearchState {
  /// The index of the edition; nil until it is built.
  var index: SearchIndex?
  var field = TextField()
  var query = SearchQuery("")
  /// The place that the query names, if it does.
  var reference: QuranReference?
  var found = SearchHits()
  /// The query that replaces one that finds nothing when it is submitted; nil if there is none.
  var suggestion: String?
  /// The hits, best first.
  var hits: [AyahID] { found.ayahs }
  /// The screen from which the search was opened, to which Esc returns.
  var originTab = Tab.surahs
  var originPane = Pane.list
  /// The hits that are marked in the text; nil if none are.
  var marked: MarkedHits?

  /// The rows of the list: the place that the query names, then the hits.
  var rowCount: Int { hits.count + referenceRows }
  var referenceRows: Int { reference == nil ? 0 : 1 }

  /// The ayah that a row leads to.
  func target(_ row: Int) -> AyahID? {
    let hit = row - referenceRows
    if hit == -1 { return reference?.ayahs.lowerBound }
    return hits.indices.contains(hit) ? hits[hit] : nil
  }
}

/// A search whose hits are marked in the text.
struct MarkedHits: Hashable {
  let query: SearchQuery
  /// The hits, best first.
  let hits: [AyahID]
}
