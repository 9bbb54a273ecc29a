import ArgumentParser
import RecordServer

struct UserCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Manage accounts.",
    subcommands: [
      UserAdd.self, UserList.self, UserRemove.self, UserResetPassword.self, UserInvite.self,
      UserSignIn.self, UserSignOut.self,
    ])
}

struct UserAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Create an account, even if registration is closed.",
    discussion: "The password is read from the terminal or from standard input.")

  @Argument(help: "The account's name.")
  var name: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.openOrMake()
    let password = try Prompt.newPassword(for: name)
    let account = try await open.people.addAccount(name: name, password: password)
    try Output.line("The account '\(account.name)' was created.")
  }
}

struct UserList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all accounts with their records, bytes and sessions.")

  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  private struct Row: Encodable {
    let name: String
    let records: Int
    let bytes: Int
    let sessions: Int
    /// The time of creation, in milliseconds since 1970, UTC.
    let createdAt: Int64
  }

  func run() async throws {
    let people = try await home.open().people
    var rows: [Row] = []
    for account in try await people.accounts() {
      let usage = try await people.usage(of: account)
      rows.append(
        Row(
          name: account.name, records: usage.records, bytes: usage.bytes,
          sessions: try await people.sessions(of: account).count, createdAt: account.createdAt))
    }
    if output.json {
      try Output.json(rows)
    } else if rows.isEmpty {
      Output.note("There are no accounts yet; `record-service user add NAME` creates one.")
    } else {
      try Output.table(
        ["NAME", "RECORDS", "BYTES", "SESSIONS"],
        rows.map { [$0.name, "\($0.records)", "\($0.bytes)", "\($0.sessions)"] })
    }
  }
}

struct UserRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Delete an account and all its records.")

  @Argument(help: "The account's name.")
  var name: String

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    let account = try await open.account(name)
    let records = count(try await open.people.usage(of: account).records, "record")
    try Prompt.confirm(
      "This permanently deletes the account '\(account.name)' and \(records).",
      isGiven: confirmation.yes)
    guard try await open.people.remove(account) else { throw gone(account) }
    try Output.line("Deleted the account '\(account.name)' and \(records).")
  }
}

struct UserResetPassword: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password",
    abstract: "Set a new password for an account, and end its sessions.",
    discussion: "The password is read from the terminal or from standard input.")

  @Argument(help: "The account's name.")
  var name: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    let account = try await open.account(name)
    let password = try Prompt.newPassword(for: account.name)
    guard try await open.people.resetPassword(of: account, to: password) else {
      throw gone(account)
    }
    try Output.line("'\(account.name)' has a new password, and its sessions were ended.")
  }
}

struct UserInvite: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Print an invitation code to register one account.",
    discussion: """
      The code expires after a week. The second line is the path of the registration page on \
      your server.
      """)

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let (_, code) = try await home.openOrMake().people.invite()
    try Output.line(code)
    try Output.line("/register?invitation=\(code)")
  }
}

struct UserSignIn: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in", abstract: "Print a new web auth token for an account.",
    discussion: """
      For manual requests, for example with curl: '…?ckAPIToken=…&ckWebAuthToken=…'. No password \
      is required: whoever can run this command can act as any user. The session is counted in \
      `user list`, and `user sign-out` ends it.
      """)

  @Argument(help: "The account's name.")
  var name: String

  @Option(
    help: ArgumentHelp(
      "The API token of the session; by default the oldest.", valueName: "id"))
  var apiTokenId: Int64?

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    let account = try await open.account(name)
    let tokens = try await open.people.apiTokens()
    guard let token = apiTokenId.map({ id in tokens.first { $0.id == id } }) ?? tokens.first else {
      throw CommandFailure(
        .refused,
        "There is no such API token; `record-service token list` lists all tokens, and "
          + "`token create` creates one.")
    }
    try Output.line(try await open.people.signIn(account, apiTokenID: token.id))
    Output.note(
      "Signed '\(account.name)' in to \(token.terms.container) with API token \(token.id) "
        + "(\(token.terms.label)). Keep the web auth token secret.")
  }
}

struct UserSignOut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out", abstract: "End all sessions of an account, or of all accounts.",
    discussion: """
      If the service's files were restored to an earlier state, sessions and passwords are those \
      of that time: sessions that were ended later are valid again. With --all, all users have \
      to sign in again.
      """)

  @Argument(help: "The account's name.")
  var name: String?

  @Flag(help: "End the sessions of all accounts.")
  var all = false

  @OptionGroup var home: HomeOptions

  func validate() throws {
    guard all == (name == nil) else {
      throw ValidationError("Specify either an account or --all.")
    }
  }

  func run() async throws {
    let open = try await home.open()
    guard let name else {
      let ended = try await open.people.revokeAllSessions()
      return try Output.line("Ended \(count(ended, "session")) of all accounts.")
    }
    let account = try await open.account(name)
    let ended = try await open.people.revokeSessions(of: account)
    try Output.line("Ended \(count(ended, "session")) of '\(account.name)'.")
  }
}

/// The failure of a command if another process has deleted the account in the meantime.
private func gone(_ account: Account) -> CommandFailure {
  CommandFailure(.refused, "The account '\(account.name)' was already deleted.")
}
