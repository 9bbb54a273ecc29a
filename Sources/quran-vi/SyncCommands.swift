import ArgumentParser
import Commands
import Messages
import Sync

struct SyncCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    "sync", messages.helpSync, default: SyncStatusCommand.self,
    [
      SyncConnect.self, SyncLogin.self, SyncStatusCommand.self, SyncNow.self, SyncLogout.self,
      SyncDeleteAccount.self,
    ])
}

/// A command that waits for the network. `run()` blocks the main thread until the command ends.
protocol NetworkCommand: ParsableCommand {
  var options: LibraryOptions { get }
  func run(_ context: CommandContext) async throws
}

extension NetworkCommand {
  func run() throws {
    let context = options.context
    try waitFor { try await run(context) }
  }
}

struct SignInFlags: ParsableArguments {
  @Flag(help: ArgumentHelp(messages.helpSyncPaste))
  var paste = false

  @Flag(help: ArgumentHelp(messages.helpYes))
  var yes = false

  @Flag(help: ArgumentHelp(messages.helpSyncMerge))
  var merge = false

  var options: SignInOptions { .init(pastes: paste, isConfirmed: yes, merges: merge) }
}

struct SyncConnect: NetworkCommand {
  static let configuration = CommandConfiguration("connect", messages.helpSyncConnect)

  @Argument(help: ArgumentHelp(messages.helpSyncURL, valueName: "URL"))
  var url: String

  @Option(help: ArgumentHelp(messages.helpSyncContainer, valueName: "iCloud.…"))
  var container: String?

  @Flag(help: ArgumentHelp(messages.helpSyncDevelopment))
  var development = false

  @OptionGroup var signIn: SignInFlags
  @OptionGroup var options: LibraryOptions

  func run(_ context: CommandContext) async throws {
    try await context.syncConnect(
      to: url, container: container, isDevelopment: development, signIn.options)
  }
}

struct SyncLogin: NetworkCommand {
  static let configuration = CommandConfiguration("login", messages.helpSyncLogin)

  @OptionGroup var signIn: SignInFlags
  @OptionGroup var options: LibraryOptions

  func run(_ context: CommandContext) async throws {
    try await context.syncLogin(signIn.options)
  }
}

struct SyncStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration("status", messages.helpSyncStatus)

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.syncStatus() }
}

struct SyncNow: NetworkCommand {
  static let configuration = CommandConfiguration("now", messages.helpSyncNow)

  @Flag(help: ArgumentHelp(messages.helpSyncAccept))
  var acceptDeletions = false

  @Flag(help: ArgumentHelp(messages.helpSyncKeep))
  var keep = false

  @Flag(help: ArgumentHelp(messages.helpSyncRetry))
  var retry = false

  @OptionGroup var restored: RestorationOptions
  @OptionGroup var options: LibraryOptions

  func run(_ context: CommandContext) async throws {
    guard !acceptDeletions || !keep else {
      throw CommandFailure(.usage, messages.notTogether("--accept-deletions", "--keep"))
    }
    try await context.syncNow(
      keep ? .keepEverything : acceptDeletions ? .accept(nil) : nil,
      restoration: restored.restoration, retriesParked: retry)
  }
}

struct SyncLogout: NetworkCommand {
  static let configuration = CommandConfiguration("logout", messages.helpSyncLogout)

  @OptionGroup var options: LibraryOptions

  func run(_ context: CommandContext) async throws { try await context.syncLogout() }
}

struct SyncDeleteAccount: NetworkCommand {
  static let configuration = CommandConfiguration(
    "delete-account", messages.helpSyncDeleteAccount)

  @Flag(help: ArgumentHelp(messages.helpYes))
  var yes = false

  @OptionGroup var options: LibraryOptions

  func run(_ context: CommandContext) async throws {
    try await context.syncDeleteAccount(isConfirmed: yes)
  }
}
