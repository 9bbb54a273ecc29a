public import Editions
public import Library
import Messages
import Quran
public import Sync
public import Terminal
import Text

/// What the program has to do for the model; `update` itself does nothing.
public enum Effect: Hashable, Sendable {
  case quit
  case suspend
  /// Draw everything anew.
  case redraw
  case copy(String)
  /// To be asked of the library; its answer goes to `received`.
  case library(LibraryRequest)
  /// To be read or written; what comes of it goes to `fileAnswered`.
  case file(FileRequest)
  /// To be written in the reader's own editor; the text goes to `edited`.
  case edit(Draft)
  /// To look for the files whose names begin so; they go to `filesListed`.
  case listFiles(String)
  /// To look for a dump of the older app; it goes to `dumpFound`.
  case findDump
  case sync(SyncWish)
}

/// What is asked of sync.
public enum SyncWish: Hashable, Sendable {
  case now
  case retryParked
  /// The answer to the question of many deletions.
  case answer(MassDeletion.Answer)
  /// Say what counts where an earlier state of the library was put back.
  case answerRestored(SyncAccount.Restoration)
}

extension Model {
  /// Takes an event.
  ///
  /// - Parameter time: when it happened, in milliseconds since 1970, UTC.
  public mutating func update(_ event: Event, at time: Int64) -> [Effect] {
    now = time
    switch event {
    case .key, .paste, .mouse: act()
    default: break
    }
    if isLibraryWanted, libraryState.refusal != nil, case .key(let key) = event,
      keys.action(for: key) == .escape
    {
      dropHeld()
      message = nil
      return []
    }
    if isHolding, isTypedAhead(event) {
      typedAhead.append(event)
      return []
    }
    guard isOpening else { return carryOut(event) }
    let before = self
    isLibraryWanted = false
    let effects = carryOut(event)
    guard isLibraryWanted else {
      isLibraryWanted = before.isLibraryWanted
      return effects
    }
    // Carried out from its beginning once the library is open.
    self = before
    isLibraryWanted = true
    typedAhead.append(event)
    say(libraryState.refusal.map { messages.explain($0) } ?? messages.openingLibrary)
    return []
  }

  private mutating func carryOut(_ event: Event) -> [Effect] {
    switch event {
    case .key(let key): return handle(key)
    case .paste(let text): paste(text)
    case .mouse(let mouse): return handle(mouse)
    case .resized(let size): resize(to: size)
    case .suspend: return [.suspend]
    case .terminate: return [.quit]
    case .woken: break
    }
    return []
  }

  /// Whether input is held until the library or a note's text, which then receives it, is ready.
  private var isHolding: Bool { wantedNote != nil || isLibraryWanted }

  private func isTypedAhead(_ event: Event) -> Bool {
    switch event {
    case .key(let key): keys.action(for: key) != .interrupt
    case .paste: true
    default: false
    }
  }

  /// Carries out what was typed ahead.
  mutating func takeTypedAhead() -> [Effect] {
    var effects: [Effect] = []
    while !isHolding, !typedAhead.isEmpty {
      effects += update(typedAhead.removeFirst(), at: now)
    }
    return effects
  }

  /// The index is ready: a search typed before it was is carried out.
  public mutating func indexed(_ index: SearchIndex) {
    self.index = index
    if !search.query.isEmpty { runSearch() }
  }

  /// What was to be copied could not be.
  public mutating func copyingFailed() { complain(messages.noClipboard) }

  /// Fits everything to a new size; the ayah under the cursor stays in view.
  mutating func resize(to size: Size) {
    self.size = size
    typeset()
    revealSelection()
    revealOverlay()
  }

  // MARK: Keys

  private mutating func handle(_ key: Key) -> [Effect] {
    let wasOffering = isOffering
    message = nil
    defer { if !wasOffering { offer() } }
    let action = meaning(of: key)
    // These work wherever the keys go, unless the reader gave them keys that type.
    if let action, [.interrupt, .suspend, .redraw].contains(action), !(isTyping && key.isTyped) {
      return perform(action)
    }
    if overlay != nil { return handleOverlay(key) }
    if editor != nil { return write(key) }
    if tab == .search, pane == .list { return handleSearch(key) }
    guard let action else {
      say(messages.unboundKey("\(key)".sanitizedLine, help: self.key(.help)))
      return []
    }
    if wasOffering, action != .editNote, action != .externalEditor { offeredDraft = nil }
    return perform(action)
  }

  /// Whether keys that type go to a text.
  private var isTyping: Bool {
    switch overlay {
    case .goTo, .filter, .command, .palette: return true
    case .menu, .notes, .cues, .question, .page: return false
    case nil: return editor != nil || (tab == .search && pane == .list)
    }
  }

