import Library
import Messages
import Sync
import Terminal

/// One run of the reader.
struct Run {
  var model: Model
  let screen: any Screen
  let library: LibraryOwner
  let outside: ReaderSession.Outside
  let mailbox: Mailbox
  let wakeUp: WakeUp
  private(set) var isOver = false
  /// What could not be kept at the end.
  private(set) var failure: LibraryFailure?
  /// Why a change was refused, since the reader asked to leave.
  private var refusedCommit: LibraryFailure?
  /// What is asked of the library once the screen is drawn.
  private var outgoing: [Request] = []
  var sync: SyncSession?
  /// Whether a dump of the older app is looked for then.
  private var isDumpWanted = false
  /// Since when there is something to keep.
  private var unkeptSince: Int64?
  /// Whether the reader asked to leave although something could not be kept.
  private var hasAskedToLeave = false
  /// Whether the reader would not wait for what is on its way.
  private(set) var isAbandoned = false

  /// What is asked of the library, or of a file and it.
  private enum Request: Equatable {
    case library(LibraryRequest)
    case file(FileRequest)
  }

  /// How long what reading brought waits at most where something always happens.
  static let longest: Int64 = 5000

  init(
    model: Model, screen: any Screen, library: LibraryOwner, outside: ReaderSession.Outside,
    mailbox: Mailbox, wakeUp: WakeUp
  ) {
    self.model = model
    self.screen = screen
    self.library = library
    self.outside = outside
    self.mailbox = mailbox
    self.wakeUp = wakeUp
  }

  /// Waits for something, and sees to it.
  mutating func step() {
    let events = screen.events(within: model.patienceWithUnkept(at: outside.now()))
    takeMail()
    if events.isEmpty { keep() }
    if events.contains(where: \.isOfSomebody) { sync?.keyPressed() }
    for event in events where !isOver {
      // Whoever goes on after being kept from leaving is not leaving any more.
      if case .key = event { hasAskedToLeave = hasAskedToLeave && isInterrupt(event) }
      perform(model.update(event, at: outside.now()))
      if case .terminate = event { isOver = true }
    }
    let now = outside.now()
    guard !isOver, let patience = model.patienceWithUnkept(at: now) else {
      unkeptSince = nil
      return
    }
    let since = unkeptSince ?? now
    unkeptSince = since
    if now - since >= Self.longest, patience <= Model.calm { keep() }
  }

  /// Has what reading brought committed.
  mutating func keep() {
    outgoing += model.takeUnkept().map { .library($0) }
    unkeptSince = nil
  }

  /// Hands the library what it is asked, and begins what can wait for the paint.
  mutating func send() {
    for request in outgoing {
      switch request {
      case .library(let request): library.send(request)
      case .file(let request):
        outside.files.send(request, to: library, model.messages) { [mailbox, wakeUp] answer in
          mailbox.post(.file(answer))
          wakeUp.wake()
        }
      }
    }
    outgoing = []
    guard isDumpWanted else { return }
    isDumpWanted = false
    Task.detached(priority: .utility) { [findDump = outside.findDump, mailbox, wakeUp] in
      guard let path = findDump() else { return }
      mailbox.post(.dump(path))
      wakeUp.wake()
    }
  }

  mutating func beginSync() {
    sync = outside.sync(library) { [mailbox, wakeUp] status in
      mailbox.post(.sync(status))
      wakeUp.wake()
    }
  }

  /// Sends what waits, for a moment; says so where that takes longer, and takes a Ctrl-c for
  /// impatience: the outbox keeps it.
  mutating func endSync() {
    guard let sync else { return }
    sync.finish()
    let end = ContinuousClock.now + .milliseconds(isAbandoned ? 0 : 2000)
    while ContinuousClock.now < end, !sync.waitForEnd(milliseconds: 300) {
      takeMail()
      if model.saySyncing() { screen.show(model.view()) }
      if screen.events(within: 0).contains(where: isInterrupt) { break }
    }
    sync.cancel()
    _ = sync.waitForEnd(milliseconds: 300)
  }

