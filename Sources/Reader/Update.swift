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
    case .resized(let size): resize(to: size)
    case .suspend: return [.suspend]
    case .terminate: return [.quit]
    case .woken: break
    }
    return []
  }

  /// The index is ready: a search typed before it was is carried out.
  public mutating func indexed(_ index: SearchIndex) {
    self.index = index
    if !search.query.isEmpty { runSearch() }
  }

  /// What was to be copied could not be.
  public mutating func copyingFailed() { complain(words.noClipboard) }

  /// Fits everything to a new size; the ayah under the cursor stays in view.
  mutating func resize(to size: Size) {
    self.size = size
    typeset()
    revealSelection()
    revealOverlay()
  }

  // MARK: Keys

  private mutating func handle(_ key: Key) -> [Effect] {
    message = nil
    let action = keys.action(for: key)
    // These work wherever the keys go.
    if let action, [.interrupt, .suspend, .redraw].contains(action) { return perform(action) }
    if overlay != nil { return handleOverlay(key) }
    if tab == .search, pane == .list { return handleSearch(key) }
    guard let action else {
      say(words.unboundKey("\(key)".displayableLine, help: self.key(.help)))
      return []
    }
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
    case .open: if pane == .list { openSelection() } else { overlay = .menu(ListState()) }
    case .nextSurah: stepSurah(1)
    case .previousSurah: stepSurah(-1)
    case .goTo: overlay = .goTo(TextField())
    case .search: if pane == .list, tab == .surahs { overlay = .filter } else { openSearch() }
    case .nextHit: stepHit(1)
    case .previousHit: stepHit(-1)
    case .surahs: showTab(.surahs)
    case .juz: showTab(.juz)
    case .searchScreen: openSearch()
    case .arabicNames:
      showsArabicNames.toggle()
      say(showsArabicNames ? words.arabicNamesOn : words.arabicNamesOff)
    case .layout: set(layout == .verse ? .flow : .verse)
    case .theme: set(theme.id.next)
    case .copy, .copyLink: return copy(link: action == .copyLink)
    case .palette: overlay = .palette(TextField(), ListState())
    case .command: overlay = .command(TextField(), nil)
    case .help: overlay = .help(0)
    case .escape: escape()
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .quit, .interrupt: return [.quit]
    }
    return []
  }

  private mutating func escape() {
    if marked != nil, pane == .text {
      marked = nil
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
      overlay = .command(field, nil)
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

  // MARK: Looks

  /// Lays the text out for the size, keeping the place.
  mutating func typeset() {
    preview = nil
    // Where the text is not shown, nothing is laid out until it is.
    guard let area = geometry.text else { return }
    let width = max(area.width, 1)
    if typesetter.width == width, typesetter.layout == layout {
      reading = pager.show(reading)
      return
    }
    let bookmark = Pager(typesetter, height: area.height).bookmark(reading)
    typesetter = Typesetter(edition, layout: layout, width: width)
    reading = pager.restore(cursor: reading.cursor, at: bookmark)
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
    guard geometry.text != nil else {
      say(words.openFirst)
      return []
    }
    let ayah = shownReading.cursor
    if link {
      let link = DeepLink(ayah).description
      say(words.copied(link))
      return [.copy(link)]
    }
    say(words.copied(ayah.description))
    let source = words.copySource(
      "\(ayah)", surah: ayah.surah.surah.transliteration, edition: edition.info.title)
    return [.copy("\(edition.text(of: ayah))\n\(source)")]
  }
}
