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
  /// - Parameters:
  ///   - commit: The changes of the import, for undo.
  ///   - summary: The changes in one line.
  ///   - report: The lines of the whole report.
  ///   - snapshot: The state of the library after the import.
  case imported(_ commit: Commit, summary: String, report: [String], _ snapshot: Snapshot)
  case exported(String)
  case refused(String)
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
  var commit: Commit {
    if case .imported(let commit, _, _, _) = self { commit } else { Commit([]) }
  }
}
