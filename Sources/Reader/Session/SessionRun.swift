import Editions
import Library
import Messages
import Sync
import Terminal

/// One run of the reader.
struct SessionRun {
  var model: Model
  let screen: any Screen
  let library: LibraryOwner
  let services: ReaderSession.Services
  let mailbox: Mailbox
  let wakeUp: WakeUp
  private(set) var isOver = false
  /// The reason why changes could not be saved at the end.
  private(set) var failure: LibraryFailure?
  /// The reason why a change was refused since the user asked to leave.
  private var refusedCommit: LibraryFailure?
  /// The requests that are sent once the frame is drawn.
  private var outgoing: [Request] = []
  var sync: SyncSession?
  /// Whether a dump of the older app is searched for then.
  private var isDumpWanted = false
  /// The time since which there are unsaved changes.
  private var unsavedSince: Int64?
  /// Whether the user asked to leave although a text could not be saved.
  private var hasAskedToLeave = false
  /// The download of texts that is running.
  private var download: Task<Void, Never>?
  /// Whether the user did not wait for unsaved changes.
  private(set) var isAbandoned = false

  /// A request to the library, or to the file exchange.
  private enum Request: Equatable {
    case library(LibraryRequest)
    case file(FileRequest)
  }

  /// The longest time that unsaved changes wait if events never pause, in milliseconds.
  private static let longest: Int64 = 5000

  init(
    model: Model, screen: any Screen, library: LibraryOwner, services: ReaderSession.Services,
    mailbox: Mailbox, wakeUp: WakeUp
  ) {
    self.model = model
    self.screen = screen
    self.library = library
    self.services = services
    self.mailbox = mailbox
    self.wakeUp = wakeUp
  }

  /// Waits for events, and handles them.
  mutating func step() {
    let events = screen.events(within: model.saveDelay(at: services.now()))
    handleMail()
    if events.isEmpty { save() }
    for event in events where !isOver {
      // Any other key cancels a request to leave.
      if case .key = event { hasAskedToLeave = hasAskedToLeave && isInterrupt(event) }
      perform(model.update(event, at: services.now()))
      if case .terminate = event { isOver = true }
    }
    let now = services.now()
    guard !isOver, let patience = model.saveDelay(at: now) else {
      unsavedSince = nil
      return
    }
    let since = unsavedSince ?? now
    unsavedSince = since
    if now - since >= Self.longest, patience <= Model.idleSaveDelay { save() }
  }

  /// Requests that unsaved changes are saved.
  mutating func save() {
    outgoing += model.saveRequests().map { .library($0) }
    unsavedSince = nil
  }

  /// Sends the requests to the library, and starts what waited for the frame.
  mutating func send() {
    for request in outgoing {
      switch request {
      case .library(let request): library.send(request)
      case .file(let request):
        services.files.send(request, to: library, model.messages) { [mailbox, wakeUp] answer in
          mailbox.post(.file(answer))
          wakeUp.wake()
        }
      }
    }
    outgoing = []
    guard isDumpWanted else { return }
    isDumpWanted = false
    Task.detached(priority: .utility) { [findDump = services.findDump, mailbox, wakeUp] in
      mailbox.post(.dump(findDump()))
      wakeUp.wake()
    }
  }

  mutating func beginSync() {
    sync = services.sync(library) { [mailbox, wakeUp] status in
      mailbox.post(.sync(status))
      wakeUp.wake()
    }
  }

  /// Sends the changes that are waiting, for a limited time, and reports it if that takes longer.
  /// Ctrl-c ends the wait; the outbox keeps the changes.
  mutating func endSync() {
    guard let sync else { return }
    sync.finish()
    let end = ContinuousClock.now + .milliseconds(isAbandoned ? 0 : 2000)
    while ContinuousClock.now < end, !sync.waitForEnd(milliseconds: 300) {
      handleMail()
      if model.showSyncing() { screen.show(model.view()) }
      if screen.events(within: 0).contains(where: isInterrupt) { break }
    }
    sync.cancel()
    _ = sync.waitForEnd(milliseconds: 300)
  }

  mutating func handleMail() {
    for item in mailbox.removeAll() {
      switch item {
      case .sync(let status): model.synced(status, at: services.now())
      case .index(let index, let info): model.indexed(index, of: info)
      case .noteIndex(let notes): model.indexed(notes)
      case .text(let answer): perform(model.textsAnswered(answer, at: services.now()))
      case .downloadEnded:
        download = nil
        model.downloadEnded()
      case .dump(let path): model.dumpFound(path)
      case .file(let answer): perform(model.fileAnswered(answer, at: services.now()))
      case .reply(let reply):
        failure = reply.failure ?? failure
        if case .refused(.commit, let failure) = reply { refusedCommit = failure }
        perform(model.received(reply, at: services.now()))
      }
    }
  }

