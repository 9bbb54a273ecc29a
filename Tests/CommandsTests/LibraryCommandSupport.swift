import Editions
import Foundation
import Library
import Messages
import Quran
import Synchronization
import TestSupport
import Testing
import Text

@testable import Commands

/// A library in a directory of a test's own, and the commands over it.
final class LibraryDesktop {
  let directory: TemporaryDirectory
  let messages: Messages
  /// Milliseconds since 1970, UTC.
  var now: Int64 {
    get { clock.time.withLock { $0 } }
    set { clock.time.withLock { $0 = newValue } }
  }
  private let clock = Clock()

  private final class Clock: Sendable {
    let time = Mutex<Int64>(1_795_000_000_000)
  }

  /// What went to standard error.
  private(set) var warnings: [String] = []

  init(_ language: Language = .english) throws {
    directory = try TemporaryDirectory()
    messages = Messages(language)
  }

  var path: String { directory.path + "/data/library.sqlite" }

  var access: LibraryAccess { access(to: path) }

  func access(to path: String?) -> LibraryAccess {
    LibraryAccess(
      path: path, messages: messages, now: { [clock] in clock.time.withLock { $0 } },
      warn: { self.warnings.append($0) })
  }

  /// The library, until the value is gone.
  func library() throws -> Library { try Library.open(path, at: now).library }

  func commit(_ changes: Change...) throws {
    let library = try library()
    try library.commit(changes, at: now)
    library.close()
  }

  func snapshot() throws -> Snapshot {
    let library = try library()
    defer { library.close() }
    return try library.snapshot()
  }

  func notes() throws -> [Note] {
    let library = try library()
    defer { library.close() }
    var notes: [Note] = []
    try library.eachNote { notes.append($0) }
    return notes
  }

  /// Whether anything was made in the place of the library.
  var isEmpty: Bool { get throws { try directory.contents.isEmpty } }

  // MARK: Commands

  @discardableResult
  func favorite(
    _ action: FavoriteCommand.Action, _ references: String..., asJSON: Bool = false,
    isTerminal: Bool = false, in output: Output = Output()
  ) throws -> Output {
    try FavoriteCommand(
      action, references: references, edition: .bundled, asJSON: asJSON, access: access
    ).run(output.console(isTerminal: isTerminal))
    return output
  }

  @discardableResult
  func note(
    _ action: NoteCommand.Action, _ subject: String..., asJSON: Bool = false,
    isTerminal: Bool = false, in output: Output = Output()
  ) throws -> Output {
    try NoteCommand(action, subject, asJSON: asJSON, access: access)
      .run(output.console(isTerminal: isTerminal))
    return output
  }

  @discardableResult
  func progress(
    _ action: ProgressCommand.Action, _ references: String..., asJSON: Bool = false,
    columns: Int = 80
  ) throws -> Output {
    let output = Output()
    try ProgressCommand(action, references: references, asJSON: asJSON, access: access)
      .run(output.console(columns: columns))
    return output
  }

  @discardableResult
  func settings(_ action: SettingsCommand.Action, asJSON: Bool = false) throws -> Output {
    let output = Output()
    try SettingsCommand(action, asJSON: asJSON, access: access).run(output.console())
    return output
  }

  @discardableResult
  func export(
    _ format: ExportCommand.Format = .json, to path: String? = nil, asJSON: Bool = false,
    edition: Edition = .bundled
  ) throws -> Output {
    let output = Output()
    try ExportCommand(format, to: path, edition: edition, asJSON: asJSON, access: access)
      .run(output.console())
    return output
  }

  @discardableResult
  func load(
    _ paths: String..., isDryRun: Bool = false, again: Bool = false, archive: String? = nil,
    asJSON: Bool = false
  ) throws -> Output {
    let output = Output()
    try ImportCommand(
      paths,
      options: ImportCommand.Options(
        isDryRun: isDryRun, restoresDeleted: again, archive: archive),
      asJSON: asJSON, access: access
    ).run(output.console())
    return output
  }

  @discardableResult
  func backup(
    _ action: BackupCommand.Action, asJSON: Bool = false, isTerminal: Bool = false,
    ask: ((String) -> String?)? = nil
  ) throws -> Output {
    let output = Output()
    try BackupCommand(action, asJSON: asJSON, access: access, ask: ask)
      .run(output.console(isTerminal: isTerminal))
    return output
  }

  /// A file beside the library.
  @discardableResult
  func file(_ name: String, _ text: String) throws -> String {
    let path = "\(directory.path)/\(name)"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }
}

extension Output {
  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }
}

/// How a command fails.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
) throws -> CommandFailure {
  try #require(throws: CommandFailure.self, sourceLocation: sourceLocation) { _ = try body() }
}

func ayah(_ text: String) throws -> AyahID { try #require(AyahID(text)) }
