public import ArgumentParser
public import CloudRecords
import RecordServer

/// The options for the location of the data. All commands that use the data have them, except
/// `move`.
struct HomeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      CommandHelp.data, discussion: CommandHelp.dataDefault, valueName: "dir"),
    completion: .directory)
  var data: String?

  @Option(
    help: ArgumentHelp(
      CommandHelp.storage, discussion: CommandHelp.storageDefault, valueName: "url"))
  var storage: String?

  func validate() throws {
    guard data == nil || storage == nil else {
      throw ValidationError(CommandMessages.dataAndStorage)
    }
    // An error message of ArgumentParser would contain the value, which can contain a password.
    if let storage { try StorageAddress.validate(postgreSQL: storage, option: "--storage") }
  }

  /// The data directory.
  func home() throws(ServiceCommandFailure) -> ServiceHome { try ServiceHome(data: data) }

  /// Opens the service.
  ///
  /// - Throws: if there is no service and the setup does not create it, a `ServiceCommandFailure`
  ///   or, in PostgreSQL, `StorageFailure.failed(.noTables)`; otherwise the errors of
  ///   `OpenService.open`.
  func open(_ setup: OpenService.Setup = OpenService.Setup()) async throws -> OpenService {
    if let storage { return try await OpenService.open(postgreSQL: storage, setup) }
    return try await OpenService.open(home(), setup)
  }

  /// Opens the service, and creates it if it does not exist. This is for commands that can be used
  /// before the first start of the server.
  func openOrCreate() async throws -> OpenService {
    try await open(OpenService.Setup(createsMissing: true))
  }
}

/// The option of commands that can print JSON.
struct JSONOption: ParsableArguments {
  @Flag(help: ArgumentHelp(CommandHelp.json))
  var json = false
}

/// The option of commands that ask for confirmation.
struct ConfirmationOption: ParsableArguments {
  @Flag(name: [.customShort("y"), .long], help: ArgumentHelp(CommandHelp.yes))
  var yes = false
}

/// The option of commands that use a container.
struct ContainerOption: ParsableArguments {
  @Option(help: ArgumentHelp(CommandHelp.container, valueName: "name"))
  var container = OpenService.container
}

extension ContainerID: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(argument)
  }

  public var defaultValueDescription: String { name }
}

extension ContainerEnvironment: ExpressibleByArgument {}

extension OpenService {
  /// Returns the account with a name.
  ///
  /// - Throws: a `ServiceCommandFailure` with status 1 if it does not exist.
  func account(_ name: String) async throws -> Account {
    guard let account = try await accountService.account(named: name) else {
      throw ServiceCommandFailure(.refused, CommandMessages.noAccount(name))
    }
    return account
  }

  /// Checks that a container is served.
  ///
  /// - Throws: a `ServiceCommandFailure` with status 1 if it is not.
  func require(_ container: ContainerID) async throws {
    guard try await !service.containers().contains(container) else { return }
    throw ServiceCommandFailure(.refused, CommandMessages.containerNotServed(container))
  }
}
