public import Editions
import FoundationEssentials
public import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  /// Stores the finished index of an edition, and runs the search that was typed before. The index
  /// of an edition that is not the current one any more is ignored.
  public mutating func indexed(_ index: SearchIndex, of info: Edition.Info) -> [Effect] {
    guard info == edition.info else { return [] }
    refreshSearch { $0.currentIndex = index }
    return resume(after: .texts)
  }

  /// Stores the finished indexes of the other editions. Nil means that the stored indexes are still
  /// valid.
  mutating func indexed(others: [SearchIndex]?) {
    let current = edition.info.id
    let others = others.map(shownFirst)
    refreshSearch {
      $0.isIndexingOthers = false
      if let others { $0.otherIndexes = others.filter { $0.edition.info.id != current } }
    }
  }

  /// Moves the indexes of editions on the page to the front. An ayah that matches in several
  /// editions is a hit of the first of them, which should be one that the user sees.
  func shownFirst(_ indexes: [SearchIndex]) -> [SearchIndex] {
    let shown = Set(shownEditions.map(\.info.id))
    return indexes.filter { shown.contains($0.edition.info.id) }
      + indexes.filter { !shown.contains($0.edition.info.id) }
  }

  /// Stores the finished index of the notes, or reports why it could not be built.
  public mutating func indexed(_ notes: Result<NoteIndex, LibraryFailure>) {
    switch notes {
    case .success(let notes):
      // The notes on the screen may have changed.
      search.requestedNotes = []
      refreshSearch {
        $0.isIndexingNotes = false
        $0.noteIndex = notes
      }
    case .failure(let failure):
      refreshSearch { $0.isIndexingNotes = false }
      showError(messages.explain(failure))
    }
  }

  /// Requests what the search on the screen lacks: the index of the notes if they have changed, and
  /// the notes in its rows if other notes were requested last. Called after a frame is drawn, so
  /// the library never delays the frame.
  public mutating func requestForSearch() -> [Effect] {
    guard isSearchShown, let height = geometry.list?.height else { return [] }
    let top = lists[.search].top
    let ids = (top..<top + height).compactMap { row -> UUID? in
      guard case .note(let note) = search.row(row) else { return nil }
      return note.id
    }
    let index = refreshNoteIndex()
    guard ids != search.requestedNotes else { return index }
    search.requestedNotes = ids
    return index + (ids.isEmpty ? [] : [.library(.notesWithIDs(ids))])
  }

  /// Whether the search may find more later: the index of a text or the first index of the notes is
  /// not built yet, or the favourites are not known yet.
  var isSearchIncomplete: Bool {
    let areNotesExpected = search.isNotesStale && libraryState.shown.noteCount > 0
    return search.currentIndex == nil || search.isIndexingOthers || isOpening
      || search.noteIndex == nil && (search.isIndexingNotes || areNotesExpected)
  }

  /// Whether the search receives the keys.
  var isSearchOpen: Bool { tab == .search && pane == .list }
  /// Whether the results are on the screen, perhaps beside the text.
  var isSearchShown: Bool { tab == .search && geometry.list != nil }

  /// Changes the editions or notes that are searched, and runs the search again. The selected
  /// result stays selected and stays at its place on the screen, even if its row number changes.
  /// If the first hit is selected, which the user may not have chosen, selects the new first hit.
  mutating func refreshSearch(_ change: (inout SearchState) -> Void = { _ in }) {
    let list = lists[.search]
    let (selected, ayah) = (search.row(list.selection), search.target(list.selection))
    let isFirst = list.selection == firstHitRow
    let areHitsHighlighted = search.highlighted?.belong(to: search) == true
    change(&search)
    guard !search.query.isEmpty else { return }
    runSearch()
    // If the search no longer has any hits, for example because a favourite was removed, the former
    // hits stay highlighted until it has new ones.
    if areHitsHighlighted, var hits = highlightedHits {
      hits.opened = search.highlighted?.opened
      search.highlighted = hits
    }
    guard !isFirst else {
      selectFirstHit()
      return revealSelection()
    }
    guard let selected, let ayah, let row = search.row(of: selected, ayah) else { return }
    lists[.search].selection = row
    lists[.search].top = max(list.top + row - list.selection, 0)
    revealSelection()
  }

  /// Shows the search screen and runs a query.
  ///
  /// - Parameter text: The query. If it is nil, the previous query is kept and selected, so that
  ///   typing replaces it.
  mutating func openSearch(for text: String? = nil) -> [Effect] {
    if tab != .search { search.filter = .everything }
    search.chosenSurah = nil
    search.isGrouped = false
    if let text { search.field = TextField(text) }
    search.field.isSelected = text == nil && !search.field.isEmpty
    // The notes may not have been readable before.
    if search.noteIndex == nil { search.isNotesStale = true }
    showTab(.search)
    if text == nil { refreshSearch() } else { runSearch() }
    return requestIndexes()
  }

  /// Runs the search again after favourites were changed, if it is limited to them.
  mutating func refreshFavoriteHits() {
    if search.filter == .favorites { refreshSearch() }
  }

  /// Requests the indexes of the other editions. They are built only if the editions have changed:
  /// other processes may have installed some.
  mutating func requestIndexes() -> [Effect] {
    search.isIndexingOthers = true
    let known = search.otherIndexes.map(\.edition.info)
    return [.texts(.index(besides: edition.info.id, known: known))]
  }

  /// Requests the index of the notes if they have changed since it was last requested.
  mutating func refreshNoteIndex() -> [Effect] {
    guard search.isNotesStale, !search.isIndexingNotes, libraryState.isOpen else { return [] }
    search.isNotesStale = false
    if libraryState.shown.noteCount == 0, search.noteIndex == nil { return [] }
    search.isIndexingNotes = true
    return [.indexNotes]
  }

  /// Handles a change of the installed editions, or of the current one: discards the indexes of the
  /// other editions, and requests them again if the search is shown.
  mutating func textsDidChange() -> [Effect] {
    search.otherIndexes = []
    return isSearchShown ? requestIndexes() : []
  }

  mutating func handleSearch(_ key: Key) -> [Effect] {
    let action = KeyContext.search.action(for: key)
    switch action {
    case .submit:
      guard isFirstHitKnown else {
        input.awaited = .texts
        return []
      }
      if let suggestion = search.suggestion {
        search.field = TextField(suggestion)
        runSearch()
        return []
      }
      remember(search.field.text, in: .search)
      return openSelection()
    case .nextFilter: stepFilter(1)
    case .previousFilter: stepFilter(-1)
    case .toggleGroups: toggleGroups()
    case .leave:
      // Goes from the hits in a surah to the list of surahs, from there to all hits, and from there
      // out of the search.
      if search.chosenSurah == nil, !search.isGrouped { leaveList() } else { toggleGroups() }
    case .up where isRecallingSearch:
      guard let line = recall(action, in: .search, search.field) else { return [] }
      search.field = line
      runSearch()
    case .up: return perform(.up)
    case .down: return perform(.down)
    case .pageUp: return perform(.pageUp)
    case .pageDown: return perform(.pageDown)
    default:
      if search.field.handle(key) {
        runSearch()
      } else if let action = keys.action(for: key) {
        // A key that types nothing performs its action as on other screens.
        return perform(action)
      }
    }
    return []
  }

  /// Whether the key for the row above recalls an earlier query: the first row is selected, and the
  /// user has not typed a query.
  private var isRecallingSearch: Bool {
    let field = search.field
    return list.state.selection == 0
      && (field.isEmpty || field.isSelected
        || input.history[.search]?.isRecalled(field.text) == true)
  }

  mutating func runSearch() {
    let text = search.field.text
    let isNew = text != search.query.text
    search.query = SearchQuery(text)
    (search.reference, search.referenceFailure) = (nil, nil)
    do {
      search.reference = try QuranReference(parsing: text)
    } catch {
      search.referenceFailure = error.isNoSuchPassage ? error : nil
    }
    findHits()
    let isFiltered = search.filter != .everything || search.chosenSurah != nil
    search.hiddenCount = search.isEmpty && isFiltered ? unfilteredCount : 0
    search.suggestion =
      search.isEmpty && search.reference == nil && search.hiddenCount == 0
        && search.filter != .notes && !isSearchIncomplete
      ? search.editions.suggestion(for: search.query, in: searchScope) : nil
    if isNew {
      search.listBeforeGrouping = nil
      selectFirstHit()
    }
    revealSelection()
  }

  /// The row that a new search selects: that of the ayah or surah that the query names, or that of
  /// the first hit.
  private var firstHitRow: Int {
    // A word may match the name of a surah by chance; a number does not.
    if case .surah = search.reference, !search.isEmpty,
      !search.query.text.contains(where: \.isNumber)
    {
      return 1
    }
    return 0
  }

  /// Whether the row that a new search selects is known before the current edition is indexed.
  private var isFirstHitKnown: Bool {
    if search.currentIndex != nil || search.query.isEmpty { return true }
    switch search.reference {
    case .ayahs, .part: return true
    case .surah: return search.query.text.contains(where: \.isNumber)
    case nil: return false
    }
  }

  private mutating func selectFirstHit() {
    var list = ListState()
    list.selection = firstHitRow
    lists[.search] = list
  }

  /// Runs the search again after the user changed the filter or the grouping.
  private mutating func showChosen() {
    runSearch()
    selectFirstHit()
    revealSelection()
  }

  private mutating func findHits() {
    let scope = searchScope
    // Without the index of the current edition, hits in it would look like hits in others.
    search.found =
      search.filter == .notes || search.currentIndex == nil
      ? SearchHits() : search.editions.search(search.query, in: scope)
    search.foundNotes = search.noteIndex?.search(search.query, in: scope) ?? []
    search.groups =
      search.isGrouped
      ? SearchGroup.groups(
        of: search.hits + search.foundNotes.compactMap { search.noteIndex?[$0].ayah }) : []
  }

  /// The number of hits and notes without a filter; 0 while the current edition is not indexed.
  private var unfilteredCount: Int {
    guard search.currentIndex != nil else { return 0 }
    let notes = search.noteIndex?.search(search.query, in: .quran) ?? []
    return search.editions.search(search.query, in: .quran).ayahs.count + notes.count
  }

  // MARK: Filters and groups

  /// The ayahs that are searched.
  private var searchScope: SearchScope {
    guard let surah = search.chosenSurah else { return filterScope }
    return .ayahs(Set(surah.ayahs.filter(filterScope.contains)))
  }

  private var filterScope: SearchScope {
    switch search.filter {
    case .everything, .notes: .quran
    case .surah(let surah): .range(surah.ayahs)
    case .juz(let number): Division.juz.ayahs(of: number).map { .range($0) } ?? .quran
    case .favorites: .ayahs(Set(libraryState.favorites.map(\.ayah)))
    }
  }

  /// Chooses the next or previous filter. The filters of surah and juz use those of the ayah under
  /// the cursor.
  private mutating func stepFilter(_ count: Int) {
    let filters: [SearchFilter] = [
      .everything, .surah(position.cursor.surah), .juz(position.cursor.juz), .favorites, .notes,
    ]
    let now =
      filters.firstIndex(of: search.filter)
      ?? filters.firstIndex { filter in
        switch (filter, search.filter) {
        case (.surah, .surah), (.juz, .juz): true
        default: false
        }
      } ?? 0
    choose(filters[(now + count + filters.count) % filters.count])
  }

  private mutating func choose(_ filter: SearchFilter) {
    search.filter = filter
    search.chosenSurah = nil
    search.listBeforeGrouping = nil
    showChosen()
  }

  /// Switches between the list of hits and the list of surahs with the number of their hits. The
  /// list of surahs selects the surah to which the search was limited, or that of the selected hit;
  /// the list of hits selects the row that was selected before.
  private mutating func toggleGroups() {
    let list = lists[.search]
    let surah = search.chosenSurah ?? search.target(list.selection)?.surah
    if !search.isGrouped, search.chosenSurah == nil { search.listBeforeGrouping = list }
    search.isGrouped.toggle()
    search.chosenSurah = nil
    showChosen()
    if let group = search.groups.firstIndex(where: { $0.surah == surah }) {
      lists[.search].selection = search.referenceRows + group
    } else if !search.isGrouped, let list = search.listBeforeGrouping {
      lists[.search] = list
    }
    revealSelection()
  }

  private mutating func choose(_ surah: SurahNumber) {
    search.chosenSurah = surah
    search.isGrouped = false
    showChosen()
  }

  /// Opens the ayah, the note or the hits of a surah in a row of the search.
  mutating func openSearchRow(_ number: Int) -> [Effect] {
    switch search.row(number) {
    case .reference(let ayah): highlightHits(at: ayah)
    case .hit(let hit): highlightHits(at: search.hits[hit])
    case .surah(let group): choose(group.surah)
    case .note(let note): return openNote(note.id, of: note.ayah)
    case nil: break
    }
    return []
  }

  // MARK: Hits in the text

  /// Opens an ayah that the search found, and highlights all hits.
  mutating func highlightHits(at ayah: AyahID) {
    search.highlighted = highlightedHits
    step(to: ayah)
    if search.hits.contains(ayah) { showHit() }
  }

  /// What is highlighted if one of the hits is opened; nil if there are no hits.
  private var highlightedHits: HighlightedHits? {
    guard !search.hits.isEmpty else { return nil }
    return HighlightedHits(
      query: search.query, filter: search.filter, chosenSurah: search.chosenSurah,
      found: search.found)
  }

  /// Opens the next or previous highlighted hit in the order of the list. If the cursor has left
  /// the hit that was opened last, opens the hit of the same group that is next to the cursor in
  /// the Quran; see `SearchHits.group(ofHit:)`. Wraps around at the ends.
  ///
  /// - Parameter count: 1 for the next hit, -1 for the previous one.
  mutating func stepHit(_ count: Int) {
    guard let highlighted = search.highlighted else { return }
    let hits = highlighted.hits
    let cursor = position.cursor
    let opened = highlighted.opened.flatMap(hits.firstIndex(of:))
    var next: Int
    if let opened, hits[opened] == cursor {
      next = opened + count
    } else {
      let group = highlighted.found.group(ofHit: opened ?? 0)
      let inBook = group.sorted { hits[$0] < hits[$1] }
      next =
        count > 0
        ? inBook.first { hits[$0] > cursor } ?? group.upperBound
        : inBook.last { hits[$0] < cursor } ?? group.lowerBound - 1
    }
    next = (next + hits.count) % hits.count
    step(to: hits[next], keepsPage: true)
    if search.query == search.highlighted?.query, search.hits == hits, !search.isGrouped {
      lists[.search].selection = search.row(ofHit: next)
      revealSelection()
    }
    showHit()
  }

  /// Scrolls to the words that were found in the ayah under the cursor, which is a hit, and shows
  /// the number of the hit.
  private mutating func showHit() {
    search.highlighted?.opened = position.cursor
    if let rows = rowsOfOpenedMatches { position = pager.reveal(rows, in: position) }
    if let text = openedHitMessage { showMessage(text) }
  }

  /// The position in `HighlightedHits.hits` of the hit that was opened last; nil if the cursor has
  /// left it.
  private var openedHit: Int? {
    guard let highlighted = search.highlighted, highlighted.opened == position.cursor else {
      return nil
    }
    return highlighted.hits.firstIndex(of: position.cursor)
  }

  /// The message with the number of the hit that was opened last; nil if the cursor has left it.
  var openedHitMessage: String? {
    guard let highlighted = search.highlighted, let hit = openedHit else { return nil }
    let info = highlighted.found.edition(ofHit: hit)
    let inText = highlighted.found.hits(inTextOf: hit)
    let (number, count) = (hit - inText.lowerBound + 1, inText.count)
    // A text is named if it is not the one that is read, or not on the page.
    let isRead = info.id == edition.info.id && texts.shown.showsCurrentEdition
    let names =
      isRead ? [nil] : [messages.titleWithRemark(of: info), messages.idOrRemark(of: info)]
    let keys = [Action.nextHit, .previousHit, .escape].map { key($0) }.joined(separator: " ")
    let sentences = [hitHints, keys].map {
      messages.hit(number, of: count, in: names[0], hints: $0)
    }
    let ayah = "\(position.cursor)"
    let short = [(names[0], keys), (names.last ?? nil, keys), (names.last ?? nil, nil), (nil, nil)]
      .map {
        messages.shortHit(number, of: count, at: ayah, in: $0.0, keys: $0.1)
      }
    // A second row of the message would cover the text. On a narrow screen the message includes the
    // ayah, because a tall ayah may begin above the page.
    let all = size.columns < 60 ? short : sentences + short
    return all.first { $0.columns <= statusWidth - 2 } ?? all[all.count - 1]
  }

  /// The rows of the matches in the hit that was opened last; nil if the cursor has left it.
  var rowsOfOpenedMatches: ClosedRange<Int>? {
    guard let hit = openedHit, let info = search.highlighted?.found.edition(ofHit: hit) else {
      return nil
    }
    return rowsOfMatches(in: info)
  }

  /// Returns the rows of the longest run of highlighted words in the ayah under the cursor, counted
  /// in its block; nil if no words are highlighted in it.
  ///
  /// - Parameter preferred: The edition that is searched first.
  private func rowsOfMatches(in preferred: Edition.Info) -> ClosedRange<Int>? {
    guard let query = highlightedQuery else { return nil }
    let indexes = typesetter.editions.indices
    let preferredIndexes = indexes.filter { typesetter.editions[$0].info.id == preferred.id }
    for index in preferredIndexes + indexes.filter({ !preferredIndexes.contains($0) }) {
      let text = typesetter.displayedText(of: position.cursor, in: index)
      if let run = Context.longestRun(of: query.matches(in: text), in: text),
        let rows = typesetter.rows(
          of: text.utf8Offsets(of: run), in: position.cursor, of: index)
      {
        return rows
      }
    }
    return nil
  }

  /// Tells the user which keys go to the next and previous hit and end the highlighting.
  var hitHints: String {
    messages.hitHints(next: key(.nextHit), previous: key(.previousHit), clear: key(.escape))
  }

  /// The query whose matches are highlighted in the text; nil if there is none.
  var highlightedQuery: SearchQuery? {
    let query = isSearchOpen ? search.query : search.highlighted?.query
    return query?.isEmpty == false ? query : nil
  }
}
