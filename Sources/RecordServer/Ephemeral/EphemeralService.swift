public import CloudRecords
import Crypto
import FoundationEssentials
import NIOConcurrencyHelpers

/// A record service in memory with one container, for the tests of apps.
///
/// It has the storage, the rules and the errors of the other services, and what only tests need:
/// users who are signed in, snapshots to return to, records from JSON, and faults on demand.
///
///     var setup = EphemeralService.Setup()
///     setup.schema = try Schema(parsing: text)
///     let ephemeral = try await EphemeralService(setup)
///     try await WebServer(ephemeral: ephemeral).run { url in … }
public final class EphemeralService: Sendable {
  /// What a service has when it starts.
  public struct Setup: Sendable {
    /// The container that is served.
    public var container = EphemeralService.defaultContainer
    /// The schema of the container in development and in production.
    public var schema = Schema()
    /// Whether default zones have a change feed; nil for the default: true for the container of the
    /// Quran reader, otherwise false, as in CloudKit.
    public var hasDefaultZoneFeed: Bool?
    /// The names of the users who are signed in at the start.
    public var users = ["an", "binh"]
    /// The limits of the service.
    public var options = ServiceOptions()
    /// Returns the current time in milliseconds since 1970, UTC.
    public var now: @Sendable () -> Int64 = {
      Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }
    /// Waits for the delay of a fault.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    public init() {}
  }

  /// A user who is signed in.
  public struct User: Codable, Hashable, Sendable {
    /// The name of the account.
    public let name: String
    /// The password of the account, for the sign-in page.
    public let password: String
    /// The record name of the user in the container.
    public let userRecordName: String
    /// The web auth token of a session of this user.
    public let webAuthToken: String
  }

  /// What a client needs to know of the service.
  public struct Description: Codable, Hashable, Sendable {
    /// The URL of the service, without a path.
    public let url: String
    /// The name of the container.
    public let container: String
    /// The API token of the app.
    public let apiToken: String
    /// The users who have been signed in since the start.
    public let users: [User]
  }

  /// The container of a setup that names none.
  public static let defaultContainer = literal("iCloud.test")
  /// The password of all users.
  public static let password = "ephemeral-password"
  /// The maximum number of snapshots. Each is a copy of everything that is stored.
  public static let snapshotLimit = 100
  /// The maximum length of a snapshot's name in bytes.
  public static let snapshotNameLimit = 100

  /// The container that is served.
  public let container: ContainerID
  /// The API token of the app, valid in both environments.
  public let apiToken: String
  /// The users who have been signed in since the start.
  public let users: [User]
  /// What goes wrong with the next requests.
  public let faults: FaultInjector
  /// The service of the records.
  public let service: RecordService
  let accountService: AccountService
  let push: LongPollHub
  let sleep: @Sendable (Duration) async throws -> Void
  private let apiTokenID: APIToken.ID
  private let storage: SQLiteRecordStorage
  private let snapshots: Snapshots
  /// Runs the operations that replace or add users and records one after the other: the service is
  /// not reset, and no snapshot is restored, while another of them runs.
  let controls = TaskQueue()
  private let recordedUsage: NIOLockedValueBox<SchemaUsage>

