public import Text

/// How what the library holds comes from files and goes to them. The kinds of files are
/// known by others.
public struct LibraryFiles: Sendable {
  /// Takes what a file holds into a library.
  ///
  /// - Parameters:
  ///   - path: as the reader typed it; a `~` at its start is the home.
  ///   - progress: takes a picture of how much is done, now and then.
  public typealias Load =
    @Sendable (
      _ path: String, _ library: Library, _ language: Language,
      _ progress: @escaping @Sendable (String) -> Void
    ) -> Result<LoadedFile, FileProblem>
  /// Writes all of a library to a file; the result says so to the reader.
  public typealias Save =
    @Sendable (
      _ path: String, _ library: Library, _ language: Language,
      _ progress: @escaping @Sendable (String) -> Void
    ) -> Result<String, FileProblem>

  let load: Load
  let save: Save

  public init(load: @escaping Load, save: @escaping Save) {
    self.load = load
    self.save = save
  }

  /// Where there are no files.
  public static var none: LibraryFiles {
    LibraryFiles(
      load: { _, _, _, _ in .failure(FileProblem(message: "")) },
      save: { _, _, _, _ in .failure(FileProblem(message: "")) })
  }
}

/// What came of a file.
public struct LoadedFile: Hashable, Sendable {
  /// What changed, for undo.
  public let commit: Commit
  /// The same in a line, and the whole report, for the reader.
  public let summary: String
  public let report: [String]

  public init(commit: Commit, summary: String, report: [String]) {
    self.commit = commit
    self.summary = summary
    self.report = report
  }
}

/// Why a file could not be read or written, for the reader.
public struct FileProblem: Error, Hashable, Sendable {
  public let message: String

  public init(message: String) {
    self.message = message
  }
}
