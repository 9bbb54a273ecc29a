import ArgumentParser
import RecordServer

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the database into a new file, also while it is served.",
    discussion: """
      The copy has everybody's records and accounts. It does not have the key file, without \
      which encrypted fields cannot be read: keep a copy of that somewhere else.
      """)

  @Argument(help: "The file to make.", completion: .file())
  var file: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let open = try await home.open()
    let records = try await open.storage.counts().records
    try await open.storage.backUp(to: file)
    try Output.line("\(count(records, "record")) and all accounts are in \(file).")
    Output.note("Keep a copy of \(open.home.key), too, but not beside it.")
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in the place of the database.",
    discussion: """
      The server has to be stopped. The former database is kept. Devices compare everything \
      when they sync next, and send what is missing. Sign-ins and passwords are as they were then; \
      `user sign-out --all` ends all sessions.
      """)

  @Argument(help: "The backup.", completion: .file())
  var file: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    let inUse = CommandFailure(
      .refused, "A server has \(home.database) open; stop it and try again. Nothing was changed.")
    guard SQLiteRecordStorage.process(using: home.database) == nil else { throw inUse }
    try home.makeDirectory()
    let former: String?
    do {
      former = try await home.exclusively {
        try SQLiteRecordStorage.restore(file, to: home.database)
      }
    } catch StorageFailure.busy {
      throw inUse
    }
    try Output.line("\(home.database) is restored from \(file).")
    if let former { try Output.line("The former database lies in \(former).") }
  }
}
