extension AccountService {
  /// Creates an invitation, with which one account can be registered.
  ///
  /// - Parameter lifetime: the time until it expires, in milliseconds; a week by default.
  /// - Returns: the invitation and its code, of which only a hash is stored.
  public func invite(
    for lifetime: Int64 = 7 * 86_400_000
  ) async throws(StorageFailure) -> (invitation: Invitation, code: String) {
    let code = InvitationCode.text(random(InvitationCode.randomBytes))
    let now = now()
    let hash = SecretHash(of: InvitationCode.canonical(code) ?? code)
    let invitation = try await storage.insertInvitation(hash, at: now, expiresAt: now + lifetime)
    return (invitation, code)
  }

  /// Returns the invitations that have not expired, oldest first.
  public func invitations() async throws(StorageFailure) -> [Invitation] {
    try await storage.invitations(at: now())
  }

  /// Deletes an invitation.
  ///
  /// - Returns: whether it existed.
  public func withdraw(invitation id: Int64) async throws(StorageFailure) -> Bool {
    try await storage.removeInvitation(id)
  }
}
