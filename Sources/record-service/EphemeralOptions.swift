import ArgumentParser
import CloudRecords
import FoundationEssentials
import Glibc
import Logging
import RecordServer

/// The options of `serve` for a service that tests use: in memory, with controls and faults.
struct EphemeralOptions: ParsableArguments {
  @Flag(
    name: .customLong("ephemeral"),
    help: ArgumentHelp(CommandHelp.ephemeral, discussion: CommandHelp.ephemeralDiscussion))
  var isEphemeral = false

  @Option(
    help: ArgumentHelp(CommandHelp.ephemeralSchema, valueName: "file"), completion: .file())
  var schema: String?

  @Option(help: ArgumentHelp(CommandHelp.ephemeralContainer, valueName: "name"))
  var container: ContainerID?

  @Option(help: ArgumentHelp(CommandHelp.ephemeralUser, valueName: "name"))
  var user: [String] = []

  /// Checks that the options fit together.
  ///
  /// - Parameter others: the given options that an ephemeral service cannot have.
  /// - Throws: a `ValidationError`.
  func validate(others: [String]) throws {
    if isEphemeral {
      if let other = others.first { throw ValidationError(CommandMessages.notEphemeral(other)) }
      return
    }
    let given = [
      ("--schema", schema != nil), ("--container", container != nil), ("--user", !user.isEmpty),
    ]
    if let option = given.first(where: \.1)?.0 {
      throw ValidationError(CommandMessages.onlyEphemeral(option))
    }
  }

  /// Serves until a signal arrives, after printing one line of JSON.
  ///
  /// - Throws: a `ServiceCommandFailure` if the schema cannot be used, a `RegistrationFailure` if
  ///   the name of a user cannot, a `WebServerFailure` if the port is in use.
  func serve(_ web: WebOptions, _ options: ServiceOptions, _ logger: Logger) async throws {
    var setup = EphemeralService.Setup()
    setup.options = options
    if let schema {
      setup.schema = try InputText.schema(schema)
      setup.container = container ?? EphemeralService.defaultContainer
    } else {
      setup.schema = try OpenService.bundledSchema()
      setup.container = container ?? OpenService.container
    }
    if !user.isEmpty { setup.users = user }
    let ephemeral = try await EphemeralService(setup)
    try await WebServer(ephemeral: ephemeral, options: web, logger: logger).run { url in
      do throws(ServiceCommandFailure) {
        try Output.jsonLine(ephemeral.description(at: url))
      } catch {
        // Without this line, nobody knows the URL of the service.
        Output.warn(error.sentences)
        Glibc.exit(error.status.rawValue)
      }
    }
  }
}
