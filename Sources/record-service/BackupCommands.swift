import ArgumentParser
import RecordServer

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the database to a new file, even while the server is running.",
    discussion: """
      The backup contains all records and accounts. It does not contain the key file, without \
      which encrypted fields cannot be read: keep a copy of that file in another place.
      """)

  @Argument(help: "The file to create.", completion: .file())
  var file: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    let records = try await open.storage.counts().records
    try await open.storage.backUp(to: file)
    try Output.line("\(count(records, "record")) and all accounts were copied to \(file).")
    Output.note("Keep a copy of \(open.home.key) too, but not in the same place.")
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Replace the database with a backup.",
    discussion: """
      Stop the server first. The previous database is kept. At the next sync, devices compare \
      all their records and send the missing ones. Sessions and passwords are those of the \
      backup; `user sign-out --all` ends all sessions.
      """)

  @Argument(help: "The backup file.", completion: .file())
  var file: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    let inUse = CommandFailure(
      .refused, "A server is using \(home.database); stop it and try again. Nothing was changed.")
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
    try Output.line("\(home.database) was restored from \(file).")
    if let former { try Output.line("The previous database was moved to \(former).") }
  }
}
