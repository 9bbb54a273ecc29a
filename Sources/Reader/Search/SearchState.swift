import Editions
import Quran

extension Model {
  /// What is being searched for, and what that finds.
  struct Search: Hashable {
    var field = TextField()
    var query = SearchQuery("")
    var reference: Reference?
    /// Best first.
    var hits: [AyahID] = []
    /// Where the search was opened from, to go back to.
    var originTab = Tab.surahs
    var originPane = Pane.list

    /// Rows of the list: the place the query names, then the hits.
    var rowCount: Int { hits.count + referenceRows }
    var referenceRows: Int { reference == nil ? 0 : 1 }

    func target(_ row: Int) -> AyahID? {
      let hit = row - referenceRows
      if hit == -1 { return reference?.ayahs.lowerBound }
      return hits.indices.contains(hit) ? hits[hit] : nil
    }
  }

  /// A search whose hits are marked in the text, until Esc.
  struct Marked: Hashable {
    let query: SearchQuery
    /// Best first.
    let hits: [AyahID]
  }
}
