/// Attempts to guess passwords and invitation codes, counted by all processes that share a database.
///
/// How many attempts on an account run at the same time is limited by each process alone, because
/// each has a hashing queue of its own.
extension AccountService {
  /// Begins an attempt, which `endAttempt` has to end. See `SignInGuard.begin`.
  ///
  /// - Throws: `SignInGuard.TooManyAttempts`, or a `StorageFailure`.
  func beginAttempt(
    on account: String?, from address: ClientAddress
  ) async throws -> SignInGuard.Attempt {
    let now = now()
    guard storage.isShared else {
      return try signInGuard.begin(account: account, address: address, at: now)
    }
    let lastUse = account.flatMap { signInGuard.lastUse(of: $0, from: address) }
    let attempt = try await storage.changeSignIns(account, address, lastUse: lastUse) { state in
      Result { try state.begin(account, address, at: now) }
    }.get()
    do {
      try signInGuard.admit(attempt)
    } catch {
      await settle(attempt, .undecided)
      throw error
    }
    return attempt
  }

  /// Ends an attempt.
  func endAttempt(_ attempt: SignInGuard.Attempt, _ outcome: SignInGuard.Outcome) async {
    guard storage.isShared else { return signInGuard.end(attempt, outcome, at: now()) }
    signInGuard.release(attempt)
    // A failure was counted at the beginning.
    if outcome != .failed { await settle(attempt, outcome) }
  }

  /// Stores the outcome of an attempt, also if the client no longer waits. If that fails, the attempt
  /// counts as failed.
  private func settle(_ attempt: SignInGuard.Attempt, _ outcome: SignInGuard.Outcome) async {
    let now = now()
    await Task { [storage] in
      try? await storage.changeSignIns(attempt.account, attempt.address, lastUse: nil) { state in
        state.end(attempt, outcome, at: now)
      }
    }.value
  }
}
