/// The accounts of a service: sign-in, sessions, invitations, push channels, the API tokens of apps
/// and the server-to-server keys of programs.
///
///     let accountService = AccountService(storage: storage, key: key, now: now, random: random)
///     let request = try await accountService.beginSignIn(apiToken: token)
///     let account = try await accountService.verify(
///       name: name, password: password, address: address)
///     switch try await accountService.completeSignIn(request, as: account, for: .long) { … }
///
/// Each part is an extension in its own file.
public struct AccountService: Sendable {
  let storage: AccountStorage
  let key: ServerKey
  let hasher: PasswordHasher
  let hashingQueue = HashingQueue()
  let signInGuard = SignInGuard()
  let usedSignatures = UsedSignatures()
  let now: @Sendable () -> Int64
  let random: @Sendable (Int) -> [UInt8]
  let pause: @Sendable (Duration) async throws -> Void
  let options: Options
  let accountData: AccountDataAccess
  /// The hash with which a password is compared if the account does not exist, so that the
  /// comparison takes the same time. No password matches it.
  let dummyHash: PasswordHash

  /// Creates the service of the accounts in a storage.
  ///
  /// - Parameters:
  ///   - key: the key from which tokens and signatures of forms are derived.
  ///   - hasher: derives keys from passwords.
  ///   - now: returns the current time in milliseconds since 1970, UTC.
  ///   - random: returns the given number of cryptographically secure random bytes.
  ///   - pause: waits before a password is verified if clients from unknown addresses try its
  ///     account often; tests replace it.
  ///   - accountData: gives access to the accounts' data that is stored elsewhere.
  public init(
    storage: AccountStorage, key: ServerKey, hasher: PasswordHasher = .scrypt,
    now: @escaping @Sendable () -> Int64, random: @escaping @Sendable (Int) -> [UInt8],
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    options: Options = Options(), accountData: AccountDataAccess = .none
  ) {
    self.storage = storage
    self.key = key
    self.hasher = hasher
    self.now = now
    self.random = random
    self.pause = pause
    self.options = options
    self.accountData = accountData
    dummyHash = PasswordHash(cost: .standard, salt: random(16), key: random(ScryptCost.keyLength))
  }

  /// The configuration of an account service.
  public struct Options: Hashable, Sendable {
    /// Who can register an account.
    public var registration: Registration
    /// The maximum number of sessions of an account. When the limit is reached, a new session
    /// replaces the one that has been unused for the longest time.
    public var sessionsPerAccount = 100
    /// The time in which a form can be submitted, in milliseconds.
    public var formLifetime: Int64 = 20 * 60_000

    public init(registration: Registration = .invitation) {
      self.registration = registration
    }
  }

  /// The users who can create their own account. The operator can always create accounts with
  /// `addAccount`.
  public enum Registration: String, Hashable, Sendable {
    /// Everyone can register. This is for a server that only its own machine can reach.
    case open
    /// Users with an invitation can register.
    case invitation
    /// Only the operator creates accounts.
    case closed
  }

  /// Closures that give access to the accounts' records, which are stored separately.
  public struct AccountDataAccess: Sendable {
    /// Returns how many records and bytes an account has.
    public var usage: @Sendable (Account) async throws -> Usage
    /// Deletes all data of an account. It can be called again after it has succeeded or was
    /// interrupted.
    public var erase: @Sendable (Account) async throws -> Void

    public init(
      usage: @escaping @Sendable (Account) async throws -> Usage,
      erase: @escaping @Sendable (Account) async throws -> Void
    ) {
      self.usage = usage
      self.erase = erase
    }

    /// Accounts without records.
    public static let none = Self(usage: { _ in Usage() }, erase: { _ in })
  }

  /// Deletes sessions that expired more than a day ago, expired invitations, unused push channels
  /// and old counts of failed sign-ins. Call it regularly.
  public func removeExpired() async throws(StorageFailure) {
    try await storage.removeExpired(at: now())
  }
}
