import CloudRecords
import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import Metrics
import NIOCore
import ServiceLifecycle
public import UnixSignals

/// The HTTP server of a record service.
///
///     let push = LongPollHub()
///     // … a RecordService whose onFirings is push.deliver, and an AccountService
///     let server = WebServer(service: service, accountService: accountService, push: push)
///     try await server.run { url in print("ready at \(url)") }
public struct WebServer: Sendable {
  let service: RecordService
  let accountService: AccountService
  let push: LongPollHub
  let options: WebOptions
  let logger: Logger
  let metrics = MetricsRegistry()
  let reads = RunningReads()
  let connections: ConnectionTable
  /// The ephemeral service with its controls and faults; nil for any other service.
  let ephemeral: EphemeralService?

  /// Creates a server, which `run` starts.
  ///
  /// - Parameter push: the hub to which the service's `onFirings` delivers notifications.
  public init(
    service: RecordService, accountService: AccountService, push: LongPollHub,
    options: WebOptions = WebOptions(),
    logger: Logger = Logger(label: "record-service") { _ in SwiftLogNoOpLogHandler() }
  ) {
    self.service = service
    self.accountService = accountService
    self.push = push
    self.options = options
    self.logger = logger
    connections = ConnectionTable(options)
    ephemeral = nil
  }

  /// Creates a server of an ephemeral service, with the paths by which tests control it.
  ///
  /// - Parameter options: must be for a server that only this machine can reach, without TLS.
  public init(
    ephemeral: EphemeralService, options: WebOptions = WebOptions(),
    logger: Logger = Logger(label: "record-service") { _ in SwiftLogNoOpLogHandler() }
  ) {
    service = ephemeral.service
    accountService = ephemeral.accountService
    push = ephemeral.push
    self.options = options
    self.logger = logger
    connections = ConnectionTable(options)
    self.ephemeral = ephemeral
  }

  /// Serves requests until a signal arrives or the task is cancelled.
  ///
  /// - Parameters:
  ///   - signals: the signals that start a graceful shutdown.
  ///   - onReady: called with the server's URL when it accepts requests.
  /// - Throws: `WebOptionsProblem`, `WebServerFailure`.
  public func run(
    stoppedBy signals: [UnixSignal] = [.sigterm, .sigint],
    onReady: @escaping @Sendable (String) async -> Void = { _ in }
  ) async throws {
    if ephemeral != nil, let problem = options.ephemeralProblem { throw problem }
    if let problem = options.problem { throw problem }
    let options = options
    let origin = RequestOrigin(options: options)
    var server = HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          RequestDeadlines(
            firstHead: .seconds(options.firstHeadSeconds), head: .seconds(options.headSeconds),
            body: .seconds(options.bodySeconds), stall: .seconds(options.stallSeconds),
            connections: connections, limitedAddress: origin.limitedAddress,
            onDisconnect: { [push, reads] in
              push.end($0)
              reads.end($0, $1)
            })
        ],
        // A header with a callback URL and two tokens fits into these limits.
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100)))
    if let files = options.tls {
      server = try .tls(
        server, tlsConfiguration: try Certificates(files, logger: logger).configuration)
    }
    let application = Application(
      responder: CompletingResponder(
        routes: router().buildResponder(), metrics: metrics, logger: logger, origin: origin),
      server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(options.address, port: options.port), backlog: 1024),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? options.port
        await onReady(
          options.url?.text
            ?? "\(options.tls == nil ? "http" : "https")://\(options.urlHost):\(port)")
      },
      logger: dependencyLogger)
    // Services are stopped in reverse order: first the long polls, so that they do not hold
    // connections open, then the connections.
    var group = ServiceGroupConfiguration(
      services: [
        Housekeeping(service: service, accountService: accountService, push: push, logger: logger),
        MemoryRelease(), application, push,
      ],
      gracefulShutdownSignals: signals, logger: dependencyLogger)
    // Connections that are still open after this time are closed.
    group.maximumGracefulShutdownDuration = .seconds(options.shutdownSeconds)
    do {
      try await ServiceGroup(configuration: group).run()
    } catch let error as IOError {
      throw WebServerFailure.cannotListen(
        address: options.address, port: options.port, code: error.errnoCode)
    } catch is SocketAddressError {
      throw WebServerFailure.unknownAddress(options.address)
    }
    await push.finishStoring()
  }

  /// The logger for Hummingbird and ServiceLifecycle, which logs only warnings and errors.
  private var dependencyLogger: Logger {
    var logger = logger
    logger.logLevel = max(logger.logLevel, .warning)
    return logger
  }

  // MARK: Paths

  func router() -> Router<HTTPContext> {
    let router = Router(context: HTTPContext.self)
    let origin = RequestOrigin(options: options)
    // An ephemeral service has no limits: otherwise the requests of other tests could make a test
    // fail.
    let limits = RateLimits(
      isUnlimited: ephemeral != nil, accountRate: options.accountRate, now: accountService.now)
    let api = APIHandler(
      service: service, accountService: accountService, push: push, reads: reads,
      connections: connections, limits: limits, origin: origin,
      responses: BodyBudget(bytes: options.responseBytes, cause: .tooManyLargeResponses))
    let pushChannels = PushChannelHandler(
      accountService: accountService, push: push, connections: connections, limits: limits,
      origin: origin)
    let assets = AssetHandler(service: service, limits: limits, origin: origin)
    let signIn = SignInHandler(
      accountService: accountService, limits: limits, origin: origin, logger: logger)
    let operatorHandler = OperatorHandler(
      service: service, push: push, metrics: metrics, origin: origin)
    let faultyAPI = ephemeral.map { FaultInjectingAPIHandler(api: api, ephemeral: $0) }
    for path in ServedPath.all {
      // Each purpose has its own closure, so that the async frame of a long poll is no larger than
      // its own handler needs.
      let purpose = path.purpose
      let respond: @Sendable (Request, HTTPContext) async throws -> Response =
        switch purpose {
        case .endpoint, .unserved, .signOut:
          if let faultyAPI {
            { try await faultyAPI.respond(to: purpose, $0, $1) }
          } else {
            { try await api.respond(to: purpose, $0, $1) }
          }
        case .pushChannel: pushChannels.respond
        case .assetUpload: { try await assets.upload($0, $1) }
        case .assetDownload: { try await assets.download($0, $1) }
        case .signIn, .register: { try await signIn.respond(to: purpose, $0, $1) }
        case .health, .metrics, .index: { try await operatorHandler.respond(to: purpose, $0, $1) }
        }
      router.on(RouterPath(path.template), method: path.method, use: respond)
    }
    if let ephemeral {
      let handler = EphemeralHandler(ephemeral: ephemeral, origin: origin)
      for control in EphemeralControl.allCases {
        router.on(RouterPath(control.path), method: control.method) {
          try await handler.respond(to: control, $0, $1)
        }
      }
    }
    return router
  }
}

extension ConnectionTable {
  fileprivate convenience init(_ options: WebOptions) {
    self.init(limit: options.connections, share: options.connectionsPerAddress)
  }
}
