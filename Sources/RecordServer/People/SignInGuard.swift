import NIOConcurrencyHelpers

/// Slows down who tries passwords or invitations: per account, and per address.
///
/// It is kept in memory: a restart forgets it, and each process of several has its own.
final class SignInGuard: Sendable {
  /// An address that tries many accounts, or codes.
  static let perAddress = BackOff.Policy(
    free: 10, first: 1000, longest: 15 * 60_000, forgiveness: 10 * 60_000)
  /// An account that many addresses try. Its owner has to wait as well, so it is never long.
  static let perAccount = BackOff.Policy(
    free: 5, first: 1000, longest: 60_000, forgiveness: 10 * 60_000)

  private struct State: Sendable {
    var addresses: Tally<ClientAddress, BackOff>
    var accounts: Tally<String, BackOff>

    mutating func takeBack(account: String?, address: ClientAddress) {
      addresses.change(address) { $0.takeBack() }
      if let account { accounts.change(account) { $0.takeBack() } }
    }
  }

  private let state: NIOLockedValueBox<State>

  init(limit: Int = 100_000) {
    state = NIOLockedValueBox(State(addresses: Tally(limit: limit), accounts: Tally(limit: limit)))
  }

  /// Lets an attempt go on, and counts it as failed until `succeed` or `takeBack` says
  /// otherwise: many at once shall not all go before the first has failed.
  ///
  /// - Parameters:
  ///   - account: whether there is one of that name makes no difference; nil where it is
  ///     about none.
  ///   - now: milliseconds since 1970, UTC.
  /// - Returns: nil for going on, else the seconds to wait; then nothing was counted.
  func begin(account: String?, address: ClientAddress, at now: Int64) -> Double? {
    state.withLockedValue { state in
      let waits = [
        state.addresses[address]?.wait(Self.perAddress, at: now),
        account.flatMap { state.accounts[$0]?.wait(Self.perAccount, at: now) },
      ]
      if let wait = waits.compactMap(\.self).max() { return Double(wait) / 1000 }
      state.addresses.update(
        address, new: BackOff(at: now), isSpent: { $0.isSpent(Self.perAddress, at: now) },
        { $0.fail(Self.perAddress, at: now) })
      if let account {
        state.accounts.update(
          account, new: BackOff(at: now), isSpent: { $0.isSpent(Self.perAccount, at: now) },
          { $0.fail(Self.perAccount, at: now) })
      }
      return nil
    }
  }

  /// The attempt was good: nothing is held against the account any more. The address has only
  /// this attempt taken back, or who has one account could try all others for nothing.
  func succeed(account: String?, address: ClientAddress) {
    state.withLockedValue { state in
      state.takeBack(account: nil, address: address)
      if let account { state.accounts.remove(account) }
    }
  }

  /// The attempt came to no decision.
  func takeBack(account: String?, address: ClientAddress) {
    state.withLockedValue { $0.takeBack(account: account, address: address) }
  }
}
