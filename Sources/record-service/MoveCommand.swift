import ArgumentParser
import Glibc
import RecordServer

struct MoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: CommandHelp.move, discussion: CommandHelp.moveDiscussion)

  @Option(
    help: ArgumentHelp(CommandHelp.moveFrom, valueName: "address"), completion: .directory)
  var from: String

  @Option(help: ArgumentHelp(CommandHelp.moveTo, valueName: "address"), completion: .directory)
  var to: String

  func validate() throws {
    let source = try StorageAddress(from, option: "--from")
    guard try source.isPostgreSQL != StorageAddress(to, option: "--to").isPostgreSQL else {
      throw ValidationError(CommandMessages.moveBetweenKinds)
    }
  }

  func run() async throws {
    let line = ProgressLine()
    defer { line.finish() }
    let progress: ServiceMove.Progress = { line.update($0, of: $1) }
    switch try (StorageAddress(from, option: "--from"), StorageAddress(to, option: "--to")) {
    case (.directory(let home), .postgreSQL(let address)):
      try await report(move(home, to: address, progress), line)
    case (.postgreSQL(let address), .directory(let home)):
      try await report(move(address, to: home, progress), line)
      Output.note(CommandMessages.keepKey(home.key))
    default: throw ServiceCommandFailure(.usage, CommandMessages.moveBetweenKinds)
    }
  }

  private func move(
    _ home: ServiceHome, to address: String, _ progress: @escaping ServiceMove.Progress
  ) async throws -> ServiceMove.Moved {
    try await home.exclusively {
      guard SQLiteRecordStorage.process(using: home.database) == nil else {
        throw ServiceCommandFailure(.refused, CommandMessages.databaseInUse(home.database))
      }
      try OpenService.requireFiles(home)
      return try await ServiceMove.toPostgreSQL(
        address, fromSQLite: home.database, key: home.key, progress: progress)
    }
  }

  private func move(
    _ address: String, to home: ServiceHome, _ progress: @escaping ServiceMove.Progress
  ) async throws -> ServiceMove.Moved {
    try home.makeDirectory()
    return try await home.exclusively {
      try await ServiceMove.toSQLite(
        in: home.directory, database: home.database, key: home.key, fromPostgreSQL: address,
        progress: progress)
    }
  }

  private func report(_ moved: ServiceMove.Moved, _ line: ProgressLine) throws {
    line.finish()
    try Output.line(CommandMessages.moved(moved))
    Output.note(CommandMessages.sourceUnchanged)
  }
}
