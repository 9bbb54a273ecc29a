import ArgumentParser
import CloudRecords
import RecordServer

/// The command `schema check`, which fails if a production schema lacks what an app needs.
struct SchemaCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: CommandHelp.schemaCheck,
    discussion: CommandHelp.schemaCheckDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.schemaFile), completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(CommandHelp.schemaCheckProduction, valueName: "file"), completion: .file())
  var production: String

  func validate() throws {
    guard file != "-" || production != "-" else {
      throw ValidationError(CommandMessages.standardInputTwice)
    }
  }

  func run() throws {
    let needed = try InputText.schema(file)
    let deployed = try InputText.schema(production)
    guard !needed.recordTypes.isEmpty else {
      throw ServiceCommandFailure(.refused, CommandMessages.nothingToCheck)
    }
    let missing = needed.missingDeclarations(in: deployed)
    for declaration in missing { try Output.line(declaration.line) }
    guard missing.isEmpty else {
      throw ServiceCommandFailure(.refused, CommandMessages.productionLacks(missing.count))
    }
    Output.note(CommandMessages.productionHasAll(types: needed.recordTypes.count))
  }
}