  /// Creates a service with its container and its users.
  ///
  /// - Throws: `RegistrationFailure` if the name of a user cannot be used, or two users have the
  ///   same name; otherwise what the storage throws.
  public init(_ setup: Setup = Setup()) async throws {
    let push = LongPollHub()
    var options = setup.options
    let onFirings = options.onFirings
    options.onFirings = { await push.deliver($0) + onFirings($0) }
    options.onNotificationLoss = { push.report([$0]) }
    let recordedUsage = NIOLockedValueBox(SchemaUsage())
    let onSchemaUsage = options.onSchemaUsage
    options.onSchemaUsage = { usage in
      recordedUsage.withLockedValue { $0.merge(usage) }
      onSchemaUsage?(usage)
    }
    let key = ServerKey(bytes: ServerKey.randomBytes(ServerKey.length))
    let storage = try SQLiteRecordStorage(inMemory: nil)
    let service = RecordService(
      storage: storage, signer: TokenSigner(secret: Data(key.secret(for: "tokens"))),
      now: setup.now, options: options)
    let accountService = AccountService(
      storage: try AccountStorage(storage.database), key: key, hasher: Self.hasher,
      now: setup.now, random: ServerKey.randomBytes,
      options: AccountService.Options(registration: .open),
      accountData: AccountService.AccountDataAccess(
        usage: { try await service.usage(of: $0.id) },
        erase: { try await service.deleteOwner(account: $0.id) }))
    try await service.addContainer(
      setup.container, schema: setup.schema, hasDefaultZoneFeed: setup.hasDefaultZoneFeed)
    let (token, secret) = try await accountService.createAPIToken(
      APITokenTerms(label: "ephemeral", container: setup.container))
    var users: [User] = []
    for name in setup.users {
      guard try await accountService.account(named: name) == nil else {
        throw RegistrationFailure.nameTaken
      }
      users.append(
        try await Self.signIn(name, accountService, apiTokenID: token.id, setup.container))
    }
    container = setup.container
    apiToken = secret
    self.users = users
    faults = FaultInjector()
    self.service = service
    self.accountService = accountService
    self.push = push
    sleep = setup.sleep
    apiTokenID = token.id
    self.storage = storage
    snapshots = try Snapshots(startingWith: storage.database)
    self.recordedUsage = recordedUsage
  }

  /// What a client needs to know of the service.
  ///
  /// - Parameter url: the URL at which a `WebServer` serves it.
  public func description(at url: String) -> Description {
    Description(url: url, container: container.name, apiToken: apiToken, users: users)
  }

  /// What requests have used of the schema of the development environment since the service was
  /// created. Resets and restored snapshots do not change it, so that it covers all tests of a
  /// suite.
  public var schemaUsage: SchemaUsage { recordedUsage.withLockedValue { $0 } }

  // MARK: Users

  /// Signs a user in with a new session, as on another device. The account is created if it does
  /// not exist.
  ///
  /// - Throws: `RegistrationFailure` if the name cannot be used, `SignInFailure`.
  public func signIn(_ name: String) async throws -> User {
    try await controls.run { [accountService, apiTokenID, container] in
      try await Self.signIn(name, accountService, apiTokenID: apiTokenID, container)
    }
  }

  private static func signIn(
    _ name: String, _ accountService: AccountService, apiTokenID: APIToken.ID,
    _ container: ContainerID
  ) async throws -> User {
    let known = try await accountService.account(named: name)
    let account =
      if let known { known } else {
        try await accountService.addAccount(name: name, password: password)
      }
    return User(
      name: account.name, password: password,
      userRecordName: account.userRecordName(in: container),
      webAuthToken: try await accountService.signIn(account, apiTokenID: apiTokenID))
  }

  /// Returns a user of this service as the caller of `service`.
  ///
  /// - Throws: `EphemeralFailure.unknownUser`, `StorageFailure`.
  func caller(_ name: String) async throws -> Caller {
    guard let account = try await accountService.account(named: name) else {
      throw EphemeralFailure.unknownUser(name)
    }
    return Caller(
      account: account.id,
      userRecordName: account.userRecordName(in: container),
      // Not the session of a client, so that all clients are notified of the change.
      session: "seed")
  }

  // MARK: Snapshots

  /// Returns to the state of the start: without records, with the schema, the API token and the
  /// users that the service had then. All sync tokens expire, and all snapshots and faults are
  /// removed. The web auth tokens of the start stay valid, and `schemaUsage` is kept.
  public func reset() async throws {
    try await controls.run { [self] in
      faults.removeAll()
      try snapshots.reset(storage.database)
      removePushChannels()
      for environment in ContainerEnvironment.allCases { try await expireSyncTokens(environment) }
    }
  }

  /// Stores a copy of everything that the service has stored: records, schemas, accounts and
  /// sessions.
  ///
  /// - Parameter name: 1 to 100 bytes, or nil for a new name. A snapshot of the same name is
  ///   replaced.
  /// - Returns: the name.
  /// - Throws: `EphemeralFailure.snapshotName` or `tooManySnapshots`.
  @discardableResult
  public func snapshot(_ name: String? = nil) throws -> String {
    try snapshots.add(name, of: storage.database)
  }

