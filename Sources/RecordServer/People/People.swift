/// Who may do what here: accounts, sign-in, sessions and the API tokens of apps.
///
///     let people = People(storage: storage, key: key, now: now, random: random)
///     let request = try await people.begin(apiToken: token)
///     let account = try await people.verify(name: name, password: password, address: address)
///     switch try await people.complete(request, as: account, for: .long) { … }
///
/// Its parts stand in extensions, a file for each.
public struct People: Sendable {
  let storage: any PeopleStorage
  let key: ServerKey
  let hasher: PasswordHasher
  let hashingQueue = HashingQueue()
  let signIns = SignInGuard()
  /// Milliseconds since 1970, UTC.
  let now: @Sendable () -> Int64
  /// So many bytes that nobody can foresee.
  let random: @Sendable (Int) -> [UInt8]
  let options: Options
  let accountData: AccountData
  /// What a password is compared with where there is no account: as much work, and in vain.
  let nobody: PasswordHash

  /// - Parameters:
  ///   - now: milliseconds since 1970, UTC.
  ///   - random: so many bytes that nobody can foresee.
  ///   - accountData: what accounts have elsewhere.
  public init(
    storage: any PeopleStorage, key: ServerKey, hasher: PasswordHasher = .scrypt,
    now: @escaping @Sendable () -> Int64, random: @escaping @Sendable (Int) -> [UInt8],
    options: Options = Options(), accountData: AccountData = .none
  ) {
    self.storage = storage
    self.key = key
    self.hasher = hasher
    self.now = now
    self.random = random
    self.options = options
    self.accountData = accountData
    nobody = PasswordHash(cost: .standard, salt: random(16), key: random(ScryptCost.keyLength))
  }

  public struct Options: Hashable, Sendable {
    public var registration: Registration
    /// How many sessions an account may have; those unused for longest go.
    public var sessionsPerAccount = 100
    /// Milliseconds a form is good for.
    public var formLifetime: Int64 = 20 * 60_000

    public init(registration: Registration = .invitation) {
      self.registration = registration
    }
  }

  /// Who may make an account of their own. The operator always may: see `addAccount`.
  public enum Registration: String, Hashable, Sendable {
    /// Anyone: for a server that only its own machine reaches.
    case open
    /// Who has an invitation.
    case invitation
    case closed
  }

  /// What accounts have that is kept elsewhere: their records.
  public struct AccountData: Sendable {
    /// How much an account has.
    public var usage: @Sendable (Account) async throws -> Usage
    /// Takes everything away that an account has. It may be called again after it was done,
    /// or half done.
    public var erase: @Sendable (Account) async throws -> Void

    public init(
      usage: @escaping @Sendable (Account) async throws -> Usage,
      erase: @escaping @Sendable (Account) async throws -> Void
    ) {
      self.usage = usage
      self.erase = erase
    }

    public static let none = Self(usage: { _ in Usage() }, erase: { _ in })
  }

  /// Takes away what is over: sessions and invitations. To be called now and then.
  public func tidy() async throws(StorageFailure) {
    try await storage.removeExpired(at: now())
  }
}
