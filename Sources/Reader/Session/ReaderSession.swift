import Editions
import Glibc
public import Library
public import Sync
import Synchronization
public import Terminal

/// Runs the reader until it is quit.
///
/// The calling thread owns the screen; it sleeps until something happens, takes all
/// that did, and draws once. What is asked of the library is done in the background.
public struct ReaderSession {
  private let wakeUp: WakeUp
  private let outside: Outside
  private let mailbox = Mailbox()
  private let library: LibraryOwner
  private let patience: Int

  /// What lies outside the terminal and the library.
  public struct Outside {
    /// Hands text to the desktop's clipboard, besides the terminal's; false where
    /// there is none.
    let copy: (String) -> Bool
    /// Has a text written in the reader's own editor, which takes the terminal.
    let edit: (String) -> Edited
    /// What that editor is called.
    let editorName: String
    /// Milliseconds since 1970, UTC.
    let now: @Sendable () -> Int64
    /// What `:import` and `:export` do.
    let files: FileExchange
    /// The paths that begin as typed.
    let listFiles: (String) -> [String]
    /// Where a dump of the older app lies, if one does.
    let findDump: @Sendable () -> String?
    /// Begins to sync the library in the background; nil where there is no place for one.
    let sync: (LibraryOwner, @escaping @Sendable (SyncStatus) -> Void) -> SyncSession?

    /// What became of a text in an editor.
    public enum Edited: Hashable, Sendable {
      case text(String)
      /// With a status as shells say it, and what was written all the same.
      case failed(Int32, written: String?)
      /// What was written is no UTF-8, and lies in this file.
      case notText(path: String)
      /// `errno`
      case notStarted(Int32)
    }

    public init(
      copy: @escaping (String) -> Bool = { _ in false },
      edit: @escaping (String) -> Edited = { _ in .failed(127, written: nil) },
      editorName: String = "",
      now: @escaping @Sendable () -> Int64 = { Self.clock },
      files: FileExchange = .none,
      listFiles: @escaping (String) -> [String] = { _ in [] },
      findDump: @escaping @Sendable () -> String? = { nil },
      sync: @escaping (LibraryOwner, @escaping @Sendable (SyncStatus) -> Void) -> SyncSession? = {
        _, _ in nil
      }
    ) {
      self.copy = copy
      self.edit = edit
      self.editorName = editorName
      self.now = now
      self.files = files
      self.listFiles = listFiles
      self.findDump = findDump
      self.sync = sync
    }

    /// The system's clock, in milliseconds since 1970, UTC.
    public static var clock: Int64 {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
  }

  /// Starts opening the library, while the caller sees to the terminal.
  ///
  /// - Parameters:
  ///   - libraryPath: nil where there is no place for one.
  ///   - wakeUp: wakes the screen when the library answers.
  ///   - patience: how long the first frame waits for the library, in milliseconds.
  public init(
    libraryPath: String?, wakeUp: WakeUp, outside: Outside = Outside(), patience: Int = 50
  ) {
    self.patience = patience
    self.wakeUp = wakeUp
    self.outside = outside
    library = LibraryOwner(path: libraryPath, now: outside.now) {
      [mailbox] reply in
      mailbox.post(.reply(reply))
      wakeUp.wake()
    }
  }

  /// - Throws: what could not be kept at the end.
  public func run(_ model: Model, on screen: any Screen) throws(LibraryFailure) {
    var run = Run(
      model: model, screen: screen, library: library, outside: outside, mailbox: mailbox,
      wakeUp: wakeUp)
    // The first frame shows the reader's own place and marks, unless the disk is slow.
    library.waitUntilOpen(milliseconds: patience)
    run.takeMail()
    screen.show(run.model.view())
    run.send()
    run.beginSync()
    // Not before the first paint: reading needs no index.
    let edition = model.edition
    Task.detached(priority: .utility) { [mailbox, wakeUp] in
      mailbox.post(.index(SearchIndex(edition)))
      wakeUp.wake()
      // The names of the surahs are folded at the first use, which should not be a key.
      _ = try? QuranReference(parsing: "a")
    }
    while !run.isOver {
      run.step()
      guard !run.isOver else { break }
      screen.show(run.model.view())
      // What was changed is on the screen first; the disk has time.
      run.send()
    }
    run.endSync()
    if !run.isAbandoned { library.close() }
    if let failure = run.failure { throw failure }
  }
}

/// One run of the reader.
private struct Run {
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
  private var sync: SyncSession?
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
  private static let longest: Int64 = 5000

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
      if case .key = event { hasAskedToLeave = hasAskedToLeave && event == .key(.control("c")) }
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
  private mutating func keep() {
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
      if screen.events(within: 0).contains(where: \.isImpatience) { break }
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

  private mutating func perform(_ effects: [Effect]) {
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
  private mutating func leave() {
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
        guard !screen.events(within: 0).contains(where: \.isImpatience) else {
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

  /// Whether somebody who leaves does not want to wait.
  fileprivate var isImpatience: Bool {
    if case .terminate = self { true } else { self == .key(.control("c")) }
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
  fileprivate var failure: LibraryFailure? {
    switch self {
    case .refused(.commit, let failure), .refused(.keep, let failure),
      .refused(.save, let failure):
      failure
    default: nil
    }
  }
}

/// Where other threads leave things for the one with the screen.
private final class Mailbox: Sendable {
  enum Item: Sendable {
    case index(SearchIndex)
    case dump(String)
    case file(FileAnswer)
    case reply(LibraryReply)
    case sync(SyncStatus)
  }

  private let items = Mutex<[Item]>([])

  func post(_ item: Item) { items.withLock { $0.append(item) } }

  /// What was left since the last time, in order.
  func take() -> [Item] {
    items.withLock { items in
      defer { items = [] }
      return items
    }
  }
}