  mutating func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .quit: leave()
      case .suspend:
        saveBeforePause()
        sync?.suspend(milliseconds: 1000)
        screen.suspend()
        sync?.resume()
        perform(model.update(.resized(screen.size), at: services.now()))
      case .redraw:
        screen.show(Canvas(size: Size(rows: 0, columns: 0)))
      case .copy(let text):
        let isCopied = [screen.copy(text), services.copy(text)].contains(true)
        if !isCopied { model.copyingFailed() }
      case .library(let request):
        // A request that only reads is sent once, after all others.
        if request.isReading { outgoing.removeAll { $0 == .library(request) } }
        outgoing.append(.library(request))
      case .file(let request):
        outgoing.append(.file(request))
      case .edit(let draft):
        edit(draft)
      case .listFiles(let typed):
        model.filesListed(services.listFiles(typed), for: typed)
      case .findDump:
        isDumpWanted = true
      case .texts(let request): send(request)
      case .stopDownload: download?.cancel()
      case .buildIndex: buildIndex()
      case .indexNotes(let notes): index(notes)
      case .sync(let request):
        switch request {
        case .now: sync?.ask()
        case .retryParked: sync?.retryParked()
        case .answer(let answer): sync?.answer(answer)
        case .answerRestored(let restoration): sync?.answer(restoration)
        }
      }
    }
  }

  /// Builds the search index of the text that is read.
  func buildIndex() {
    let edition = model.edition
    Task.detached(priority: .utility) { [mailbox, wakeUp] in
      mailbox.post(.index(SearchIndex(edition), of: edition.info))
      wakeUp.wake()
      // The names of the surahs are folded at their first use, which should not be a key press.
      _ = try? QuranReference(parsing: "a")
    }
  }

  /// Builds the index of all notes.
  private func index(_ notes: [Note]) {
    Task.detached(priority: .utility) { [mailbox, wakeUp] in
      mailbox.post(.noteIndex(NoteIndex(notes)))
      wakeUp.wake()
    }
  }

  /// Performs a request about texts in the background.
  private mutating func send(_ request: TextRequest) {
    let task = Task.detached(priority: .utility) {
      [texts = services.texts, messages = model.messages, mailbox, wakeUp] in
      await texts.perform(request, messages) { answer in
        mailbox.post(.text(answer))
        wakeUp.wake()
      }
      guard request.isDownload else { return }
      mailbox.post(.downloadEnded)
      wakeUp.wake()
    }
    if request.isDownload { download = task }
  }

  /// Saves everything before this process stops or waits for a while: a process that stops within a
  /// transaction would lock out all others.
  private mutating func saveBeforePause() {
    save()
    send()
    _ = library.drain(milliseconds: 1000)
    handleMail()
  }

  /// Waits for requests that are not answered, and reports it if that takes longer. Another Ctrl-c
  /// ends the wait. If a text could not be saved, the reader stays open once, so that the user is
  /// told.
  mutating func leave() {
    refusedCommit = nil
    var refusal: LibraryFailure?
    // A library that was opened only now saves the changes made by reading, too.
    for _ in 0..<2 {
      failure = nil
      save()
      send()
      while !library.drain(milliseconds: 300) {
        model.showSaving()
        screen.show(model.view())
        guard !screen.events(within: 0).contains(where: isInterrupt) else {
          failure = .busy
          isOver = true
          isAbandoned = true
          return
        }
      }
      handleMail()
      refusal = failure ?? refusal
    }
    // Neither a refused change is sent again, nor a text to a library that is not open.
    failure = failure ?? refusedCommit ?? (model.hasTextWithoutDraft ? refusal : nil)
    guard failure != nil, model.hasUnsavedText, !hasAskedToLeave else {
      isOver = true
      return
    }
    if let failure { model.showUnsavedText(failure) }
    failure = nil
    hasAskedToLeave = true
  }

  /// Whether an event asks to leave immediately.
  private func isInterrupt(_ event: Event) -> Bool {
    switch event {
    case .key(let key): model.keys.action(for: key) == .interrupt
    case .terminate: true
    case .mouse, .paste, .resized, .suspend, .woken: false
    }
  }

  private mutating func edit(_ draft: Draft) {
    saveBeforePause()
    var edited = ReaderSession.Edited(.notStarted(0))
    screen.lend { edited = services.edit(draft.text) }
    perform(model.edited(edited.outcome, by: services.editorName))
    perform(model.update(.resized(screen.size), at: services.now()))
    // The editor's file stays until the text is in the library.
    saveBeforePause()
    withExtendedLifetime(edited.file) {}
  }
}

extension LibraryRequest {
  fileprivate var isReading: Bool {
    switch self {
    case .notes, .noteList, .allNotes: true
    default: false
    }
  }
}

extension LibraryReply {
  /// The reason why something was not saved.
  var failure: LibraryFailure? {
    switch self {
    case .refused(.commit, let failure), .refused(.keep, let failure),
      .refused(.save, let failure):
      failure
    default: nil
    }
  }
}
