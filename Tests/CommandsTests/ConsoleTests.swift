import Foundation
import Messages
import Testing
import Text

@testable import Commands

struct ConsoleTests {
  private let words = Messages(.english)

  // MARK: Lines

  private func marked(_ text: String, _ words: [String], hasStyles: Bool = true) throws -> String {
    let output = Output()
    try output.console(hasStyles: hasStyles).line("", text) { text in
      words.compactMap { text.range(of: $0) }
    }
    return output.lines[0]
  }

  @Test func rangesAreBold() throws {
    #expect(try marked("một hai ba", ["hai"]) == "một \u{1B}[1mhai\u{1B}[22m ba")
    #expect(
      try marked("một hai", ["một", "hai"]) == "\u{1B}[1mmột\u{1B}[22m \u{1B}[1mhai\u{1B}[22m")
    #expect(try marked("một", []) == "một")
  }

  @Test func overlappingRangesLoseNoText() throws {
    #expect(try marked("một hai ba", ["một hai", "hai ba"]) == "\u{1B}[1mmột hai\u{1B}[22m ba")
  }

  @Test func withoutStylesNothingIsBold() throws {
    #expect(try marked("một hai", ["hai"], hasStyles: false) == "một hai")
  }

  @Test func controlCharactersAreRemovedFromLines() throws {
    let output = Output()
    let console = output.console(hasStyles: true)
    try console.line("a\u{1B}[31mb\nc\u{9B}d")
    try console.lines(["\u{7}x", "y\r\nz"])
    try console.line("\u{1B}1:1  ", "\u{1B}]0;x\u{7}") { [$0.startIndex..<$0.endIndex] }
    #expect(
      output.lines == ["a[31mb cd", "x", "y z", "1:1  \u{1B}[1m]0;x\u{1B}[22m"])
  }

  // MARK: Writing

  /// A non-blocking pipe accepts only a part of a long text at once.
  @Test func aNonBlockingPipeGetsEverything() throws {
    let pipe = Pipe()
    let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    _ = fcntl(writing.fileDescriptor, F_SETFL, O_NONBLOCK)
    let text = String(repeating: "đức tin\n", count: 100_000)
    let writer = Thread { [words] in
      try? Console.write(text, to: writing.fileDescriptor, words)
      // The handle closes the descriptor: otherwise it would close the number again later, when
      // another file may have it.
      try? writing.close()
    }
    writer.start()
    var found = Data()
    while let data = try reading.read(upToCount: 1 << 20), !data.isEmpty { found += data }
    #expect(found.count == text.utf8.count)
    #expect(found == Data(text.utf8))
  }

  @Test func aFullDiskExitsWithStatus3() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let failure = try #require(throws: CommandFailure.self) {
      try Console.write("x", to: full.fileDescriptor, words)
    }
    #expect(failure == CommandFailure(.badData, words.notWritten(ENOSPC)))
  }
}
