import Library
import Words

/// `quran-vi import`: merges files into the library.
public struct ImportCommand {
  private let paths: [String]
  private let isDryRun: Bool
  private let asJSON: Bool
  private let access: LibraryAccess
  private let progress: () -> ProgressBar

  /// - Parameter paths: `-` is standard input.
  public init(
    _ paths: [String], isDryRun: Bool, asJSON: Bool, access: LibraryAccess,
    progress: @escaping () -> ProgressBar = { .hidden }
  ) {
    self.paths = paths
    self.isDryRun = isDryRun
    self.asJSON = asJSON
    self.access = access
    self.progress = progress
  }

  /// A file that is known to be one that can be imported.
  struct Recognised {
    let file: InputFile
    /// What it is, for scripts.
    let format: String
    let load: (_ library: Library, _ progress: ProgressBar) throws -> ImportReport
  }

  /// Ways to know a file, tried in turn: nil where it is none of that kind.
  private var recognisers: [(InputFile) throws(CommandFailure) -> Recognised?] {
    [recogniseExport]
  }

  /// - Throws: status 1 where there is no such file; 3 where one cannot be understood:
  ///   then nothing of any is imported.
  public func run(_ console: Console) throws(CommandFailure) {
    let words = access.words
    guard !paths.isEmpty else { throw CommandFailure(.usage, words.nothingToImport) }
    guard paths.filter({ $0 == "-" }).count < 2 else {
      throw CommandFailure(.usage, words.notTogether("-", "-"))
    }
    var files: [Recognised] = []
    for path in paths { files.append(try recognise(try InputFile(path, words: words))) }
    let library =
      isDryRun ? try access.openForReading().library : try access.openForChanges()
    var entries: [ImportEntry] = []
    for file in files {
      let bar = progress()
      defer { bar.finish() }
      let report = try explaining(file.file) {
        try file.load(library, bar)
      }
      bar.finish()
      let page = ImportPage(
        name: file.file.name, report: report, isDryRun: isDryRun, words: words)
      if asJSON {
        entries.append(ImportEntry(page, format: file.format))
      } else {
        try console.lines(page.lines)
      }
    }
    if asJSON { try console.json(entries) }
  }

  private func recognise(_ file: InputFile) throws(CommandFailure) -> Recognised {
    for recogniser in recognisers {
      if let found = try recogniser(file) { return found }
    }
    throw CommandFailure(.badData, access.words.fileIsNoExport(file.name))
  }

  /// One of our own exports.
  private func recogniseExport(_ file: InputFile) throws(CommandFailure) -> Recognised? {
    let bar = progress()
    let size = file.size
    defer { bar.finish() }
    let isExport = try explaining(file) {
      do {
        _ = try ExportDocument.inspect(file.source { bar.update($0, of: size) })
        return true
      } catch ExportDocument.Failure.notAnExport {
        return false
      }
    }
    guard isExport else { return nil }
    return Recognised(file: file, format: ExportDocument.format) { library, bar in
      try library.importJSON(
        at: access.now(), isDryRun: isDryRun, keepsCommit: false,
        from: file.source { bar.update($0, of: size) })
    }
  }

  private func explaining<Value>(
    _ file: InputFile, _ body: () throws -> Value
  ) throws(CommandFailure) -> Value {
    let words = access.words
    return try access.explaining {
      do {
        return try body()
      } catch let failure as ExportDocument.Failure {
        throw CommandFailure(.badData, words.explain(failure, in: file.name))
      } catch let failure as InputFile.ReadFailure {
        throw CommandFailure(.badData, words.fileNotRead(file.name, failure.code))
      }
    }
  }
}
