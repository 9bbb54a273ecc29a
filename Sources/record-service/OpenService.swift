import BundledSchema
import CloudRecords
import FoundationEssentials
import Glibc
import RecordServer

/// An open record service: its storage, its accounts and its records.
struct OpenService: Sendable {
  /// Where the data is.
  enum Place: Sendable {
    case directory(ServiceHome, SQLiteRecordStorage)
    case postgreSQL(PostgreSQLRecordStorage)
  }

  /// How a service is opened.
  struct Setup: Sendable {
    var options = ServiceOptions()
    var accountOptions = AccountService.Options()
    /// Called with each later failure of the storage.
    var onFailure: @Sendable (StorageFailure) -> Void = { _ in }
    /// Whether to create what is missing: the database, the key, the container of the Quran reader
    /// with its schema in both environments, and an API token. Otherwise a place without a service
    /// is refused.
    var createsMissing = false
  }

  let place: Place
  let accountService: AccountService
  let service: RecordService
  /// The hub to which the service delivers notifications.
  let push: LongPollHub
  /// The secret of the first API token if it was created now.
  private(set) var newAPIToken: String?

  /// The container that every service has, and the default of commands.
  static let container = containerID(RecordService.quranContainer)
  /// The name of the app to which the first API token belongs.
  static let firstAppLabel = "Quran-vi"

  private init(
    _ place: Place, _ storage: any RecordStorage, _ accounts: AccountStorage, _ key: ServerKey,
    _ push: LongPollHub, _ setup: Setup
  ) {
    var options = setup.options
    options.onFirings = { await push.deliver($0) }
    options.onNotificationLoss = { push.report([$0]) }
    let service = RecordService(
      storage: storage, signer: TokenSigner(secret: Data(key.secret(for: "tokens"))),
      now: { Self.now() }, options: options)
    self.push = push
    self.place = place
    self.service = service
    accountService = AccountService(
      storage: accounts, key: key, now: { Self.now() }, random: ServerKey.randomBytes,
      options: setup.accountOptions,
      accountData: AccountService.AccountDataAccess(
        usage: { try await service.usage(of: $0.id) },
        erase: { try await service.deleteOwner(account: $0.id) }))
  }

  // MARK: PostgreSQL

  /// Opens the service in a PostgreSQL database.
  ///
  /// - Parameter address: the address of the database.
  /// - Throws: `StorageFailure`, `ServiceError`.
  static func open(postgreSQL address: String, _ setup: Setup) async throws -> OpenService {
    let storage = try await PostgreSQLRecordStorage(
      address, createsTables: setup.createsMissing, onFailure: setup.onFailure)
    let notifications = SharedNotifications(
      storage, now: { Self.now() }, onFailure: setup.onFailure)
    var opened = try await OpenService(
      .postgreSQL(storage), storage, AccountStorage(storage, onFailure: setup.onFailure),
      storage.serverKey(), LongPollHub(sharing: notifications), setup)
    if setup.createsMissing {
      try await opened.createContainer()
      opened.newAPIToken = try await opened.accountService.createFirstAPIToken(firstApp())
    }
    return opened
  }

  // MARK: SQLite

  /// Opens the service of a data directory. If it creates the first API token, the secret is stored
  /// in `home.apiToken`.
  ///
  /// - Throws: `ServiceCommandFailure`, `ServerKeyFailure`, `StorageFailure`, `ServiceError`.
  static func open(_ home: ServiceHome, _ setup: Setup) async throws -> OpenService {
    if setup.createsMissing { try home.makeDirectory() }
    return try await home.exclusively {
      var opened = try openFiles(home, setup)
      if setup.createsMissing {
        try await opened.createContainer()
        opened.newAPIToken = try await opened.accountService.createMissingAPIToken(
          firstApp(), secretIn: home.apiToken)
      }
      return opened
    }
  }

  /// Opens the files of the data directory.
  private static func openFiles(_ home: ServiceHome, _ setup: Setup) throws -> OpenService {
    if !setup.createsMissing || home.isThere { try requireFiles(home) }
    // The key is created before the database, so that there is never a database without a key.
    let key = try ServerKey.load(path: home.key, random: ServerKey.randomBytes)
    let storage = try database(home.database, setup.onFailure)
    return OpenService(
      .directory(home, storage), storage,
      try AccountStorage(storage.database, onFailure: setup.onFailure), key, LongPollHub(), setup)
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

  // MARK: Defaults

  /// Creates the default container if it does not exist.
  private func createContainer() async throws {
    guard try await !service.containers().contains(Self.container) else { return }
    try await service.addContainer(Self.container, schema: Self.bundledSchema())
  }

  private static func firstApp() throws -> APITokenTerms {
    try APITokenTerms(label: firstAppLabel, container: container)
  }

  /// The schema of the Quran reader, which is compiled into the program.
  static func bundledSchema() throws(SchemaSyntaxError) -> Schema {
    let text = UnsafeBufferPointer(start: quranvi_schema, count: quranvi_schema_size)
    return try Schema(parsing: String(decoding: text, as: UTF8.self))
  }

  /// Closes the file of the database after its running transactions have ended. If no other process
  /// has the file open, the WAL is moved into it. Does nothing for a PostgreSQL database.
  func close() throws {
    if case .directory(_, let storage) = place { try storage.close() }
  }

  /// Checks that a data directory has a service: a database and its key. A new key is not created
  /// automatically, because it could not decrypt the existing encrypted fields.
  static func requireFiles(_ home: ServiceHome) throws(ServiceCommandFailure) {
    guard home.isThere else {
      throw ServiceCommandFailure(.refused, CommandMessages.noService(in: home.directory))
    }
    guard access(home.key, F_OK) == 0 else {
      throw ServiceCommandFailure(.badData, CommandMessages.missingKey(home.key))
    }
  }

  /// The current time in milliseconds since 1970, UTC.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  private static func containerID(_ name: String) -> ContainerID {
    guard let container = ContainerID(name) else { preconditionFailure("no container: \(name)") }
    return container
  }
}
