import CloudRecords
import Crypto
import Foundation
import GRDB
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import TestSupport
import Testing

@testable import RecordServer

/// The service on a port of this machine, with a container, an app, and a clock that a test
/// moves.
///
///     try await WebFixture.run { web in
///       let an = try await web.person("an")
///       let reply = try await web.post(RecordsQuery.self, …, as: an)
///     }
struct WebFixture: Sendable {
  /// Options with more time for the first head of a connection: the clients of tests share the
  /// processors with other tests, and may send it late.
  static var patient: WebOptions {
    var options = WebOptions()
    options.firstHeadSeconds = 75
    return options
  }

  let url: String
  /// The port that the server listens on.
  let port: Int
  let container: ContainerID
  /// The app's API token.
  let apiToken: String
  let service: RecordService
  let accountService: AccountService
  let push: LongPollHub
  let clock: AccountFixture.Clock
  let storage: FaultyStorage
  /// The database, for statements of tests.
  let database: any SQLDatabase

  /// The SQLite database, for tests that run on SQLite only.
  var sqlite: any DatabaseWriter {
    get throws { try #require(database as? SQLiteDatabase).database }
  }

  /// Someone who is signed in.
  struct Person: Sendable {
    let account: Account
    /// The web auth token.
    let token: String
    let user: String
  }

  struct Setup {
    var container = AccountFixture.quran
    var schema = quranSchema
    var hasDefaultZoneFeed: Bool?
    var options = ServiceOptions()
    var web = WebFixture.patient
    var registration = AccountService.Registration.open
    var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    /// Nil for SQLite in memory, or for PostgreSQL.
    var directory: String?
    /// Called with each new connection to a database of SQLite.
    var prepare: (@Sendable (Database) throws -> Void)?

    fileprivate func storage() async throws -> any RecordStorage {
      if StorageFactory.isPostgreSQL { return try await PostgreSQLTestStorage() }
      return try directory.map {
        try SQLiteRecordStorage(path: $0 + "/records.sqlite", prepare: prepare)
      } ?? SQLiteRecordStorage(inMemory: prepare)
    }
  }

  static func run(
    _ change: (inout Setup) -> Void = { _ in },
    _ body: @escaping @Sendable (WebFixture) async throws -> Void
  ) async throws {
    var setup = Setup()
    setup.web.port = 0
    change(&setup)
    // A server with a public URL does not say on which port it listens.
    if setup.web.url != nil { setup.web.port = try await freePort() }
    let working = try await setup.storage()
    let storage = FaultyStorage(working)
    let clock = AccountFixture.Clock()
    let randomness = AccountFixture.Randomness()
    let push = LongPollHub()
    setup.options.onFirings = { await push.deliver($0) }
    setup.options.onNotificationLoss = { push.report([$0]) }
    let service = RecordService(
      storage: storage, signer: TokenSigner(secret: ServiceFixture.secret),
      now: { clock.now }, options: setup.options)
    let accountService = AccountService(
      storage: try await working.accounts, key: ServerKey(bytes: Array(0..<32)),
      hasher: AccountFixture.CountingHasher().hasher, now: { clock.now },
      random: { randomness.bytes($0) },
      options: AccountService.Options(registration: setup.registration),
      accountData: AccountService.AccountDataAccess(
        usage: { try await service.usage(of: $0.id) },
        erase: { _ = try await service.deleteOwner(account: $0.id) }))
    try await service.addContainer(
      setup.container, schema: Schema(parsing: setup.schema),
      hasDefaultZoneFeed: setup.hasDefaultZoneFeed)
    let app = try await accountService.createAPIToken(
      APITokenTerms(label: "Quran", container: setup.container))
    let server = WebServer(
      service: service, accountService: accountService, push: push, options: setup.web,
      logger: setup.logger)
    let (container, port) = (setup.container, setup.web.port)
    try await server.whileRunning { url in
      let web = WebFixture(
        url: url, port: URLComponents(string: url)?.port ?? port, container: container,
        apiToken: app.secret, service: service, accountService: accountService, push: push,
        clock: clock, storage: storage, database: try working.sql)
      try await body(web)
    }
  }

  /// A port of this machine that is free now.
  private static func freePort() async throws -> Int {
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    defer { channel.close(promise: nil) }
    return channel.localAddress?.port ?? 0
  }

  func person(_ name: String, app secret: String? = nil) async throws -> Person {
    let account: Account
    if let known = try await accountService.account(named: name) {
      account = known
    } else {
      account = try await accountService.addAccount(name: name, password: AccountFixture.password)
    }
    let request = try await accountService.beginSignIn(
      apiToken: secret ?? apiToken, delivery: .code)
    guard
      case .code(let token) = try await accountService.completeSignIn(
        request, as: account, for: .long)
    else { throw AccountFixture.Unexpected() }
    return Person(
      account: account, token: token,
      user: account.userRecordName(in: container))
  }
}

extension WebServer {
  /// Runs the server while a closure runs, which gets its URL.
  func whileRunning(_ body: (_ url: String) async throws -> Void) async throws {
    let (urls, ready) = AsyncStream.makeStream(of: String.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { ready.finish() }
        try await run(stoppedBy: []) { ready.yield($0) }
      }
      for await url in urls {
        try await body(url)
        break
      }
      group.cancelAll()
      do { try await group.waitForAll() } catch is CancellationError {}
    }
  }
}

