import Editions
import FoundationEssentials
import Library
import Quran

/// The search screen: the query, and what it finds.
struct SearchState {
  /// The index of the current edition (`Model.edition`); nil until it is built in the background.
  var currentIndex: SearchIndex?
  /// The indexes of the other installed editions.
  var otherIndexes: [SearchIndex] = []
  /// The index of all notes; nil until it is built in the background.
  var noteIndex: NoteIndex?
  /// Whether the notes have changed since `noteIndex` was last requested.
  var isNotesStale = true
  /// Whether the index of the notes is being built.
  var isIndexingNotes = false
  /// Whether the indexes of the other editions were requested and have not arrived yet.
  var isIndexingOthers = false
  /// The notes on the screen, by their IDs. The library sends them after they are found.
  var shownNotes: [UUID: Note] = [:]
  /// The IDs of the notes that were last requested for `shownNotes`.
  var requestedNotes: [UUID] = []

  var field = TextField()
  var query = SearchQuery("")
  var filter = SearchFilter.everything
  /// The surah to which the search is limited, chosen in the list of surahs; nil for none.
  var chosenSurah: SurahNumber?
  /// Whether the list shows surahs with the number of their hits instead of single hits.
  var isGrouped = false
  /// The query parsed as a reference, such as `2:255` or `ya sin`; nil if it is not one.
  var reference: QuranReference?
  /// Why the query is not a reference although it looks like one, as `2:300`; otherwise nil.
  var referenceFailure: QuranReference.Failure?
  var found = SearchHits()
  /// The positions in `noteIndex` of the notes that match the query.
  var foundNotes: [Int] = []
  /// The state of the list of hits when the list of surahs replaced it, to be restored later; nil
  /// if there is none.
  var listBeforeGrouping: ListState?
  /// The surahs with hits while `isGrouped`; otherwise empty.
  var groups: [SearchGroup] = []
  /// A corrected query, which replaces the query if the user submits one that finds nothing; nil if
  /// there is no correction.
  var suggestion: String?
  /// The number of hits and notes that the filter and the chosen surah leave out, if they leave out
  /// all; otherwise 0.
  var hiddenCount = 0
  /// The ayahs that match, in the order of `SearchHits.ayahs`.
  var hits: [AyahID] { found.ayahs }
  /// The search whose hits are highlighted in the text; nil if there is none.
  var highlighted: HighlightedHits?

  /// The search over all editions, the current one first.
  var editions: EditionSearch { EditionSearch((currentIndex.map { [$0] } ?? []) + otherIndexes) }

  /// Whether nothing is found in any text or note.
  var isEmpty: Bool { hits.isEmpty && foundNotes.isEmpty }

  /// The number of rows of the list: the reference, if the query is one, then either the surahs, or
  /// the closest hits, the notes and the other hits.
  var rowCount: Int {
    referenceRows + (isGrouped ? groups.count : hits.count + foundNotes.count)
  }
  var referenceRows: Int { reference == nil ? 0 : 1 }

  func row(_ number: Int) -> SearchRow? {
    if number == 0, let reference { return .reference(reference.ayahs.lowerBound) }
    let position = number - referenceRows
    guard position >= 0 else { return nil }
    if isGrouped { return groups.indices.contains(position) ? .surah(groups[position]) : nil }
    let note = position - closestCount
    if note >= 0, note < foundNotes.count {
      return noteIndex.map { .note($0[foundNotes[note]]) }
    }
    let hit = note < 0 ? position : position - foundNotes.count
    return hit < hits.count ? .hit(hit) : nil
  }

  /// Returns the number of the row that shows the same result as a row of the former results of the
  /// same query; nil if that result is not found any more.
  ///
  /// - Parameters:
  ///   - former: The row of the former results.
  ///   - ayah: The ayah to which that row led.
  func row(of former: SearchRow, _ ayah: AyahID) -> Int? {
    switch former {
    case .reference: reference == nil ? nil : 0
    case .surah(let group):
      groups.firstIndex { $0.surah == group.surah }.map { $0 + referenceRows }
    case .hit(let hit):
      isGrouped
        ? nil
        : (hits.indices.contains(hit) && hits[hit] == ayah ? hit : hits.firstIndex(of: ayah))
          .map(row(ofHit:))
    case .note(let note):
      isGrouped
        ? nil
        : foundNotes.firstIndex { noteIndex?[$0].id == note.id }
          .map { referenceRows + closestCount + $0 }
    }
  }

  /// The row of a hit while single hits are listed.
  ///
  /// - Parameter hit: The position of the hit in `hits`.
  func row(ofHit hit: Int) -> Int {
    referenceRows + hit + (hit < closestCount ? 0 : foundNotes.count)
  }

  /// The number of hits that are listed before the notes. These are the hits in the current edition
  /// that have the same diacritics as the query.
  var closestCount: Int { found.exactCount ?? found.firstEditionCount }

  /// The ayah that a row leads to.
  func target(_ number: Int) -> AyahID? {
    switch row(number) {
    case .reference(let ayah): ayah
    case .surah(let group): group.first
    case .hit(let hit): hits[hit]
    case .note(let note): note.ayah
    case nil: nil
    }
  }
}

/// A row of the list of search results.
enum SearchRow {
  /// The query is a reference; its first ayah.
  case reference(AyahID)
  case surah(SearchGroup)
  /// A hit in an edition, by its position in `SearchState.hits`.
  case hit(Int)
  case note(NoteIndex.Item)
}

/// The hits in a surah.
struct SearchGroup: Hashable {
  let surah: SurahNumber
  /// The first ayah with a hit in the surah.
  var first: AyahID
  var count: Int

  /// Counts ayahs by surah, in the order of the Quran.
  static func groups(of ayahs: [AyahID]) -> [SearchGroup] {
    var groups: [SurahNumber: SearchGroup] = [:]
    for ayah in ayahs {
      var group = groups[ayah.surah] ?? SearchGroup(surah: ayah.surah, first: ayah, count: 0)
      group.first = min(group.first, ayah)
      group.count += 1
      groups[ayah.surah] = group
    }
    return groups.values.sorted { $0.surah < $1.surah }
  }
}

/// What is searched.
enum SearchFilter: Hashable {
  /// All texts and notes.
  case everything
  case surah(SurahNumber)
  case juz(Int)
  case favorites
  /// Notes only.
  case notes
}

/// A search whose hits are highlighted in the text.
struct HighlightedHits: Hashable {
  let query: SearchQuery
  let filter: SearchFilter
  let chosenSurah: SurahNumber?
  let found: SearchHits
  /// The hit that was opened last; nil if none was.
  var opened: AyahID?
  /// The ayahs that match, in the order of `SearchHits.ayahs`.
  var hits: [AyahID] { found.ayahs }

  /// Whether these hits were found with the query, filter and surah of a search. The search may
  /// have other hits by now.
  func belong(to search: SearchState) -> Bool {
    (query, filter, chosenSurah) == (search.query, search.filter, search.chosenSurah)
  }
}
