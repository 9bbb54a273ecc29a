import Foundation
import TestSupport

/// A record service of a test's own, on a port of this machine, with one account.
final class Service {
  private let directory: TemporaryDirectory
  private var process: ChildProcess?
  private var port = "0"
  /// A socket that reserves the port while the service is stopped.
  private var portReservation: Int32 = -1
  private(set) var apiToken = ""
  private let certificate: Certificate?

  var origin: String {
    (certificate.map { "https://\($0.name)" } ?? "http://127.0.0.1") + ":\(port)"
  }

  /// The port that it listens on.
  var portNumber: UInt16 { UInt16(port) ?? 0 }

  /// Starts it.
  ///
  /// - Parameter certificate: for TLS; nil for none.
  init(certificate: Certificate? = nil) throws {
    self.certificate = certificate
    directory = try TemporaryDirectory()
    try start()
    _ = try command(["user", "add", "an"], input: "mật khẩu dài\n")
  }

  private func command(_ words: [String], input: String = "") throws -> String {
    let outcome = try Outcome.of(
      Program.service(), words + ["--data", directory.path], environment: Self.environment,
      directory: directory.path, input: .text(input))
    guard outcome.ending == .exited(0) else { throw Failure("record-service \(words): \(outcome)") }
    return outcome.output
  }

  private static var environment: [String: String] {
    ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
  }

  /// Starts it, on its former port if it ran before.
  func start() throws {
    var options: [String] = []
    if let certificate {
      // With TLS the service has to know its URL, and so its port.
      if port == "0" { try reservePort() }
      options = [
        "--tls-certificate", certificate.file, "--tls-key", certificate.key, "--url", origin,
      ]
    }
    let output = try makePipe()
    let errors = open("\(directory.path)/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer {
      close(output.reading)
      close(errors)
    }
    process = try ChildProcess(
      Program.service(), ["serve", "--data", directory.path, "--port", port] + options,
      environment: Self.environment, directory: directory.path, input: .null,
      output: .open(output.writing), errors: .open(errors))
    close(output.writing)
    var bytes: [UInt8] = []
    let deadline = Deadline()
    while !String(decoding: bytes, as: UTF8.self).contains("Data directory:") {
      guard !deadline.hasPassed else { throw Failure(waitingFor: "the service", seen: bytes) }
      waitForEvents([(output.reading, POLLIN)], milliseconds: deadline.milliseconds(atMost: 1000))
      guard readAvailable(output.reading, into: &bytes) else {
        throw Failure(waitingFor: "the service", seen: bytes)
      }
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    port = lines.first?.split(separator: ":").last.map(String.init) ?? ""
    let token = try String(contentsOfFile: "\(directory.path)/api-token", encoding: .utf8)
    apiToken = token.split(separator: "\n").first.map(String.init) ?? ""
    if portReservation >= 0 { close(portReservation) }
    portReservation = -1
  }

  /// Stops it and reserves its port.
  func stop() throws {
    process?.stop()
    try reservePort()
  }

  /// Binds a socket to its port, or to a free one if it has none yet.
  private func reservePort() throws {
    // The service shares its port, too.
    let (descriptor, number) = try bindToLoopback(port: portNumber, isShared: true)
    (portReservation, port) = (descriptor, "\(number)")
  }

  deinit {
    if portReservation >= 0 { close(portReservation) }
  }

  /// Connects a reader's library with the account.
  @discardableResult
  func connect(_ home: Home, with variables: [String: String?] = [:]) throws -> Outcome {
    let outcome = try home.quranVi(
      "sync", "connect", origin, "--paste", "--yes", with: variables,
      input: .text(try secrets()))
    guard outcome.ending == .exited(0) else { throw Failure("sync connect: \(outcome)") }
    return outcome
  }

  /// The answers to the prompts of `sync connect --paste`: the API token and a sign-in code.
  func secrets() throws -> String {
    let token = try command(["user", "sign-in", "an"]).split(whereSeparator: \.isWhitespace).last
    return "\(apiToken)\n\(token ?? "")\n"
  }

  /// Ends all sessions of the account.
  func endSessions() throws { _ = try command(["user", "sign-out", "an"]) }

  /// How many records the account has, its profile among them.
  func recordCount() throws -> Int {
    let list = try command([
      "record", "list", "--user", "an", "--container", "iCloud.donald.kvietnamisht", "--limit",
      "100000", "--json",
    ])
    return list.ranges(of: "\"recordName\"").count
  }
}
