import NIOConcurrencyHelpers

/// Limits the attempts to guess passwords and invitation codes.
///
/// - Wrong passwords are counted for an account and an address together, so that guesses from
///   elsewhere never lock an account's owner out.
/// - An address that tries many accounts or codes has to wait as well.
/// - If many addresses try an account, attempts from unknown addresses are delayed. Only some of
///   them are delayed at the same time and the others are refused, which limits the guesses to
///   about one per second.
///
/// The last two limits do not apply to an address from which the account was used before.
///
/// The counts are held in memory, and a restart resets them. Processes that share a database count
/// failures in the database; see `AccountService.beginAttempt`.
final class SignInGuard: Sendable {
  /// The back-off of an account and an address together.
  static let perPair = BackOff.Policy(
    free: 5, first: 1000, longest: 60_000, forgiveness: 10 * 60_000)
  /// The back-off of an address that tries many accounts or codes.
  static let perAddress = BackOff.Policy(
    free: 10, first: 1000, longest: 15 * 60_000, forgiveness: 10 * 60_000)
  /// The delay of an account that many addresses try.
  static let perAccount = BackOff.Policy(
    free: 20, first: 500, longest: 8000, forgiveness: 60_000)
  /// The maximum number of attempts on an account that are delayed at the same time.
  static let delayedPerAccount = 8
  /// The maximum number of attempts on an account from its known addresses at the same time, so
  /// that one account cannot occupy the hashing queue.
  static let knownPerAccount = 4
  /// The time for which an address stays known without use, in milliseconds: 90 days.
  static let knownFor: Int64 = 90 * 86_400_000

  struct Pair: Hashable, Sendable {
    let account: String
    let address: ClientAddress
  }

  /// An attempt that was begun.
  struct Attempt: Sendable {
    let account: String?
    let address: ClientAddress
    /// Whether the account was used from the address before.
    let isKnown: Bool
    /// The time to wait before the attempt is carried out, in milliseconds; 0 for none.
    let delay: Int64
    /// The failures that were counted for the account and the address together, for the address,
    /// and for the account; nil for those that were not.
    fileprivate(set) var pairFailure: BackOff.Failure?
    fileprivate(set) var addressFailure: BackOff.Failure?
    fileprivate(set) var accountFailure: BackOff.Failure?
  }

  /// The reason why an attempt is not carried out.
  struct TooManyAttempts: Error, Hashable {
    /// The time after which it can be repeated.
    let seconds: Double
  }

  /// How an attempt ended.
  enum Outcome: Sendable {
    case succeeded, failed
    /// The attempt has neither failed nor succeeded, for example because the storage failed.
    case undecided
  }

  struct State: Sendable {
    var pairs: BoundedDictionary<Pair, BackOff>
    var addresses: BoundedDictionary<ClientAddress, BackOff>
    var accounts: BoundedDictionary<String, BackOff>
    /// The times at which accounts were last used from their known addresses.
    var known: BoundedDictionary<Pair, Int64>
    /// For each account, the number of delayed attempts that have not ended; none for zero.
    var delayed: [String: Int] = [:]
    /// For each account, the number of attempts from known addresses that have not ended; none for
    /// zero.
    var knownAttempts: [String: Int] = [:]

    init(limit: Int) {
      pairs = BoundedDictionary(limit: limit)
      addresses = BoundedDictionary(limit: limit)
      accounts = BoundedDictionary(limit: limit)
      known = BoundedDictionary(limit: limit)
    }
  }

  private let state: NIOLockedValueBox<State>

  init(limit: Int = 100_000) {
    state = NIOLockedValueBox(State(limit: limit))
  }

  /// Begins an attempt, which `end` has to end. Until then it counts as failed, so that attempts at
  /// the same time cannot avoid the limits. After many failures, an attempt beside a running one is
  /// therefore told to wait, even with the right password; it must not be carried out either, or
  /// passwords could be tried at the same time.
  ///
  /// - Parameters:
  ///   - account: the account's name, whether or not the account exists; nil if the attempt is not
  ///     about an account.
  ///   - address: the address of the client.
  ///   - now: the current time in milliseconds since 1970, UTC.
  /// - Throws: `TooManyAttempts`; then nothing was counted.
  func begin(account: String?, address: ClientAddress, at now: Int64) throws -> Attempt {
    try state.withLockedValue { try $0.begin(account, address, at: now) }
  }

  /// Ends an attempt.
  func end(_ attempt: Attempt, _ outcome: Outcome, at now: Int64) {
    state.withLockedValue { $0.end(attempt, outcome, at: now) }
  }

  /// Begins an attempt whose failure is counted in the database. Only the number of attempts that
  /// run at the same time is limited here.
  ///
  /// - Throws: `TooManyAttempts`; then nothing has begun.
  func admit(_ attempt: Attempt) throws {
    try state.withLockedValue { try $0.admit(attempt) }
  }

