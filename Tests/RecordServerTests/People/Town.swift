import CloudRecords
import Crypto
import Foundation
import GRDB
import NIOConcurrencyHelpers
import TestSupport

@testable import RecordServer

/// People, and all that they are made of.
final class Town: Sendable {
  let clock = Clock()
  let randomness = Randomness()
  let hasher = CountingHasher()
  /// It never changes.
  nonisolated(unsafe) let directory: TemporaryDirectory?
  let database: any DatabaseWriter
  let storage: any PeopleStorage
  let people: People

  static let quran = ContainerID("iCloud.donald.kvietnamisht")!
  static let other = ContainerID("iCloud.org.example.other")!
  static let home = ClientAddress("192.0.2.1")
  static let password = "mật khẩu dài"

  init(
    _ place: Place = .memory, registration: People.Registration = .open,
    accountData: People.AccountData = .none, hasher: PasswordHasher? = nil,
    storage wrap: (any PeopleStorage) -> any PeopleStorage = { $0 },
    options change: (inout People.Options) -> Void = { _ in }
  ) throws {
    switch place {
    case .memory:
      directory = nil
      database = try DatabaseQueue()
    case .disk:
      let made = try TemporaryDirectory()
      directory = made
      database = try DatabasePool(path: made.path + "/records.sqlite")
    }
    storage = wrap(try SQLitePeopleStorage(database))
    var options = People.Options(registration: registration)
    change(&options)
    people = People(
      storage: storage, key: ServerKey(bytes: Array(0..<32)),
      hasher: hasher ?? self.hasher.hasher, now: { [clock] in clock.now },
      random: { [randomness] in randomness.bytes($0) }, options: options, accountData: accountData)
  }

  /// People like these on the same storage, as another process would have them.
  func another(key: ServerKey = ServerKey(bytes: Array(0..<32))) -> People {
    People(
      storage: storage, key: key, hasher: hasher.hasher, now: { [clock] in clock.now },
      random: { [randomness] in randomness.bytes($0) },
      options: People.Options(registration: .open))
  }

  /// People with this town's clock and key, on another storage or with another random source.
  func people(
    on storage: (any PeopleStorage)? = nil, random: (@Sendable (Int) -> [UInt8])? = nil
  ) -> People {
    People(
      storage: storage ?? self.storage, key: people.key, hasher: hasher.hasher,
      now: { [clock] in clock.now }, random: random ?? { [randomness] in randomness.bytes($0) },
      options: People.Options(registration: .open))
  }

  func account(_ name: String = "an") async throws -> Account {
    try await people.addAccount(name: name, password: Self.password)
  }

  func app(
    label: String = "Quran", container: ContainerID = quran,
    environment: ContainerEnvironment? = nil, origins: [String] = [], callbacks: [String] = []
  ) async throws -> (token: APIToken, secret: String) {
    try await people.createAPIToken(
      APITokenTerms(
        label: label, container: container, environment: environment, origins: origins,
        callbacks: callbacks))
  }

  /// The web auth token of a new session.
  func signIn(
    _ account: Account, app secret: String, _ lifetime: SessionLifetime = .long
  ) async throws -> String {
    let request = try await people.begin(apiToken: secret, returning: .code)
    guard case .code(let token) = try await people.complete(request, as: account, for: lifetime)
    else { throw Unexpected() }
    return token
  }

  func authenticate(_ token: String) async throws -> SignedIn {
    try await people.authenticate(token, container: Self.quran, environment: .development)
  }

  /// All bytes that the database has on the disk.
  func bytesOnDisk() throws -> Data {
    guard let directory else { throw Unexpected() }
    return try directory.contents.reduce(into: Data()) { bytes, name in
      bytes += try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(name)"))
    }
  }
}

extension Town {
  /// A clock that stands until it is moved. Milliseconds since 1970, UTC.
  final class Clock: Sendable {
    private let time = NIOLockedValueBox<Int64>(1_700_000_000_000)

    var now: Int64 { time.withLockedValue { $0 } }

    func advance(_ milliseconds: Int64) {
      time.withLockedValue { $0 += milliseconds }
    }
  }

  /// The same bytes at every run, never the same twice in one.
  final class Randomness: Sendable {
    private let generator = NIOLockedValueBox(SeededGenerator(seed: 7))

    func bytes(_ count: Int) -> [UInt8] {
      generator.withLockedValue { generator in
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      }
    }
  }

  /// Counts what would be slow.
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

  /// Where a test keeps its people.
  enum Place: CaseIterable, Sendable {
    case memory, disk
  }

  /// What a test did not expect.
  struct Unexpected: Error {}
}

/// What an asynchronous call threw.
func refusal<Value>(
  _ body: () async throws -> Value
) async -> (any Error)? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

extension ServiceError {
  static let signInNeeded = ServiceError(
    .authenticationRequired, cause: .authorizationNeeded)
}

extension Database {
  func rowCount(of table: String) throws -> Int {
    try Int.fetchOne(self, sql: "SELECT count(*) FROM \(table)") ?? -1
  }
}
