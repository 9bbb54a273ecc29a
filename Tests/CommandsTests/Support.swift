import Foundation

@testable import Commands

/// The output of a command.
final class Output {
  private(set) var text = ""

  var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
  }

  func console(isTerminal: Bool = false, columns: Int = 10_000, hasStyles: Bool = false) -> Console
  {
    Console(
      isTerminal: isTerminal, columns: columns,
      bold: { hasStyles ? (begin: "\u{1B}[1m", end: "\u{1B}[22m") : nil },
      sink: { self.text += $0 })
  }
}

/// An ayah as `--json` prints it.
struct DecodedAyah: Decodable, Equatable {
  let ayah: String
  let surah: Int
  let number: Int
  let edition: String
  let text: String
}
