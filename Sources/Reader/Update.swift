import Editions
public import Library
import Messages
import Quran
public import Sync
public import Terminal
import Text

/// An effect that the session performs for the model; `update` itself has no effects.
public enum Effect: Hashable, Sendable {
  case quit
  case suspend
  /// Draws the whole screen again.
  case redraw
  case copy(String)
  /// Sends a request to the library; the reply goes to `received`.
  case library(LibraryRequest)
  /// Reads or writes a file; the answer goes to `fileAnswered`.
  case file(FileRequest)
  /// Edits the note with this draft in an external editor, if the note is still being written; the
  /// outcome goes to `applyEditorResult`.
  case edit(Draft)
  /// Lists the files whose paths begin with a string; the paths go to `filesListed`.
  case listFiles(String)
  /// Searches for a dump of the older app; its path goes to `dumpFound`.
  case findDump
  /// Performs a request about editions; the replies go to `textsAnswered`.
  case texts(EditionRequest)
  /// Builds the search index of all notes, and passes it to `Model.indexed(_:)`.
  case indexNotes
  /// Stops the download of texts.
  case stopDownload
  /// Builds the search index of the current edition, and passes it to `Model.indexed(_:of:)`.
  case buildIndex
  /// Starts a round of sync.
  case sync(SyncRequest)
}

extension Model {
  /// Handles an event.
  ///
  /// - Parameter time: the time of the event, in milliseconds since 1970, UTC.
  public mutating func update(_ event: Event, at time: Int64) -> [Effect] {
    now = time
    switch event {
    case .key, .paste, .mouse: input.hasActed = true
    default: break
    }
    if input.awaited == .library, libraryState.refusal != nil, case .key(let key) = event,
      keys.action(for: key) == .escape
    {
      discardTypedAhead()
      message = nil
      return []
    }
    if isDeferring, isDeferrable(event) {
      input.typedAhead.append(event)
      return []
    }
    guard isOpening || !texts.shown.loading.isEmpty || search.currentIndex == nil else {
      return perform(event)
    }
    let before = self
    input.awaited = nil
    let effects = perform(event)
    guard let awaited = input.awaited else {
      input.awaited = before.input.awaited
      return effects
    }
    // The event is performed again, from the state before it, when what it awaits is loaded. It may
    // be the first of the events that waited, so it is put before the others.
    self = before
    input.awaited = awaited
    input.typedAhead.insert(event, at: 0)
    if awaited == .library {
      showMessage(libraryState.refusal.map { messages.explain($0) } ?? messages.openingLibrary)
    }
    return []
  }

