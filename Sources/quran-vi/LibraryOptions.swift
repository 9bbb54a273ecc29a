import ArgumentParser
import Commands
import Glibc
import Messages

/// Taken by every command over the library. The file is taken from the arguments before
/// they are parsed, as the language is (see `Launch`).
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
  /// Milliseconds since 1970, UTC.
  @Sendable static func now() -> Int64 { milliseconds(of: CLOCK_REALTIME) }

  static var libraryAccess: LibraryAccess {
    LibraryAccess(path: libraryFile, messages: messages, now: now) { warn($0) }
  }

  /// Asks on standard error, so that what is piped on is the output alone.
  static func ask(_ question: String) -> String? {
    writeError(question)
    return readLine()
  }

  /// A bar on standard error, where people look at that.
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
