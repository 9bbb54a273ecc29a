import Dispatch
import Editions
import Foundation
import Library
import Messages
import Quran
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
    services: ReaderSession.Services = .init(), onWait: @escaping () -> Void = {}
  ) throws -> (screen: MemoryScreen, saved: Snapshot) {
    let screen = MemoryScreen(size: .medium, hasColors: hasColors, script: script, onWait: onWait)
    let model = Model(
      edition: .bundled, messages: Messages(.vietnamese), size: screen.size, opening: ayah)
    try ReaderSession(libraryPath: path, wake: {}, services: services, openTimeout: 60_000)
      .run(model, on: screen)
    return (screen, try Library.open(path, at: 0).snapshot)
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
    var isShown = false
    // Of the frame with the text, and of the wait after it.
    var (framesBefore, waitsBefore) = (0, 0)
    let screen = WakingScreen(wakeUp) {
      if !isShown { waitsBefore += 1 }
      return isShown
    } onFrame: { frame in
      isShown = isShown || frame.text.contains("vi.own nói điều gì đó về câu 2:3")
      if !isShown { framesBefore += 1 }
    }
    let model = Model(
      edition: texts.current, messages: Messages(.vietnamese), size: .medium,
      opening: AyahID("2:3"))
    try ReaderSession(
      libraryPath: path, wake: wakeUp.wake, services: services, openTimeout: 60_000
    ).run(model, on: screen)
    #expect(isShown && framesBefore == 0)
    // The reader reads no keys before this page: keys that were typed earlier apply to it.
    #expect(waitsBefore == 0)
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
    var isShown = false
    let screen = WakingScreen(wakeUp) {
      isShown
    } onFrame: {
      isShown = isShown || $0.text.contains("♥ 1")
    }
    screen.onFirstWait = { _ = try? library.commit([.setFavorite(AyahID("1:2"), true)], at: 0) }
    let model = Model(edition: .bundled, messages: Messages(.vietnamese), size: .medium)
    try ReaderSession(libraryPath: path, wake: wakeUp.wake, openTimeout: 60_000).run(
      model, on: screen)
    #expect(isShown)
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
    let expected = ["2:26", "✎ con muỗi của tôi"]
    var hits: [String] = []
    // 5 opens the search from the list of surahs.
    let screen = WakingScreen(wakeUp, typing: "5con muỗi") {
      hits.count == expected.count
    } onFrame: { frame in
      while hits.count < expected.count, frame.text.contains(expected[hits.count]) {
        hits.append(expected[hits.count])
        if hits.count == 1 { isShown.signal() }
      }
    }
    let model = Model(edition: .bundled, messages: Messages(.vietnamese), size: .medium)
    var loop = ReaderEventLoop(
      model: model, screen: screen, library: owner, services: .init(), eventQueue: eventQueue)
    loop.run(loadingEditionsWithin: 50)
    owner.close()
    #expect(hits == expected)
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
    let screen = MemoryScreen(size: .medium, script: script) {
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
