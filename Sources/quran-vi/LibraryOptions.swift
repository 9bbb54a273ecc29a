import ArgumentParser
import Commands
import Glibc
import Messages

/// The options of all commands that use the library. `--library` is declared here only for the help
/// and for completion; `Launch` reads it before the arguments are parsed.
struct LibraryOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(Launch.messages.helpJSON))
  var json = false

  @OptionGroup var file: LibraryOption
  @OptionGroup var language: LanguageOption
}

struct LibraryOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(Launch.messages.helpLibraryPath, valueName: Launch.messages.helpFileName),
    completion: .file())
  var library: String?
}

extension Launch {
  /// Returns the time in milliseconds since 1970, UTC.
  @Sendable static func now() -> Int64 { milliseconds(of: CLOCK_REALTIME) }

  /// The access of the commands to the library.
  static var libraryAccess: LibraryAccess {
    LibraryAccess(path: libraryFile, messages: messages, now: now) { warn($0) }
  }

  /// Asks the user a question on standard error, so that standard output has only the output of the
  /// command. Returns the line that the user typed, or nil at the end of the input.
  static func ask(_ question: String) -> String? {
    writeError(question)
    return readLine()
  }

  /// Returns a progress bar on standard error, which is hidden if standard error is not a terminal.
  static func progressBar() -> ProgressBar {
    ProgressBar(
      isShown: isatty(STDERR_FILENO) == 1, clock: { milliseconds(of: CLOCK_MONOTONIC) },
      write: { writeError($0) })
  }

  private static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
