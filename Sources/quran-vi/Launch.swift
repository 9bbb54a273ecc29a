import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import Words

/// What every command starts from.
enum Launch {
  static let version = "0.1.0"
  static let environment = ProcessInfo.processInfo.environment

  /// The language of `--lang`, else that of the environment. Looked for before
  /// arguments are parsed, because help is written in it.
  static let words: Words = {
    let arguments = CommandLine.arguments
    for (index, argument) in arguments.enumerated() {
      if argument.hasPrefix("--lang="),
        let language = Language(rawValue: String(argument.dropFirst(7)))
      {
        return Words(language)
      }
      if argument == "--lang", index + 1 < arguments.count,
        let language = Language(rawValue: arguments[index + 1])
      {
        return Words(language)
      }
    }
    return Words(Language(environment: environment))
  }()

  static var console: Console { .standard(environment: environment) }
}

@main
enum Program {
  static func main() {
    // A reader of our output that goes away is no error of ours.
    signal(SIGPIPE, SIG_DFL)
    do {
      if let reader = OpenReader(arguments: Array(CommandLine.arguments.dropFirst())) {
        try reader.run()
        return
      }
      var command = try QuranVi.parseAsRoot()
      try command.run()
    } catch let failure as CommandFailure {
      end(failure)
    } catch {
      // Help, the version and completion scripts come this way, too.
      guard QuranVi.exitCode(for: error) != .success else { QuranVi.exit(withError: error) }
      end(CommandFailure(.usage, Launch.words.usageError(QuranVi.oneLine(error))))
    }
  }

  private static func end(_ failure: CommandFailure) -> Never {
    let line = Array("quran-vi: \(failure.message)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(failure.status.rawValue)
  }
}

extension ParsableCommand {
  /// What is wrong with the arguments, on one line.
  fileprivate static func oneLine(_ error: any Error) -> String {
    var line = String(message(for: error).prefix { $0 != "\n" })
    while line.last == "." || line.last == " " { line.removeLast() }
    return line
  }
}
