import ArgumentParser
import CloudRecords
import FoundationEssentials
import RecordServer

struct TokenCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Manage API tokens: which apps may use which container.",
    subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}

struct TokenCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Let an app use a container, and print its API token.",
    discussion: "Only a hash is kept: the token is printed this once.")

  @Argument(help: "What people are told the app is called.")
  var label: String

  @Option(help: "The only environment it is good for; else both.")
  var environment: ContainerEnvironment?

  @Option(
    help: ArgumentHelp(
      "An origin whose web pages may use it, repeatable; else any.", valueName: "url"))
  var origin: [String] = []

  @Option(
    help: ArgumentHelp(
      "Where a browser may be sent after signing in, repeatable.", valueName: "url"))
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
    Output.note("This is API token \(token.id), for \(label). It is not shown again.")
  }
}

struct TokenList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show all API tokens, without their secrets.")

  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  private struct Row: Encodable {
    let id: Int64
    let label: String
    let container: ContainerID
    let environment: ContainerEnvironment?
    let origins: [String]
    let callbacks: [String]
    /// Milliseconds since 1970, UTC.
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
      Output.note("There are no API tokens; `record-service token create LABEL` makes one.")
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
    abstract: "Take an API token away, and sign out everyone who signed in with it.",
    discussion: "Where it was the one in the file api-token, the next start makes another.")

  @Argument(help: "Its number, as `token list` shows it.")
  var id: Int64

  @OptionGroup var home: HomeOptions

  func run() async throws {
    guard try await home.open().people.revoke(apiToken: id) else {
      throw CommandFailure(
        .refused,
        "There is no API token \(id); `record-service token list` shows which there are.")
    }
    try Output.line("API token \(id) is revoked; its sessions have ended.")
  }
}

extension Int64 {
  /// Milliseconds since 1970 as a time in UTC, in ISO 8601.
  var asTime: String { Date(timeIntervalSince1970: Double(self) / 1000).formatted(.iso8601) }
}
