import ArgumentParser
import CloudRecords
import RecordServer

struct KeyCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: CommandHelp.key,
    subcommands: [KeyCreate.self, KeyList.self, KeyRevoke.self])
}

struct KeyCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: CommandHelp.keyCreate,
    discussion: CommandHelp.keyCreateDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.keyLabel))
  var label: String

  @Argument(help: ArgumentHelp(CommandHelp.keyFile), completion: .file())
  var file: String

  @Option(help: ArgumentHelp(CommandHelp.keyUser, valueName: "name"))
  var user: String

  @Option(help: ArgumentHelp(CommandHelp.keyEnvironment))
  var environment: ContainerEnvironment?

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let pem = try InputText.read(file, limit: 1 << 16)
    let opened = try await home.open()
    defer { try? opened.close() }
    try await opened.require(container.container)
    let terms = try ServerToServerKeyTerms(
      label: label, container: container.container, environment: environment,
      account: try await opened.account(user), pem: pem)
    let key = try await opened.accountService.createServerToServerKey(terms)
    try Output.line(key.keyID)
    Output.note(CommandMessages.keyCreated(key.id, for: label))
  }
}

struct KeyList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: CommandHelp.keyList)

  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  private struct Row: Encodable {
    let id: Int64
    let keyID: String
    let label: String
    let container: ContainerID
    let environment: ContainerEnvironment?
    let user: String
    /// The time of creation, in milliseconds since 1970, UTC.
    let createdAt: Int64
  }

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    let rows = try await opened.accountService.serverToServerKeys().map { key, account in
      Row(
        id: key.id, keyID: key.keyID, label: key.terms.label, container: key.terms.container,
        environment: key.terms.environment, user: account, createdAt: key.createdAt)
    }
    try Output.list(
      rows, asJSON: output.json, ifEmpty: CommandMessages.noKeys, CommandMessages.keyColumns
    ) { row in
      [
        "\(row.id)", row.label, row.createdAt.asTime, row.container.name,
        row.environment?.rawValue ?? CommandMessages.bothEnvironments, row.user, row.keyID,
      ]
    }
  }
}

struct KeyRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: CommandHelp.keyRevoke)

  @Argument(help: ArgumentHelp(CommandHelp.keyID))
  var id: Int64

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    guard try await opened.accountService.revoke(serverToServerKey: id) else {
      throw ServiceCommandFailure(.refused, CommandMessages.noKey(id))
    }
    try Output.line(CommandMessages.keyRevoked(id))
  }
}
