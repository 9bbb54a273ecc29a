import Editions
import Library
import Messages
import Terminal

extension Model {
  /// The text selected on the screen of texts; nil on other screens.
  var selectedText: TextRow? {
    guard tab == .texts, pane == .list else { return nil }
    let rows = texts.rows
    let row = lists[.texts].selection
    return rows.indices.contains(row) ? rows[row] : nil
  }

  /// Opens the screen of texts, and lists them again: other processes may have changed them.
  mutating func showTexts() -> [Effect] {
    showTab(.texts)
    return [.texts(.list)]
  }

  // MARK: Actions

  /// Performs an action on the selected text; on another screen, opens the screen of texts.
  mutating func performOnText(_ action: Action) -> [Effect] {
    guard tab == .texts, pane == .list else { return showTexts() }
    guard let selected = selectedText else { return [] }
    switch (action, selected) {
    case (.installText, .installed): return install(texts.installable)
    case (.installText, .available(let text)), (.useText, .available(let text)):
      return install([text])
    case (.useText, .installed(let item)): return use(item.id)
    case (.updateTexts, _): return updateTexts()
    case (.removeText, _) where texts.download != nil: return stopDownload()
    case (.removeText, .installed(let item)):
      // The bundled text cannot be removed; the answer says so.
      if (try? item.info.get())?.isBundled == true { return removeText(item.id) }
      askRemove(item)
    case (.removeText, .available), (.compareText, .available), (.aboutText, .available(_)):
      showMessage(messages.textIsNotInstalled(key(.installText)))
    case (.compareText, .installed(let item)): return compare(with: item)
    case (.aboutText, .installed(let item)): overlay = .page(.aboutText(item.id), 0)
    default: break
    }
    return []
  }

  mutating func install(_ wanted: [RecognisedTranslation]) -> [Effect] {
    guard !wanted.isEmpty else {
      showMessage(messages.textsAreInstalled(key(.updateTexts)))
      return []
    }
    return startDownload(.install(wanted))
  }

  mutating func updateTexts() -> [Effect] {
    let infos = (texts.items ?? []).compactMap { try? $0.info.get() }
    guard texts.items == nil || infos.contains(where: { $0.quranEncKey != nil }) else {
      showMessage(messages.noTextFromQuranEnc(key(.installText)))
      return []
    }
    return startDownload(.update)
  }

  private mutating func startDownload(_ request: EditionRequest) -> [Effect] {
    guard texts.download == nil else {
      showMessage(messages.downloadIsRunning(stop: key(.removeText)))
      return []
    }
    texts.download = TextDownload()
    revealSelection()
    return [.texts(request)]
  }

  private mutating func stopDownload() -> [Effect] {
    texts.download?.isStopping = true
    showMessage(messages.stoppingDownload)
    return [.stopDownload]
  }

  mutating func removeText(_ id: String) -> [Effect] {
    texts.removing = id
    return [.texts(.remove(id))]
  }

  private mutating func askRemove(_ item: InstalledEditions.Item) {
    let title = (try? item.info.get()).map(messages.title(of:)) ?? item.id
    overlay = .question(.removeText(id: item.id, title: title))
  }

  /// Runs the rest of a line after `:text`.
  mutating func runTextCommand(_ argument: String, line: String) -> [Effect] {
    let words = argument.split(separator: " ", maxSplits: 1).map(\.trimmed)
    let name = words.count > 1 ? words[1] : ""
    switch (words.first, name) {
    case (nil, _): return showTexts()
    case ("install", ""):
      let open = showTexts()
      return open + startDownload(.install(RecognisedTranslation.all))
    case ("install", _):
      let known = RecognisedTranslation.all.first { [$0.id, $0.key].contains(name) }
      if let known { return showTexts() + startDownload(.install([known])) }
      texts.commandLine = line
      showMessage(messages.installingFile(name))
      return [.texts(.installFile(path: name))]
    case ("update", ""):
      let open = showTexts()
      return open + startDownload(.update)
    case ("use", _) where !name.isEmpty: return use(name)
    case ("remove", _) where !name.isEmpty: return removeText(name)
    default:
      let choices = TypedCommand.text.choices.map { $0.hasSuffix(" ") ? "\($0)ID" : $0 }
      refuse(line, messages.choose(choices.joined(separator: ", ")))
      return []
    }
  }

