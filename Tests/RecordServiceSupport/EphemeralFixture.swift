import CloudRecords
import Foundation
import NIOCore
import NIOHTTP1
import RecordClient
import Synchronization

@testable import RecordServer

/// An ephemeral service on a port of this machine.
///
///     try await EphemeralFixture.run { cloud in
///       let reply = try await cloud.control("POST", "reset")
///     }
struct EphemeralFixture: Sendable {
  let url: String
  let ephemeral: EphemeralService
  let clock: AccountFixture.Clock
  let sleeps: Sleeps

  /// The delays of faults, which take no time.
  final class Sleeps: Sendable {
    private let all = Mutex<[Duration]>([])
    var durations: [Duration] { all.withLock { $0 } }
    func add(_ duration: Duration) { all.withLock { $0.append(duration) } }
  }

  static func run(
    _ change: (inout EphemeralService.Setup) throws -> Void = { _ in },
    _ body: @escaping @Sendable (EphemeralFixture) async throws -> Void
  ) async throws {
    let (clock, sleeps) = (AccountFixture.Clock(), Sleeps())
    var setup = EphemeralService.Setup()
    setup.now = { clock.now }
    setup.sleep = { sleeps.add($0) }
    try change(&setup)
    let ephemeral = try await EphemeralService(setup)
    var options = WebFixture.patient
    options.port = 0
    options.pollSeconds = 0
    try await WebServer(ephemeral: ephemeral, options: options).whileRunning { url in
      try await body(
        EphemeralFixture(url: url, ephemeral: ephemeral, clock: clock, sleeps: sleeps))
    }
  }

  // MARK: Requests

  func send(
    _ method: String, _ path: String, _ json: String? = nil, headers: [(String, String)] = []
  ) async throws -> WebFixture.Reply {
    let exchange = try await HTTPExchange.send(
      HTTPMethod(rawValue: method), url + path, headers: HTTPHeaders(headers),
      body: json.map { Data($0.utf8) })
    return WebFixture.Reply(
      status: Int(exchange.response.status.code), headers: exchange.response.headers,
      body: Data(exchange.body.readableBytesView))
  }

  /// Sends a request to one of the paths below `/ephemeral`.
  func control(_ method: String, _ path: String, _ json: String = "") async throws
    -> WebFixture.Reply
  {
    try await send(method, "/ephemeral/" + path, json)
  }

  /// Sends a request to an endpoint and returns the whole response.
  ///
  /// - Parameter user: nil for the first user.
  func reply<E: Endpoint>(
    _: E.Type, _ request: E.Request, as user: EphemeralService.User? = nil,
    _ environment: ContainerEnvironment = .development, _ database: DatabaseScope = .private
  ) async throws -> WebFixture.Reply {
    let token = (user ?? ephemeral.users[0]).webAuthToken
    let path =
      E.route.path(ephemeral.container, environment, database)
      + "?ckAPIToken=\(ephemeral.apiToken)&ckWebAuthToken=\(token)"
    let body =
      E.route.method == .get ? nil : String(decoding: try Wire.encode(request), as: UTF8.self)
    return try await send(E.route.method.rawValue, path, body)
  }

  /// Sends a request that is expected to succeed.
  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, as user: EphemeralService.User? = nil,
    _ environment: ContainerEnvironment = .development, _ database: DatabaseScope = .private
  ) async throws -> E.Response {
    let reply = try await reply(endpoint, request, as: user, environment, database)
    if let error = reply.error { throw error }
    return try Wire.decode(E.Response.self, from: reply.body, as: .response)
  }

  /// Returns a page of the change feed of the default zone.
  ///
  /// - Parameter token: The sync token; nil for the beginning of the feed.
  func page(_ token: String?) async throws -> ChangesZone.Page {
    try await call(ChangesZone.self, .init(zones: [.init(.default, syncToken: token)]))
      .zones[0].get()
  }

  /// Saves notes with these names.
  func save(
    _ names: String..., as user: EphemeralService.User? = nil,
    in environment: ContainerEnvironment = .development
  ) async throws {
    let answer = try await call(
      RecordsModify.self, Self.modification(names), as: user, environment)
    for error in answer.records.compactMap(\.error) { throw error }
  }

  static func modification(_ names: [String]) -> RecordsModify.Request {
    RecordsModify.Request(
      operations: names.map {
        .init(.forceReplace, RecordInput($0, type: "Note", fields: ["text": Field(.string($0))]))
      })
  }

  /// Which of these records exist.
  func existing(
    _ names: String..., as user: EphemeralService.User? = nil,
    in environment: ContainerEnvironment = .development
  ) async throws -> [String] {
    let answer = try await call(
      RecordsLookup.self, .init(records: names.map { .init($0) }), as: user, environment)
    return answer.records.compactMap(\.record?.recordName)
  }
}
