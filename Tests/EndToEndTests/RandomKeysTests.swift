import Foundation
import TestSupport
import Testing

/// Random bytes as keyboard input.
@Suite struct RandomKeysTests {
  /// Starts the reader again whenever it quits, brings it back whenever it
  /// suspends itself, and writes down how each run ended.
  ///
  /// bash leaves a loop when a job in it is suspended, but not one around a
  /// function that ran the job.
  private static let restartScript = """
    ulimit -c 0
    set -m
    resume() {
      # 128 and SIGTSTP or SIGSTOP
      if [ $status = 148 ] || [ $status = 147 ]; then
        echo suspended >>endings
        fg >/dev/null
        status=$?
        resume
      fi
    }
    run() {
      "$1"
      status=$?
      resume
    }
    while [ ! -e stop ]; do
      run "$0"
      echo $status >>endings
    done
    """

  @Test func aMegabyteOfRandomBytesCausesNoCrash() throws {
    let seed =
      ProcessInfo.processInfo.environment["QURAN_VI_SEED"].flatMap { UInt64($0) } ?? 20_261_121
    print("random keys: QURAN_VI_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    let home = try Home()
    // Between two runs the terminal is in cooked mode, where a Ctrl-\ among
    // the bytes would be a signal to the shell.
    let terminal = try PseudoTerminal(
      "/bin/bash", ["-c", Self.restartScript, Program.reader()], in: home, hasSignalKeys: false)
    try terminal.read(until: "Al-Fatihah")

    var typed = 0
    while typed < 1_000_000 {
      let chunk = (0..<500).map { _ in UInt8.random(in: 0...255, using: &random) }
      try terminal.type(chunk)
      try terminal.readUntilTypedIsTaken()
      typed += chunk.count
      try #require(terminal.ending == nil, "after \(typed) bytes: \(terminal.output.readable)")
      terminal.forgetOutput()
    }

    #expect(FileManager.default.createFile(atPath: "\(home.path)/stop", contents: nil))
    // Ctrl-c quits from every state that the random keys can lead to. After a
    // pause, an Esc before it is a key of its own.
    #expect(try terminal.quit(by: "\u{3}") == .exited(0))
    #expect(terminal.settings == terminal.settingsBefore)
    #expect(ControlSequences(terminal.output).modesLeftBehind.isEmpty)

    let endings = try home.contents(of: "endings").split(separator: "\n").map(String.init)
    let counts = Dictionary(grouping: endings) { $0 }.mapValues(\.count)
    print("random keys: \(typed) bytes typed, runs by how they ended: \(counts)")
    // Status 3: Ctrl-c ended the reader while the disk was slow, before everything was saved.
    #expect(Set(counts.keys).isSubset(of: ["0", "3", "suspended"]), "\(counts) with seed \(seed)")
    #expect(counts["0", default: 0] > 0, "\(counts) with seed \(seed)")
    #expect(endings.count > 20, "the bytes reached the reader")
  }
}
