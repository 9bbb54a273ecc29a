import ArgumentParser
import CloudRecords
import RecordServer
import Text

struct SchemaCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: CommandHelp.schema,
    discussion: CommandHelp.schemaDiscussion,
    subcommands: [
      SchemaImport.self, SchemaExport.self, SchemaValidate.self, SchemaDeploy.self,
      SchemaDiff.self, SchemaReset.self, SchemaCheck.self, SchemaLint.self, SchemaGenerate.self,
    ])
}

struct SchemaImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: CommandHelp.schemaImport,
    discussion: CommandHelp.schemaImportDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.schemaFile), completion: .file())
  var file: String

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let schema = try InputText.schema(file)
    let container = container.container
    let opened = try await home.openOrCreate()
    defer { try? opened.close() }
    let isNew = try await !opened.service.containers().contains(container)
    if isNew {
      try schema.checkTypeNames()
      try await opened.service.addContainer(container, schema: Schema())
    }
    try await opened.service.importDevelopment(schema, of: container)
    try Output.line(
      CommandMessages.schemaImported(
        container, types: schema.recordTypes.count, isNew: isNew))
    for warning in schema.warnings { Output.note(warning.line) }
  }
}

struct SchemaExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: CommandHelp.schemaExport)

  @Option(help: ArgumentHelp(CommandHelp.environment))
  var environment = ContainerEnvironment.production

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    try await opened.require(container.container)
    let schema = try await opened.service.schema(of: container.container, environment)
    // Quoted names can contain any characters of an imported schema.
    try Output.verbatim(schema.description.sanitizedForTerminal)
  }
}

struct SchemaValidate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: CommandHelp.schemaValidate)

  @Argument(help: ArgumentHelp(CommandHelp.schemaFile), completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      CommandHelp.schemaValidateContainer, valueName: "name"))
  var container: ContainerID?

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let schema = try InputText.schema(file)
    var known = Schema()
    if let container {
      let opened = try await home.open()
      defer { try? opened.close() }
      try await opened.require(container)
      let schemas = try await opened.schemas(of: container)
      known = schemas.development
      let refused = Schema.refusedChanges(from: schemas.production, to: schema)
      guard refused.isEmpty else {
        throw ServiceCommandFailure(.refused, CommandMessages.refused(refused, of: container))
      }
    }
    try schema.checkTypeNames(except: known)
    try Output.line(CommandMessages.schemaValid(types: schema.recordTypes.count))
    for warning in schema.warnings { Output.note(warning.line) }
  }
}

struct SchemaDeploy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy", abstract: CommandHelp.schemaDeploy,
    discussion: CommandHelp.schemaDeployDiscussion)

  @OptionGroup var container: ContainerOption
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let container = container.container
    let opened = try await home.open()
    defer { try? opened.close() }
    try await opened.require(container)
    let (production, development) = try await opened.schemas(of: container)
    let changes = Schema.changes(from: production, to: development)
    let refused = changes.filter(\.isRefusedByProduction)
    guard refused.isEmpty else { throw SchemaRefusal(changes: refused) }
    guard !changes.isEmpty else {
      try Output.line(CommandMessages.schemaUpToDate)
      return
    }
    for change in changes { try Output.line(change.line) }
    try Prompt.confirm(
      CommandMessages.deploys(changes.count, to: container), isGiven: confirmation.yes)
    do {
      try await opened.service.deploy(container, shown: development)
    } catch let error as ServiceError where error.code == .conflict {
      throw ServiceCommandFailure(.refused, CommandMessages.schemaChangedMeanwhile)
    }
    try Output.line(CommandMessages.deployed(changes.count))
  }
}

struct SchemaDiff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: CommandHelp.schemaDiff,
    discussion: CommandHelp.schemaDiffDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.schemaDiffFile), completion: .file())
  var file: String?

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let schema = try file.map { path throws(ServiceCommandFailure) in try InputText.schema(path) }
    let opened = try await home.open()
    defer { try? opened.close() }
    try await opened.require(container.container)
    let (production, development) = try await opened.schemas(of: container.container)
    let changes =
      schema.map { Schema.changes(from: development, to: $0) }
      ?? Schema.changes(from: production, to: development)
    for change in changes { try Output.line(change.line) }
    let refused = Schema.refusedChanges(from: production, to: schema ?? development)
    if changes.isEmpty { Output.note(CommandMessages.noDifferences) }
    if !refused.isEmpty { Output.note(CommandMessages.refused(refused)) }
  }
}

struct SchemaReset: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: CommandHelp.schemaReset)

  @OptionGroup var container: ContainerOption
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let container = container.container
    let opened = try await home.open()
    defer { try? opened.close() }
    try await opened.require(container)
    let records = try await opened.service.recordCount(in: container, .development)
    try Prompt.confirm(
      CommandMessages.resets(container, records: records), isGiven: confirmation.yes)
    let deleted = try await opened.service.resetDevelopment(container)
    try Output.line(CommandMessages.reset(container, records: deleted))
  }
}

extension OpenService {
  fileprivate func schemas(
    of container: ContainerID
  ) async throws -> (production: Schema, development: Schema) {
    (
      try await service.schema(of: container, .production),
      try await service.schema(of: container, .development)
    )
  }
}
