import ArgumentParser
import CloudRecords
import RecordServer
import Text

struct SchemaCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Show and change the schemas of containers.",
    discussion: "Schemas are written in CloudKit's schema language (.ckdb).",
    subcommands: [
      SchemaImport.self, SchemaExport.self, SchemaValidate.self, SchemaDeploy.self,
      SchemaDiff.self, SchemaReset.self,
    ])
}

struct SchemaImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Replace the schema of the development environment.",
    discussion: """
      A container that is not served yet is added; its production schema is empty until \
      `schema deploy`. A schema that removes a type or field of the production schema, or \
      changes the type of a field, is refused.
      """)

  @Argument(help: "The schema file; - for standard input.", completion: .file())
  var file: String

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let schema = try InputText.schema(file)
    let container = container.container
    let open = try await home.openOrMake()
    let isNew = try await !open.service.containers().contains(container)
    if isNew { try await open.service.addContainer(container, schema: Schema()) }
    try await SchemaRefusal.explained {
      try await open.service.importDevelopment(schema, of: container)
    }
    let types = count(schema.recordTypes.count, "record type")
    try Output.line(
      (isNew ? "\(container) is served now. " : "")
        + "The development schema of \(container) has \(types); `schema deploy` copies it to "
        + "production.")
  }
}

struct SchemaExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print the schema of an environment.")

  @Option(help: "The environment.")
  var environment = ContainerEnvironment.production

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    try await open.require(container.container)
    let schema = try await open.service.schema(of: container.container, environment)
    // Quoted names can contain any characters of an imported schema.
    try Output.verbatim(schema.description.sanitizedForTerminal)
  }
}

struct SchemaValidate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Check a schema without changing anything.")

  @Argument(help: "The schema file; - for standard input.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "Also check that the production schema of this container allows it.", valueName: "name"))
  var container: ContainerID?

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let schema = try InputText.schema(file)
    if let container {
      let open = try await home.open()
      try await open.require(container)
      let production = try await open.service.schema(of: container, .production)
      let problems = Schema.deployProblems(from: production, to: schema)
      guard problems.isEmpty else {
        throw CommandFailure(
          .refused,
          SchemaRefusal(reasons: problems).lines(
            "The production schema of \(container) does not allow this:"))
      }
    }
    try Output.line("The schema is valid: \(count(schema.recordTypes.count, "record type")).")
  }
}

struct SchemaDeploy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy", abstract: "Copy the development schema to production.",
    discussion: """
      Types and fields can only be added to production, and never removed from it. The changes \
      are shown and have to be confirmed, because the development schema also contains types \
      and fields that were added when apps saved records.
      """)

  @OptionGroup var container: ContainerOption
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let container = container.container
    let open = try await home.open()
    try await open.require(container)
    let (production, development) = try await open.schemas(of: container)
    let changes = Schema.changes(from: production, to: development)
    let problems = Schema.deployProblems(from: production, to: development)
    guard problems.isEmpty else { throw SchemaRefusal(reasons: problems).failure }
    guard !changes.isEmpty else {
      try Output.line("The production schema is already up to date.")
      return
    }
    for change in changes { try Output.line("\(change)") }
    try Prompt.confirm(
      "This deploys \(count(changes.count, "change")) to the production schema of \(container). "
        + "Types and fields cannot be removed from it.",
      isGiven: confirmation.yes)
    try await SchemaRefusal.explained {
      do {
        try await open.service.deploy(container, shown: development)
      } catch let error as ServiceError where error.code == .conflict {
        throw CommandFailure(
          .refused,
          "The development schema has changed in the meantime; nothing was deployed. Try again.")
      }
    }
    try Output.line("Deployed \(count(changes.count, "change")).")
  }
}

struct SchemaDiff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show the changes that a deployment or an import would make.",
    discussion: """
      Without a file, the development schema is compared with the production schema; with a \
      file, the file is compared with the development schema. Lines begin with + for an \
      addition, - for a removal, ! for a changed type and ~ for another change.
      """)

  @Argument(help: "A schema file; - for standard input.", completion: .file())
  var file: String?

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let schema = try file.map { path throws(CommandFailure) in try InputText.schema(path) }
    let open = try await home.open()
    try await open.require(container.container)
    let (production, development) = try await open.schemas(of: container.container)
    let changes =
      schema.map { Schema.changes(from: development, to: $0) }
      ?? Schema.changes(from: production, to: development)
    for change in changes { try Output.line("\(change)") }
    let problems = Schema.deployProblems(from: production, to: schema ?? development)
    if changes.isEmpty { Output.note("There are no differences.") }
    if !problems.isEmpty {
      Output.note(
        SchemaRefusal(reasons: problems).lines("The production schema does not allow this:"))
    }
  }
}

struct SchemaReset: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Replace the development schema with production's, and delete all its records.")

  @OptionGroup var container: ContainerOption
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let container = container.container
    let open = try await home.open()
    try await open.require(container)
    let records = try await open.storage.records(in: container, .development)
    try Prompt.confirm(
      "This deletes \(count(records, "record")) of all users in the development environment of "
        + "\(container), and everything in its schema that is not in production.",
      isGiven: confirmation.yes)
    let deleted = try await open.service.resetDevelopment(container)
    try Output.line(
      "Deleted \(count(deleted, "record")). The development schema of \(container) is now the "
        + "production schema.")
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

extension SchemaRefusal {
  fileprivate func lines(_ heading: String) -> String {
    ([heading] + reasons).joined(separator: "\n")
  }

  /// Runs a change that production can refuse, and converts the refusal to a failure with all
  /// reasons.
  fileprivate static func explained(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let refusal as SchemaRefusal {
      throw refusal.failure
    }
  }

  fileprivate var failure: CommandFailure {
    CommandFailure(
      .refused, lines("The production schema does not allow this; nothing was changed:"))
  }
}
