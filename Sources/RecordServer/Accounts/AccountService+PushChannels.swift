public import CloudRecords

extension AccountService {
  /// Creates a push channel, at whose URL a session can wait for its notifications.
  ///
  /// If the session or its account then has too many push channels, those that have been unused for
  /// the longest time are deleted. Most of them are of clients that are gone, or that have lost the
  /// response with the URL. A client whose push channel was deleted gets NOT_FOUND and creates
  /// another one. If the new push channel were refused instead, the newest device would get no
  /// notifications as long as the old ones exist.
  ///
  /// - Returns: the push channel, its secret, of which only a hash is stored, and the push channels
  ///   that were deleted; nil if the session has ended.
  public func createPushChannel(
    session: Int64, environment: ContainerEnvironment
  ) async throws(StorageFailure) -> (
    pushChannel: PushChannel, secret: String, deleted: [PushChannel.ID]
  )? {
    let now = now()
    // The random source of a virtual machine that was restored from a snapshot can repeat itself.
    // The secret also depends on the session and the time, so that it never opens the queue of
    // another session.
    let use = "courier of session \(session) at \(now)"
    let secret = Hex.text(key.seal(random(32), purpose: use))
    let made = try await storage.insertPushChannel(
      SecretHash(of: secret), ofSession: session, environment, at: now,
      perSession: PushChannel.perSession, perAccount: PushChannel.perAccount)
    return made.map { ($0.pushChannel, secret, $0.deleted) }
  }

  /// Whether a push channel exists and its session has not ended.
  func isAlive(_ pushChannel: PushChannel) async throws(StorageFailure) -> Bool {
    try await storage.pushChannel(pushChannel.id, at: now())?.isSame(as: pushChannel) ?? false
  }

  /// Returns the push channel with a secret and updates the time of its last use.
  ///
  /// - Returns: nil if there is none, or it has expired.
  public func pushChannel(_ secret: String) async throws(StorageFailure) -> PushChannel? {
    guard Hex.isDigits(secret, count: 64) else { return nil }
    let now = now()
    guard let pushChannel = try await storage.pushChannel(SecretHash(of: secret), at: now),
      now - pushChannel.usedAt < PushChannel.lifetime
    else { return nil }
    // Update the time once a day, so that most polls write nothing.
    if now - pushChannel.usedAt >= 86_400_000 {
      try await storage.touchPushChannel(pushChannel.id, at: now)
    }
    return pushChannel
  }
}
