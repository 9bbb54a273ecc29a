import Glibc
import Library
import Messages
import Text

/// `quran-vi import`: merges files into the library.
public struct ImportCommand {
  /// The options of an import.
  public struct Options: Sendable {
    /// Whether to only report what would be imported.
    public var isDryRun: Bool
    /// Whether to restore legacy notes that were imported earlier and deleted since.
    public var restoresDeleted: Bool
    /// The directory to which imported files are moved, or nil to leave them.
    public var archive: String?

    public init(
      isDryRun: Bool = false, restoresDeleted: Bool = false, archive: String? = nil
    ) {
      self.isDryRun = isDryRun
      self.restoresDeleted = restoresDeleted
      self.archive = archive
    }
  }

  private let paths: [String]
  private let options: Options
  private let asJSON: Bool
  private let access: LibraryAccess
  private let progress: () -> ProgressBar

  /// Creates the command.
  ///
  /// - Parameters:
  ///   - paths: The files to import; `-` is standard input.
  ///   - options: The options of the import.
  ///   - asJSON: Whether to print the report as JSON.
  ///   - access: The library.
  ///   - progress: Returns a progress bar for each step.
  public init(
    _ paths: [String], options: Options = Options(), asJSON: Bool, access: LibraryAccess,
    progress: @escaping () -> ProgressBar = { .hidden }
  ) {
    self.paths = paths
    self.options = options
    self.asJSON = asJSON
    self.access = access
    self.progress = progress
  }

  /// Runs the command.
  ///
  /// - Throws: Status 1 if a file does not exist, 2 if the arguments are invalid, 3 if a file
  ///   cannot be understood. Nothing of any file is imported in these cases. Also status 3 if an
  ///   imported file cannot be archived.
  public func run(_ console: Console) throws(CommandFailure) {
    let messages = access.messages
    guard !paths.isEmpty else { throw CommandFailure(.usage, messages.nothingToImport) }
    guard paths.filter({ $0 == "-" }).count < 2 else {
      throw CommandFailure(.usage, messages.notTogether("-", "-"))
    }
    guard options.archive == nil || !paths.contains("-") else {
      throw CommandFailure(.usage, messages.inputHasNoArchive)
    }
    guard options.archive == nil || !options.isDryRun else {
      throw CommandFailure(.usage, messages.notTogether("--archive", "--dry-run"))
    }
    var sources: [ImportSource] = []
    for path in paths {
      let bar = progress()
      defer { bar.finish() }
      let file = try InputFile(path, messages: messages)
      sources.append(try ImportSource(file, messages: messages) { bar.update($0, of: $1) })
    }
    let isTwice = Set(sources.map(\.identity)).count < sources.count
    guard options.archive == nil || !isTwice else {
      throw CommandFailure(.usage, messages.sameFileTwice)
    }
    let library =
      options.isDryRun ? try access.openForReading().library : try access.openForChanges()
    var entries: [ImportEntry] = []
    var failure: CommandFailure?
    for (path, source) in zip(paths, sources) {
      var page = ImportPage(
        path: path, name: source.name,
        result: try load(source, into: library, isDryRun: options.isDryRun),
        isDryRun: options.isDryRun, messages: messages)
      if let archive = options.archive {
        // Report the import even if archiving fails.
        do throws(CommandFailure) {
          page.archive = try put(path, source, into: archive, of: library)
        } catch {
          failure = failure ?? error
        }
      }
      if asJSON { entries.append(ImportEntry(page)) } else { try console.lines(page.lines) }
    }
    if asJSON { try console.json(entries) }
    if let failure { throw failure }
  }

  private func load(
    _ source: ImportSource, into library: Library, isDryRun: Bool
  ) throws(CommandFailure) -> ImportResult {
    let bar = progress()
    defer { bar.finish() }
    return try source.load(
      into: library,
      ImportSource.Options(
        now: access.now(), isDryRun: isDryRun, restoresDeleted: options.restoresDeleted)
    ) { bar.update($0, of: $1) }
  }

  /// Archives a file after verifying that the library contains all of its valid entries.
  ///
  /// - Returns: The new path of the file.
  private func put(
    _ path: String, _ source: ImportSource, into directory: String, of library: Library
  ) throws(CommandFailure) -> String {
    let again = try load(source, into: library, isDryRun: true)
    guard again.importedCount == 0, InputFile.Identity(of: path) == source.identity else {
      throw CommandFailure(.badData, access.messages.importNotVerified(source.name))
    }
    do {
      return try Archive(directory: directory).take(path)
    } catch {
      throw CommandFailure(
        .badData, access.messages.notArchived(directory.sanitizedLine, error.code))
    }
  }
}
