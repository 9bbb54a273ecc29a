import Glibc
import Library
public import Messages

/// The access of the commands to the library.
public struct LibraryAccess {
  /// The path of the library, or nil if there is no directory for it.
  public let path: String?
  public let messages: Messages
  /// Returns the time in milliseconds since 1970, UTC.
  public let now: @Sendable () -> Int64
  /// Prints a line to the user that is not part of the output.
  public let warn: (String) -> Void

  /// Creates an access to the library at a path.
  public init(
    path: String?, messages: Messages, now: @escaping @Sendable () -> Int64,
    warn: @escaping (String) -> Void
  ) {
    self.path = path
    self.messages = messages
    self.now = now
    self.warn = warn
  }

  /// Whether a file of any kind exists at the path.
  var isThere: Bool {
    var status = stat()
    return path.map { stat($0, &status) == 0 } ?? false
  }

  /// Opens the library for reading. If it does not exist, returns an empty library and creates no
  /// file.
  ///
  /// - Throws: Status 3 if the library cannot be read.
  func openForReading() throws(CommandFailure) -> (library: Library, snapshot: Snapshot) {
    try explaining {
      guard path == nil || isThere else {
        let library = try Library.inMemory()
        return (library, Snapshot())
      }
      let opening = try Library.open(path, at: now(), setsAside: false)
      for notice in opening.notices { warn(messages.explain(notice)) }
      return (opening.library, opening.snapshot)
    }
  }

  /// Opens the library for writing. If it does not exist, it is created.
  ///
  /// - Throws: Status 3 if the library cannot be opened or written.
  func openForChanges() throws(CommandFailure) -> Library {
    try explaining {
      let opening = try Library.open(path, at: now())
      if let refusal = opening.library.refusal { throw refusal }
      for notice in opening.notices { warn(messages.explain(notice)) }
      return opening.library
    }
  }

  /// Runs `body` and converts failures of the library to command failures.
  func explaining<Value>(_ body: () throws -> Value) throws(CommandFailure) -> Value {
    do {
      return try body()
    } catch let failure as CommandFailure {
      throw failure
    } catch let failure as LibraryFailure {
      throw CommandFailure(failure, messages: messages)
    } catch {
      throw CommandFailure(.badData, messages.unexpectedFailure)
    }
  }
}

extension CommandFailure {
  init(_ failure: LibraryFailure, messages: Messages) {
    let status: ExitStatus =
      switch failure {
      case .missing: .notFound
      case .note(.empty): .usage
      default: .badData
      }
    self.init(status, messages.explain(failure))
  }
}
