public import ArgumentParser
import CloudRecords
import Glibc
import Logging
public import RecordServer

/// The command `serve`, which runs the server until it is stopped.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: CommandHelp.serve,
    discussion: CommandHelp.serveDiscussion)

  @OptionGroup var home: HomeOptions

  @Option(help: ArgumentHelp(CommandHelp.address, valueName: "address"))
  var address = "127.0.0.1"

  @Option(help: ArgumentHelp(CommandHelp.port, valueName: "port"))
  var port: Int?

  @OptionGroup var ephemeral: EphemeralOptions

  @Option(
    help: ArgumentHelp(CommandHelp.url, valueName: "url"))
  var url: WebOrigin?

  @Option(
    help: ArgumentHelp(CommandHelp.tlsCertificate, valueName: "file"),
    completion: .file())
  var tlsCertificate: String?

  @Option(
    help: ArgumentHelp(CommandHelp.tlsKey, valueName: "file"),
    completion: .file())
  var tlsKey: String?

  @Flag(help: ArgumentHelp(CommandHelp.behindProxy))
  var behindProxy = false

  @Option(
    help: ArgumentHelp(CommandHelp.trustedProxy, valueName: "address"))
  var trustedProxy: [HostAddress] = []

  @Option(
    help: ArgumentHelp(CommandHelp.registration, valueName: "who"))
  var registration: AccountService.Registration?

  @Option(help: ArgumentHelp(CommandHelp.quotaBytes, valueName: "bytes"))
  var quotaBytes = ServiceOptions().quota.bytes

  @Option(
    help: ArgumentHelp(CommandHelp.quotaRecords, valueName: "records"))
  var quotaRecords = ServiceOptions().quota.records

  @OptionGroup var operations: OperationRate

  @Flag(help: ArgumentHelp(CommandHelp.strictRequired))
  var strictRequired = false

  @Option(
    help: ArgumentHelp(CommandHelp.logLevel, valueName: "level"),
    transform: { text in
      guard let level = Logger.Level(rawValue: text) else {
        throw ValidationError(CommandMessages.invalidLogLevel(text))
      }
      return level
    })
  var logLevel = Logger.Level.info

  func validate() throws {
    guard port.map((0...65_535).contains) ?? true else {
      throw ValidationError(CommandMessages.invalidPort)
    }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError(CommandMessages.incompleteTLS)
    }
    guard quotaBytes > 0, quotaRecords > 0 else {
      throw ValidationError(CommandMessages.quotaTooSmall)
    }
    try ephemeral.validate(
      others: Self.optionsNotEphemeral.filter { $0.isGiven(self) }.map { "--\($0.name)" })
  }

  /// The options that an ephemeral service cannot have, and whether a command has them with another
  /// value than the default.
  static let optionsNotEphemeral: [(name: String, isGiven: @Sendable (Self) -> Bool)] = [
    ("data", { $0.home.data != nil }), ("storage", { $0.home.storage != nil }),
    ("url", { $0.url != nil }),
    ("tls-certificate", { $0.tlsCertificate != nil }), ("tls-key", { $0.tlsKey != nil }),
    ("behind-proxy", { $0.behindProxy }), ("trusted-proxy", { !$0.trustedProxy.isEmpty }),
    ("registration", { $0.registration != nil }),
    ("operations-per-second", { $0.operations.operationsPerSecond != OperationRate.standard }),
    ("operations-burst", { $0.operations.operationsBurst != TokenBucket.Rate.user.burst }),
  ]

  func run() async throws {
    let web = web
    let problem = ephemeral.isEphemeral ? web.ephemeralProblem : web.problem
    if let problem { throw ServiceCommandFailure(.usage, problem.sentence) }
    Self.raiseFileLimit()
    ServerMemory.limitArenas()
    var options = ServiceOptions()
    options.quota = Usage(bytes: quotaBytes, records: quotaRecords)
    options.isStrictAboutRequiredFields = strictRequired
    let level = logLevel
    let logger = Logger(label: "record-service") { _ in LogfmtHandler(level: level) }
    guard !ephemeral.isEphemeral else {
      return try await ephemeral.serve(web, options, logger)
    }
    let setup = OpenService.Setup(
      options: options,
      accountOptions: AccountService.Options(
        registration: registration ?? (web.isForThisMachine ? .open : .invitation)),
      onFailure: { failure in
        guard failure != .cancelled else { return }
        logger.error(LogMessage.storageFailed, metadata: ["error": "\(failure.sentence)"])
      }, createsMissing: true)
    let opened = try await home.open(setup)
    let server = WebServer(
      service: opened.service, accountService: opened.accountService, push: opened.push,
      options: web,
      logger: logger)
    let place = try await opened.placeToName()
    try await server.run { url in
      try? Output.verbatim(CommandMessages.ready(at: url, apiToken: opened.newAPIToken, place))
    }
    try opened.close()
  }

  private var web: WebOptions {
    var web = WebOptions()
    web.address = address
    web.port = port ?? (ephemeral.isEphemeral ? 0 : web.port)
    // Do not wait long for requests that a test left unfinished.
    if ephemeral.isEphemeral { web.shutdownSeconds = 1 }
    web.url = url
    if let tlsCertificate, let tlsKey {
      web.tls = WebOptions.TLSFiles(certificates: tlsCertificate, key: tlsKey)
    }
    web.isBehindProxy = behindProxy
    web.trustedProxies = Set(trustedProxy)
    web.accountRate = operations.rate
    return web
  }

  /// Raises the limit of open files to 65,536, or to the hard limit if that is lower. Each
  /// connection needs a file descriptor, and the default limit of shells is low.
  private static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

extension OpenService {
  /// Where the data is, as the output of `serve` names it.
  fileprivate func placeToName() async throws -> CommandMessages.Place {
    switch place {
    case .directory(let home, _): .directory(home.directory, apiToken: home.apiToken)
    case .postgreSQL(let storage): .postgreSQL(try await storage.name())
    }
  }
}

extension AccountService.Registration: ExpressibleByArgument {}

extension HostAddress: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(argument)
  }
}

extension WebOrigin: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(argument)
  }
}
