public import ArgumentParser
public import CloudRecords
import RecordServer

/// Taken by every command.
struct HomeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The directory with the database and the key.",
      discussion: "Else $RECORD_SERVICE_DATA, or record-service in the XDG data directory.",
      valueName: "dir"),
    completion: .directory)
  var data: String?

  func home() throws(CommandFailure) -> ServiceHome { try ServiceHome(data: data) }

  /// The service as it is; where there is none the command is refused.
  func open() async throws -> OpenService {
    try await OpenService.open(home(), firstStart: false)
  }

  /// The service, made where there is none: for what is done before it is first served.
  func openOrMake() async throws -> OpenService {
    try await OpenService.open(home(), firstStart: true)
  }
}

struct JSONOption: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false
}

struct ConfirmationOption: ParsableArguments {
  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false
}

struct ContainerOption: ParsableArguments {
  @Option(help: ArgumentHelp("The container.", valueName: "name"))
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
  /// - Throws: status 1 where there is no such account.
  func account(_ name: String) async throws -> Account {
    guard let account = try await people.account(named: name) else {
      throw CommandFailure(
        .refused, "There is no account '\(name)'; `record-service user list` shows which there are."
      )
    }
    return account
  }

  /// - Throws: status 1 where the container is not served.
  func require(_ container: ContainerID) async throws {
    guard try await !service.containers().contains(container) else { return }
    throw CommandFailure(
      .refused,
      "The container \(container) is not served; add it with "
        + "`record-service schema import FILE --container \(container)`.")
  }
}

/// A number of things with its noun.
func count(_ number: Int, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}
