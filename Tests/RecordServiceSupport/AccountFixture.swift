import CloudRecords
import Crypto
import Foundation
import GRDB
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import RecordServer

typealias Place = AccountFixture.Storage

/// An account service and its parts.
final class AccountFixture: Sendable {
  let clock = Clock()
  let randomness = Randomness()
  let hasher = CountingHasher()
  private let kept = NIOLockedValueBox<[Duration]>([])
  /// The API tokens that were created by `app`.
  private let secrets = NIOLockedValueBox<[APIToken.ID: String]>([:])

  /// The delays of sign-ins, which take no time in tests.
  var pauses: [Duration] { kept.withLockedValue { $0 } }
  /// Nil unless the accounts are on the disk. The value never changes, so sharing it is safe.
  nonisolated(unsafe) let directory: TemporaryDirectory?
  /// The database, for statements of tests.
  let database: any SQLDatabase
  /// Nil if the accounts are in an SQLite database.
  private let postgreSQL: PostgreSQLTestStorage?
  let storage: AccountStorage
  let accountService: AccountService

  static let quran = ContainerID("iCloud.donald.kvietnamisht")!
  static let other = ContainerID("iCloud.org.example.other")!
  static let clientAddress = ClientAddress("192.0.2.1")
  static let password = "mật khẩu dài"

  init(
    _ place: Storage = .standard, registration: AccountService.Registration = .open,
    accountData: AccountService.AccountDataAccess = .none, hasher: PasswordHasher? = nil,
    options change: (inout AccountService.Options) -> Void = { _ in }
  ) async throws {
    directory = place == .disk ? try TemporaryDirectory() : nil
    if place == .postgreSQL {
      let made = try await PostgreSQLTestStorage()
      postgreSQL = made
      database = try made.sql
      storage = try await made.accounts
    } else {
      let sqlite: any DatabaseWriter =
        try directory.map { try DatabasePool(path: $0.path + "/records.sqlite") }
        ?? DatabaseQueue()
      postgreSQL = nil
      database = SQLiteDatabase(database: sqlite)
      storage = try AccountStorage(sqlite)
    }
    var options = AccountService.Options(registration: registration)
    change(&options)
    accountService = AccountService(
      storage: storage, key: ServerKey(bytes: Array(0..<32)),
      hasher: hasher ?? self.hasher.hasher, now: { [clock] in clock.now },
      random: { [randomness] in randomness.bytes($0) },
      pause: { [kept] pause in kept.withLockedValue { $0.append(pause) } }, options: options,
      accountData: accountData)
  }

  /// The SQLite database, for tests that run on SQLite only.
  var sqlite: any DatabaseWriter {
    get throws { try #require(database as? SQLiteDatabase).database }
  }

  /// Another account service, as another process would have it: with this fixture's clock, and with
  /// its storage, key and random source unless others are given.
  func another(
    on storage: AccountStorage? = nil, key: ServerKey? = nil,
    random: (@Sendable (Int) -> [UInt8])? = nil
  ) -> AccountService {
    AccountService(
      storage: storage ?? self.storage, key: key ?? accountService.key, hasher: hasher.hasher,
      now: { [clock] in clock.now }, random: random ?? { [randomness] in randomness.bytes($0) },
      options: AccountService.Options(registration: .open))
  }

  func account(_ name: String = "an") async throws -> Account {
    try await accountService.addAccount(name: name, password: Self.password)
  }

  func app(
    label: String = "Quran", container: ContainerID = quran,
    environment: ContainerEnvironment? = nil, origins: [String] = [], callbacks: [String] = []
  ) async throws -> (token: APIToken, secret: String) {
    let made = try await accountService.createAPIToken(
      APITokenTerms(
        label: label, container: container, environment: environment, origins: origins,
        callbacks: callbacks))
    secrets.withLockedValue { $0[made.token.id] = made.secret }
    return made
  }

  /// The web auth token of a new session.
  func signIn(
    _ account: Account, app secret: String, _ lifetime: SessionLifetime = .long
  ) async throws -> String {
    let request = try await accountService.beginSignIn(apiToken: secret, delivery: .code)
    guard
      case .code(let token) = try await accountService.completeSignIn(
        request, as: account, for: lifetime)
    else { throw Unexpected() }
    return token
  }

  /// Authenticates with the API token of an app, by default the first one.
  ///
  /// - Parameter service: the service that authenticates; nil for that of the fixture.
  func authenticate(
    _ token: String, app: APIToken.ID = 1, container: ContainerID = quran,
    environment: ContainerEnvironment = .development, by service: AccountService? = nil
  ) async throws -> AuthenticatedUser {
    guard let secret = secrets.withLockedValue({ $0[app] }) else { throw Unexpected() }
    return try await (service ?? accountService).authenticate(
      token, apiToken: secret, container: container, environment: environment, origin: nil)
  }

  /// All bytes that the database has on the disk.
  func bytesOnDisk() throws -> Data {
    guard let directory else { throw Unexpected() }
    return try directory.contents.reduce(into: Data()) { bytes, name in
      bytes += try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(name)"))
    }
  }
}

extension AccountStorage {
  /// Returns a session with its account, as a request with an unknown API token reads it.
  func session(_ id: Int64) async throws(StorageFailure) -> SessionAndAccount? {
    try await credentials(SecretHash(of: ""), session: id).session
  }
}

extension AccountFixture {
  /// A clock that moves only when a test advances it. Milliseconds since 1970, UTC.
  final class Clock: Sendable {
    private let time = NIOLockedValueBox<Int64>(1_700_000_000_000)

    var now: Int64 { time.withLockedValue { $0 } }

    func advance(_ milliseconds: Int64) {
      time.withLockedValue { $0 += milliseconds }
    }
  }

  /// A random source that returns the same bytes in every run, and other bytes at every call.
  final class Randomness: Sendable {
    private let generator = NIOLockedValueBox(SeededGenerator(seed: 7))

    func bytes(_ count: Int) -> [UInt8] {
      generator.withLockedValue { generator in
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      }
    }
  }

  /// Counts the passwords that are hashed, and hashes them quickly.
  final class CountingHasher: Sendable {
    let costs = NIOLockedValueBox<[ScryptCost]>([])

    var count: Int { costs.withLockedValue { $0.count } }

    var hasher: PasswordHasher {
      PasswordHasher { password, salt, cost in
        self.costs.withLockedValue { $0.append(cost) }
        return Array(SHA256.hash(data: salt + password))
      }
    }
  }

  /// Where a test stores its accounts.
  enum Storage: CaseIterable, Sendable {
    case memory, disk, postgreSQL

    /// The storages of the engine on which the tests run.
    static let allCases: [Self] = StorageFactory.isPostgreSQL ? [.postgreSQL] : [.memory, .disk]
    static let standard: Self = StorageFactory.isPostgreSQL ? .postgreSQL : .memory
    /// A storage with several connections.
    static let shared: Self = StorageFactory.isPostgreSQL ? .postgreSQL : .disk
  }

  /// An error that a test did not expect.
  struct Unexpected: Error {}
}

/// The error that an asynchronous call threw; nil if it succeeded.
func thrownError<Value>(
  _ body: () async throws -> Value
) async -> (any Error)? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

extension AccountStorage {
  /// The account with an id; nil if there is none.
  func account(_ id: Int64) async throws -> Account? {
    try await accounts().first { $0.id == id }
  }
}

extension Database {
  func rowCount(of table: String) throws -> Int {
    try Int.fetchOne(self, sql: "SELECT count(*) FROM \(table)") ?? -1
  }
}
