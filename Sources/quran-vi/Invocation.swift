import ArgumentParser
import Commands
import Editions
import FoundationEssentials
import Glibc
import Library
import Messages
import Terminal
import Text

/// The sentences in the language of the invocation.
let messages = Invocation.messages

/// The invocation of this process: its arguments and its environment.
enum Invocation {
  static let version = "0.1.0"
  static let environment = ProcessInfo.processInfo.environment
  /// The language of `--lang` or, without it, that of the environment.
  static let messages = Messages(options.language ?? Language(environment: environment))
  /// Whether `--lang` specifies the language, which then has precedence over the settings.
  static var isLanguageChosen: Bool { options.language != nil }
  /// The path of the library that `--library` specifies.
  static var libraryOption: String? { options.library }
  /// The arguments without the global options `--lang` and `--library`.
  static let arguments = options.arguments

  static var paths: Paths { Paths(environment: environment) }

  /// The path of the library, or nil if there is no directory for it.
  static var libraryPath: String? { paths.libraryPath(override: libraryOption) }

  /// The texts on this machine: those of the user, and those that came with the program.
  static let editions = InstalledEditions(
    directory: paths.editions, sharedDirectory: sharedDirectory.map { $0 + "/texts" })

  /// The directory with data that was installed with the program: `/usr/share/quran-vi` for
  /// `/usr/bin/quran-vi`. It need not exist.
  private static var sharedDirectory: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0, count < path.count else { return nil }
    var prefix = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)[...]
    for _ in 0..<2 { prefix = prefix[..<(prefix.lastIndex(of: "/") ?? prefix.startIndex)] }
    return "\(prefix)/share/quran-vi"
  }

  /// The control strings for bold text. Only commands that highlight text load them.
  private static let bold = TerminalDescription.boldStrings(environment: environment)

  /// Returns the context of a command.
  static func context(asJSON: Bool = false) -> CommandContext {
    let console = Console.standard(messages: messages) { bold }
    var question: ((String) -> String?)?
    if StandardInput.isTerminal { question = ask }
    return CommandContext(
      console: console, messages: messages, asJSON: asJSON, libraryPath: libraryPath,
      isLibrarySpecified: libraryOption != nil, editions: editions, environment: environment,
      now: now, warn: warn, progressBar: progressBar,
      ask: question, askSecret: askSecret,
      openPage: { _ = Browser(environment: environment)?.open($0) })
  }

  /// Returns the time in milliseconds since 1970, UTC.
  @Sendable static func now() -> Int64 { milliseconds(of: CLOCK_REALTIME) }

  private static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  // MARK: Standard error

  /// Writes a line to standard error; see `String.sanitizedLine`.
  static func warn(_ text: String) {
    writeToStandardError("quran-vi: \(text)".sanitizedLine + "\n")
  }

  /// Writes text to standard error without any conversion.
  @Sendable private static func writeToStandardError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Asks the user a question on standard error, so that standard output has only the output of the
  /// command. Returns the line that the user typed, or nil at the end of the input.
  private static func ask(_ question: String) -> String? {
    writeToStandardError(question)
    return readLine()
  }

  /// Asks the user a question on standard error without echoing the answer. If standard input is
  /// not a terminal, reads a line without asking.
  private static func askSecret(_ question: String) -> String? {
    guard StandardInput.isTerminal else { return readLine() }
    defer { writeToStandardError("\n") }
    return StandardInput.readLineWithoutEcho { writeToStandardError(question) }
  }

  /// Returns a progress bar on standard error, which is hidden if standard error is not a terminal.
  private static func progressBar() -> ProgressBar {
    ProgressBar(
      isShown: isatty(STDERR_FILENO) == 1, clock: { milliseconds(of: CLOCK_MONOTONIC) },
      write: writeToStandardError)
  }

  // MARK: Global options

  private struct Options {
    var language: Language?
    var library: String?
    var arguments: [String] = []
  }

  /// The global options are read before the arguments are parsed: help and errors use the language,
  /// and the library can be specified both before and after the name of a command. An invalid
  /// language is left to the parser.
  private static let options: Options = {
    var options = Options()
    var rest = CommandLine.arguments.dropFirst()
    while let argument = rest.popFirst() {
      if argument == "--" {
        options.arguments += [argument] + rest
        break
      }
      if ["-m", "--message"].contains(argument), let text = rest.popFirst() {
        // The text of a note can look like an option.
        options.arguments += [argument, text]
      } else if argument == "--lang", let language = rest.first.flatMap(Language.init) {
        options.language = language
        rest.removeFirst()
      } else if argument.hasPrefix("--lang="),
        let language = Language(rawValue: "\(argument.dropFirst(7))")
      {
        options.language = language
      } else if argument == "--library", let path = rest.first {
        options.library = path
        rest.removeFirst()
      } else if argument.hasPrefix("--library=") {
        options.library = "\(argument.dropFirst(10))"
      } else {
        options.arguments.append(argument)
      }
    }
    return options
  }()
}

@main
enum Program {
  static func main() {
    reserveStandardDescriptors()
    // Terminate silently if the reader of a pipe closes it, as other filters do.
    signal(SIGPIPE, SIG_DFL)
    // Ignore SIGXFSZ, so that a write beyond the file size limit fails with EFBIG and is reported.
    signal(SIGXFSZ, SIG_IGN)
    var status: Int32 = 0
    do {
      try run()
    } catch {
      Invocation.warn(error.message)
      status = error.status.rawValue
    }
    fflush(nil)
    // Not `exit`, which destroys what libraries share while other threads may still use it.
    _exit(status)
  }

  private static func run() throws(CommandFailure) {
    // In `CommandLine.arguments`, Swift has replaced the bytes that are not UTF-8.
    guard (1..<Int(CommandLine.argc)).allSatisfy(isUTF8) else {
      throw CommandFailure(.usage, messages.argumentIsNotUTF8)
    }
    do {
      if Invocation.libraryOption == nil,
        let launcher = ReaderLauncher(arguments: Invocation.arguments)
      {
        try launcher.run()
      } else {
        var command = try QuranVi.command(Invocation.arguments)
        try command.run()
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      let message = QuranVi.message(for: error)
      // Help, the version and completion scripts are thrown as errors, too.
      if QuranVi.exitCode(for: error) == .success {
        try Invocation.context().console.verbatim(messages.help(message) + "\n")
      } else {
        throw CommandFailure(.usage, messages.usageError(message.onOneLine))
      }
    }
  }
}

extension Program {
  /// Opens the standard descriptors that are closed. Otherwise a file that is opened later gets the
  /// number of one, and what is printed is written to that file. Printing still fails, because
  /// standard output and standard error are then opened for reading, and standard input for
  /// writing.
  private static func reserveStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  private static func isUTF8(_ index: Int) -> Bool {
    CommandLine.unsafeArgv[index].map { String(validatingCString: $0) != nil } ?? true
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