// MARK: Requests

extension WebFixture {
  struct Reply {
    let status: Int
    let headers: HTTPHeaders
    let body: Data

    /// The first header with this name.
    func header(_ name: String) -> String? { headers.first(name: name) }

    /// The error in the body; nil if the body is not an error.
    var error: ServiceError? {
      try? Wire.decode(ServiceError.self, from: body, as: .response)
    }

    /// The body as a JSON object.
    var object: [String: Any] {
      get throws {
        try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
      }
    }

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// The path of an endpoint, with its query.
  func path(
    _ route: Route, _ token: String?, _ environment: ContainerEnvironment = .production,
    _ database: DatabaseScope = .private, apiToken: String? = nil
  ) -> String {
    var path = route.path(container, environment, database)
    path += "?ckAPIToken=\(apiToken ?? self.apiToken)"
    if let token { path += "&ckWebAuthToken=\(token)" }
    return path
  }

  func send(
    _ method: String, _ path: String, body: Data? = nil, headers: [(String, String)] = []
  ) async throws -> Reply {
    let exchange = try await HTTPExchange.send(
      HTTPMethod(rawValue: method), path.hasPrefix("http") ? path : url + path,
      headers: HTTPHeaders(headers), body: body)
    return Reply(
      status: Int(exchange.response.status.code), headers: exchange.response.headers,
      body: Data(exchange.body.readableBytesView))
  }

  /// Sends a request and returns the whole response.
  func reply<E: Endpoint>(
    _: E.Type, _ request: E.Request, as person: Person? = nil,
    _ environment: ContainerEnvironment = .production, _ database: DatabaseScope = .private
  ) async throws -> Reply {
    try await send(
      E.route.method.rawValue,
      path(E.route, person?.token, environment, database),
      body: E.route.method == .get ? nil : try Wire.encode(request))
  }

  /// Sends a request that is expected to succeed, and returns its decoded response.
  func post<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, as person: Person? = nil,
    _ environment: ContainerEnvironment = .production, _ database: DatabaseScope = .private
  ) async throws -> E.Response {
    let reply = try await reply(endpoint, request, as: person, environment, database)
    try #require(reply.status == 200, "\(reply.text)")
    return try Wire.decode(E.Response.self, from: reply.body, as: .response)
  }

  /// Sends JSON unchanged.
  func post(
    _ route: Route, _ json: String, as person: Person? = nil,
    _ environment: ContainerEnvironment = .production, _ database: DatabaseScope = .private
  ) async throws -> Reply {
    try await send(
      "POST", path(route, person?.token, environment, database), body: Data(json.utf8))
  }

  // MARK: Records

  @discardableResult
  func modify(
    _ operations: [Operation], as person: Person, in zone: ZoneID? = nil,
    _ environment: ContainerEnvironment = .production, _ database: DatabaseScope = .private
  ) async throws -> [RecordResult] {
    try await post(
      RecordsModify.self, .init(operations: operations, zoneID: zone), as: person, environment,
      database
    ).records
  }

  func lookup(
    _ names: [String], as person: Person, in zone: ZoneID? = nil
  ) async throws -> [RecordResult] {
    try await post(
      RecordsLookup.self, .init(records: names.map { .init($0) }, zoneID: zone), as: person
    ).records
  }
}

/// Storage that fails on demand.
final class FaultyStorage: RecordStorage {
  private let storage: any RecordStorage
  private let failure = NIOLockedValueBox<StorageFailure?>(nil)
  private enum Fault { case none, readAfterNextWrite, nextRead, answerOfNextWrite }
  private let fault = NIOLockedValueBox(Fault.none)

  init(_ storage: any RecordStorage) {
    self.storage = storage
  }

  /// Makes each read and write fail until the next call; nil for no failure.
  func fail(_ failure: StorageFailure?) { self.failure.withLockedValue { $0 = failure } }

  /// Makes the first read after the next write fail.
  func failReadAfterNextWrite() { fault.withLockedValue { $0 = .readAfterNextWrite } }

  /// Makes the next write succeed, and fail for its caller.
  func failAnswerOfNextWrite() { fault.withLockedValue { $0 = .answerOfNextWrite } }

  private func check() throws {
    if let failure = failure.withLockedValue({ $0 }) { throw failure }
  }

  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws -> Value {
    try check()
    if take(.nextRead, then: .none) { throw StorageFailure.busy }
    return try await storage.read(within: budget, body)
  }

  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value {
    try check()
    let value = try await storage.write(for: account, body)
    _ = take(.readAfterNextWrite, then: .nextRead)
    if take(.answerOfNextWrite, then: .none) {
      throw StorageFailure.commitUnanswered
    }
    return value
  }

  /// Replaces a fault if it is the current one, and returns whether it was.
  private func take(_ expected: Fault, then next: Fault) -> Bool {
    fault.withLockedValue { fault in
      guard fault == expected else { return false }
      fault = next
      return true
    }
  }
}
