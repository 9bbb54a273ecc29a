import ArgumentParser
import RecordServer

struct UserCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: CommandHelp.user,
    subcommands: [
      UserAdd.self, UserList.self, UserRemove.self, UserResetPassword.self, UserInvite.self,
      UserInvitations.self, UserWithdraw.self, UserSignIn.self, UserSignOut.self,
    ])
}

struct UserAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: CommandHelp.userAdd,
    discussion: CommandHelp.passwordSource)

  @Argument(help: ArgumentHelp(CommandHelp.accountName))
  var name: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let opened = try await home.openOrCreate()
    defer { try? opened.close() }
    let password = try Prompt.newPassword(for: name)
    let account = try await opened.accountService.addAccount(name: name, password: password)
    try Output.line(CommandMessages.accountCreated(account.name))
  }
}

struct UserList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: CommandHelp.userList)

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
    let opened = try await home.open()
    defer { try? opened.close() }
    let accountService = opened.accountService
    var rows: [Row] = []
    for account in try await accountService.accounts() {
      let usage = try await accountService.usage(of: account)
      rows.append(
        Row(
          name: account.name, records: usage.records, bytes: usage.bytes,
          sessions: try await accountService.sessions(of: account).count,
          createdAt: account.createdAt))
    }
    try Output.list(
      rows, asJSON: output.json, ifEmpty: CommandMessages.noAccounts,
      CommandMessages.accountColumns
    ) { [$0.name, "\($0.records)", "\($0.bytes)", "\($0.sessions)"] }
  }
}

struct UserRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: CommandHelp.userRemove)

  @Argument(help: ArgumentHelp(CommandHelp.accountName))
  var name: String

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    let account = try await opened.account(name)
    let records = try await opened.accountService.usage(of: account).records
    try Prompt.confirm(
      CommandMessages.deletesAccount(account.name, records: records),
      isGiven: confirmation.yes)
    guard try await opened.accountService.remove(account) else { throw accountWasDeleted(account) }
    try Output.line(CommandMessages.accountDeleted(account.name, records: records))
  }
}

struct UserResetPassword: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password", abstract: CommandHelp.userResetPassword,
    discussion: CommandHelp.passwordSource)

  @Argument(help: ArgumentHelp(CommandHelp.accountName))
  var name: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    let account = try await opened.account(name)
    let password = try Prompt.newPassword(for: account.name)
    guard try await opened.accountService.resetPassword(of: account, to: password) else {
      throw accountWasDeleted(account)
    }
    try Output.line(CommandMessages.passwordReset(account.name))
  }
}

struct UserInvite: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: CommandHelp.userInvite,
    discussion: CommandHelp.userInviteDiscussion)

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let opened = try await home.openOrCreate()
    defer { try? opened.close() }
    let (_, code) = try await opened.accountService.invite()
    try Output.line(code)
    try Output.line("/register?invitation=\(code)")
  }
}

struct UserInvitations: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invitations", abstract: CommandHelp.userInvitations,
    discussion: CommandHelp.userInvitationsDiscussion)

  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  private struct Row: Encodable {
    let id: Int64
    /// The time of creation, in milliseconds since 1970, UTC.
    let createdAt: Int64
    /// The time of expiry, in milliseconds since 1970, UTC.
    let expiresAt: Int64
  }

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    let rows = try await opened.accountService.invitations().map {
      Row(id: $0.id, createdAt: $0.createdAt, expiresAt: $0.expiresAt)
    }
    try Output.list(
      rows, asJSON: output.json, ifEmpty: CommandMessages.noInvitations,
      CommandMessages.invitationColumns
    ) { ["\($0.id)", $0.createdAt.asTime, $0.expiresAt.asTime] }
  }
}

struct UserWithdraw: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: CommandHelp.userWithdraw)

  @Argument(help: ArgumentHelp(CommandHelp.invitationID))
  var id: Int64

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    guard try await opened.accountService.withdraw(invitation: id) else {
      throw ServiceCommandFailure(.refused, CommandMessages.noInvitation(id))
    }
    try Output.line(CommandMessages.invitationWithdrawn(id))
  }
}

struct UserSignIn: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in", abstract: CommandHelp.userSignIn,
    discussion: CommandHelp.userSignInDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.accountName))
  var name: String

  @Option(
    help: ArgumentHelp(CommandHelp.userSignInToken, valueName: "id"))
  var apiTokenId: Int64?

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    let account = try await opened.account(name)
    let tokens = try await opened.accountService.apiTokens()
    guard let token = tokens.first(where: { apiTokenId == nil || $0.id == apiTokenId }) else {
      throw ServiceCommandFailure(.refused, CommandMessages.noSuchToken)
    }
    try Output.line(try await opened.accountService.signIn(account, apiTokenID: token.id))
    Output.note(CommandMessages.signedIn(account.name, with: token))
  }
}

struct UserSignOut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out", abstract: CommandHelp.userSignOut,
    discussion: CommandHelp.userSignOutDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.accountName))
  var name: String?

  @Flag(help: ArgumentHelp(CommandHelp.userSignOutAll))
  var all = false

  @OptionGroup var home: HomeOptions

  func validate() throws {
    guard all == (name == nil) else {
      throw ValidationError(CommandMessages.accountOrAll)
    }
  }

  func run() async throws {
    let opened = try await home.open()
    defer { try? opened.close() }
    guard let name else {
      let ended = try await opened.accountService.revokeAllSessions()
      return try Output.line(CommandMessages.sessionsEnded(ended))
    }
    let account = try await opened.account(name)
    let ended = try await opened.accountService.revokeSessions(of: account)
    try Output.line(CommandMessages.sessionsEnded(ended, of: account.name))
  }
}

/// The failure of a command if another process has deleted the account in the meantime.
private func accountWasDeleted(_ account: Account) -> ServiceCommandFailure {
  ServiceCommandFailure(.refused, CommandMessages.accountGone(account.name))
}
