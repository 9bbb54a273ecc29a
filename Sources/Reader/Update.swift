public import Editions
import Quran
public import Terminal
import Text
import Words

/// What the program has to do for the model; `update` itself does nothing.
public enum Effect: Hashable, Sendable {
  case quit
  case suspend
  /// Draw everything anew.
  case redraw
  case copy(String)
}

extension Model {
  /// Takes an event.
  ///
  /// - Parameter time: when it happened, in milliseconds of any steady clock.
  public mutating func update(_ event: Event, at time: Int) -> [Effect] {
    switch event {
    case .key(let key): return handle(key)
    case .paste(let text): paste(text)
    case .mouse(let mouse): return handle(mouse, at: time)
    case .suspend: return [.suspend]
    case .terminate: return [.quit]
    case .resized, .woken: break
    }
    return []
  }

  /// The index is ready: a search typed before it was is carried out.
  public mutating func indexed(_ index: SearchIndex) {
    self.index = index
    if !search.query.isEmpty { runSearch() }
  }

  /// Fits everything to a new size; the ayah under the cursor stays in view.
  public mutating func resize(to size: Size) {
    self.size = size
    typeset()
    revealSelection()
  }

  // MARK: Keys

  private mutating func handle(_ key: Key) -> [Effect] {
    if key == .control("c") { return [.quit] }
    if key == .control("z") { return [.suspend] }
    message = nil
    if overlay != nil { return handleOverlay(key) }
    if tab == .search, pane == .list { return handleSearch(key) }
    guard let action = keys.action(for: key) else { return [] }
    return perform(action)
  }

  mutating func perform(_ action: Action) -> [Effect] {
    switch action {
    case .down: move(by: 1) { $0.down($1) }
    case .up: move(by: -1) { $0.up($1) }
    case .halfDown: page(half: true, 1)
    case .halfUp: page(half: true, -1)
    case .pageDown: page(half: false, 1)
    case .pageUp: page(half: false, -1)
    case .last: jumpToEnd(last: true)
    case .first: jumpToEnd(last: false)
    case .back: goBack()
    case .open: if pane == .list { openSelection() }
    case .nextSurah: stepSurah(1)
    case .previousSurah: stepSurah(-1)
    case .goTo: overlay = .goTo(TextField())
    case .search:
      if pane == .list, tab == .surahs { overlay = .filter } else { showTab(.search) }
    case .nextHit: stepHit(1)
    case .previousHit: stepHit(-1)
    case .surahs: showTab(.surahs)
    case .juz: showTab(.juz)
    case .searchScreen: showTab(.search)
    case .arabicNames:
      showsArabicNames.toggle()
      say(showsArabicNames ? words.arabicNamesOn : words.arabicNamesOff)
    case .layout: set(layout == .verse ? .flow : .verse)
    case .theme: set(theme.id.next)
    case .copy, .copyLink: return copy(link: action == .copyLink)
    case .palette: overlay = .palette(TextField(), ListState())
    case .command: overlay = .command(TextField(), choices: [])
    case .help: overlay = .help(top: 0)
    case .escape: escape()
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .quit, .interrupt: return [.quit]
    }
    return []
  }

  private mutating func escape() {
    if search.isMarked, pane == .text {
      search.isMarked = false
    } else if pane == .list, !filter.isEmpty {
      setFilter(TextField())
    } else {
      goBack()
    }
  }

  private mutating func paste(_ text: String) {
    message = nil
    switch overlay {
    case .goTo(var field):
      field.insert(text)
      overlay = .goTo(field)
    case .command(var field, _):
      field.insert(text)
      overlay = .command(field, choices: [])
    case .palette(var field, _):
      field.insert(text)
      overlay = .palette(field, ListState())
    case .filter:
      var field = filter
      field.insert(text)
      setFilter(field)
    case nil where tab == .search && pane == .list:
      search.field.insert(text)
      runSearch()
    default:
      break
    }
  }

  mutating func say(_ text: String) { message = Message(text: text) }
  mutating func complain(_ text: String) { message = Message(text: text, isError: true) }

  // MARK: Moving

  /// Moves the selection of the list, or the place in the text.
  private mutating func move(by count: Int, _ inText: (Pager, Reading) -> Reading) {
    if pane == .list {
      select(list.state.selection + count)
    } else {
      read(inText(pager, reading))
    }
  }

  private mutating func page(half: Bool, _ direction: Int) {
    let height = (pane == .list ? geometry.list : geometry.text)?.height ?? 1
    // A full page keeps one row in view, so that the eye finds the place again.
    let count = direction * max(half ? height / 2 : height - 1, 1)
    move(by: count) { $0.scroll($1, by: count) }
  }

  private mutating func jumpToEnd(last: Bool) {
    if pane == .list {
      select(last ? list.count - 1 : 0)
    } else {
      let surah = reading.cursor.surah
      let target = last ? surah.lastAyah : surah.firstAyah
      read(last ? pager.show(Reading(cursor: target, top: reading.top)) : pager.open(target))
    }
  }

  mutating func select(_ row: Int) {
    let row = min(max(row, 0), max(list.count - 1, 0))
    switch tab {
    case .surahs: surahs.selection = row
    case .juz: juz.selection = row
    case .search: searchList.selection = row
    }
    revealSelection()
  }

