public import ArgumentParser
import CloudRecords
import Glibc
import Logging
public import RecordServer

/// The command `serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server until it receives a signal.",
    discussion: """
      By default the server listens on http://127.0.0.1:8787, which only this machine can reach, \
      and prints how to connect. To be reached from other machines it needs TLS: its own, or \
      that of a reverse proxy.
      """)

  @OptionGroup var home: HomeOptions

  @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
  var address = "127.0.0.1"

  @Option(help: ArgumentHelp("The port to listen on; 0 chooses a free one.", valueName: "port"))
  var port = 8787

  @Option(
    help: ArgumentHelp(
      "The public URL of the service, as https://records.example.org.", valueName: "url"))
  var url: WebOrigin?

  @Option(
    help: ArgumentHelp(
      "The certificate chain for TLS in PEM, with the server's certificate first.",
      valueName: "file"),
    completion: .file())
  var tlsCertificate: String?

  @Option(
    help: ArgumentHelp("The private key of the certificate in PEM.", valueName: "file"),
    completion: .file())
  var tlsKey: String?

  @Flag(help: "A reverse proxy provides TLS.")
  var behindProxy = false

  @Option(
    help: ArgumentHelp(
      "The address of a proxy whose X-Forwarded-For header is trusted; repeatable.",
      valueName: "address"))
  var trustedProxy: [HostAddress] = []

  @Option(
    help: ArgumentHelp(
      "Who can register: open (everyone), invitation (users with an invitation) or closed "
        + "(nobody). (default: open if only this machine can reach the server, otherwise "
        + "invitation)", valueName: "who"))
  var registration: People.Registration?

  @Option(help: ArgumentHelp("The maximum bytes of an account in a database.", valueName: "bytes"))
  var quotaBytes = ServiceOptions().quota.bytes

  @Option(
    help: ArgumentHelp("The maximum records of an account in a database.", valueName: "records"))
  var quotaRecords = ServiceOptions().quota.records

  @Option(
    help: ArgumentHelp(
      "The lowest level that is logged to standard error: trace, debug, info, notice, warning, "
        + "error or critical.",
      valueName: "level"),
    transform: { text in
      guard let level = Logger.Level(rawValue: text) else {
        throw ValidationError("'\(text)' is not a log level.")
      }
      return level
    })
  var logLevel = Logger.Level.info

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port must be from 0 to 65535.")
    }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key must be used together.")
    }
    guard quotaBytes > 0, quotaRecords > 0 else {
      throw ValidationError("A quota must be at least 1.")
    }
  }

  func run() async throws {
    let web = web
    if let problem = web.problem { throw CommandFailure(.usage, problem.sentence) }
    Self.raiseFileLimit()
    let push = LongPollHub()
    var options = ServiceOptions()
    options.quota = Usage(bytes: quotaBytes, records: quotaRecords)
    options.onFirings = { push.deliver($0) }
    let level = logLevel
    let logger = Logger(label: "record-service") { _ in LogfmtHandler(level: level) }
    let opened = try await OpenService.open(
      try home.home(), options: options,
      people: People.Options(
        registration: registration ?? (web.isForThisMachine ? .open : .invitation)),
      onFailure: { failure in
        guard failure != .cancelled else { return }
        logger.error("storage failed", metadata: ["error": "\(failure)"])
      }, firstStart: true)
    let server = WebServer(
      service: opened.service, people: opened.people, push: push, options: web, logger: logger)
    do {
      try await server.run { url in try? Self.greet(opened.home, url: url) }
    } catch let failure as WebServerFailure {
      throw CommandFailure(.refused, failure.sentence)
    }
    try opened.storage.close()
  }

  private var web: WebOptions {
    var web = WebOptions()
    web.address = address
    web.port = port
    web.url = url
    if let tlsCertificate, let tlsKey {
      web.tls = WebOptions.TLSFiles(certificates: tlsCertificate, key: tlsKey)
    }
    web.isBehindProxy = behindProxy
    web.trustedProxies = Set(trustedProxy)
    return web
  }

  /// Prints the server's URL, the API token and how to connect.
  private static func greet(_ home: ServiceHome, url: String) throws {
    let token = try SecretFile.read(home.apiToken)
    try Output.verbatim(
      """
      record-service is ready at \(url)
      API token: \(token ?? "none; create one with `record-service token create`")
      Connect a reader: quran-vi sync connect \(url)
      It asks for the API token, then opens the page to sign in or register.
      Data directory: \(home.directory)

      """)
  }

  /// Raises the limit of open files. Each connection needs a file descriptor, and the default limit
  /// of shells is low.
  private static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

extension People.Registration: ExpressibleByArgument {}

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