  /// Ends an attempt that was begun with `admit`.
  func release(_ attempt: Attempt) { state.withLockedValue { $0.release(attempt) } }

  /// Returns the time at which an account was last used from an address, in milliseconds since
  /// 1970, UTC; nil if it is not known.
  func lastUse(of account: String, from address: ClientAddress) -> Int64? {
    state.withLockedValue { $0.known[Pair(account: account, address: address)] }
  }

  /// Reports that a signed-in user uses an account from an address, which is known from then on.
  func use(account: String, address: ClientAddress, at now: Int64) {
    state.withLockedValue { $0.rememberAddress(Pair(account: account, address: address), at: now) }
  }
}

extension SignInGuard.State {
  mutating func begin(
    _ account: String?, _ address: ClientAddress, at now: Int64
  ) throws(SignInGuard.TooManyAttempts) -> SignInGuard.Attempt {
    let pair = account.map { SignInGuard.Pair(account: $0, address: address) }
    let isKnown = pair.flatMap { known[$0] }.map { now - $0 < SignInGuard.knownFor } ?? false
    let waits = [
      pair.flatMap { pairs[$0]?.wait(SignInGuard.perPair, at: now) },
      isKnown ? nil : addresses[address]?.wait(SignInGuard.perAddress, at: now),
    ]
    if let wait = waits.compactMap(\.self).max() { throw .init(seconds: Double(wait) / 1000) }
    let delay =
      isKnown ? nil : account.flatMap { accounts[$0]?.wait(SignInGuard.perAccount, at: now) }
    var attempt = SignInGuard.Attempt(
      account: account, address: address, isKnown: isKnown, delay: delay ?? 0)
    try admit(attempt)
    if let pair { attempt.pairFailure = pairs.fail(pair, SignInGuard.perPair, at: now) }
    if !isKnown {
      attempt.addressFailure = addresses.fail(address, SignInGuard.perAddress, at: now)
      if let account {
        attempt.accountFailure = accounts.fail(account, SignInGuard.perAccount, at: now)
      }
    }
    return attempt
  }

  /// Adds an attempt to those that run at the same time.
  ///
  /// - Throws: `TooManyAttempts` if the account already has the maximum number of them.
  fileprivate mutating func admit(
    _ attempt: SignInGuard.Attempt
  ) throws(SignInGuard.TooManyAttempts) {
    guard let account = attempt.account else { return }
    if attempt.isKnown {
      guard knownAttempts[account, default: 0] < SignInGuard.knownPerAccount else {
        throw .init(seconds: 1)
      }
      knownAttempts[account, default: 0] += 1
    } else if attempt.delay > 0 {
      guard delayed[account, default: 0] < SignInGuard.delayedPerAccount else {
        throw .init(seconds: Double(attempt.delay) / 1000)
      }
      delayed[account, default: 0] += 1
    }
  }

  fileprivate mutating func release(_ attempt: SignInGuard.Attempt) {
    guard let account = attempt.account else { return }
    if attempt.isKnown { knownAttempts.decrement(account) }
    if attempt.delay > 0 { delayed.decrement(account) }
  }

  mutating func end(
    _ attempt: SignInGuard.Attempt, _ outcome: SignInGuard.Outcome, at now: Int64
  ) {
    release(attempt)
    guard outcome != .failed else { return }
    // Take back only this attempt for the address and the account: otherwise a user with one
    // account could try the passwords of all others, and every sign-in of the owner would end the
    // delay for unknown addresses.
    addresses.takeBack(attempt.addressFailure, of: attempt.address)
    guard let account = attempt.account else { return }
    accounts.takeBack(attempt.accountFailure, of: account)
    let pair = SignInGuard.Pair(account: account, address: attempt.address)
    guard outcome == .succeeded else { return pairs.takeBack(attempt.pairFailure, of: pair) }
    pairs[pair] = nil
    rememberAddress(pair, at: now)
  }

  /// Remembers that an account was used from an address.
  mutating func rememberAddress(_ pair: SignInGuard.Pair, at now: Int64) {
    known.update(
      pair, new: now, isSpent: { now - $0 >= SignInGuard.knownFor }, { $0 = now })
  }
}

extension BoundedDictionary where Value == BackOff {
  /// Counts a failure of a key.
  fileprivate mutating func fail(
    _ key: Key, _ policy: BackOff.Policy, at now: Int64
  ) -> BackOff.Failure {
    update(
      key, new: BackOff(at: now), isSpent: { $0.isSpent(policy, at: now) },
      { $0.fail(policy, at: now) })
  }

  /// Takes back a failure of a key if it was counted.
  fileprivate mutating func takeBack(_ failure: BackOff.Failure?, of key: Key) {
    guard let failure else { return }
    self[key]?.takeBack(failure)
  }
}

extension [String: Int] {
  fileprivate mutating func decrement(_ key: String) {
    let count = self[key, default: 0] - 1
    self[key] = count > 0 ? count : nil
  }
}
