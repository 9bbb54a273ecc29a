import NIOConcurrencyHelpers

/// Limits the attempts to guess passwords and invitation codes, for each account and each address.
///
/// The failures are held in memory: a restart resets them, and each process counts its own.
final class SignInGuard: Sendable {
  /// The back-off of an address that tries many accounts or codes.
  static let perAddress = BackOff.Policy(
    free: 10, first: 1000, longest: 15 * 60_000, forgiveness: 10 * 60_000)
  /// The back-off of an account that many addresses try. It also delays the owner of the account,
  /// so its longest wait is only a minute.
  static let perAccount = BackOff.Policy(
    free: 5, first: 1000, longest: 60_000, forgiveness: 10 * 60_000)

  private struct State: Sendable {
    var addresses: BoundedDictionary<ClientAddress, BackOff>
    var accounts: BoundedDictionary<String, BackOff>

    mutating func takeBack(account: String?, address: ClientAddress) {
      addresses.change(address) { $0.takeBack() }
      if let account { accounts.change(account) { $0.takeBack() } }
    }
  }

  private let state: NIOLockedValueBox<State>

  init(limit: Int = 100_000) {
    state = NIOLockedValueBox(
      State(addresses: BoundedDictionary(limit: limit), accounts: BoundedDictionary(limit: limit)))
  }

  /// Begins an attempt. It counts as failed until `succeed` or `takeBack` is called, so that
  /// attempts at the same time cannot avoid the limit.
  ///
  /// - Parameters:
  ///   - account: the account's name, whether or not the account exists; nil if the attempt is not
  ///     about an account.
  ///   - address: the address of the client.
  ///   - now: the current time in milliseconds since 1970, UTC.
  /// - Returns: nil if the attempt is allowed; otherwise the seconds to wait, and then nothing was
  ///   counted.
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

  /// Reports that the attempt has succeeded. All failures of the account are forgotten, but for the
  /// address only this attempt no longer counts as a failure: otherwise a user with one account
  /// could try the passwords of all others without a limit.
  func succeed(account: String?, address: ClientAddress) {
    state.withLockedValue { state in
      state.takeBack(account: nil, address: address)
      if let account { state.accounts.remove(account) }
    }
  }

  /// Reports that the attempt has neither failed nor succeeded, for example because the storage
  /// failed.
  func takeBack(account: String?, address: ClientAddress) {
    state.withLockedValue { $0.takeBack(account: account, address: address) }
  }
}
