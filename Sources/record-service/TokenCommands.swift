import ArgumentParser
import CloudRecords
import FoundationEssentials
import RecordServer

struct TokenCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Manage API tokens, with which apps use containers.",
    subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}

struct TokenCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create and print an API token for an app.",
    discussion: "Only a hash of the token is stored, so it cannot be printed again.")

  @Argument(help: "The name of the app, which is shown to users.")
  var label: String

  @Option(help: "The environment that the app can use; by default both.")
  var environment: ContainerEnvironment?

  @Option(
    help: ArgumentHelp(
      "An origin whose web pages can use the token, repeatable; by default any.", valueName: "url"))
  var origin: [String] = []

  @Option(
    help: ArgumentHelp(
      "A URL to which browsers can be redirected after the sign-in; repeatable.", valueName: "url"))
  var callback: [String] = []

  @OptionGroup var container: ContainerOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let terms = try APITokenTerms(
      label: label, container: container.container, environment: environment, origins: origin,
      callbacks: callback)
    let open = try await home.openOrMake()
    try await open.require(container.container)
    let (token, secret) = try await open.people.createAPIToken(terms)
    try Output.line(secret)
    Output.note("Created API token \(token.id) for \(label). It cannot be shown again.")
  }
}

struct TokenList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all API tokens without their secrets.")

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
    let rows = try await home.open().people.apiTokens().map { token in
      Row(
        id: token.id, label: token.terms.label, container: token.terms.container,
        environment: token.terms.environment, origins: token.terms.origins.map(\.text),
        callbacks: token.terms.callbacks, createdAt: token.createdAt)
    }
    if output.json {
      try Output.json(rows)
    } else if rows.isEmpty {
      Output.note("There are no API tokens; `record-service token create LABEL` creates one.")
    } else {
      try Output.table(
        ["ID", "LABEL", "CREATED", "CONTAINER", "ENVIRONMENT", "ORIGINS AND CALLBACKS"],
        rows.map { row in
          [
            "\(row.id)", row.label, row.createdAt.asTime, row.container.name,
            row.environment?.rawValue ?? "both",
            (row.origins + row.callbacks).joined(separator: " "),
          ]
        })
    }
  }
}

struct TokenRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Revoke an API token, and end the sessions that were begun with it.",
    discussion: "If it is the token in the file api-token, the next server start creates another.")

  @Argument(help: "The ID of the token, as `token list` shows it.")
  var id: Int64

  @OptionGroup var home: HomeOptions

  func run() async throws {
    guard try await home.open().people.revoke(apiToken: id) else {
      throw CommandFailure(
        .refused,
        "There is no API token \(id); `record-service token list` lists all tokens.")
    }
    try Output.line("API token \(id) was revoked and its sessions were ended.")
  }
}

extension Int64 {
  /// These milliseconds since 1970 as a UTC time in ISO 8601.
  var asTime: String { Date(timeIntervalSince1970: Double(self) / 1000).formatted(.iso8601) }
}
