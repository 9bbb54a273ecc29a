import BundledSchema
import CloudRecords
import FoundationEssentials
import Glibc
import RecordServer

/// The service of a directory, its parts wired together.
struct OpenService: Sendable {
  let home: ServiceHome
  let storage: SQLiteRecordStorage
  let people: People
  let service: RecordService

  /// The container that is there from the first.
  static let container = literal(RecordService.quranContainer)
  /// What people are told the first app is called.
  static let firstAppLabel = "Quran-vi"

  /// Opens the service of a directory.
  ///
  /// - Parameters:
  ///   - onFailure: gets what goes wrong with the storage from then on.
  ///   - firstStart: whether what is missing is made: the directory, the database, the key, the
  ///     container of the Quran reader with its schema in both environments, and an API token
  ///     whose secret is in `home.apiToken`. Without it a directory without a database is refused.
  /// - Throws: `CommandFailure`, `ServerKeyFailure`, `StorageFailure`, `ServiceError`.
  static func open(
    _ home: ServiceHome, options: ServiceOptions = ServiceOptions(),
    people peopleOptions: People.Options = People.Options(),
    onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in }, firstStart: Bool
  ) async throws -> OpenService {
    if firstStart { try home.makeDirectory() }
    return try await home.exclusively {
      let opened = try parts(home, options, peopleOptions, onFailure, firstStart: firstStart)
      if firstStart { try await opened.makeFirstThings() }
      return opened
    }
  }

  private static func parts(
    _ home: ServiceHome, _ options: ServiceOptions, _ peopleOptions: People.Options,
    _ onFailure: @escaping @Sendable (StorageFailure) -> Void, firstStart: Bool
  ) throws -> OpenService {
    guard firstStart || home.isThere else {
      throw CommandFailure(
        .refused,
        "There is no record service in \(home.directory) yet; name its directory with --data, "
          + "or start one with `record-service serve`.")
    }
    guard !home.isThere || access(home.key, F_OK) == 0 else { throw missingKey(home) }
    // Before the database, so that there is none without a key.
    let key = try ServerKey.load(path: home.key) { randomBytes($0) }
    let storage = try database(home.database, onFailure)
    let service = RecordService(
      storage: storage, signer: TokenSigner(secret: Data(key.secret(for: "tokens"))),
      now: { now() }, options: options)
    let people = People(
      storage: try SQLitePeopleStorage(storage.database, onFailure: onFailure), key: key,
      now: { now() },
      random: { randomBytes($0) }, options: peopleOptions,
      accountData: People.AccountData(
        usage: { try await service.usage(of: $0.id) },
        erase: { try await service.deleteOwner(account: $0.id) }))
    return OpenService(home: home, storage: storage, people: people, service: service)
  }

  /// Opens the database, for up to a second again and again: the first look into the file does
  /// not wait for a process that is just closing it.
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

  private func makeFirstThings() async throws {
    if try await !service.containers().contains(Self.container) {
      let text = UnsafeBufferPointer(start: quranvi_schema, count: quranvi_schema_size)
      try await service.addContainer(
        Self.container, schema: Schema(parsing: String(decoding: text, as: UTF8.self)))
    }
    try await people.apiToken(
      APITokenTerms(label: Self.firstAppLabel, container: Self.container), secretIn: home.apiToken)
  }

  /// A new key in its place would silently give up every encrypted field.
  private static func missingKey(_ home: ServiceHome) -> CommandFailure {
    CommandFailure(
      .badData,
      """
      The key file \(home.key) is missing, though there is a database; put it back from your copy.
      If it is lost for good, make another: (umask 077; openssl rand -hex 32 > \(home.key))
      Encrypted fields cannot be read then, and everybody has to sign in again.
      """)
  }

  /// Milliseconds since 1970, UTC.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  private static func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  private static func literal(_ name: String) -> ContainerID {
    guard let container = ContainerID(name) else { preconditionFailure("no container: \(name)") }
    return container
  }
}
