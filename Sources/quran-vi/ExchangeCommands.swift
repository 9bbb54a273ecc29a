import ArgumentParser
import Commands
import Library
import Messages

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration("export", messages.helpExport)

  // A string, because the parser would list the values and the default of an enumeration in
  // English.
  @Option(
    help: ArgumentHelp(messages.helpExportFormat, valueName: "json|plist|markdown"),
    completion: .list(ExportFormat.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(messages.helpExportOutput, valueName: messages.helpFileName),
    completion: .file())
  var output: String?

  @OptionGroup var edition: EditionOption
  @OptionGroup var options: LibraryOptions

  func run() throws {
    guard let format = ExportFormat(rawValue: format ?? "json") else {
      throw CommandFailure(.usage, messages.badFormat(format ?? ""))
    }
    let path = output == "-" ? nil : output
    guard path != nil || !options.json || format == .json else {
      throw CommandFailure(.usage, messages.notTogether("--json", "--format \(format.rawValue)"))
    }
    let context = options.context
    try context.export(format, to: path, edition: context.edition(edition.edition))
  }
}

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration("import", messages.helpImport)

  @Argument(
    help: ArgumentHelp(messages.helpImportFiles, valueName: messages.helpFileName),
    completion: .file())
  var files: [String] = []

  @Flag(help: ArgumentHelp(messages.helpDryRun))
  var dryRun = false

  @Flag(help: ArgumentHelp(messages.helpAgain))
  var again = false

  @Flag(help: ArgumentHelp(messages.helpArchive))
  var archive = false

  @OptionGroup var options: LibraryOptions

  func run() throws {
    let directory = Invocation.paths.archive
    if archive, directory == nil { throw CommandFailure(.badData, messages.noHome) }
    try options.context.importFiles(
      files,
      ImportOptions(
        isDryRun: dryRun, restoresDeleted: again, archive: archive ? directory : nil))
  }
}
