import ArgumentParser
import Commands
import Dispatch
import Glibc
import Messages
import Sync
import Synchronization

struct SyncCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "sync", abstract: Launch.messages.helpSync,
      subcommands: [
        SyncConnect.self, SyncLogin.self, SyncStatus.self, SyncNow.self, SyncLogout.self,
        SyncDeleteAccount.self,
      ], defaultSubcommand: SyncStatus.self)
  }
}

struct SignInOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(Launch.messages.helpSyncPaste))
  var paste = false

  @Flag(help: ArgumentHelp(Launch.messages.helpYes))
  var yes = false

  @Flag(help: ArgumentHelp(Launch.messages.helpSyncMerge))
  var merge = false

  var signIn: SyncCommand.SignIn { .init(pastes: paste, isConfirmed: yes, merges: merge) }
}

struct SyncConnect: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "connect", abstract: Launch.messages.helpSyncConnect)
  }

  @Argument(help: ArgumentHelp(Launch.messages.helpSyncURL, valueName: "URL"))
  var url: String

  @Option(help: ArgumentHelp(Launch.messages.helpSyncContainer, valueName: "iCloud.…"))
  var container: String?

  @Flag(help: ArgumentHelp(Launch.messages.helpSyncDevelopment))
  var development = false

  @OptionGroup var signIn: SignInOptions
  @OptionGroup var options: LibraryOptions

  func run() throws {
    try Launch.sync(
      .connect(
        url: url, container: container, isDevelopment: development, signIn.signIn), options)
  }
}

struct SyncLogin: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "login", abstract: Launch.messages.helpSyncLogin)
  }

  @OptionGroup var signIn: SignInOptions
  @OptionGroup var options: LibraryOptions

  func run() throws { try Launch.sync(.login(signIn.signIn), options) }
}

struct SyncStatus: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "status", abstract: Launch.messages.helpSyncStatus)
  }

  @OptionGroup var options: LibraryOptions

  func run() throws { try Launch.sync(.status, options) }
}

struct SyncNow: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "now", abstract: Launch.messages.helpSyncNow)
  }

  @Flag(help: ArgumentHelp(Launch.messages.helpSyncAccept))
  var acceptDeletions = false

  @Flag(help: ArgumentHelp(Launch.messages.helpSyncKeep))
  var keep = false

  @Flag(help: ArgumentHelp(Launch.messages.helpSyncRetry))
  var retry = false

  @OptionGroup var restored: RestorationAnswer
  @OptionGroup var options: LibraryOptions

  func run() throws {
    guard !acceptDeletions || !keep else {
      throw CommandFailure(
        .usage, Launch.messages.notTogether("--accept-deletions", "--keep"))
    }
    try Launch.sync(
      .now(
        keep ? .keepEverything : acceptDeletions ? .accept(nil) : nil,
        restoration: try restored.restoration, retriesParked: retry), options
    )
  }
}

struct SyncLogout: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "logout", abstract: Launch.messages.helpSyncLogout)
  }

  @OptionGroup var options: LibraryOptions

  func run() throws { try Launch.sync(.logout, options) }
}

struct SyncDeleteAccount: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "delete-account", abstract: Launch.messages.helpSyncDeleteAccount)
  }

  @Flag(help: ArgumentHelp(Launch.messages.helpYes))
  var yes = false

  @OptionGroup var options: LibraryOptions

  func run() throws { try Launch.sync(.deleteAccount(isConfirmed: yes), options) }
}

extension Launch {
  /// Runs a command that waits for the network, and blocks this thread until its end.
  fileprivate static func sync(_ action: SyncCommand.Action, _ options: LibraryOptions) throws {
    let browser = Browser(environment: environment)
    // Safe, because only the task uses the command while this thread is blocked.
    nonisolated(unsafe) let command = SyncCommand(
      action, asJSON: options.json, access: libraryAccess,
      outside: SyncCommand.Outside(
        environment: environment, ask: StandardInput.isTerminal ? { ask($0) } : nil,
        askSecret: { askSecret($0) }, openPage: { browser?.open($0) }),
      progress: progressBar())
    let result = Mutex<Result<Void, CommandFailure>>(.success(()))
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do throws(CommandFailure) {
        try await command.run(console)
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      isDone.signal()
    }
    isDone.wait()
    try result.withLock { $0 }.get()
  }

  /// Asks the user a question on standard error without echoing the answer. If standard input is
  /// not a terminal, reads a line without asking.
  private static func askSecret(_ question: String) -> String? {
    guard StandardInput.isTerminal else { return readLine() }
    var modes = termios()
    tcgetattr(STDIN_FILENO, &modes)
    var quiet = modes
    quiet.c_lflag &= ~tcflag_t(ECHO)
    writeError(question)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes)
      writeError("\n")
    }
    return readLine()
  }
}
