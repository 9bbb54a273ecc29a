public import Editions
import Library
import Messages

/// `quran-vi export`: writes the whole library to a file or standard output.
public struct ExportCommand {
  /// The file format of an export; the raw value is that of `--format`.
  public enum Format: String, CaseIterable, Sendable {
    /// The complete library, in a format that can be imported again.
    case json
    /// The keys of the iOS app's preferences.
    case plist
    /// Notes and favourites with the texts of their ayahs, for reading and printing.
    case markdown
  }

  private let format: Format
  /// The path of the file, or nil for standard output.
  private let path: String?
  private let edition: Edition
  private let asJSON: Bool
  private let access: LibraryAccess
  private let progress: ProgressBar

  /// Creates the command.
  ///
  /// - Parameters:
  ///   - format: The format of the export.
  ///   - path: The path of the file, or nil for standard output.
  ///   - edition: The edition that Markdown quotes.
  ///   - asJSON: Whether to report the written file as JSON.
  ///   - access: The library.
  ///   - progress: Shows the progress.
  public init(
    _ format: Format, to path: String?, edition: Edition, asJSON: Bool, access: LibraryAccess,
    progress: ProgressBar = .hidden
  ) {
    self.format = format
    self.path = path
    self.edition = edition
    self.asJSON = asJSON
    self.access = access
    self.progress = progress
  }

  private struct Written: Encodable {
    let file: String
    let format: String
    let elements: [String: Int]
  }

  /// Runs the command.
  ///
  /// - Throws: Status 3 if writing fails; an existing file is then unchanged.
  public func run(_ console: Console) throws(CommandFailure) {
    let library = try access.openForReading().library
    guard let path else {
      _ = try write(library) { text throws(CommandFailure) in try console.verbatim(text) }
      return
    }
    let counts = try writeFile(path, library)
    if asJSON {
      let elements = counts.map { ($0.key.rawValue, $0.value) }
      try console.json([
        Written(
          file: path, format: format.rawValue, elements: .init(uniqueKeysWithValues: elements))
      ])
    } else {
      try console.line(
        access.messages.exported(
          path, favorites: counts[.favorites] ?? 0, notes: counts[.notes] ?? 0))
    }
  }

  /// Writes the file atomically.
  ///
  /// - Returns: The number of entries of each kind.
  func writeFile(
    _ path: String, _ library: Library
  ) throws(CommandFailure) -> [ExportDocument.Table: Int] {
    let file = Destination(try OutputFile(path, messages: access.messages))
    let counts = try write(library) { text throws(CommandFailure) in try file.write(text) }
    try file.finish()
    return counts
  }

  private func write(
    _ library: Library, to sink: @escaping (String) throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> [ExportDocument.Table: Int] {
    defer { progress.finish() }
    return try access.explaining {
      switch format {
      case .json:
        try library.exportJSON(
          at: access.now(), progress: { progress.update($0, of: $1) }, to: { try sink($0) })
      case .plist:
        try library.exportLegacyKeys(
          progress: { progress.update($0, of: $1) }, to: { try sink($0) })
      case .markdown:
        try MarkdownExport(edition: edition, messages: access.messages, now: access.now()).write(
          library, progress: progress, to: { try sink($0) })
      }
    }
  }
}

/// A reference to an `OutputFile`, which closures can capture.
private final class Destination {
  private var file: OutputFile

  init(_ file: consuming OutputFile) {
    self.file = file
  }

  func write(_ text: String) throws(CommandFailure) { try file.write(text) }
  func finish() throws(CommandFailure) { try file.finish() }
}