  /// What a key does now: hits are stepped through while they are marked, otherwise
  /// their keys are free for others.
  private func meaning(of key: Key) -> Action? {
    let actions = keys.actions(for: key)
    let stepsThroughHits = marked != nil && pane == .text
    return actions.first { stepsThroughHits || ($0 != .nextHit && $0 != .previousHit) }
      ?? actions.first
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
    case .open:
      if pane == .list { return openSelection() }
      overlay = .menu(ListState())
    case .nextSurah: stepSurah(1)
    case .previousSurah: stepSurah(-1)
    case .goTo: overlay = .goTo(TextField())
    case .jumpBack: jumpBack()
    case .search: if pane == .list, tab == .surahs { overlay = .filter } else { openSearch() }
    case .nextHit: stepHit(1)
    case .previousHit: stepHit(-1)
    case .surahs: showTab(.surahs)
    case .juz: showTab(.juz)
    case .favorites: showTab(.favorites)
    case .notes:
      showTab(.notes)
      return libraryState.isOpen ? [.library(.noteList)] : []
    case .searchScreen: openSearch()
    case .progress: showTab(.progress)
    case .settings: showTab(.settings)
    case .favorite: return toggleFavorite()
    case .newNote: return startNote(externally: false)
    case .editNote: return editNote(externally: false)
    case .externalEditor: return editNote(externally: true)
    case .deleteNote: return deleteNote()
    case .nextNote: return stepNote(0)
    case .previousNote: return stepNote(-1)
    case .markRead: return markRead()
    case .restart: askRestart()
    case .browse: toggleBrowsing()
    case .undo, .redo: return canChange() ? [.library(action == .undo ? .undo : .redo)] : []
    case .jumpToCue: overlay = .cues(isSetting: false)
    case .setCue:
      if targetAyah == nil { say(messages.openFirst) } else { overlay = .cues(isSetting: true) }
    case .arabicNames: return setArabicNames(!showsArabicNames)
    case .layout: return set(layout == .verse ? .flow : .verse)
    case .theme: return set(theme.id.next)
    case .copy, .copyLink: return copy(link: action == .copyLink)
    case .palette: overlay = .palette(TextField(), ListState())
    case .command: overlay = .command(TextField(), nil)
    case .importFile: askForImport()
    case .sync: return syncNow()
    case .syncScreen: overlay = .page(.sync, 0)
    case .help: overlay = .page(.help, 0)
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
    if editor != nil, overlay == nil {
      let height = noteRows
      editor?.area.insert(text)
      editor?.typed(height: height)
      return
    }
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
    fitNote()
    // Where the text is not shown, nothing is laid out until it is.
    guard let area = geometry.text else { return }
    let width = max(area.width, 1)
    // In the margin they stand beside the text; within it they take room.
    let marks = layout == .flow ? libraryState.flowMarks : [:]
    if typesetter.width == width, typesetter.layout == layout, typesetter.marks == marks {
      reading = pager.show(reading)
      return
    }
    let bookmark = Pager(typesetter, height: area.height).bookmark(reading)
    typesetter = Typesetter(edition, layout: layout, width: width, marks: marks)
    reading = pager.restore(cursor: reading.cursor, at: bookmark)
  }

  /// Fits the note being read or written to its place.
  private mutating func fitNote() {
    if var editor {
      editor.area.resize(width: noteWidth)
      editor.reveal(height: noteRows)
      self.editor = editor
    }
    if case .notes(var panel) = overlay {
      panel.area.resize(width: noteWidth)
      panel.top = max(min(panel.top, panel.area.rowCount - noteRows), 0)
      overlay = .notes(panel)
    }
  }

  mutating func set(_ layout: PageLayout) -> [Effect] {
    self.layout = layout
    typeset()
    say(messages.layoutChosen(messages.layout(layout.rawValue)))
    return keep(.layout, json(layout.rawValue))
  }

  mutating func set(_ theme: Theme.ID) -> [Effect] {
    self.theme = Theme(theme)
    say(messages.themeChosen(messages.theme(theme.rawValue)))
    return keep(.theme, json(theme.rawValue))
  }

  mutating func setArabicNames(_ isOn: Bool) -> [Effect] {
    showsArabicNames = isOn
    say(isOn ? messages.arabicNamesOn : messages.arabicNamesOff)
    return keep(.arabicNames, isOn ? "true" : "false")
  }

  /// A word of ours as a JSON value.
  private func json(_ word: String) -> String { "\"\(word)\"" }

  /// Keeps a setting; where the library takes none it holds for this session.
  mutating func keep(_ setting: SettingKey, _ value: String?) -> [Effect] {
    guard libraryState.isOpen, libraryState.refusal == nil,
      libraryState.shown.settings[setting.rawValue] != value
    else { return [] }
    let request = LibraryRequest.commit([.set(setting.rawValue, value)])
    libraryState.sent(request, at: now)
    return [.library(request)]
  }

  private mutating func copy(link: Bool) -> [Effect] {
    guard let ayah = targetAyah else {
      say(messages.openFirst)
      return []
    }
    if link {
      let link = DeepLink(ayah).description
      say(messages.copied(link))
      return [.copy(link)]
    }
    say(messages.copied(ayah.description))
    let source = messages.copySource(
      "\(ayah)", surah: ayah.surah.surah.transliteration, edition: edition.info.title)
    return [.copy("\(edition.text(of: ayah))\n\(source)")]
  }
}

extension Key {
  /// Whether the key types a character.
  fileprivate var isTyped: Bool {
    guard case .character = code else { return false }
    return modifiers.subtracting(.shift).isEmpty
  }
}
