import Dispatch
import Editions
import Foundation
import Library
import Messages
import Quran
import Synchronization
import TestSupport
import Testing
import Text

@testable import Reader
@testable import Terminal

@Suite struct SessionTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/library.sqlite" }

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Runs the reader with a script. Returns the screen and the contents of the library afterwards.
  private func run(
    _ script: [MemoryScreen.Step], opening ayah: AyahID? = nil, hasColors: Bool = true,
    services: ReaderSession.Services = .init(), onWait: (() -> Void)? = nil
  ) throws -> (screen: MemoryScreen, saved: Snapshot) {
    let screen = MemoryScreen(size: .medium, hasColors: hasColors, script: script)
    let model = Model(
      edition: .bundled, messages: Messages(.vietnamese), size: screen.size, opening: ayah)
    let session = ReaderSession(
      libraryPath: path, wake: {}, services: services, openTimeout: 60_000)
    if let onWait {
      try session.run(model, on: ObservedScreen(screen, onWait))
    } else {
      try session.run(model, on: screen)
    }
    return (screen, try Library.open(path, at: 0).snapshot)
  }

  /// A screen that calls a closure each time the reader waits for events.
  private final class ObservedScreen: Screen {
    let inner: MemoryScreen
    let onWait: () -> Void
    init(_ inner: MemoryScreen, _ onWait: @escaping () -> Void) {
      (self.inner, self.onWait) = (inner, onWait)
    }
    var size: Size { inner.size }
    func show(_ frame: Canvas) { inner.show(frame) }
    func events(within limit: Int?) -> [Event] {
      onWait()
      return inner.events(within: limit)
    }
    func suspend() {}
    func lend(_ body: () -> Void) { body() }
    func copy(_ text: String) -> Bool { true }
  }

  private func keys(_ text: String) -> MemoryScreen.Step {
    .events(text.map { .key(.character($0)) })
  }

  @Test func placeIsSavedOnQuitAndOnTermination() throws {
    for end in [keys("q"), .events([.terminate(15)]), .events([.terminate(1)])] {
      let (_, saved) = try run([keys("jj"), end], opening: AyahID("2:255"))
      #expect(saved.device[DeviceKey.position] == "2:257")
    }
  }

  @Test func appearanceIsSaved() throws {
    let (_, saved) = try run([keys("mt"), keys("q")], opening: AyahID("2:255"))
    #expect(saved.string(.layout) == "flow")
    #expect(saved.string(.theme) == "light")
    let (screen, _) = try run([keys("q")])
    #expect(screen.frames.first?.text.contains("2:255") == true)
  }

  @Test func theThemeStaysOnAScreenWithoutColors() throws {
    let (screen, saved) = try run([keys("t"), keys("q")], hasColors: false)
    #expect(screen.frames.contains { $0.text.contains("Ở đây không có màu") })
    #expect(saved.string(.theme) == nil)
  }

  @Test func firstFrameShowsTheLibrary() throws {
    let library = try Library.open(path, at: 0).library
    try library.commit([.setFavorite(AyahID("1:2"), true)], at: 0)
    try library.setDeviceValues([DeviceKey.position: "1:3"])
    library.close()
    let (screen, _) = try run([keys("q")])
    #expect(screen.frames.first?.text.contains("♥ 1") == true)
    #expect(screen.frames.first?.text.contains("1:3") == true)
  }

  @Test func firstFrameShowsAllTextsOfThePage() throws {
    let library = try Library.open(path, at: 0).library
    try library.setDeviceValues([DeviceKey.position: "2:3", DeviceKey.comparedText: "vi.own"])
    library.close()
    let texts = try #require(InstalledTexts.several)
    var services = ReaderSession.Services()
    services.editions = { [text = texts.edition("vi.own")] request, _, post in
      if case .load(.text("vi.own")) = request { post(.loaded(.text("vi.own"), text)) }
    }
    let wakeUp = WakeUp()
    let screen = WaitingScreen(wakeUp, until: "vi.own nói điều gì đó về câu 2:3") {}
    let model = Model(
      edition: texts.current, messages: Messages(.vietnamese), size: .medium,
      opening: AyahID("2:3"))
    try ReaderSession(
      libraryPath: path, wake: wakeUp.wake, services: services, openTimeout: 60_000
    ).run(model, on: screen)
    #expect(screen.hasShown && screen.framesBefore == 0)
    // The reader reads no keys before this page: keys that were typed earlier apply to it.
    #expect(screen.waitsBefore == 0)
  }

  @Test func readingIsSavedAfterAPause() throws {
    var seen: [String?] = []
    let path = path
    _ = try run([keys("jj"), .pause, .pause], opening: AyahID("3:1")) {
      // The commit happens in the background: the library is read until it contains the position.
      guard seen.count == 2 else { return seen.append(nil) }
      var position: String?
      for _ in 0..<100_000 where position == nil {
        position = try? Library.open(path, at: 0).snapshot.device[DeviceKey.position]
      }
      seen.append(position)
    }
    #expect(seen.contains("3:3"))
  }

  @Test func favoriteSetElsewhereShowsWithoutAKey() throws {
    // The other process commits while the reader waits for events, which wakes the reader.
    let library = try Library.open(path, at: 0).library
    let wakeUp = WakeUp()
    let screen = WaitingScreen(wakeUp, until: "♥ 1") {
      _ = try? library.commit([.setFavorite(AyahID("1:2"), true)], at: 0)
    }
    let model = Model(edition: .bundled, messages: Messages(.vietnamese), size: .medium)
    try ReaderSession(libraryPath: path, wake: wakeUp.wake, openTimeout: 60_000).run(
      model, on: screen)
    #expect(screen.hasShown)
  }

  /// A screen that returns only wake-ups as events until a text is shown, then terminates.
  private final class WaitingScreen: Screen {
    let text: String
    let begin: () -> Void
    private let wakeUp: WakeUp
    private(set) var hasShown = false
    /// The number of frames before the first one with the text, and of calls of `events(within:)`.
    private(set) var (framesBefore, waitsBefore) = (0, 0)
    private var waits = 0
    let size = Size.medium

    init(_ wakeUp: WakeUp, until text: String, begin: @escaping () -> Void) {
      self.wakeUp = wakeUp
      self.text = text
      self.begin = begin
    }

    func show(_ frame: Canvas) {
      hasShown = hasShown || frame.text.contains(text)
      if !hasShown { framesBefore += 1 }
    }

    func events(within limit: Int?) -> [Event] {
      waits += 1
      if !hasShown { waitsBefore += 1 }
      if waits == 1 { begin() }
      // SIGHUP
      guard !hasShown, waits < 30 else { return [.terminate(1)] }
      wakeUp.wait()
      return [.woken]
    }

    func suspend() {}
    func lend(_ body: () -> Void) { body() }
    func copy(_ text: String) -> Bool { true }
  }

  @Test func aKeyIsAnsweredWhileTheNotesAreIndexed() throws {
    let library = try Library.open(path, at: 0).library
    try library.commit([.addNote(UUID(), .first, try NoteText("con muỗi của tôi"))], at: 0)
    library.close()
    let wakeUp = WakeUp()
    let eventQueue = EventQueue(wake: wakeUp.wake)
    let owner = LibraryOwner(
      path: path, watchesFile: false, now: { 0 }, post: { eventQueue.post(.reply($0)) })
    owner.waitUntilOpen(milliseconds: 60_000)
    // The index is built on the library's queue, which waits until the hits in the text are shown.
    let isShown = DispatchSemaphore(value: 0)
    owner.run { _ in
      _ = isShown.wait(timeout: .now() + 60)
      return Commit([])
    }
    let screen = SearchingScreen("con muỗi", wakeUp: wakeUp, onHit: { isShown.signal() })
    let model = Model(edition: .bundled, messages: Messages(.vietnamese), size: .medium)
    var loop = ReaderEventLoop(
      model: model, screen: screen, library: owner, services: .init(), eventQueue: eventQueue)
    loop.run(loadingEditionsWithin: 50)
    owner.close()
    #expect(screen.hits == ["2:26", "✎ con muỗi của tôi"])
  }

  /// A screen that types a search, waits until hits in the text are shown, then until a note is.
  private final class SearchingScreen: Screen {
    private(set) var hits: [String] = []
    private let onHit: () -> Void
    private var script: [MemoryScreen.Step]
    private let wakeUp: WakeUp
    private var waits = 0
    let size = Size.medium

    init(_ query: String, wakeUp: WakeUp, onHit: @escaping () -> Void) {
      (self.wakeUp, self.onHit) = (wakeUp, onHit)
      // 5 opens the search from the list of surahs.
      script = "5\(query)".map { .events([.key(.character($0))]) }
    }

    func show(_ frame: Canvas) {
      let expected = ["2:26", "✎ con muỗi của tôi"]
      while hits.count < expected.count, frame.text.contains(expected[hits.count]) {
        hits.append(expected[hits.count])
        if hits.count == 1 { onHit() }
      }
    }

    func events(within limit: Int?) -> [Event] {
      if !script.isEmpty, case .events(let events) = script.removeFirst() { return events }
      waits += 1
      // SIGHUP
      guard hits.count < 2, waits < 30 else { return [.terminate(1)] }
      wakeUp.wait()
      return [.woken]
    }

    func suspend() {}
    func lend(_ body: () -> Void) { body() }
    func copy(_ text: String) -> Bool { true }
  }

  @Test func suspendingReleasesTheTerminalAndRedraws() throws {
    let (screen, saved) = try run(
      [.events([.key(.control("z"))]), keys("j"), keys("q")], opening: AyahID("1:1"))
    #expect(screen.suspensions == 1)
    #expect(saved.device[DeviceKey.position] == "1:2")
  }

  @Test func resizeIsDrawn() throws {
    let (screen, _) = try run([.resize(.small), .resize(.large), keys("q")])
    #expect(screen.frames.map(\.size) == [.medium, .small, .large])
  }

  @Test func copiedTextIsSentToTheTerminal() throws {
    let (screen, _) = try run([keys("Y"), keys("q")], opening: AyahID("1:1"))
    #expect(screen.copied == ["quranvn://surah/1/ayah/1"])
  }

  @Test func externalEditorTextBecomesTheNote() throws {
    var services = ReaderSession.Services()
    services.edit = { ReaderSession.EditorOutput(.text($0.text + "Sáng danh Allah\n")) }
    services.editorName = "ed"
    let (_, saved) = try run([keys("E"), keys("q")], opening: AyahID("1:1"), services: services)
    #expect(saved.noteCount == 1)
    let notes = try Library.open(path, at: 0).library.notes(of: AyahID("1:1"))
    #expect(notes.map(\.text.text) == ["Sáng danh Allah"])
  }

  /// If the reader is killed in the meantime, the draft says which note the editor's file has.
  @Test func theDraftIsInTheLibraryWhileTheExternalEditorRuns() throws {
    let path = path
    var (edited, stored): ([Draft], [Draft]) = ([], [])
    var services = ReaderSession.Services()
    services.edit = { draft in
      edited.append(draft)
      stored = (try? Library.open(path, at: 0).library.snapshot().drafts) ?? []
      return ReaderSession.EditorOutput(.text(draft.text))
    }
    let (_, saved) = try run([keys("E"), keys("q")], opening: AyahID("1:1"), services: services)
    #expect(edited.count == 1 && stored.map(\.id) == edited.map(\.id))
    #expect(saved.drafts.isEmpty && saved.noteCount == 0)
  }

  @Test func keysTypedWhileTheNoteIsLoadedReachItBeforeTheExternalEditor() throws {
    let library = try Library.open(path, at: 0).library
    try library.commit([.addNote(UUID(), AyahID("1:1"), try NoteText("một"))], at: 0)
    library.close()
    #expect(try editedTexts(typing: Key(.escape)).isEmpty, "the note is closed")
    #expect(try editedTexts(typing: "!") == ["một!"])
  }

  /// Types `E` and another key while the library is busy. Returns the texts for which the external
  /// editor was started.
  private func editedTexts(typing key: Key) throws -> [String] {
    let eventQueue = EventQueue(wake: {})
    let owner = LibraryOwner(
      path: path, watchesFile: false, now: { 0 }, post: { eventQueue.post(.reply($0)) })
    owner.waitUntilOpen(milliseconds: 60_000)
    let areTyped = DispatchSemaphore(value: 0)
    owner.run { _ in
      _ = areTyped.wait(timeout: .now() + 60)
      return Commit([])
    }
    let script: [MemoryScreen.Step] = [keys("E"), .events([.key(key)]), .pause]
    var waits = 0
    let screen = ObservedScreen(MemoryScreen(size: .medium, script: script)) {
      waits += 1
      guard waits == 3 else { return }
      areTyped.signal()
      owner.drain()
    }
    var texts: [String] = []
    var services = ReaderSession.Services()
    services.edit = { draft in
      texts.append(draft.text)
      return ReaderSession.EditorOutput(.text(draft.text))
    }
    let model = Model(
      edition: .bundled, messages: Messages(.vietnamese), size: .medium, opening: AyahID("1:1"))
    var loop = ReaderEventLoop(
      model: model, screen: screen, library: owner, services: services, eventQueue: eventQueue)
    loop.run(loadingEditionsWithin: 50)
    owner.close()
    return texts
  }
}
