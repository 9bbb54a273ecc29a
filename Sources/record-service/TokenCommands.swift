import ArgumentParser
import CloudRecords
import FoundationEssentials
import RecordServer

struct TokenCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: CommandHelp.token,
    subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}

struct TokenCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: CommandHelp.tokenCreate,
    discussion: CommandHelp.tokenCreateDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.tokenLabel))
  var label: String

  @Option(help: ArgumentHelp(CommandHelp.tokenEnvironment))
  var environment: ContainerEnvironment?

  @Option(
    help: ArgumentHelp(CommandHelp.tokenOrigin, valueName: "url"))
  var origin: [String] = []

  @Option(
    help: ArgumentHelp(CommandHelp.tokenCallback, valueName: "url"))
  var callback: [String] = []

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let terms = try APITokenTerms(
      label: label, container: container.container, environment: environment, origins: origin,
      callbacks: callback)
    let opened = try await home.openOrCreate()
    defer { try? opened.close() }
    try await opened.require(container.container)
    let (token, secret) = try await opened.accountService.createAPIToken(terms)
    try Output.line(secret)
    Output.note(CommandMessages.tokenCreated(token.id, for: label))
  }
}

struct TokenList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: CommandHelp.tokenList)

  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  private struct Row: Encodable {
    let id: Int64
    let label: String
    let container: ContainerID
    let environment: ContainerEnvironment?
    let origins: [String]
    let callbacks: [String]
    /// The time of creation, in milliseconds since 1970, UTC.
    let createdAt: Int64
  }

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    let rows = try await opened.accountService.apiTokens().map { token in
      Row(
        id: token.id, label: token.terms.label, container: token.terms.container,
        environment: token.terms.environment, origins: token.terms.origins.map(\.text),
        callbacks: token.terms.callbacks, createdAt: token.createdAt)
    }
    try Output.list(
      rows, asJSON: output.json, ifEmpty: CommandMessages.noTokens, CommandMessages.tokenColumns
    ) { row in
      [
        "\(row.id)", row.label, row.createdAt.asTime, row.container.name,
        row.environment?.rawValue ?? CommandMessages.bothEnvironments,
        (row.origins + row.callbacks).joined(separator: " "),
      ]
    }
  }
}

struct TokenRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: CommandHelp.tokenRevoke,
    discussion: CommandHelp.tokenRevokeDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.tokenID))
  var id: Int64

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    guard try await opened.accountService.revoke(apiToken: id) else {
      throw ServiceCommandFailure(.refused, CommandMessages.noToken(id))
    }
    try Output.line(CommandMessages.tokenRevoked(id))
  }
}

extension Int64 {
  /// These milliseconds since 1970 as a UTC time in ISO 8601.
  var asTime: String { Date(timeIntervalSince1970: Double(self) / 1000).formatted(.iso8601) }
}