  mutating func takeMail() {
    for item in mailbox.take() {
      switch item {
      case .sync(let status): model.synced(status, at: outside.now())
      case .index(let index): model.indexed(index)
      case .dump(let path): model.dumpFound(path)
      case .file(let answer): perform(model.fileAnswered(answer, at: outside.now()))
      case .reply(let reply):
        failure = reply.failure ?? failure
        if case .refused(.commit, let failure) = reply { refusedCommit = failure }
        perform(model.received(reply, at: outside.now()))
      }
    }
  }

  mutating func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .quit: leave()
      case .suspend:
        settle()
        sync?.suspend(milliseconds: 1000)
        screen.suspend()
        sync?.resume()
        perform(model.update(.resized(screen.size), at: outside.now()))
      case .redraw:
        screen.show(Canvas(size: Size(rows: 0, columns: 0)))
      case .copy(let text):
        let isCopied = [screen.copy(text), outside.copy(text)].contains(true)
        if !isCopied { model.copyingFailed() }
      case .library(let request):
        // What only reads is read once, after all that happened.
        if request.isReading { outgoing.removeAll { $0 == .library(request) } }
        outgoing.append(.library(request))
      case .file(let request):
        outgoing.append(.file(request))
      case .edit(let draft):
        edit(draft)
      case .listFiles(let typed):
        model.filesListed(outside.listFiles(typed), for: typed)
      case .findDump:
        isDumpWanted = true
      case .sync(let wish):
        switch wish {
        case .now: sync?.ask()
        case .retryParked: sync?.retryParked()
        case .answer(let answer): sync?.answer(answer)
        case .answerRestored(let restoration): sync?.answer(restoration)
        }
      }
    }
  }

  /// Has everything kept before this process stops for a while: stopped in the middle of
  /// a transaction it would lock out all others.
  private mutating func settle() {
    keep()
    send()
    _ = library.drain(milliseconds: 1000)
    takeMail()
  }

  /// Waits for all that is on its way; says so where that takes a moment, and takes
  /// another Ctrl-c for impatience. A text that the library does not take keeps the
  /// reader open once: nothing written is lost unsaid.
  mutating func leave() {
    refusedCommit = nil
    var refusal: LibraryFailure?
    // A library that is only now open takes what reading brought as well.
    for _ in 0..<2 {
      failure = nil
      keep()
      send()
      while !library.drain(milliseconds: 300) {
        model.sayKeeping()
        screen.show(model.view())
        guard !screen.events(within: 0).contains(where: isInterrupt) else {
          failure = .busy
          isOver = true
          isAbandoned = true
          return
        }
      }
      takeMail()
      refusal = failure ?? refusal
    }
    // A refused change is not sent again, nor is a text to a library that is not open any more.
    failure = failure ?? refusedCommit ?? (model.hasTextAtRisk ? refusal : nil)
    guard failure != nil, model.hasUnsavedText, !hasAskedToLeave else {
      isOver = true
      return
    }
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
    settle()
    var edited = ReaderSession.Outside.Edited.notStarted(0)
    screen.lend { edited = outside.edit(draft.text) }
    perform(model.edited(edited, by: outside.editorName))
    perform(model.update(.resized(screen.size), at: outside.now()))
  }
}

extension Event {
  /// Whether somebody did something, rather than a program.
  fileprivate var isOfSomebody: Bool {
    switch self {
    case .key, .mouse, .paste: true
    case .resized, .suspend, .terminate, .woken: false
    }
  }
}

extension LibraryRequest {
  fileprivate var isReading: Bool {
    switch self {
    case .notes, .noteList: true
    default: false
    }
  }
}

extension LibraryReply {
  /// Why something was not kept.
  var failure: LibraryFailure? {
    switch self {
    case .refused(.commit, let failure), .refused(.keep, let failure),
      .refused(.save, let failure):
      failure
    default: nil
    }
  }
}
