public import Library
public import Messages
public import Quran

/// A request to read or write a file.
public enum FileRequest: Hashable, Sendable {
  /// Imports a file into the library; undo reverses all of it together.
  ///
  /// - Parameter path: the path as typed; `~` at its start is the home directory.
  case importFile(path: String)
  /// Exports the library to a file, in the format that the file name says, or ayahs with their text
  /// and notes as Markdown.
  case exportFile(path: String, ayahs: ClosedRange<AyahID>?)
}

/// The reply to a `FileRequest`, as sentences in the user's language.
public enum FileReply: Sendable {
  /// The progress so far, as a bar; another reply follows.
  case working(String)
  case imported(ImportedFile)
  case exported(String)
  case refused(String)
}

/// The outcome of an import.
public struct ImportedFile: Sendable {
  /// The changes, for undo.
  public let commit: Commit
  /// The changes in one line.
  public let summary: String
  /// The lines of the whole report.
  public let report: [String]
  /// The state of the library after the import.
  public let snapshot: Snapshot

  public init(commit: Commit, summary: String, report: [String], snapshot: Snapshot) {
    self.commit = commit
    self.summary = summary
    self.report = report
    self.snapshot = snapshot
  }
}

/// Reads or writes a file for the reader, and knows the formats.
///
/// - Parameters:
///   - library: the library, or the failure to open it.
///   - progress: receives a progress bar now and then.
public typealias FileExchange =
  @Sendable (
    _ request: FileRequest, _ library: Result<Library, LibraryFailure>, _ messages: Messages,
    _ progress: @escaping @Sendable (String) -> Void
  ) -> FileReply

extension FileReply {
  /// The changes that the request made.
  var commit: Commit { if case .imported(let file) = self { file.commit } else { Commit([]) } }
}
