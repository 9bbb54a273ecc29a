public import Editions
import Glibc
import Library
public import Messages
import RecordClient
import Sync

/// The state that all commands share: the output, the library and the interaction with the user.
///
/// Each subcommand is a method in an extension, one file for each group of subcommands.
public struct CommandContext {
  public var console: Console
  public var messages: Messages
  /// Whether to print JSON.
  public var asJSON: Bool
  /// The path of the library, or nil if there is no directory for it.
  public var libraryPath: String?
  /// Whether an argument specifies the library. Commands that do not add anything to it then
  /// require that it exists, because the path can be misspelt.
  public var isLibrarySpecified: Bool
  /// The editions on this machine.
  public var editions: InstalledEditions
  /// The environment variables of the process.
  public var environment: [String: String]
  /// Returns the time in milliseconds since 1970, UTC.
  public var now: @Sendable () -> Int64
  /// Prints a line that is for the user and not part of the output.
  public var warn: (String) -> Void
  /// Returns a progress bar for one operation.
  public var progressBar: () -> ProgressBar
  /// Shows a question and returns the line that the user types, or nil at the end of the input. The
  /// property is nil if the user cannot be asked.
  public var ask: ((String) -> String?)?
  /// Asks for a secret without echo. If standard input is not a terminal, reads a line without
  /// asking. Returns nil at the end of the input.
  public var askSecret: (String) -> String?
  /// Opens a page in a browser, if there is one.
  public var openPage: (String) -> Void

  /// Creates the context of a command. By default the user is not asked anything, no progress bar
  /// is shown and no page is opened.
  public init(
    console: Console, messages: Messages, asJSON: Bool = false, libraryPath: String?,
    isLibrarySpecified: Bool = false,
    editions: InstalledEditions = InstalledEditions(directory: nil),
    environment: [String: String] = [:], now: @escaping @Sendable () -> Int64,
    warn: @escaping (String) -> Void,
    progressBar: @escaping () -> ProgressBar = { .hidden },
    ask: ((String) -> String?)? = nil, askSecret: @escaping (String) -> String? = { _ in nil },
    openPage: @escaping (String) -> Void = { _ in }
  ) {
    self.console = console
    self.messages = messages
    self.asJSON = asJSON
    self.libraryPath = libraryPath
    self.isLibrarySpecified = isLibrarySpecified
    self.editions = editions
    self.environment = environment
    self.now = now
    self.warn = warn
    self.progressBar = progressBar
    self.ask = ask
    self.askSecret = askSecret
    self.openPage = openPage
  }
}

// MARK: The output

extension CommandContext {
  /// Prints a sentence for the user: on standard output or, with `--json`, through `warn`, so that
  /// the output is only JSON.
  ///
  /// - Parameter isVerbatim: Whether the text is written to standard output without any conversion.
  ///   Used for trusted text with an address that must not be wrapped.
  func say(_ text: String, isVerbatim: Bool = false) throws(CommandFailure) {
    if asJSON {
      warn(text)
    } else if isVerbatim {
      try console.verbatim(text + "\n")
    } else {
      try console.line(text)
    }
  }
}

// MARK: The library

extension CommandContext {
  /// The path of the library.
  ///
  /// - Throws: Status 3 if there is no directory for it.
  var requiredLibraryPath: String {
    get throws(CommandFailure) {
      guard let libraryPath else { throw CommandFailure(.noHomeDirectory, messages: messages) }
      return libraryPath
    }
  }

  /// Whether a file of any kind exists at the path of the library, even a symbolic link to a file
  /// that is missing.
  var hasLibraryFile: Bool {
    var status = stat()
    return libraryPath.map { lstat($0, &status) == 0 } ?? false
  }

  /// Checks that the library exists if an argument specifies it.
  ///
  /// - Throws: Status 1 if it does not exist.
  func checkSpecifiedLibrary() throws(CommandFailure) {
    guard isLibrarySpecified, !hasLibraryFile, let libraryPath else { return }
    throw CommandFailure(
      .notFound,
      Backups(of: libraryPath).isEmpty
        ? messages.noSuchFile(libraryPath) : messages.libraryIsGone)
  }

  /// Checks that the directory of the library exists if an argument specifies the library.
  ///
  /// - Throws: Status 3 if it does not exist.
  public func checkSpecifiedDirectory() throws(CommandFailure) {
    if isLibrarySpecified, let libraryPath, access(Directory.containing(libraryPath), F_OK) != 0 {
      throw CommandFailure(.badData, messages.fileNotWritten(libraryPath, errno))
    }
  }

  /// Opens the library for reading. If it does not exist, returns an empty library and creates no
  /// file.
  ///
  /// - Parameter requiresSpecified: Whether a library that an argument specifies has to exist.
  /// - Throws: Status 1 if such a library does not exist, 3 if the library cannot be read.
  func openForReading(
    requiresSpecified: Bool = true
  ) throws(CommandFailure) -> (library: Library, snapshot: Snapshot) {
    if requiresSpecified { try checkSpecifiedLibrary() }
    return try convertingFailures {
      guard libraryPath == nil || hasLibraryFile else {
        if let libraryPath, !Backups(of: libraryPath).isEmpty {
          warn(messages.libraryIsGone)
        }
        return (try Library.inMemory(), Snapshot())
      }
      let opening = try Library.open(libraryPath, at: now(), setsAside: false)
      // A command that only reads has nothing to save.
      for notice in opening.notices where notice != .unchangeable(.diskFull) {
        warn(messages.explain(notice))
      }
      return (opening.library, opening.snapshot)
    }
  }

  /// Opens the library for writing. If it does not exist, it is created, but not the directory of
  /// one that an argument specifies.
  ///
  /// - Throws: Status 3 if the library cannot be opened or written.
  func openForChanges() throws(CommandFailure) -> Library {
    try checkSpecifiedDirectory()
    return try convertingFailures {
      let opening = try Library.open(libraryPath, at: now())
      if let refusal = opening.library.refusal { throw refusal }
      for notice in opening.notices { warn(messages.explain(notice)) }
      return opening.library
    }
  }

  /// Runs `body` and converts its failures to command failures.
  func convertingFailures<Value>(_ body: () throws -> Value) throws(CommandFailure) -> Value {
    try messages.convertingFailures(body)
  }
}

extension Messages {
  /// Runs `body` and converts failures of the library, of notes, of editions, of references, of the
  /// credentials file and of the configuration of the client to command failures.
  func convertingFailures<Value>(_ body: () throws -> Value) throws(CommandFailure) -> Value {
    do {
      return try body()
    } catch let failure as CommandFailure {
      throw failure
    } catch let failure as LibraryFailure {
      throw CommandFailure(failure, messages: self)
    } catch let problem as NoteText.Problem {
      throw CommandFailure(.note(problem), messages: self)
    } catch let failure as EditionFileFailure {
      throw CommandFailure(failure, messages: self)
    } catch let failure as QuranReference.Failure {
      throw CommandFailure(failure, messages: self)
    } catch let problem as CredentialFile.Problem {
      throw CommandFailure(.badData, explain(problem))
    } catch let problem as ClientFactory.Problem {
      throw CommandFailure(.usage, explain(problem))
    } catch let problem as ClientOptions.Problem {
      throw CommandFailure(.usage, explain(ClientFactory.Problem.environment(problem)))
    } catch {
      throw CommandFailure(.badData, unexpectedFailure)
    }
  }
}

extension CommandFailure {
  init(_ failure: LibraryFailure, messages: Messages) {
    self.init(failure == .note(.empty) ? .usage : .badData, messages.explain(failure))
  }
}
