import ArgumentParser
import Commands
import Editions
import Library
import Messages

struct Export: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "export", abstract: Launch.messages.helpExport)
  }

  // A string, because the parser would list the values and the default of an enumeration in
  // English.
  @Option(
    help: ArgumentHelp(Launch.messages.helpExportFormat, valueName: "json|plist|markdown"),
    completion: .list(ExportCommand.Format.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(Launch.messages.helpExportOutput, valueName: Launch.messages.helpFileName),
    completion: .file())
  var output: String?

  @Option(help: ArgumentHelp(Launch.messages.helpEdition, valueName: "id"))
  var edition: String?

  @OptionGroup var options: LibraryOptions

  func run() throws {
    let messages = Launch.messages
    guard let format = ExportCommand.Format(rawValue: format ?? "json") else {
      throw CommandFailure(.usage, messages.badFormat(format ?? ""))
    }
    let path = output == "-" ? nil : output
    guard path != nil || !options.json || format == .json else {
      throw CommandFailure(.usage, messages.notTogether("--json", "--format \(format.rawValue)"))
    }
    let console = Launch.console
    let isOnScreen = path == nil && console.isTerminal
    try ExportCommand(
      format, to: path, edition: .named(edition, messages: messages), asJSON: options.json,
      access: Launch.libraryAccess, progress: isOnScreen ? .hidden : Launch.progressBar()
    ).run(console)
  }
}

struct Import: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "import", abstract: Launch.messages.helpImport)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpImportFiles, valueName: Launch.messages.helpFileName),
    completion: .file())
  var files: [String] = []

  @Flag(help: ArgumentHelp(Launch.messages.helpDryRun))
  var dryRun = false

  @Flag(help: ArgumentHelp(Launch.messages.helpAgain))
  var again = false

  @Flag(help: ArgumentHelp(Launch.messages.helpArchive))
  var archive = false

  @OptionGroup var options: LibraryOptions

  func run() throws {
    let directory = Paths(environment: Launch.environment).archive
    if archive, directory == nil { throw CommandFailure(.badData, Launch.messages.noHome) }
    try ImportCommand(
      files,
      options: ImportCommand.Options(
        isDryRun: dryRun, restoresDeleted: again, archive: archive ? directory : nil),
      asJSON: options.json, access: Launch.libraryAccess, progress: Launch.progressBar
    ).run(Launch.console)
  }
}
