import Glibc
import Library
import Messages
import Text

/// `quran-vi import`: merges files into the library.
public struct ImportCommand {
  /// How files are imported.
  public struct Options: Sendable {
    /// Whether nothing is to be written, and the report is all.
    public var isDryRun: Bool
    /// Whether legacy notes that were imported and deleted since come back.
    public var restoresDeleted: Bool
    /// The directory where files go once they are imported; nil leaves them.
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

  /// - Parameter paths: `-` is standard input.
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

  /// - Throws: status 1 where there is no such file; 3 where one cannot be understood:
  ///   then nothing of any is imported.
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
        // What was imported is told in any case.
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

  /// Puts a file away, once the library is seen to hold all that is good in it.
  ///
  /// - Returns: where it is now.
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
        .badData, access.messages.notArchived(directory.displayableLine, error.code))
    }
  }
}
