import Dispatch
import Editions
import Library
import Messages
import Sync
import Terminal

/// The event loop of the reader: handles events and messages of other threads, updates the model,
/// and carries out its effects.
struct ReaderEventLoop {
  var model: Model
  let screen: any Screen
  let library: LibraryOwner
  let services: ReaderSession.Services
  let eventQueue: EventQueue
  private(set) var isOver = false
  /// The reason why changes could not be saved at the end; nil if all were saved.
  private(set) var failure: LibraryFailure?
  /// The reason why a change was refused since the user asked to leave.
  private var refusedCommit: LibraryFailure?
  private var outgoing: [DeferredEffect] = []
  var sync: SyncSession?
  /// The time since which there are unsaved changes, in milliseconds since 1970, UTC; nil if there
  /// are none.
  private var unsavedSince: Int64?
  /// Whether the user asked to leave although a note could not be saved.
  private var hasAskedToLeave = false
  /// The running download of editions.
  private var download: Task<Void, Never>?
  /// Whether the user ended the reader before all changes were saved.
  private(set) var isAbandoned = false

  /// An effect that begins once the frame is drawn.
  private enum DeferredEffect: Hashable {
    case library(LibraryRequest)
    case file(FileRequest)
    case indexNotes, findDump
  }

  /// The maximum time that unsaved changes wait while events keep arriving, in milliseconds.
  private static let maximumSaveDelay: Int64 = 5000

  init(
    model: Model, screen: any Screen, library: LibraryOwner, services: ReaderSession.Services,
    eventQueue: EventQueue
  ) {
    self.model = model
    self.screen = screen
    self.library = library
    self.services = services
    self.eventQueue = eventQueue
  }

  /// Runs the loop until the user quits and sync has ended or was cancelled.
  ///
  /// - Parameter timeout: the time that the first frame waits for the parallel editions that it
  ///   shows, in milliseconds.
  mutating func run(loadingEditionsWithin timeout: Int) {
    handleEvents()
    let end = DispatchTime.now() + .milliseconds(timeout)
    // Keys wait, because they are meant for the page with all of its texts.
    while !model.texts.shown.loading.isEmpty, eventQueue.wait(until: end) { handleEvents() }
    draw()
    beginSync()
    // The index is built after the first frame, since reading does not need it.
    buildIndex()
    while !isOver {
      step()
      if !isOver { draw() }
    }
    endSync()
  }

  /// Draws the model, then sends the changes to the library.
  private mutating func draw() {
    screen.show(model.view())
    perform(model.requestForSearch())
    send()
  }

  /// Waits for events, and handles them.
  private mutating func step() {
    let events = screen.events(within: model.saveDelay(at: services.now()))
    handleEvents()
    if events.isEmpty { save() }
    for event in events where !isOver {
      // After a signal to end, the user is not asked about a note that cannot be saved.
      if case .terminate = event { hasAskedToLeave = true }
      // Any key other than that of `interrupt` cancels a request to leave.
      if case .key = event { hasAskedToLeave = hasAskedToLeave && isInterrupt(event) }
      perform(model.update(event, at: services.now()))
      if case .terminate = event { isOver = true }
    }
    let now = services.now()
    guard !isOver, let saveDelay = model.saveDelay(at: now) else {
      unsavedSince = nil
      return
    }
    let since = unsavedSince ?? now
    unsavedSince = since
    if now - since >= Self.maximumSaveDelay, saveDelay <= Model.idleSaveDelay { save() }
  }

  /// Requests that unsaved changes are saved.
  private mutating func save() {
    outgoing += model.saveRequests().map { .library($0) }
    unsavedSince = nil
  }

  /// Carries out the pending effects. The loop calls it after it has drawn a frame, so that it does
  /// not delay the frame.
  private mutating func send() {
    for effect in outgoing {
      switch effect {
      case .library(let request): library.send(request)
      case .file(let request):
        library.run { [perform = services.files, messages = model.messages, eventQueue] library in
          let reply = perform(request, library, messages) { eventQueue.post(.file(.working($0))) }
          eventQueue.post(.file(reply))
          return reply.commit
        }
      case .indexNotes:
        library.run { [eventQueue] library in
          eventQueue.post(
            .noteIndex(
              library.flatMap { library in
                Result { () throws(LibraryFailure) in try NoteIndex(of: library) }
              }))
          return Commit([])
        }
      case .findDump:
        Task.detached(priority: .utility) { [findDump = services.findDump, eventQueue] in
          eventQueue.post(.dumpPath(findDump()))
        }
      }
    }
    outgoing = []
  }

  private mutating func beginSync() {
    sync = services.sync(library) { [eventQueue] status in
      eventQueue.post(.sync(status))
    }
  }

  /// Ends sync. Waits up to two seconds for the pending changes to be sent, and shows a message
  /// after 300 ms. Ctrl-c ends the wait. Changes that were not sent stay in the outbox.
  private mutating func endSync() {
    guard let sync else { return }
    sync.finish()
    let end = ContinuousClock.now + .milliseconds(isAbandoned ? 0 : 2000)
    while ContinuousClock.now < end, !sync.waitForEnd(milliseconds: 300) {
      handleEvents()
      if model.showSyncing() { screen.show(model.view()) }
      if screen.events(within: 0).contains(where: isInterrupt) { break }
    }
    sync.cancel()
    _ = sync.waitForEnd(milliseconds: 300)
  }

