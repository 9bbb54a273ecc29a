import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import Text
import Words

/// What every command starts from.
enum Launch {
  static let version = "0.1.0"
  static let environment = ProcessInfo.processInfo.environment
  /// The language of `--lang`, else that of the environment.
  static let words = Words(command.language ?? Language(environment: environment))
  /// The arguments, without `--lang`.
  static let arguments = command.arguments

  static var console: Console { .standard(environment: environment, words: words) }

  /// The language is taken from the arguments before they are parsed, because help
  /// and errors are written in it. A value it cannot have is left to the parser.
  private static let command: (language: Language?, arguments: [String]) = {
    var language: Language?
    var kept: [String] = []
    var rest = CommandLine.arguments.dropFirst()
    while let argument = rest.popFirst() {
      if argument == "--" { return (language, kept + [argument] + rest) }
      if argument == "--lang", let asked = rest.first.flatMap(Language.init) {
        language = asked
        rest.removeFirst()
      } else if argument.hasPrefix("--lang="),
        let asked = Language(rawValue: "\(argument.dropFirst(7))")
      {
        language = asked
      } else {
        kept.append(argument)
      }
    }
    return (language, kept)
  }()
}

@main
enum Program {
  static func main() {
    // A reader of our output that goes away is no error of ours.
    signal(SIGPIPE, SIG_DFL)
    do {
      try run()
    } catch {
      let line = Array(("quran-vi: \(error.message)".displayableLine + "\n").utf8)
      _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
      exit(error.status.rawValue)
    }
  }

  private static func run() throws(CommandFailure) {
    do {
      if let reader = OpenReader(arguments: Launch.arguments) {
        try reader.run()
      } else {
        var command = try QuranVi.command(Launch.arguments)
        try command.run()
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      let message = QuranVi.message(for: error)
      // Help, the version and completion scripts come this way, too.
      if QuranVi.exitCode(for: error) == .success {
        try Launch.console.verbatim(Launch.words.help(message) + "\n")
      } else {
        throw CommandFailure(.usage, Launch.words.usageError(message.onOneLine))
      }
    }
  }
}

extension String {
  /// Without line breaks, and without the full stop.
  fileprivate var onOneLine: String {
    let words = displayableLine.split(separator: " ")
    let line = words.joined(separator: " ")
    return line.hasSuffix(".") ? String(line.dropLast()) : line
  }
}
