public import Editions
import Library
import Messages
import Quran
import Text

/// The file format of an export. The raw value is the argument of `--format`.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// The complete library, in a format that can be imported again.
  case json
  /// The keys of the iOS app's preferences.
  case plist
  /// Notes and favourites with the texts of their ayahs, for reading and printing.
  case markdown
}

// `quran-vi export`
extension CommandContext {
  /// Writes the whole library to a file or standard output.
  ///
  /// - Parameters:
  ///   - format: The format of the export.
  ///   - path: The path of the file, or nil for standard output.
  ///   - edition: The edition that Markdown quotes.
  /// - Throws: Status 2 if the path is a file of the library; 3 if the library is missing or cannot
  ///   be read, or if writing fails. An existing file is then unchanged.
  public func export(
    _ format: ExportFormat, to path: String?, edition: Edition
  ) throws(CommandFailure) {
    if let path, let libraryPath, Library.isFile(path, of: libraryPath) {
      throw CommandFailure(.usage, messages.isTheLibrary(path.sanitizedLine))
    }
    if path != nil, let libraryPath, !hasLibraryFile, !Backups(of: libraryPath).isEmpty {
      throw CommandFailure(.badData, messages.libraryIsGone)
    }
    let isOnScreen = path == nil && console.isTerminal
    let (library, snapshot) = try openForReading()
    let export = LibraryExport(
      library: library, format: format, edition: edition, messages: messages,
      now: now(), progress: isOnScreen ? .hidden : progressBar())
    let leftOut = format == .json ? 0 : snapshot.drafts.count
    guard let path else {
      _ = try export.write { text throws(CommandFailure) in try console.verbatim(text) }
      if leftOut > 0 { warn(messages.unfinishedNotesLeftOut(leftOut)) }
      return
    }
    let counts = try export.writeFile(path)
    if asJSON {
      let elements = counts.map { ($0.key.rawValue, $0.value) }
      try console.json([
        WrittenFile(
          file: path, format: format.rawValue, elements: .init(uniqueKeysWithValues: elements))
      ])
    } else {
      try console.line(messages.exported(path, counts))
    }
    if leftOut > 0 { warn(messages.unfinishedNotesLeftOut(leftOut)) }
  }
}

private struct WrittenFile: Encodable {
  let file: String
  let format: String
  let elements: [String: Int]
}

/// An export of a library.
struct LibraryExport {
  let library: Library
  let format: ExportFormat
  let edition: Edition
  let messages: Messages
  /// Milliseconds since 1970, UTC.
  let now: Int64
  let progress: ProgressBar
  /// The ayahs that a Markdown export contains; nil for all that have notes or are favourites.
  var ayahs: ClosedRange<AyahID>?

  /// Writes a file atomically.
  ///
  /// - Returns: The number of entries of each kind.
  func writeFile(_ path: String) throws(CommandFailure) -> [ExportDocument.List: Int] {
    let file = try OutputFile(path, messages: messages)
    let counts = try write { text throws(CommandFailure) in try file.write(text) }
    try file.finish()
    return counts
  }

  /// Passes the export to `sink`, in several parts.
  ///
  /// - Returns: The number of entries of each kind.
  func write(
    to sink: @escaping (String) throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> [ExportDocument.List: Int] {
    defer { progress.finish() }
    return try messages.convertingFailures {
      switch format {
      case .json:
        try library.exportJSON(
          at: now, progress: { progress.update($0, of: $1) }, to: { try sink($0) })
      case .plist:
        try library.exportLegacyKeys(
          progress: { progress.update($0, of: $1) }, to: { try sink($0) })
      case .markdown:
        try MarkdownExport(edition: edition, messages: messages, now: now, ayahs: ayahs).write(
          library, progress: progress, to: { try sink($0) })
      }
    }
  }
}

extension Messages {
  func exported(_ path: String, _ counts: [ExportDocument.List: Int]) -> String {
    exported(
      path, favorites: counts[.favorites] ?? 0, notes: counts[.notes] ?? 0,
      unfinished: counts[.drafts] ?? 0)
  }
}
