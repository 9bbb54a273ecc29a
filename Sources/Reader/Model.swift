public import Commands
public import Editions
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

  struct Search: Hashable {
    var field = TextField()
    var query = SearchQuery("")
    var reference: Reference?
    var hits: [AyahID] = []
    /// Whether hits are marked in the text, and `n` and `N` lead to them.
    var isMarked = false

    /// Rows of the list: the place the query names, then the hits.
    var targets: Int { hits.count + (reference == nil ? 0 : 1) }

    func target(_ row: Int) -> AyahID? {
      let hit = reference == nil ? row : row - 1
      if hit == -1 { return reference?.ayahs.lowerBound }
      return hits.indices.contains(hit) ? hits[hit] : nil
    }
  }

  /// What lies over the screen and takes the keys first.
  enum Overlay: Hashable {
    case goTo(TextField)
    case filter
    case command(TextField, choices: [String])
    case palette(TextField, ListState)
    /// What can be done with one ayah.
    case menu(ListState)
    case help(top: Int)
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
  var index: SearchIndex?
  var reading: Reading
  var overlay: Overlay?
  var message: Message?
  var lastClick: Click?
  /// Whether there is a place to go on from.
  var hasBegun: Bool
  var typesetter: Typesetter

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
    if !edition.info.isRecognised, state.ayah == nil {
      message = Message(text: "\(words.bundledTitle) – \(words.notReviewed)")
    }
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
    case .search: (searchList, search.targets)
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
      return Division.juz.ayahs(of: juz.selection + 1)?.lowerBound
    case .search:
      return search.target(searchList.selection)
    }
  }

  /// What the text pane shows: the place being read, or beside a list the one selected in it.
  var shownReading: Reading {
    guard pane == .list, let selected = selectedAyah, selected != reading.cursor else {
      return reading
    }
    return pager.open(selected)
  }

  /// Words to mark in the text, if any.
  var markedQuery: SearchQuery? {
    let isShown = search.isMarked || (tab == .search && pane == .list)
    return isShown && !search.query.isEmpty ? search.query : nil
  }
}
