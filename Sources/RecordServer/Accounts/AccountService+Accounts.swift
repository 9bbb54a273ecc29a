extension AccountService {
  /// Returns all accounts, sorted by name.
  public func accounts() async throws(StorageFailure) -> [Account] {
    try await storage.accounts()
  }

  /// Returns the account with a name as the user typed it; nil if there is none.
  public func account(named name: String) async throws(StorageFailure) -> Account? {
    guard let name = try? AccountName(name) else { return nil }
    return try await storage.account(named: name)?.account
  }

  /// Returns how many records and bytes an account has in all containers.
  ///
  /// - Throws: what `AccountDataAccess.usage` throws.
  public func usage(of account: Account) async throws -> Usage {
    try await accountData.usage(account)
  }

  // MARK: Creating accounts

  /// Creates an account for the operator, without an invitation.
  public func addAccount(
    name: String, password: String
  ) async throws(RegistrationFailure) -> Account {
    let (name, password) = try Self.check(name: name, password: password)
    return try await insert(name, password, invitation: nil)
  }

  /// Creates an account for a user.
  ///
  /// - Parameters:
  ///   - invitation: the invitation code as the user typed it; ignored if registration is open to
  ///     everyone.
  ///   - address: the client's address, whose attempts to guess a code are limited.
  public func register(
    name: String, password: String, invitation: String?, address: ClientAddress
  ) async throws(RegistrationFailure) -> Account {
    let code: SecretHash?
    switch options.registration {
    case .closed: throw .closed
    case .open: code = nil
    case .invitation: code = try await checkInvitation(invitation, address: address)
    }
    // Check the name after the invitation: only invited users can find out which names are taken.
    let (name, password) = try Self.check(name: name, password: password)
    return try await insert(name, password, invitation: code)
  }

  /// Checks that an invitation can be used now.
  ///
  /// - Returns: the hash of its code.
  private func checkInvitation(
    _ invitation: String?, address: ClientAddress
  ) async throws(RegistrationFailure) -> SecretHash {
    guard let invitation, invitation.contains(where: { !$0.isWhitespace }) else {
      throw .invitationNeeded
    }
    let attempt: SignInGuard.Attempt
    do { attempt = try await beginAttempt(on: nil, from: address) } catch {
      guard let error = error as? SignInGuard.TooManyAttempts else {
        throw .unavailable(StorageFailure(error))
      }
      throw .tooManyAttempts(retryAfter: error.seconds)
    }
    let code = InvitationCode.canonical(invitation).map(SecretHash.init(of:))
    let found: Invitation?
    do {
      found = if let code { try await storage.invitation(code, at: now()) } else { nil }
    } catch {
      await endAttempt(attempt, .undecided)
      throw .unavailable(error)
    }
    await endAttempt(attempt, found == nil ? .failed : .succeeded)
    guard let code, found != nil else { throw .invitationUnusable }
    return code
  }

  private static func check(
    name: String, password: String
  ) throws(RegistrationFailure) -> (AccountName, Password) {
    let checkedName: AccountName
    do { checkedName = try AccountName(name) } catch { throw .name(error) }
    do { return (checkedName, try Password(choosing: password)) } catch { throw .password(error) }
  }

  private func insert(
    _ name: AccountName, _ password: Password, invitation: SecretHash?
  ) async throws(RegistrationFailure) -> Account {
    guard let hash = await hash(password) else { throw .busy(retryAfter: Self.busySeconds) }
    let account = NewAccount(name: name, password: hash, seed: random(16), createdAt: now())
    let insertion: AccountInsertion
    do { insertion = try await storage.insert(account, invitation: invitation) } catch {
      throw .unavailable(error)
    }
    switch insertion {
    case .inserted(let account): return account
    case .nameTaken: throw .nameTaken
    case .invitationUnusable: throw .invitationUnusable
    }
  }

  // MARK: Passwords

  /// The time after which a client can try again if the hashing queue is full, in seconds.
  static let busySeconds: Double = 2

  /// Gives an account a new password and ends its sessions.
  ///
  /// - Returns: false if the account does not exist.
  public func resetPassword(
    of account: Account, to password: String
  ) async throws(RegistrationFailure) -> Bool {
    let chosen: Password
    do { chosen = try Password(choosing: password) } catch { throw .password(error) }
    guard let hash = await hash(chosen) else { throw .busy(retryAfter: Self.busySeconds) }
    do { return try await storage.setPassword(hash, ofAccount: account.id) } catch {
      throw .unavailable(error)
    }
  }

  /// Hashes a new password.
  ///
  /// - Returns: nil if the hashing queue is full or there is not enough memory.
  private func hash(_ password: Password) async -> PasswordHash? {
    let salt = random(16)
    guard let key = await derive(password.bytes, salt, .standard, for: .stranger) else {
      return nil
    }
    return PasswordHash(cost: .standard, salt: salt, key: key)
  }

  /// Derives a key on the hashing queue.
  ///
  /// - Returns: nil if the queue is full or there is not enough memory.
  func derive(
    _ password: [UInt8], _ salt: [UInt8], _ cost: ScryptCost, for client: HashingQueue.Client
  ) async -> [UInt8]? {
    let derive = hasher.derive
    do {
      return try await hashingQueue.run(for: client) { try? derive(password, salt, cost) }
    } catch {
      return nil
    }
  }

  // MARK: Deleting accounts

  /// Deletes an account and all its data. Its sessions end immediately. If the rest fails or the
  /// process ends, `resumeRemovals` continues the deletion.
  ///
  /// - Returns: false if the account does not exist.
  /// - Throws: `StorageFailure`, or what `AccountDataAccess.erase` throws.
  public func remove(_ account: Account) async throws -> Bool {
    guard try await storage.beginRemoval(ofAccount: account.id, at: now()) else { return false }
    try await erase(account)
    return true
  }

  /// Continues deletions of accounts that were interrupted.
  ///
  /// - Returns: how many accounts were deleted.
  /// - Throws: as `remove`.
  @discardableResult
  public func resumeRemovals() async throws -> Int {
    let accounts = try await storage.removals()
    for account in accounts { try await erase(account) }
    return accounts.count
  }

  private func erase(_ account: Account) async throws {
    try await accountData.erase(account)
    try await storage.finishRemoval(ofAccount: account.id)
  }
}
