import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import Library
import Messages
import Text

/// What every command starts from.
enum Launch {
  static let version = "0.1.0"
  static let environment = ProcessInfo.processInfo.environment
  /// The language of `--lang`, else that of the environment.
  static let messages = Messages(command.language ?? Language(environment: environment))
  /// Whether `--lang` names the language, whatever the settings say.
  static var isLanguageChosen: Bool { command.language != nil }
  /// The library's file that `--library` names.
  static var libraryPath: String? { command.library }
  /// The arguments, without `--lang` and `--library`.
  static let arguments = command.arguments

  static var console: Console { .standard(environment: environment, messages: messages) }

  /// Nil where there is no place for it.
  static var libraryFile: String? {
    Paths(environment: environment).libraryFile(override: libraryPath)
  }

  /// Writes a line to standard error, harmless whatever stands in it.
  static func warn(_ text: String) { writeError("quran-vi: \(text)".displayableLine + "\n") }

  static func writeError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private struct Command {
    var language: Language?
    var library: String?
    var arguments: [String] = []
  }

  /// The language is taken from the arguments before they are parsed, because help
  /// and errors are written in it. A value it cannot have is left to the parser. So is
  /// the library, which may stand before a command's name as well as after it.
  private static let command: Command = {
    var command = Command()
    var rest = CommandLine.arguments.dropFirst()
    while let argument = rest.popFirst() {
      if argument == "--" {
        command.arguments += [argument] + rest
        break
      }
      if argument == "--lang", let asked = rest.first.flatMap(Language.init) {
        command.language = asked
        rest.removeFirst()
      } else if argument.hasPrefix("--lang="),
        let asked = Language(rawValue: "\(argument.dropFirst(7))")
      {
        command.language = asked
      } else if argument == "--library", let path = rest.first {
        command.library = path
        rest.removeFirst()
      } else if argument.hasPrefix("--library=") {
        command.library = "\(argument.dropFirst(10))"
      } else {
        command.arguments.append(argument)
      }
    }
    return command
  }()
}

@main
enum Program {
  static func main() {
    // A reader of our output that goes away is no error of ours.
    signal(SIGPIPE, SIG_DFL)
    // A file that may not grow is an error like any other, not the end.
    signal(SIGXFSZ, SIG_IGN)
    do {
      try run()
    } catch {
      Launch.warn(error.message)
      exit(error.status.rawValue)
    }
  }

  private static func run() throws(CommandFailure) {
    do {
      if Launch.libraryPath == nil, let reader = OpenReader(arguments: Launch.arguments) {
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
        try Launch.console.verbatim(Launch.messages.help(message) + "\n")
      } else {
        throw CommandFailure(.usage, Launch.messages.usageError(message.onOneLine))
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
