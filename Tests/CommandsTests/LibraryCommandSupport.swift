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

/// A library in a temporary directory, and the commands that use it.
final class CommandFixture {
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

  /// The lines that the commands wrote to standard error.
  var warnings: [String] = []

  init(_ language: Language = .english) throws {
    directory = try TemporaryDirectory()
    messages = Messages(language)
  }

  var path: String { directory.path + "/data/library.sqlite" }

  /// Whether an argument specifies the library.
  var isLibrarySpecified = false

  /// The context of a command on this library, or on the one at `path`.
  func context(
    path: String?? = nil, asJSON: Bool = false, isTerminal: Bool = false, columns: Int = 80,
    ask: ((String) -> String?)? = nil, in output: Output = Output()
  ) -> CommandContext {
    CommandContext(
      console: output.console(isTerminal: isTerminal, columns: columns), messages: messages,
      asJSON: asJSON, libraryPath: path ?? self.path,
      isLibrarySpecified: isLibrarySpecified,
      now: { [clock] in clock.time.withLock { $0 } }, warn: { self.warnings.append($0) }, ask: ask)
  }

  /// Opens the library. It is open until the value is released.
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

  func drafts() throws -> [Draft] { try snapshot().drafts }

  /// Whether no file was created in the directory.
  var isEmpty: Bool { get throws { try directory.contents.isEmpty } }

  // MARK: Commands

  enum FavoriteAction { case add, remove, list }

  @discardableResult
  func favorite(
    _ action: FavoriteAction, _ references: String..., path: String?? = nil, asJSON: Bool = false,
    isTerminal: Bool = false, in output: Output = Output()
  ) throws -> Output {
    let context = context(path: path, asJSON: asJSON, isTerminal: isTerminal, in: output)
    switch action {
    case .add: try context.addFavorites(references)
    case .remove: try context.removeFavorites(references)
    case .list: try context.listFavorites(references, edition: .bundled)
    }
    return output
  }

  enum NoteAction {
    case add(NoteSource)
    case edit(NoteSource)
    case remove, list, restore
  }

  @discardableResult
  func note(
    _ action: NoteAction, _ subject: String..., asJSON: Bool = false, isTerminal: Bool = false,
    in output: Output = Output()
  ) throws -> Output {
    let context = context(asJSON: asJSON, isTerminal: isTerminal, in: output)
    let subject = subject.joined(separator: " ")
    switch action {
    case .add(let source): try context.addNote(subject, source)
    case .edit(let source): try context.editNote(subject, source)
    case .remove: try context.removeNote(subject)
    case .list: try context.listNotes(subject)
    case .restore: try context.restoreNote(subject)
    }
    return output
  }

  enum ProgressAction { case show, set, reset }

  @discardableResult
  func progress(
    _ action: ProgressAction, _ references: String..., asJSON: Bool = false, columns: Int = 80
  ) throws -> Output {
    let output = Output()
    let context = context(asJSON: asJSON, columns: columns, in: output)
    switch action {
    case .show: try context.showProgress()
    case .set: try context.setProgress(references)
    case .reset: try context.resetProgress(references)
    }
    return output
  }

  enum SettingsAction {
    case list
    case get(String)
    case set(String, String)
  }

  @discardableResult
  func settings(_ action: SettingsAction, asJSON: Bool = false) throws -> Output {
    let output = Output()
    let context = context(asJSON: asJSON, in: output)
    switch action {
    case .list: try context.listSettings()
    case .get(let key): try context.getSetting(key)
    case .set(let key, let value): try context.setSetting(key, to: value)
    }
    return output
  }

  @discardableResult
  func export(
    _ format: ExportFormat = .json, to path: String? = nil, asJSON: Bool = false,
    edition: Edition = .bundled
  ) throws -> Output {
    let output = Output()
    try context(asJSON: asJSON, in: output).export(format, to: path, edition: edition)
    return output
  }

  @discardableResult
  func load(
    _ paths: String..., isDryRun: Bool = false, again: Bool = false, archive: String? = nil,
    asJSON: Bool = false
  ) throws -> Output {
    let output = Output()
    try context(asJSON: asJSON, in: output).importFiles(
      paths, ImportOptions(isDryRun: isDryRun, restoresDeleted: again, archive: archive))
    return output
  }

  enum BackupAction {
    case make, list
    case restore(name: String?, isConfirmed: Bool, restoration: SyncAccount.Restoration? = nil)
  }

  @discardableResult
  func backup(
    _ action: BackupAction, path: String?? = nil, asJSON: Bool = false, isTerminal: Bool = false,
    ask: ((String) -> String?)? = nil
  ) throws -> Output {
    let output = Output()
    let context = context(
      path: path, asJSON: asJSON, isTerminal: isTerminal, ask: ask, in: output)
    switch action {
    case .make: try context.makeBackup()
    case .list: try context.listBackups()
    case .restore(let name, let isConfirmed, let restoration):
      try context.restoreBackup(name, isConfirmed: isConfirmed, restoration: restoration)
    }
    return output
  }

  /// Writes a file to the directory, and returns its path.
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

/// The failure that a command throws.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
) throws -> CommandFailure {
  try #require(throws: CommandFailure.self, sourceLocation: sourceLocation) { _ = try body() }
}

func ayah(_ text: String) throws -> AyahID { try #require(AyahID(text)) }
