public import Editions
import FoundationEssentials
import Glibc
public import Library
public import Messages
import Text

/// What the reader's `:import` and `:export` do: the same as the commands.
public struct ReaderFiles: Sendable {
  private let edition: Edition
  private let home: String?
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - edition: whose text stands beside notes.
  ///   - home: what a `~` stands for.
  ///   - now: milliseconds since 1970, UTC.
  public init(
    _ edition: Edition = .bundled, home: String? = nil, now: @escaping @Sendable () -> Int64
  ) {
    self.edition = edition
    self.home = home
    self.now = now
  }

  /// Takes what a file holds into a library.
  ///
  /// - Parameters:
  ///   - path: as the reader typed it; a `~` at its start is the home.
  ///   - picture: takes a picture of how much is done, now and then.
  /// - Throws: status 1 or 3; then nothing is changed.
  public func load(
    _ path: String, into library: Result<Library, LibraryFailure>, messages: Messages,
    picture: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CommandFailure) -> LoadedFile {
    let library = try library.explained(messages)
    let bar = ProgressBar(picture, clock: now)
    let file = try InputFile(regular: path.located(home: home), messages: messages)
    let source = try ImportSource(file, messages: messages) { bar.update($0, of: $1) }
    let result = try source.load(
      into: library, ImportSource.Options(now: now(), keepsCommit: true)
    ) { bar.update($0, of: $1) }
    let page = ImportPage(
      path: path, name: path, result: result, isDryRun: false, messages: messages)
    return LoadedFile(
      commit: result.commit, summary: page.summary, report: page.lines,
      snapshot: try Result(catching: library.snapshot).explained(messages))
  }

  /// Writes all of a library to a file, of the kind that its name says.
  ///
  /// - Returns: what the reader is told.
  /// - Throws: status 3, also where there is such a file already.
  public func save(
    _ path: String, _ library: Result<Library, LibraryFailure>, messages: Messages,
    picture: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CommandFailure) -> String {
    let library = try library.explained(messages)
    let format = ExportCommand.Format(fileName: path)
    let target = path.located(home: home)
    guard access(target, F_OK) != 0 else {
      throw CommandFailure(.badData, messages.fileExists(path.displayableLine))
    }
    let access = LibraryAccess(path: nil, messages: messages, now: now, warn: { _ in })
    let counts = try ExportCommand(
      format, to: path, edition: edition, asJSON: false, access: access,
      progress: ProgressBar(picture, clock: now)
    ).writeFile(target, library)
    return messages.exported(path, favorites: counts[.favorites] ?? 0, notes: counts[.notes] ?? 0)
  }
}

/// What came of a file.
public struct LoadedFile: Sendable {
  /// What changed, for undo.
  public let commit: Commit
  /// The same in a line, and the whole report.
  public let summary: String
  public let report: [String]
  /// What the library holds now.
  public let snapshot: Snapshot
}

extension Result where Failure == LibraryFailure {
  fileprivate func explained(_ messages: Messages) throws(CommandFailure) -> Success {
    switch self {
    case .success(let value): return value
    case .failure(let failure): throw CommandFailure(failure, messages: messages)
    }
  }
}

extension ProgressBar {
  /// A bar that is drawn elsewhere.
  fileprivate convenience init(
    _ picture: @escaping @Sendable (String) -> Void, clock: @escaping @Sendable () -> Int64
  ) {
    self.init(isShown: true, clock: clock) { text in
      let text = text.filter { $0 != "\r" }
      if text.contains(where: { $0 != " " }) { picture(text) }
    }
  }
}

extension ExportCommand.Format {
  /// The kind of file that a name means: JSON, unless its ending says otherwise.
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
  /// The path that is meant by what was typed: with the home in place of a `~` at its
  /// start, and with the names that there are in place of those that differ from them in
  /// normalization alone. What is typed is composed; files that come from a Mac are not.
  func located(home: String?) -> String {
    var path = self
    if let home, self == "~" || hasPrefix("~/") { path = home + dropFirst() }
    guard access(path, F_OK) != 0 else { return path }
    var place = path.hasPrefix("/") ? "/" : "."
    for name in path.split(separator: "/") {
      let next = "\(place)/\(name)"
      if access(next, F_OK) != 0,
        let names = try? FileManager.default.contentsOfDirectory(atPath: place),
        let other = names.first(where: { $0 == name })
      {
        place += "/\(other)"
      } else {
        place = next
      }
    }
    return access(place, F_OK) == 0 ? place : path
  }

  /// The way back, for people.
  func abbreviated(home: String?) -> String {
    guard let home, hasPrefix(home + "/") else { return self }
    return "~" + dropFirst(home.count)
  }
}
