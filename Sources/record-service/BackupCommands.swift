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
    let opened = try await home.open()
    defer { try? opened.close() }
    guard case .directory(let home, let storage) = opened.place else {
      throw ServiceCommandFailure.notOfPostgreSQL
    }
    let records = try await storage.read { try $0.counts() }.records
    try await storage.backUp(to: file)
    try Output.line(CommandMessages.backedUp(records: records, to: file))
    Output.note(CommandMessages.keepKey(home.key))
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
    guard home.storage == nil else { throw ServiceCommandFailure.notOfPostgreSQL }
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

extension ServiceCommandFailure {
  /// The failure of a command that copies the file of a database.
  fileprivate static let notOfPostgreSQL = ServiceCommandFailure(
    .refused, CommandMessages.dumpPostgreSQL)
}
