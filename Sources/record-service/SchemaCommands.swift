import ArgumentParser
import CloudRecords
import RecordServer
import Text

struct SchemaCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Look at and change the record types of containers.",
    discussion: "A schema is written in CloudKit's schema language (.ckdb).",
    subcommands: [
      SchemaImport.self, SchemaExport.self, SchemaValidate.self, SchemaDeploy.self,
      SchemaDiff.self, SchemaReset.self,
    ])
}

struct SchemaImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make a schema the one of the development environment.",
    discussion: """
      A container that is not served yet is added; its production schema is empty until \
      `schema deploy`. Where the schema lacks what production has, nothing is changed.
      """)

  @Argument(help: "The schema, - for the input.", completion: .file())
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
        + "Its development environment has \(types). `schema deploy` takes them to production.")
  }
}

struct SchemaExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print a schema.")

  @Option(help: "The environment.")
  var environment = ContainerEnvironment.production

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    try await open.require(container.container)
    let schema = try await open.service.schema(of: container.container, environment)
    // Names in quotation marks may have whatever somebody imported.
    try Output.verbatim(schema.description.sanitizedForTerminal)
  }
}

struct SchemaValidate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Check a schema without changing anything.")

  @Argument(help: "The schema, - for the input.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp("A container whose production has to take it, too.", valueName: "name"))
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
          SchemaRefusal(reasons: problems).lines("The production of \(container) refuses this."))
      }
    }
    try Output.line("The schema is valid: \(count(schema.recordTypes.count, "record type")).")
  }
}

struct SchemaDeploy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy", abstract: "Make the schema of development that of production.",
    discussion: """
      What production has stays for ever: types and fields can only be added. What is to be added \
      is shown, and asked about: development also has the types that came with somebody's records.
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
      try Output.line("Production had everything already.")
      return
    }
    for change in changes { try Output.line("\(change)") }
    try Prompt.confirm(
      "The production of \(container) keeps this for ever: \(count(changes.count, "change")).",
      isGiven: confirmation.yes)
    try await SchemaRefusal.explained {
      do {
        try await open.service.deploy(container, shown: development)
      } catch let error as ServiceError where error.code == .conflict {
        throw CommandFailure(
          .refused, "Development has changed meanwhile; nothing was deployed. Try again.")
      }
    }
    try Output.line("Deployed \(count(changes.count, "change")).")
  }
}

struct SchemaDiff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show what a deployment would change, or an import.",
    discussion: """
      Without a file, development is compared with production; with one, the file with \
      development. Lines begin with + for what is added, - removed, ! retyped, ~ otherwise \
      changed.
      """)

  @Argument(help: "A schema, - for the input.", completion: .file())
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
    if changes.isEmpty { Output.note("There is no difference.") }
    if !problems.isEmpty {
      Output.note(SchemaRefusal(reasons: problems).lines("Production would refuse this:"))
    }
  }
}

struct SchemaReset: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Make development like production, and delete all its records.")

  @OptionGroup var container: ContainerOption
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let container = container.container
    let open = try await home.open()
    try await open.require(container)
    let records = try await open.storage.records(in: container, .development)
    try Prompt.confirm(
      "This deletes \(count(records, "record")) in the development of \(container), of everybody, "
        + "and what its schema has beyond production.", isGiven: confirmation.yes)
    let deleted = try await open.service.resetDevelopment(container)
    try Output.line(
      "The development of \(container) is like production; \(count(deleted, "record")) deleted.")
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

  /// Does something that production may refuse, and then says all reasons.
  fileprivate static func explained(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let refusal as SchemaRefusal {
      throw refusal.failure
    }
  }

  fileprivate var failure: CommandFailure {
    CommandFailure(.refused, lines("Production refuses this; nothing was changed."))
  }
}
