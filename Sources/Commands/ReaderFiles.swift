public import Editions
public import Library
import Words

extension LibraryFiles {
  /// What the reader's `:import` and `:export` do: the same as the commands.
  ///
  /// - Parameters:
  ///   - edition: whose text stands beside notes.
  ///   - home: what a `~` stands for.
  ///   - now: milliseconds since 1970, UTC.
  public static func reading(
    _ edition: Edition, home: String?, now: @escaping @Sendable () -> Int64
  ) -> LibraryFiles {
    LibraryFiles(
      load: { path, library, language, picture in
        let words = Words(language)
        return FileProblem.catching { () throws(CommandFailure) in
          let bar = ProgressBar(picture, clock: now)
          let source = try ImportSource(path.expanded(home: home), words: words) {
            bar.update($0, of: $1)
          }
          let result = try source.load(
            into: library, ImportSource.Options(now: now(), keepsCommit: true)
          ) { bar.update($0, of: $1) }
          let page = ImportPage(name: path, result: result, isDryRun: false, words: words)
          return LoadedFile(
            commit: result.commit, summary: page.summary, report: page.lines)
        }
      },
      save: { path, library, language, picture in
        let words = Words(language)
        return FileProblem.catching { () throws(CommandFailure) in
          let format = ExportCommand.Format(fileName: path)
          let access = LibraryAccess(path: nil, words: words, now: now, warn: { _ in })
          let counts = try ExportCommand(
            format, to: path, edition: edition, asJSON: false, access: access,
            progress: ProgressBar(picture, clock: now)
          ).writeFile(path.expanded(home: home), library)
          return words.exported(
            path, favorites: counts[.favorites] ?? 0, notes: counts[.notes] ?? 0)
        }
      })
  }
}

extension FileProblem {
  fileprivate static func catching<Value>(
    _ body: () throws(CommandFailure) -> Value
  ) -> Result<Value, FileProblem> {
    do {
      return .success(try body())
    } catch {
      return .failure(FileProblem(message: error.message))
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
  /// A path with the home in place of a `~` at its start.
  func expanded(home: String?) -> String {
    guard let home, self == "~" || hasPrefix("~/") else { return self }
    return home + dropFirst()
  }

  /// The way back, for people.
  func abbreviated(home: String?) -> String {
    guard let home, hasPrefix(home + "/") else { return self }
    return "~" + dropFirst(home.count)
  }
}
