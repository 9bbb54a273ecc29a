public import Editions
import FoundationEssentials
import Glibc
public import Library
public import Messages
public import Quran
import Text

/// The import and export of files from within the reader (`:import` and `:export`).
public struct FileTransfer: Sendable {
  private let edition: @Sendable () -> Edition
  private let home: String?
  private let library: String?
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - edition: Returns the edition that a Markdown export quotes.
  ///   - home: The directory that `~` stands for.
  ///   - library: The path of the library, whose files are neither imported nor written; nil if
  ///     there is none.
  ///   - now: Returns the time in milliseconds since 1970, UTC.
  public init(
    _ edition: @escaping @Sendable () -> Edition = { .bundled }, home: String? = nil,
    library: String? = nil, now: @escaping @Sendable () -> Int64
  ) {
    self.edition = edition
    self.home = home
    self.library = library
    self.now = now
  }

  /// Imports a file into a library.
  ///
  /// - Parameters:
  ///   - path: The path as the user typed it; a leading `~` stands for the home directory.
  ///   - library: The library, or the reason why it cannot be opened.
  ///   - messages: The language of the report and of the error messages.
  ///   - onProgress: Called repeatedly with a progress bar as text.
  /// - Throws: Status 1 if the file does not exist, 2 if it belongs to the library, 3 if the file
  ///   or the library cannot be used. The library is then unchanged.
  public func importFile(
    _ path: String, into library: Result<Library, LibraryFailure>, messages: Messages,
    onProgress: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CommandFailure) -> FileImport {
    let library = try messages.convertingFailures(library.get)
    let bar = ProgressBar(onProgress, clock: now)
    let file = try InputFile(
      regular: path.expandingTilde(home: home), library: self.library, messages: messages)
    let source = try ImportSource(file, messages: messages) { bar.update($0, of: $1) }
    let result = try source.load(into: library, at: now(), keepsCommit: true) {
      bar.update($0, of: $1)
    }
    let page = ImportPage(
      path: path, name: path, result: result, isDryRun: false, messages: messages)
    return FileImport(
      commit: result.commit, summary: page.summary, report: page.lines,
      snapshot: try messages.convertingFailures(library.snapshot))
  }

  /// Exports the whole library to a new file, or ayahs with their text and notes. The file
  /// extension determines the format of the library; ayahs are written as Markdown.
  ///
  /// - Parameter ayahs: The ayahs to export; nil for the whole library.
  /// - Returns: The message for the user.
  /// - Throws: Status 2 if the path is a file of the library; 3 if the library cannot be read, the
  ///   file already exists, or writing fails.
  public func exportFile(
    _ path: String, ayahs: ClosedRange<AyahID>? = nil, _ library: Result<Library, LibraryFailure>,
    messages: Messages, onProgress: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CommandFailure) -> String {
    let library = try messages.convertingFailures(library.get)
    let format = ayahs == nil ? ExportFormat(fileName: path) : .markdown
    let target = path.expandingTilde(home: home)
    if let file = self.library, Library.isFile(target, of: file) {
      throw CommandFailure(.usage, messages.isTheLibrary(path.sanitizedLine))
    }
    guard access(target, F_OK) != 0 else {
      throw CommandFailure(.badData, messages.fileExists(path.sanitizedLine))
    }
    let export = LibraryExport(
      library: library, format: format, edition: edition(), messages: messages, now: now(),
      progress: ProgressBar(onProgress, clock: now), ayahs: ayahs)
    return messages.exported(path, try export.writeFile(target))
  }
}

/// The result of importing a file.
public struct FileImport: Sendable {
  /// The changes of the import, which undo reverses.
  public let commit: Commit
  /// The report in one line.
  public let summary: String
  /// The lines of the complete report.
  public let report: [String]
  /// The content of the library after the import.
  public let snapshot: Snapshot
}

extension ProgressBar {
  /// A progress bar that is drawn by `onProgress`.
  fileprivate convenience init(
    _ onProgress: @escaping @Sendable (String) -> Void, clock: @escaping @Sendable () -> Int64
  ) {
    self.init(isShown: true, clock: clock) { text in
      let text = text.filter { $0 != "\r" }
      if text.contains(where: { $0 != " " }) { onProgress(text) }
    }
  }
}

extension ExportFormat {
  /// Chooses the format by the file extension; the default is JSON.
  init(fileName: String) {
    let name = fileName.lowercased()
    if name.hasSuffix(".plist") {
      self = .plist
    } else if name.hasSuffix(".md") || name.hasSuffix(".markdown") {
      self = .markdown
    } else {
      self = .json
    }
  }
}

extension String {
  /// The path of the file that the user means. A leading `~` is replaced by the home directory. A
  /// component that does not exist is replaced by an existing name that differs only in its Unicode
  /// normalization: typed text is composed, but file names from macOS are decomposed.
  func expandingTilde(home: String?) -> String {
    var path = self
    if let home, self == "~" || hasPrefix("~/") { path = home + dropFirst() }
    guard access(path, F_OK) != 0 else { return path }
    var found = path.hasPrefix("/") ? "/" : "."
    for name in path.split(separator: "/") {
      let next = "\(found)/\(name)"
      if access(next, F_OK) != 0,
        let names = try? FileManager.default.contentsOfDirectory(atPath: found),
        let other = names.first(where: { $0 == name })
      {
        found += "/\(other)"
      } else {
        found = next
      }
    }
    return access(found, F_OK) == 0 ? found : path
  }

  /// The path with the home directory abbreviated to `~`, for display.
  func abbreviatingTilde(home: String?) -> String {
    guard let home, hasPrefix(home + "/") else { return self }
    return "~" + dropFirst(home.count)
  }
}
