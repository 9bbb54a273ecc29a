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
    commandName: "add", abstract: "Make an account, also where nobody may register.",
    discussion: "The password is asked for; without a terminal it is the first line of the input.")

  @Argument(help: "The account's name.")
  var name: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.openOrMake()
    let password = try Prompt.newPassword(for: name)
    let account = try await open.people.addAccount(name: name, password: password)
    try Output.line("The account '\(account.name)' was made.")
  }
}

struct UserList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show all accounts and what they use.")

  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  private struct Row: Encodable {
    let name: String
    let records: Int
    let bytes: Int
    let sessions: Int
    /// Milliseconds since 1970, UTC.
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
      Output.note("There are no accounts yet; `record-service user add NAME` makes one.")
    } else {
      try Output.table(
        ["NAME", "RECORDS", "BYTES", "SESSIONS"],
        rows.map { [$0.name, "\($0.records)", "\($0.bytes)", "\($0.sessions)"] })
    }
  }
}

struct UserRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an account with all its records.")

  @Argument(help: "The account's name.")
  var name: String

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    let account = try await open.account(name)
    let records = count(try await open.people.usage(of: account).records, "record")
    try Prompt.confirm(
      "This removes '\(account.name)' and \(records) for ever.", isGiven: confirmation.yes)
    guard try await open.people.remove(account) else { throw gone(account) }
    try Output.line("The account '\(account.name)' is gone, and \(records).")
  }
}

struct UserResetPassword: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password",
    abstract: "Give an account another password, and end its sessions.",
    discussion: "The password is asked for; without a terminal it is the first line of the input.")

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
    try Output.line("'\(account.name)' has a new password and is signed out everywhere.")
  }
}

struct UserInvite: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Print a code with which somebody can register.",
    discussion: """
      It makes one account, and is good for a week. The path is that of the page to fill in, \
      on your server's address.
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
    commandName: "sign-in", abstract: "Print a fresh web auth token for an account.",
    discussion: """
      For requests by hand, as with curl: '…?ckAPIToken=…&ckWebAuthToken=…'. No password is \
      asked: who can run this can act as anybody. The session shows in `user list`, and \
      `user sign-out` ends it.
      """)

  @Argument(help: "The account's name.")
  var name: String

  @Option(
    help: ArgumentHelp(
      "The API token that the session belongs to; else the oldest.", valueName: "id"))
  var apiTokenId: Int64?

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    let account = try await open.account(name)
    let tokens = try await open.people.apiTokens()
    guard let token = apiTokenId.map({ id in tokens.first { $0.id == id } }) ?? tokens.first else {
      throw CommandFailure(
        .refused,
        "There is no such API token; `record-service token list` shows which there are, and "
          + "`token create` makes one.")
    }
    try Output.line(try await open.people.signIn(account, apiTokenID: token.id))
    Output.note(
      "Signed '\(account.name)' in to \(token.terms.container) with API token \(token.id) "
        + "(\(token.terms.label)). Keep this token secret.")
  }
}

struct UserSignOut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out", abstract: "End all sessions of an account, or of all accounts.",
    discussion: """
      After the service's files were put back to an earlier state, sessions and passwords are those \
      of that time: a session that was ended since then is open again. With --all everybody has \
      to sign in again.
      """)

  @Argument(help: "The account's name.")
  var name: String?

  @Flag(help: "End the sessions of all accounts.")
  var all = false

  @OptionGroup var home: HomeOptions

  func validate() throws {
    guard all == (name == nil) else {
      throw ValidationError("Name one account, or say --all.")
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

/// Somebody else removed it meanwhile.
private func gone(_ account: Account) -> CommandFailure {
  CommandFailure(.refused, "The account '\(account.name)' is already gone.")
}
