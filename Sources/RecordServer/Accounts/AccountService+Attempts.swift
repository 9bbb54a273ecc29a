/// Attempts to guess passwords and invitation codes, counted by all processes that share a
/// database.
///
/// Each process by itself limits the attempts on an account that run at the same time, because each
/// has its own hashing queue.
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

  /// Stores the outcome of an attempt, even if the client no longer waits. If storing fails, the
  /// attempt counts as failed.
  private func settle(_ attempt: SignInGuard.Attempt, _ outcome: SignInGuard.Outcome) async {
    let now = now()
    await Task { [storage] in
      try? await storage.changeSignIns(attempt.account, attempt.address, lastUse: nil) { state in
        state.end(attempt, outcome, at: now)
      }
    }.value
  }
}