  private mutating func handleEvents() {
    for event in eventQueue.removeAll() {
      switch event {
      case .sync(let status):
        model.synced(
          status, isSignedOut: status.phase == .off && services.isSignedOut(), at: services.now())
      case .index(let index, let info): perform(model.indexed(index, of: info))
      case .noteIndex(let notes): model.indexed(notes)
      case .text(let answer): perform(model.textsAnswered(answer, at: services.now()))
      case .downloadEnded:
        download = nil
        model.downloadEnded()
      case .dumpPath(let path): model.dumpFound(path)
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
        screen.show(Canvas(size: Size(rows: 0, columns: 0), arabic: model.view().arabic))
      case .copy(let text):
        let isCopied = [screen.copy(text), services.copy(text)].contains(true)
        if !isCopied { model.copyingFailed() }
      case .library(let request):
        // Send a repeated query only once, after the other requests, so that its reply includes
        // their changes.
        if request.isQuery { outgoing.removeAll { $0 == .library(request) } }
        outgoing.append(.library(request))
      case .file(let request): outgoing.append(.file(request))
      case .indexNotes: outgoing.append(.indexNotes)
      case .findDump: outgoing.append(.findDump)
      case .edit(let draft):
        edit(draft)
      case .listFiles(let typed):
        model.filesListed(services.listFiles(typed), for: typed)
      case .texts(let request): send(request)
      case .stopDownload: download?.cancel()
      case .buildIndex: buildIndex()
      case .sync(let request): sync?.requestRound(request)
      }
    }
  }

  /// Builds the search index of the current edition.
  func buildIndex() {
    let edition = model.edition
    Task.detached(priority: .utility) { [eventQueue] in
      eventQueue.post(.index(SearchIndex(edition), of: edition.info))
      // The first parse builds the table of folded surah names. Do it here, so that it does not
      // delay a key press.
      _ = try? QuranReference(parsing: "a")
    }
  }

  /// Performs a request about editions in the background.
  private mutating func send(_ request: EditionRequest) {
    let task = Task.detached(priority: .utility) {
      [editions = services.editions, messages = model.messages, eventQueue] in
      await editions(request, messages) { answer in
        // Post this before the last reply, so that another download can be started as soon as the
        // user sees the result.
        if request.isDownload, answer.isLast { eventQueue.post(.downloadEnded) }
        eventQueue.post(.text(answer))
      }
    }
    if request.isDownload { download = task }
  }

  /// Saves everything before this process stops or waits for a while: a process that stops within a
  /// transaction would lock out all others.
  private mutating func saveBeforePause() {
    save()
    send()
    _ = library.drain(milliseconds: 1000)
    handleEvents()
  }

  /// Saves all changes, and ends the loop when the library has stored them.
  ///
  /// If this takes more than 300 ms, a message is shown, and the user can stop waiting with Ctrl-c.
  /// If a note cannot be saved, the loop does not end: a message shows the reason, and the user has
  /// to quit a second time.
  mutating func leave() {
    refusedCommit = nil
    var refusal: LibraryFailure?
    // Save twice: if the library was opened only during the first wait, the second pass saves the
    // reading progress.
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
      handleEvents()
      refusal = failure ?? refusal
    }
    // The second pass cannot repair two failures: a refused commit is not sent again, and a draft
    // cannot be saved while the library is not open.
    failure = failure ?? refusedCommit ?? (model.hasNoteWithoutDraft ? refusal : nil)
    guard failure != nil, model.hasUnsavedNote, !hasAskedToLeave else {
      isOver = true
      return
    }
    if let failure { model.showUnsavedNote(failure) }
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

  /// Edits the text of the note editor in the external editor. Does nothing if keys that waited for
  /// the text have closed the note editor since, or if it asks whether to leave.
  private mutating func edit(_ draft: Draft) {
    guard let editor = model.editor, editor.draft.id == draft.id, model.overlay == nil else {
      return
    }
    // If this process is killed, the next one finds the draft of the text in the editor's file.
    model.editor?.markDraftAsUnsaved()
    saveBeforePause()
    var output = ReaderSession.EditorOutput(.notStarted(0))
    screen.lend { output = services.edit(editor.draft(at: services.now())) }
    perform(model.applyEditorResult(output.outcome, by: services.editorName))
    perform(model.update(.resized(screen.size), at: services.now()))
    // The editor's file stays until the text is in the library.
    saveBeforePause()
    withExtendedLifetime(output.file) {}
  }
}

extension LibraryRequest {
  fileprivate var isQuery: Bool {
    switch self {
    case .notes, .noteList, .notesWithIDs, .allNotes: true
    default: false
    }
  }
}

extension LibraryReply {
  /// The reason why changes or a draft were not saved; nil for other replies.
  var failure: LibraryFailure? {
    switch self {
    case .refused(.commit, let failure), .refused(.saveReading, let failure),
      .refused(.save, let failure):
      failure
    default: nil
    }
  }
}
