import Glibc
import Library
public import Messages

/// What the commands over the reader's library are given.
public struct LibraryAccess {
  /// Nil where there is no place for a library.
  public let path: String?
  public let messages: Messages
  /// Milliseconds since 1970, UTC.
  public let now: @Sendable () -> Int64
  /// Takes what people should know besides the output, a line each.
  public let warn: (String) -> Void

  public init(
    path: String?, messages: Messages, now: @escaping @Sendable () -> Int64,
    warn: @escaping (String) -> Void
  ) {
    self.path = path
    self.messages = messages
    self.now = now
    self.warn = warn
  }

  /// Whether there is a library, or anything else in its place.
  var isThere: Bool {
    var status = stat()
    return path.map { stat($0, &status) == 0 } ?? false
  }

  /// The library to read from. Where there is none it is an empty one, and none is made.
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

  /// The library to change, made where there is none.
  func openForChanges() throws(CommandFailure) -> Library {
    try explaining {
      let opening = try Library.open(path, at: now())
      if let refusal = opening.library.refusal { throw refusal }
      for notice in opening.notices { warn(messages.explain(notice)) }
      return opening.library
    }
  }

  /// Runs what the library may refuse.
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