  private mutating func perform(_ event: Event) -> [Effect] {
    // A selection ends when the text is left.
    defer {
      if pane == .list { selectionStart = nil }
      learnToOpen()
    }
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

  /// Reports that the clipboard could not be set.
  public mutating func copyingFailed() { showError(messages.noClipboard) }

  /// Fits everything to a new size; the ayah under the cursor stays in view.
  mutating func resize(to size: Size) {
    let isHitShown = message != nil && message?.text == openedHitMessage
    self.size = size
    typeset()
    if isHitShown, let text = openedHitMessage { showMessage(text) }
    revealSelection()
    revealOverlay()
  }

  // MARK: Keys

  mutating func handle(_ key: Key) -> [Effect] {
    let wasOffering = isShowingDraftOffer
    let action = action(for: key)
    // Nobody would see what the key changes. A note that is being written goes on.
    let isSafe =
      action.map { [.quit, .interrupt, .suspend, .redraw, .escape].contains($0) } ?? false
    if geometry.isTooSmall, editor == nil, !isSafe { return [] }
    // The message with the offer may have been removed without another one.
    drafts.isOffered = wasOffering
    if wasOffering, isNoteListFocused || action != .editNote && action != .externalEditor {
      withdrawDraftOffer()
    }
    message = nil
    texts.commandLine = nil
    let count = input.count
    input.count = nil
    defer { if !wasOffering { showOffers() } }
    if readCount(key, after: count) { return [] }
    // These actions work everywhere, except with a key that types a character while text is being
    // typed.
    if let action, [.interrupt, .suspend, .redraw].contains(action),
      !(isTyping && key.typedText != nil)
    {
      return perform(action)
    }
    if overlay != nil { return handleOverlay(key) }
    if editor != nil { return handleEditor(key) }
    if tab == .search, pane == .list { return handleSearch(key) }
    guard let action else {
      showUnboundKey(key)
      return []
    }
    guard let count else { return perform(action) }
    return action == .escape ? [] : perform(action, count: count)
  }

  /// Whether keys that type a character go to a text, or answer what is asked.
  private var isTyping: Bool {
    switch overlay {
    case .goTo, .filter, .command, .palette, .cues, .question, .arabicDisplay: return true
    case .page(.sync, _): return massDeletion != nil || syncScreen.status.failure == .restored
    case .menu, .notes, .footnotes, .page: return false
    case nil: return editor != nil || (tab == .search && pane == .list)
    }
  }

  /// Returns the action of a key. Of actions that share a key, one that belongs to what is on the
  /// screen takes precedence.
  func action(for key: Key) -> Action? {
    let actions = keys.actions(for: key)
    return actions.first { $0.place.map(isShown) == true } ?? actions.first { $0.place == nil }
      ?? actions.first
  }

  private func isShown(_ place: ActionPlace) -> Bool {
    switch place {
    case .highlightedHits: search.highlighted != nil && pane == .text
    case .texts: tab == .texts && pane == .list
    case .settings: tab == .settings && pane == .list
    }
  }

  mutating func perform(_ action: Action) -> [Effect] {
    learn(action)
    // These three also apply to a draft on offer and in the list of notes, and check the ayah
    // themselves.
    if ![.editNote, .externalEditor, .deleteNote].contains(action),
      let obstacle = obstacle(to: action)
    {
      showMessage(obstacle)
      return []
    }
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
    case .jumpBack: jump(back: true)
    case .jumpForward: jump(back: false)
    case .search:
      guard pane == .list, tab == .surahs else { return openSearch() }
      setFilter(TextField())
      lists.surahBeforeFilter = selectedAyah?.surah
      overlay = .filter
    case .nextHit: stepHit(1)
    case .previousHit: stepHit(-1)
    case .surahs: showTab(.surahs)
    case .juz: showTab(.juz)
    case .favorites: showTab(.favorites)
    case .notes:
      showTab(.notes)
      return libraryState.isOpen ? [.library(.noteList)] : []
    case .searchScreen: return openSearch()
    case .progress: showTab(.progress)
    case .settings: showTab(.settings)
    case .texts: return showTexts()
    case .useText, .installText, .updateTexts, .removeText, .compareText, .aboutText:
      return performOnText(action)
    case .footnotes: openFootnotes()
    case .favorite: return toggleFavorite()
    case .select: toggleSelection()
    case .newNote: return startNote(externally: false)
    case .editNote: return editNote(externally: false)
    case .externalEditor: return editNote(externally: true)
    case .deleteNote: return deleteNote()
    case .nextNote, .previousNote: return openNotes()
    case .markRead: return markRead()
    case .restart: askRestart()
    case .browse: toggleBrowsing()
    case .undo, .redo: return canChange() ? [.library(action == .undo ? .undo : .redo)] : []
    case .jumpToCue: overlay = .cues(isSetting: false)
    case .setCue: if canChange() { overlay = .cues(isSetting: true) }
    case .arabic: return toggleArabic()
    case .translation: toggleTranslation()
    case .columns: toggleColumns()
    case .arabicDisplay: return openArabicDisplay()
    case .layout: return change(.layout, by: 1)
    case .theme: return change(.theme, by: 1)
    case .previousValue:
      guard tab == .settings, pane == .list else {
        showTab(.settings)
        break
      }
      return choosePreviousValue()
    case .copy, .copyLink: return copy(link: action == .copyLink)
    case .palette: overlay = .palette(TextField(), ListState())
    case .command: overlay = .command(TextField(), nil)
    case .importFile: if canChange() { askForImport() }
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

  mutating func escape() {
    if selection != nil {
      selectionStart = nil
    } else if search.highlighted != nil, pane == .text {
      search.highlighted = nil
    } else if pane == .list, tab == .surahs, !lists.filter.isEmpty {
      setFilter(TextField())
    } else if pane == .list {
      leaveList()
    } else {
      goBack()
    }
  }

  mutating func paste(_ text: String) {
    message = nil
    input.count = nil
    if overlay == .question(.unsavedNote) { overlay = nil }
    if editor != nil, overlay == nil {
      let height = noteRows
      editor?.area.insert(text)
      editor?.textDidChange(height: height)
      return
    }
    switch overlay {
    case .goTo(var field):
      field.insert(text)
      overlay = .goTo(field)
    case .command(var field, _):
      field.insert(text, limit: TextField.commandLineLimit)
      overlay = .command(field, nil)
    case .palette(var field, _):
      field.insert(text)
      overlay = .palette(field, ListState())
    case .filter:
      var field = lists.filter
      field.insert(text)
      setFilter(field)
    case nil where tab == .search && pane == .list:
      search.field.insert(text)
      runSearch()
    default:
      break
    }
  }
}
