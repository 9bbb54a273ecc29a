import Editions
import Library
import Quran
import Reader
import Terminal
import TestSupport
import Testing
import Words

@Suite struct SessionTests {
  private let file: StateFile
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    file = StateFile(path: directory.path + "/state.json")
  }

  /// Runs the reader over a script; returns the screen and what the file then holds.
  private func run(
    _ script: [MemoryScreen.Step], state: SavedState = SavedState(), opening ayah: AyahID? = nil,
    meanwhile: (StateFile) throws -> Void = { _ in }
  ) throws -> (screen: MemoryScreen, saved: SavedState) {
    try file.save(state)
    let screen = MemoryScreen(size: .medium, script: script)
    let model = Model(
      edition: .bundled, words: Words(.vietnamese), size: screen.size, state: file.load(),
      opening: ayah)
    try meanwhile(file)
    try ReaderSession(screen: screen, stateFile: file).run(model, wakeUp: WakeUp())
    return (screen, file.load())
  }

  private func keys(_ text: String) -> MemoryScreen.Step {
    .events(text.map { .key(.character($0)) })
  }

  @Test func placeIsKeptWhenTheReaderIsQuitOrTheTerminalGoes() throws {
    for end in [keys("q"), .events([.terminate(15)]), .events([.terminate(1)])] {
      let (_, saved) = try run([keys("jjm"), end], opening: AyahID("2:255"))
      #expect(saved.position == "2:257")
      #expect(saved.layout == "flow")
    }
  }

  @Test func placeIsKeptWhenNothingHappensForAWhile() throws {
    // The file is looked at when the next event is asked for, before the end.
    let screen = MemoryScreen(size: .medium, script: [keys("jj"), .pause])
    final class Witness: Screen {
      let inner: MemoryScreen
      let file: StateFile
      var seen: [String?] = []
      init(_ inner: MemoryScreen, _ file: StateFile) { (self.inner, self.file) = (inner, file) }
      var size: Size { inner.size }
      func show(_ frame: Canvas) { inner.show(frame) }
      func events(within limit: Int?) -> [Event] {
        seen.append(file.load().position)
        return inner.events(within: limit)
      }
      func suspend() {}
      func copy(_ text: String) -> Bool { true }
    }
    let witness = Witness(screen, file)
    let model = Model(
      edition: .bundled, words: Words(.vietnamese), size: screen.size, opening: AyahID("3:1"))
    try ReaderSession(screen: witness, stateFile: file).run(model, wakeUp: WakeUp())
    #expect(witness.seen == [nil, nil, "3:3"])
  }

  @Test func idleSessionDoesNotUndoWhatAnotherSaved() throws {
    let (_, saved) = try run([keys("q")], state: SavedState(position: "2:255")) { file in
      try file.save(SavedState(position: "50:4", theme: "sepia"))
    }
    #expect(saved.position == "50:4")
    #expect(saved.theme == "sepia")
  }

  @Test func suspendingGivesTheTerminalBackAndDrawsAnew() throws {
    let (screen, saved) = try run(
      [.events([.key(.control("z"))]), keys("j"), keys("q")], opening: AyahID("1:1"))
    #expect(screen.suspensions == 1)
    #expect(saved.position == "1:2")
  }

  @Test func newSizesAreDrawn() throws {
    let (screen, _) = try run([.resize(.small), .resize(.large), keys("q")])
    #expect(screen.frames.map(\.size) == [.medium, .small, .large])
  }

  @Test func copiedTextGoesToTheTerminal() throws {
    let (screen, _) = try run([keys("Y"), keys("q")], opening: AyahID("1:1"))
    #expect(screen.copied == ["quranvn://surah/1/ayah/1"])
  }
}
