extension People {
  /// Leave to make one account.
  ///
  /// - Parameter lifetime: milliseconds it is good for: a week.
  /// - Returns: the invitation, and its code, which is told this once.
  public func invite(
    for lifetime: Int64 = 7 * 86_400_000
  ) async throws(StorageFailure) -> (invitation: Invitation, code: String) {
    let code = InvitationCode.text(random(InvitationCode.randomBytes))
    let now = now()
    let hash = SecretHash(of: InvitationCode.canonical(code) ?? code)
    let invitation = try await storage.insertInvitation(hash, at: now, expiresAt: now + lifetime)
    return (invitation, code)
  }

  /// Those that are still good, oldest first.
  public func invitations() async throws(StorageFailure) -> [Invitation] {
    try await storage.invitations(at: now())
  }

  /// - Returns: whether there was one.
  public func withdraw(invitation id: Int64) async throws(StorageFailure) -> Bool {
    try await storage.removeInvitation(id)
  }
}
