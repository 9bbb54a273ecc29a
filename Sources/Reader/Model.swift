public import Editions
public import Library
public import Quran
public import Terminal
public import Words

/// Everything the reader's screen depends on. Changed by `update` alone, drawn by `view`.
public struct Model {
  enum Tab: Hashable { case surahs, juz, search }

  /// Which of the two panes takes the keys; on a narrow screen it is the one shown.
  enum Pane: Hashable { case list, text }

  struct ListState: Hashable {
    var selection = 0
    /// The first row shown.
    var top = 0
  }

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

  /// What lies over the screen and takes the keys first.
  enum Overlay: Hashable {
    case goTo(TextField)
    case filter
    case command(TextField, Completion?)
    case palette(TextField, ListState)
    /// What can be done with one ayah.
    case menu(ListState)
    /// The first row shown.
    case help(Int)
  }

  struct Message: Hashable {
    var text: String
    var isError = false
  }

  struct Click: Hashable {
    var mouse: Mouse
    var time: Int
  }

  let edition: Edition
  let keys: KeyTable
  let words: Words
  public internal(set) var size: Size
  var theme: Theme
  var layout: PageLayout
  var showsArabicNames: Bool
  var tab = Tab.surahs
  var pane = Pane.list
  var surahs = ListState()
  var juz = ListState()
  var searchList = ListState()
  var filter = TextField()
  var search = Search()
  var marked: Marked?
  var index: SearchIndex?
  var reading: Reading
  /// Where the text beside a list was scrolled to, without being read.
  var preview: Reading?
  var overlay: Overlay?
  var message: Message?
  var lastClick: Click?
  /// Whether there is a place to go on from.
  var hasBegun: Bool
  var typesetter: Typesetter
  /// What was kept from the last time, in full.
  let stateAtStart: SavedState

  /// - Parameters:
  ///   - ayah: where to open the text, nil for the list of surahs.
  ///   - state: what was kept from the last time.
  public init(
    edition: Edition, words: Words, size: Size, state: SavedState = SavedState(),
    opening ayah: AyahID? = nil, keys: KeyTable = .standard
  ) {
    self.edition = edition
    self.words = words
    self.keys = keys
    self.size = size
    theme = Theme(state.theme.flatMap(Theme.ID.init) ?? .terminal)
    layout = state.layout.flatMap(PageLayout.init) ?? .verse
    showsArabicNames = state.showsArabicNames ?? true
    let position = ayah ?? state.ayah
    hasBegun = position != nil
    pane = ayah == nil ? .list : .text
    typesetter = Typesetter(edition, layout: layout, width: 80)
    reading = Reading(cursor: position ?? .first, top: Anchor(block: 1, row: 0))
    surahs.selection = reading.cursor.surah.rawValue - 1
    juz.selection = reading.cursor.juz - 1
    stateAtStart = state.completed(
      by: SavedState(
        theme: theme.id.rawValue, layout: layout.rawValue, showsArabicNames: showsArabicNames))
    resize(to: size)
    reading = pager.open(reading.cursor)
  }

  /// What is kept for the next time.
  public var state: SavedState {
    SavedState(
      position: hasBegun ? reading.cursor.description : nil, theme: theme.id.rawValue,
      layout: layout.rawValue,
      showsArabicNames: showsArabicNames)
  }

  var geometry: Geometry { Geometry(size: size, pane: pane) }
  var pager: Pager { Pager(typesetter, height: geometry.text?.height ?? 1) }

  /// The surahs that the filter lets through.
  var listedSurahs: [SurahNumber] {
    filter.isEmpty ? SurahNumber.all : SurahFilter.surahs(matching: filter.text)
  }

  /// The list on the screen and how many rows it has.
  var list: (state: ListState, count: Int) {
    switch tab {
    case .surahs: (surahs, listedSurahs.count)
    case .juz: (juz, Division.juz.count)
    case .search: (searchList, search.rowCount)
    }
  }

  /// The place that the selected row of the list leads to.
  var selectedAyah: AyahID? {
    switch tab {
    case .surahs:
      let surahs = listedSurahs
      guard surahs.indices.contains(self.surahs.selection) else { return nil }
      let surah = surahs[self.surahs.selection]
      return hasBegun && surah == reading.cursor.surah ? reading.cursor : surah.firstAyah
    case .juz:
      guard let ayahs = Division.juz.ayahs(of: juz.selection + 1) else { return nil }
      return hasBegun && ayahs.contains(reading.cursor) ? reading.cursor : ayahs.lowerBound
    case .search:
      return search.target(searchList.selection)
    }
  }

  /// What the text pane shows: the place being read, or beside a list the one
  /// selected in it.
  var shownReading: Reading {
    if let preview { return preview }
    guard pane == .list, let selected = selectedAyah, selected != reading.cursor else {
      return reading
    }
    return pager.open(selected)
  }

  /// Words to mark in the text, if any.
  var markedQuery: SearchQuery? {
    let query = tab == .search && pane == .list ? search.query : marked?.query
    return query?.isEmpty == false ? query : nil
  }
}