  /// Scrolls the list so that the selected row is on the screen.
  mutating func revealSelection() {
    guard let height = geometry.list?.height else { return }
    let count = list.count
    switch tab {
    case .surahs: surahs.reveal(height: height, count: count)
    case .juz: juz.reveal(height: height, count: count)
    case .search: searchList.reveal(height: height, count: count)
    }
  }

  /// Takes a new place in the text.
  mutating func read(_ new: Reading) {
    if new == reading {
      if new.cursor == .last { say(words.endOfBook) }
      if new.cursor == .first { say(words.startOfBook) }
    }
    reading = new
    hasBegun = true
  }

  /// Shows an ayah in the text pane.
  mutating func open(_ ayah: AyahID) {
    pane = .text
    typeset()
    hasBegun = true
    reading = pager.open(ayah)
    followReading()
  }

  private mutating func stepSurah(_ count: Int) {
    if pane == .list {
      select(list.state.selection + count)
    } else if let surah = SurahNumber(reading.cursor.surah.rawValue + count) {
      open(surah.firstAyah)
    } else {
      say(count > 0 ? words.endOfBook : words.startOfBook)
    }
  }

  /// Selects in the lists what is being read, so that going back lands there.
  private mutating func followReading() {
    let listed = listedSurahs
    if let row = listed.firstIndex(of: reading.cursor.surah) { surahs.selection = row }
    juz.selection = reading.cursor.juz - 1
    revealSelection()
  }

  mutating func openSelection() {
    guard let ayah = selectedAyah else { return }
    if tab == .search { search.isMarked = !search.query.isEmpty && !search.hits.isEmpty }
    if hasBegun, ayah == reading.cursor {
      pane = .text
      typeset()
    } else {
      open(ayah)
    }
  }

  private mutating func goBack() {
    guard pane == .text else {
      if tab == .search { showTab(.surahs) }
      return
    }
    pane = .list
    followReading()
    typeset()
    revealSelection()
  }

  mutating func showTab(_ tab: Tab) {
    self.tab = tab
    pane = .list
    if tab != .search { followReading() }
    typeset()
    revealSelection()
  }

  // MARK: Looks

  /// Lays the text out for the size, keeping the place.
  mutating func typeset() {
    // Where the text is not shown, nothing is laid out until it is.
    guard let area = geometry.text else { return }
    let width = max(area.width, 1)
    if typesetter.width == width, typesetter.layout == layout {
      reading = Pager(typesetter, height: area.height).show(reading)
      return
    }
    let bookmark = Pager(typesetter, height: area.height).bookmark(reading)
    typesetter = Typesetter(edition, layout: layout, width: width)
    reading = Pager(typesetter, height: area.height).restore(cursor: reading.cursor, at: bookmark)
  }

  mutating func set(_ layout: PageLayout) {
    self.layout = layout
    typeset()
    say(words.layoutChosen(layout == .flow ? words.layoutFlow : words.layoutVerse))
  }

  mutating func set(_ theme: Theme.ID) {
    self.theme = Theme(theme)
    say(words.themeChosen(words.theme(theme.rawValue)))
  }

  private mutating func copy(link: Bool) -> [Effect] {
    let ayah = shownReading.cursor
    if link {
      let link = DeepLink(ayah).description
      say(words.copied(link))
      return [.copy(link)]
    }
    say(words.copied(ayah.description))
    let name = ayah.surah.surah.transliteration
    return [.copy("\(edition.text(of: ayah))\n— Quran \(ayah) (\(name)), \(edition.info.title)")]
  }

  // MARK: Search

  private mutating func handleSearch(_ key: Key) -> [Effect] {
    switch key.code {
    case .enter: openSelection()
    case .escape: showTab(.surahs)
    case .up, .down, .pageUp, .pageDown:
      if let action = keys.action(for: Key(key.code)) { return perform(action) }
    case .character("p") where key.modifiers == .control: return perform(.palette)
    case .character("l") where key.modifiers == .control: return [.redraw]
    case .tab where !search.query.isEmpty: openSelection()
    default:
      if search.field.handle(key) { runSearch() }
    }
    return []
  }

  mutating func runSearch() {
    let text = search.field.text
    let old = search.query.text
    search.query = SearchQuery(text)
    search.reference = try? Reference(parsing: text)
    search.hits = index?.search(search.query) ?? []
    search.isMarked = false
    if text != old { searchList = ListState() }
    revealSelection()
  }

  private mutating func stepHit(_ count: Int) {
    guard search.isMarked, !search.hits.isEmpty else {
      say(words.noMarkedHits)
      return
    }
    let hits = search.hits.count
    let now = search.hits.firstIndex(of: reading.cursor)
    let next =
      if let now { (now + count + hits) % hits } else {
        // From elsewhere, to the hit that comes next in the book.
        (count > 0
          ? search.hits.indices.filter { search.hits[$0] > reading.cursor }
            .min { search.hits[$0] < search.hits[$1] }
          : search.hits.indices.filter { search.hits[$0] < reading.cursor }
            .max { search.hits[$0] < search.hits[$1] }) ?? 0
      }
    open(search.hits[next])
    searchList.selection = next + (search.reference == nil ? 0 : 1)
    say(words.hit(next + 1, of: hits))
  }
}

extension Model.ListState {
  /// Moves `top` so that the selection is among `height` rows, and rows are not wasted.
  mutating func reveal(height: Int, count: Int) {
    selection = min(max(selection, 0), max(count - 1, 0))
    top = min(max(top, selection - height + 1), selection)
    top = max(min(top, count - height), 0)
  }
}