  /// Returns to a snapshot, which can be used again. What was stored after it is gone, without
  /// tombstones, as if the files of a service had been restored: sync tokens and change tags from
  /// after the snapshot are refused, those from before it are valid. Sessions that were begun after
  /// it end. Long polls are answered without a notification, and clients begin the next ones.
  /// Faults stay.
  ///
  /// - Throws: `EphemeralFailure.unknownSnapshot`.
  public func restore(_ name: String) async throws {
    try await controls.run { [self] in
      try snapshots.restore(name, to: storage.database)
      removePushChannels()
      // Work that was left unfinished in the snapshot.
      try await service.resume()
    }
  }

  /// Deletes the queues of all push channels after the state was replaced: in the new state, their
  /// numbers can belong to channels of other users. The channel of a client that polls again is
  /// looked up in the storage.
  private func removePushChannels() { push.remove(push.pushChannels.map(\.id)) }

  /// Expires all sync tokens of an environment, as a reset of its schema does.
  public func expireSyncTokens(_ environment: ContainerEnvironment) async throws {
    let container = container
    try await service.write { try $0.renewEpoch(of: container, environment) }
  }

  // MARK: Records

  /// Saves records as another device of a user would: the rules of the schema apply, and clients
  /// are notified. Records of the same names are replaced, and zones that do not exist are created.
  ///
  /// - Returns: the records as they were saved.
  /// - Throws: `EphemeralFailure.unknownUser`; the `ServiceError` of the first record that cannot
  ///   be saved, with its name. Other records may have been saved.
  @discardableResult
  public func seed(_ seed: Seed) async throws -> [Record] {
    try await controls.run { [self] in try await save(seed) }
  }

  private func save(_ seed: Seed) async throws -> [Record] {
    guard let name = seed.user ?? users.first?.name else { throw EphemeralFailure.noUser }
    let caller = try await caller(name)
    let address = DatabaseAddress(container, seed.environment, seed.database)
    if seed.database == .private {
      var zones = Set(seed.records.compactMap(\.zoneID).filter { !$0.isDefault })
      if let zone = seed.zoneID, !zone.isDefault { zones.insert(zone) }
      for zone in zones {
        let made = try await service.zonesModify(
          .init(operations: [.init(.create, zone)]), at: address, by: caller)
        _ = try made.zones.first?.get()
      }
    }
    var saved: [Record] = []
    var rest = seed.records[...]
    while !rest.isEmpty {
      let page = rest.prefix(Limits.operations)
      rest = rest.dropFirst(page.count)
      let response = try await service.modify(
        RecordsModify.Request(
          // Records without a name get one, as with `create`.
          operations: page.map { .init($0.recordName == nil ? .create : .forceReplace, $0) },
          zoneID: seed.zoneID),
        at: address, by: caller)
      // In a custom zone, one error makes all other records of the request fail.
      let errors = response.records.compactMap(\.error)
      if let error = errors.first(where: { $0.code != .atomicError }) ?? errors.first {
        throw error
      }
      saved += response.records.compactMap(\.record)
    }
    return saved
  }

  /// Returns records without a query, so that no index is needed: for what a test expects.
  ///
  /// - Parameters:
  ///   - user: the user in whose private database the records are; nil for the public database.
  ///   - type: the record type; nil for all types.
  ///   - zone: the name of the zone; nil for all zones.
  /// - Throws: `EphemeralFailure.unknownUser`; ZONE_NOT_FOUND if the zone does not exist; NOT_FOUND
  ///   if the type is not in the schema and has no records.
  public func records(
    of user: String?, _ environment: ContainerEnvironment = .development, type: String? = nil,
    zone: String? = nil
  ) async throws -> [Record] {
    var account: Account?
    if let user {
      account = try await accountService.account(named: user)
      guard account != nil else { throw EphemeralFailure.unknownUser(user) }
    }
    return try await service.records(
      RecordSelection(container, environment, of: account, zone: zone), type: type,
      limit: .max)
  }

  // MARK: Helpers

  /// Hashes passwords quickly: they are known to everybody.
  private static let hasher = PasswordHasher { password, salt, _ in
    Array(SHA256.hash(data: salt + password))
  }

  private static func literal(_ name: String) -> ContainerID {
    guard let container = ContainerID(name) else { preconditionFailure("no container: \(name)") }
    return container
  }
}
