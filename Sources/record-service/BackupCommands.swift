import ArgumentParser
import RecordServer

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: CommandHelp.backup, discussion: CommandHelp.backupDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.backupFile), completion: .file())
  var file: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    let records = try await open.storage.counts().records
    try await open.storage.backUp(to: file)
    try Output.line(CommandMessages.backedUp(records: records, to: file))
    Output.note(CommandMessages.keepKey(open.home.key))
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: CommandHelp.restore,
    discussion: CommandHelp.restoreDiscussion)

  @Argument(help: ArgumentHelp(CommandHelp.restoreFile), completion: .file())
  var file: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    let inUse = ServiceCommandFailure(.refused, CommandMessages.databaseInUse(home.database))
    guard SQLiteRecordStorage.process(using: home.database) == nil else { throw inUse }
    try home.makeDirectory()
    let former: String?
    do {
      former = try await home.exclusively {
        try await SQLiteRecordStorage.restore(file, to: home.database)
      }
    } catch StorageFailure.busy {
      throw inUse
    }
    try Output.line(CommandMessages.restored(home.database, from: file))
    if let former { try Output.line(CommandMessages.movedAside(to: former)) }
  }
}