  /// Requests that a text becomes the current one. If it is already the current one and hidden,
  /// shows it.
  private mutating func use(_ id: String) -> [Effect] {
    if id == edition.info.id, !texts.shown.showsCurrentEdition {
      setShowsCurrentEdition(true)
      typeset()
    }
    return [.texts(.use(id))]
  }

  // MARK: Answers

  /// Handles a reply to a request about editions.
  public mutating func textsAnswered(_ answer: EditionReply, at time: Int64) -> [Effect] {
    now = time
    switch answer {
    case .loaded(let parallel, let edition):
      parallelEditionDidLoad(parallel, edition)
      return texts.shown.loading.isEmpty ? resume(after: .texts) : []
    case .indexed(let indexes):
      indexed(others: indexes)
      return []
    case .progress(let key, let done, let total):
      guard texts.download != nil else { return [] }
      texts.download?.name = key
      texts.download?.done = done
      texts.download?.total = total
      return []
    case .installed(let text, let available):
      let effects = show(available)
      showMessage(text)
      return effects
    case .done(let text, let available):
      texts.commandLine = nil
      let effects = show(available)
      if let text {
        showMessage(text)
      } else if let problem = available.problem {
        showError(problem)
      }
      return effects
    case .refused(let text, let available):
      let effects = show(available)
      let line = texts.commandLine
      texts.commandLine = nil
      if wrapped(text, width: size.columns - 2).count > 3 {
        texts.report = .report(title: messages.tabTexts, [text], isUndoable: false)
        showPendingReport()
      } else if let line, overlay == nil, editor == nil {
        refuse(line, text)
      } else {
        showError(text)
      }
      return effects
    }
  }

  /// Handles the end of a download, whether it succeeded or not.
  public mutating func downloadEnded() {
    texts.download = nil
    revealSelection()
  }

  /// Shows the editions on this machine, and the current one.
  private mutating func show(_ available: AvailableTexts) -> [Effect] {
    let selected = selectedText?.id
    let hasChanged =
      texts.items.map { items in
        // An update changes the information about an edition, but not its ID.
        !items.elementsEqual(available.items) { old, new in
          old.id == new.id && (try? old.info.get()) == (try? new.info.get())
        }
      } ?? false
    let former = texts.items
    texts.items = available.items
    if let row = texts.rows.firstIndex(where: { $0.id == selected }) {
      lists[.texts].selection = row
    }
    if available.items.contains(where: { (try? $0.info.get())?.isRecognised == true }) {
      texts.isOfferDue = false
    }
    let effects = read(available.current)
    checkCompared(former, isListed: available.problem == nil)
    texts.removing = nil
    revealSelection()
    return effects + loadParallelEditions() + (hasChanged ? textsDidChange() : [])
      + performTypedAhead()
  }

  /// Changes the current edition, shows it, and preserves the ayah under the cursor.
  mutating func read(_ new: Edition) -> [Effect] {
    guard new.info != edition.info else { return [] }
    edition = new
    if !texts.shown.showsCurrentEdition { setShowsCurrentEdition(true) }
    typeset()
    search.currentIndex = nil
    search.found = SearchHits()
    search.highlighted = nil
    if case .footnotes(let panel) = overlay { showFootnotes(of: panel.ayah) }
    return [.buildIndex] + textsDidChange()
  }

  /// Shows the offer to install the recognised translations, once in the life of a library. It is
  /// shown at the start or after another offer, and never interrupts the user: if a key was pressed
  /// before, it is shown at the next start.
  mutating func offerTexts() {
    guard texts.isOfferDue, libraryState.isOpen, message == nil, overlay == nil, editor == nil,
      texts.isOfferNext || !input.hasActed
    else { return }
    texts.isOfferDue = false
    texts.isOfferNext = false
    guard libraryState.shown.device[DeviceKey.textsOffered] == nil else { return }
    showMessage(messages.textsOffer(key(.texts), key(.installText)))
    libraryState.record { $0.device[DeviceKey.textsOffered] = .some("1") }
  }
}
