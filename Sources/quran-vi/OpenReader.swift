import Commands
import Editions
import Library
import Quran
import Reader
import Terminal
import Words

/// Opens the reader on the terminal, line by line, or, where output is no
/// terminal, prints what was asked for.
struct OpenReader {
  /// Where to open, as typed; empty for the list of surahs.
  var reference: [String]
  var isPlain = false
  var usesMouse = true
  var showsPaths = false

  /// No arguments, or a place that begins with a number: the reader opens without
  /// the argument parser, which costs as much as all the rest of a start. Nil for
  /// anything else, which might be a command.
  init?(arguments: [String]) {
    guard arguments.first?.first?.isNumber ?? true else { return nil }
    guard arguments.allSatisfy({ !$0.hasPrefix("-") }) else { return nil }
    reference = arguments
  }

  init(reference: [String], isPlain: Bool, usesMouse: Bool, showsPaths: Bool) {
    self.reference = reference
    self.isPlain = isPlain
    self.usesMouse = usesMouse
    self.showsPaths = showsPaths
  }

  func run() throws {
    let words = Launch.words
    let environment = Launch.environment
    let paths = Paths(environment: environment)
    let console = Launch.console
    guard !showsPaths else {
      for (name, path) in [
        ("config", paths.config), ("data  ", paths.data), ("state ", paths.state),
      ] {
        try console.line("\(name) \(path ?? words.noHome)")
      }
      return
    }
    let ayah = try opening(words)
    guard console.isTerminal else {
      try printAsked(on: console, words)
      return
    }
    let stateFile = StateFile(path: paths.stateFile)
    let isPlain =
      isPlain || environment["ACCESSIBLE"] == "1"
      || ["", "dumb"].contains(environment["TERM"] ?? "")
    if !isPlain, try openScreen(ayah, stateFile) { return }
    var reader = PlainReader(
      edition: .bundled, words: words, console: console, stateFile: stateFile, opening: ayah)
    try reader.run { readLine() }
  }

  private func opening(_ words: Words) throws -> AyahID? {
    guard !reference.isEmpty else { return nil }
    do {
      return try Reference(parsing: reference.joined(separator: " ")).ayahs.lowerBound
    } catch {
      throw CommandFailure(error, words: words)
    }
  }

  /// In a pipe: the ayahs asked for, or how to ask.
  private func printAsked(on console: Console, _ words: Words) throws {
    guard isPlain || !reference.isEmpty else {
      try console.verbatim(words.howToAsk(Launch.version) + "\n")
      return
    }
    let asked = reference.isEmpty ? ["1"] : [reference.joined(separator: " ")]
    try ReadCommand(
      references: asked, edition: .bundled, form: isPlain ? .plain : .referenced, words: words
    ).run(console)
  }

  /// Runs the reader on the terminal; false where screens cannot be drawn on it.
  private func openScreen(_ ayah: AyahID?, _ stateFile: StateFile) throws -> Bool {
    let environment = Launch.environment
    let wakeUp = WakeUp()
    let screen: TerminalDevice
    do {
      screen = try TerminalDevice(environment: environment, mouse: usesMouse, wakeUp: wakeUp)
    } catch TerminalDevice.Failure.noTerminal {
      throw CommandFailure(.usage, Launch.words.noTerminal)
    } catch {
      return false
    }
    let model = Model(
      edition: .bundled, words: Launch.words, size: screen.size, state: stateFile.load(),
      opening: ayah)
    let session = ReaderSession(screen: screen, stateFile: stateFile) {
      guard let clipboard = Clipboard(environment: environment) else { return false }
      clipboard.set($0)
      return true
    }
    do {
      try session.run(model, wakeUp: wakeUp)
      screen.close()
    } catch {
      screen.close()
      throw CommandFailure(.badData, Launch.words.placeNotKept(stateFile.path ?? ""))
    }
    return true
  }
}
