import BundledSchema
import CloudRecords
import FoundationEssentials
import Glibc
import RecordServer

/// An open record service: the storage, the accounts and the service of a data directory.
struct OpenService: Sendable {
  let home: ServiceHome
  let storage: SQLiteRecordStorage
  let accountService: AccountService
  let service: RecordService
  /// The secret of the first API token if it was created now.
  var newAPIToken: String?

  /// The container that every service has, and the default of commands.
  static let container = containerID(RecordService.quranContainer)
  /// The name of the app to which the first API token belongs.
  static let firstAppLabel = "Quran-vi"

  /// Opens the service of a data directory.
  ///
  /// - Parameters:
  ///   - home: the data directory.
  ///   - options: the options of the record service.
  ///   - accountOptions: the options of the accounts.
  ///   - onFailure: called with each later failure of the storage.
  ///   - createsMissing: whether to create what is missing: the directory, the database, the key,
  ///     the container of the Quran reader with its schema in both environments, and an API token
  ///     whose secret is stored in `home.apiToken`. Otherwise a directory without a database is
  ///     refused.
  /// - Throws: `ServiceCommandFailure`, `ServerKeyFailure`, `StorageFailure`, `ServiceError`.
  static func open(
    _ home: ServiceHome, options: ServiceOptions = ServiceOptions(),
    accountOptions: AccountService.Options = AccountService.Options(),
    onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in }, createsMissing: Bool
  ) async throws -> OpenService {
    if createsMissing { try home.makeDirectory() }
    return try await home.exclusively {
      var opened = try openFiles(
        home, options, accountOptions, onFailure, createsMissing: createsMissing)
      if createsMissing { try await opened.createDefaults() }
      return opened
    }
  }

  /// Opens the files of the data directory.
  private static func openFiles(
    _ home: ServiceHome, _ options: ServiceOptions, _ accountOptions: AccountService.Options,
    _ onFailure: @escaping @Sendable (StorageFailure) -> Void, createsMissing: Bool
  ) throws -> OpenService {
    guard createsMissing || home.isThere else {
      throw ServiceCommandFailure(.refused, CommandMessages.noService(in: home.directory))
    }
    guard !home.isThere || access(home.key, F_OK) == 0 else { throw missingKey(home) }
    // The key is created before the database, so that there is never a database without a key.
    let key = try ServerKey.load(path: home.key) { randomBytes($0) }
    let storage = try database(home.database, onFailure)
    let service = RecordService(
      storage: storage, signer: TokenSigner(secret: Data(key.secret(for: "tokens"))),
      now: { now() }, options: options)
    let accountService = AccountService(
      storage: try AccountStorage(storage.database, onFailure: onFailure), key: key,
      now: { now() },
      random: { randomBytes($0) }, options: accountOptions,
      accountData: AccountService.AccountDataAccess(
        usage: { try await service.usage(of: $0.id) },
        erase: { try await service.deleteOwner(account: $0.id) }))
    return OpenService(
      home: home, storage: storage, accountService: accountService, service: service)
  }

  /// Opens the database. If it is busy, tries again up to 50 times, every 20 ms: SQLite's busy
  /// handler does not cover the first access while another process closes the database.
  private static func database(
    _ path: String, _ onFailure: @escaping @Sendable (StorageFailure) -> Void
  ) throws(StorageFailure) -> SQLiteRecordStorage {
    for _ in 0..<50 {
      do {
        return try SQLiteRecordStorage(path: path, onFailure: onFailure)
      } catch .busy {
        usleep(20_000)
      }
    }
    return try SQLiteRecordStorage(path: path, onFailure: onFailure)
  }

  /// Creates the default container and the first API token if they do not exist.
  private mutating func createDefaults() async throws {
    if try await !service.containers().contains(Self.container) {
      try await service.addContainer(Self.container, schema: Self.bundledSchema())
    }
    newAPIToken = try await accountService.createMissingAPIToken(
      APITokenTerms(label: Self.firstAppLabel, container: Self.container), secretIn: home.apiToken)
  }

  /// The schema of the Quran reader, which is compiled into the program.
  static func bundledSchema() throws(SchemaSyntaxError) -> Schema {
    let text = UnsafeBufferPointer(start: quranvi_schema, count: quranvi_schema_size)
    return try Schema(parsing: String(decoding: text, as: UTF8.self))
  }

  /// The failure of a database without its key. A new key is not created automatically, because it
  /// could not decrypt the existing encrypted fields.
  private static func missingKey(_ home: ServiceHome) -> ServiceCommandFailure {
    ServiceCommandFailure(.badData, CommandMessages.missingKey(home.key))
  }

  /// The current time in milliseconds since 1970, UTC.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  private static func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  private static func containerID(_ name: String) -> ContainerID {
    guard let container = ContainerID(name) else { preconditionFailure("no container: \(name)") }
    return container
  }
}
