import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import Library
import Messages
import Terminal
import Text

/// The state that all commands share: the global options, the environment and the output.
enum Launch {
  static let version = "0.1.0"
  static let environment = ProcessInfo.processInfo.environment
  /// The language of `--lang` or, without it, that of the environment.
  static let messages = Messages(command.language ?? Language(environment: environment))
  /// Whether `--lang` specifies the language, which then has precedence over the settings.
  static var isLanguageChosen: Bool { command.language != nil }
  /// The path of the library that `--library` specifies.
  static var libraryPath: String? { command.library }
  /// The arguments without the global options `--lang` and `--library`.
  static let arguments = command.arguments

  /// The console of standard output.
  static var console: Console { .standard(messages: messages) { bold } }

  /// The control strings for bold text. Only commands that highlight text load them.
  private static let bold = TerminalDescription.boldStrings(environment: environment)

  /// The path of the library, or nil if there is no directory for it.
  static var libraryFile: String? {
    Paths(environment: environment).libraryFile(override: libraryPath)
  }

  /// Writes a line to standard error; see `String.sanitizedLine`.
  static func warn(_ text: String) { writeError("quran-vi: \(text)".sanitizedLine + "\n") }

  /// Writes text to standard error without any conversion.
  static func writeError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// The global options and the other arguments.
  private struct Command {
    var language: Language?
    var library: String?
    var arguments: [String] = []
  }

  /// The global options are read before the arguments are parsed: help and errors use the language,
  /// and the library can be specified both before and after the name of a command. An invalid
  /// language is left to the parser.
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
    // As usual for a filter, end if the reading end of the output is closed.
    signal(SIGPIPE, SIG_DFL)
    // Report exceeding the file size limit like any other error, instead of being ended by it.
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
      // Help, the version and completion scripts are thrown as errors, too.
      if QuranVi.exitCode(for: error) == .success {
        try Launch.console.verbatim(Launch.messages.help(message) + "\n")
      } else {
        throw CommandFailure(.usage, Launch.messages.usageError(message.onOneLine))
      }
    }
  }
}

extension String {
  /// The string on one line and without a full stop at its end.
  fileprivate var onOneLine: String {
    let words = sanitizedLine.split(separator: " ")
    let line = words.joined(separator: " ")
    return line.hasSuffix(".") ? String(line.dropLast()) : line
  }
}
