import Glibc
import Library
import Messages
import Text

/// The options of an import.
public struct ImportOptions: Sendable {
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

// `quran-vi import`
extension CommandContext {
  /// Merges files into the library.
  ///
  /// - Parameter paths: The files to import; `-` is standard input.
  /// - Throws: Status 1 if a file does not exist, 2 if the arguments are invalid, 3 if a file
  ///   cannot be understood. Nothing of any file is imported in these cases. Also status 3 if the
  ///   library cannot be changed, or if an imported file cannot be archived; the files that were
  ///   imported before are reported.
  public func importFiles(
    _ paths: [String], _ options: ImportOptions = ImportOptions()
  ) throws(CommandFailure) {
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
      let bar = progressBar()
      defer { bar.finish() }
      let file = try InputFile(path, library: libraryPath, messages: messages)
      sources.append(try ImportSource(file, messages: messages) { bar.update($0, of: $1) })
    }
    let hasDuplicates = Set(sources.map(\.identity)).count < sources.count
    guard options.archive == nil || !hasDuplicates else {
      throw CommandFailure(.usage, messages.sameFileTwice)
    }
    // A dry run imports into a copy in memory, so that each file is also compared with the entries
    // of the files before it.
    let library =
      options.isDryRun
      ? try convertingFailures {
        try openForReading(requiresSpecified: false).library.copyInMemory()
      }
      : try openForChanges()
    var entries: [ImportEntry] = []
    var failure: CommandFailure?
    for (path, source) in zip(paths, sources) {
      let result: ImportResult
      do throws(CommandFailure) {
        result = try load(source, into: library, isDryRun: false, options)
      } catch {
        // The files before this one have been imported, so their results are still reported.
        failure = failure?.followed(by: error) ?? error
        break
      }
      var page = ImportPage(
        path: path, name: source.name, result: result, isDryRun: options.isDryRun,
        messages: messages)
      if let archive = options.archive {
        // Report the import even if archiving fails.
        do throws(CommandFailure) {
          page.archive = try verifyAndArchive(path, source, in: archive, options, library)
        } catch {
          failure = failure?.followed(by: error) ?? error
        }
      }
      if asJSON { entries.append(ImportEntry(page)) } else { try console.lines(page.lines) }
    }
    if asJSON { try console.json(entries) }
    if let failure { throw failure }
  }

  private func load(
    _ source: ImportSource, into library: Library, isDryRun: Bool, _ options: ImportOptions
  ) throws(CommandFailure) -> ImportResult {
    let bar = progressBar()
    defer { bar.finish() }
    return try source.load(
      into: library, at: now(), isDryRun: isDryRun, restoresDeleted: options.restoresDeleted
    ) { bar.update($0, of: $1) }
  }

  /// Archives a file after verifying that the library contains all of its valid entries.
  ///
  /// - Returns: The new path of the file.
  private func verifyAndArchive(
    _ path: String, _ source: ImportSource, in directory: String, _ options: ImportOptions,
    _ library: Library
  ) throws(CommandFailure) -> String {
    let again = try load(source, into: library, isDryRun: true, options)
    guard again.importedCount == 0, FileState(of: path) == source.identity else {
      throw CommandFailure(.badData, messages.importNotVerified(source.name))
    }
    do {
      return try Archive(directory: directory).moveIn(path)
    } catch {
      throw CommandFailure(
        .badData, messages.notArchived(directory.sanitizedLine, error.code))
    }
  }
}
