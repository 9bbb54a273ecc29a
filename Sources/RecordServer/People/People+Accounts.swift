public import CloudRecords

extension People {
  /// By name.
  public func accounts() async throws(StorageFailure) -> [Account] {
    try await storage.accounts()
  }

  /// - Returns: nil where there is none of that name.
  public func account(named name: String) async throws(StorageFailure) -> Account? {
    guard let name = try? AccountName(name) else { return nil }
    return try await storage.account(named: name)?.account
  }

  /// How much an account has in all containers.
  ///
  /// - Throws: what `AccountData.usage` does.
  public func usage(of account: Account) async throws -> Usage {
    try await accountData.usage(account)
  }

  /// The user's name in a container: `_` and 32 hexadecimal digits, always the same there
  /// and another in each.
  public func userRecordName(of account: Account, in container: ContainerID) -> String {
    account.userRecordName(in: container)
  }

  // MARK: Making

  /// Makes an account for the operator, who needs no invitation.
  public func addAccount(
    name: String, password: String
  ) async throws(RegistrationFailure) -> Account {
    let (name, password) = try Self.check(name: name, password: password)
    return try await insert(name, password, invitation: nil)
  }

  /// Makes an account for someone who asks for one.
  ///
  /// - Parameter invitation: its code as typed; ignored where anyone may register.
  public func register(
    name: String, password: String, invitation: String?, address: ClientAddress
  ) async throws(RegistrationFailure) -> Account {
    let code: SecretHash?
    switch options.registration {
    case .closed: throw .closed
    case .open: code = nil
    case .invitation: code = try await usable(invitation, address: address)
    }
    // Not before: only who is invited may find out which names are taken.
    let (name, password) = try Self.check(name: name, password: password)
    return try await insert(name, password, invitation: code)
  }

  /// - Throws: unless the invitation is good now.
  private func usable(
    _ invitation: String?, address: ClientAddress
  ) async throws(RegistrationFailure) -> SecretHash {
    guard let invitation, invitation.contains(where: { !$0.isWhitespace }) else {
      throw .invitationNeeded
    }
    if let wait = signIns.begin(account: nil, address: address, at: now()) {
      throw .tooManyAttempts(retryAfter: wait)
    }
    guard let code = InvitationCode.canonical(invitation).map(SecretHash.init(of:)) else {
      throw .invitationUnusable
    }
    let found: Invitation?
    do { found = try await storage.invitation(code, at: now()) } catch {
      signIns.takeBack(account: nil, address: address)
      throw .unavailable(error)
    }
    guard found != nil else { throw .invitationUnusable }
    signIns.takeBack(account: nil, address: address)
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

  /// Seconds after which one who found the line too long may try again.
  static let busySeconds: Double = 2

  /// Gives an account another password and ends its sessions.
  ///
  /// - Returns: whether there is such an account.
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

  /// - Returns: nil where too many are waiting.
  private func hash(_ password: Password) async -> PasswordHash? {
    let salt = random(16)
    guard let key = await derive(password.bytes, salt, .standard) else { return nil }
    return PasswordHash(cost: .standard, salt: salt, key: key)
  }

  /// - Returns: nil where too many are waiting, or where there is no memory for it.
  func derive(_ password: [UInt8], _ salt: [UInt8], _ cost: ScryptCost) async -> [UInt8]? {
    let derive = hasher.derive
    do {
      return try await hashingQueue.run { try? derive(password, salt, cost) }
    } catch {
      return nil
    }
  }

  // MARK: Removing

  /// Removes an account with all that it has. Its sessions end at once; where the rest fails,
  /// or the process ends, `resumeRemovals` goes on with it.
  ///
  /// - Returns: whether there was such an account.
  /// - Throws: `StorageFailure`, or what `AccountData.erase` throws.
  public func remove(_ account: Account) async throws -> Bool {
    guard try await storage.beginRemoval(ofAccount: account.id, at: now()) else { return false }
    try await erase(account)
    return true
  }

  /// Goes on with removals that were broken off.
  ///
  /// - Returns: how many accounts are gone now.
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
