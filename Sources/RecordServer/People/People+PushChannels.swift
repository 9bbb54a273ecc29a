public import CloudRecords

extension People {
  /// Creates a courier, at whose URL a session can wait for its notifications.
  ///
  /// - Returns: the courier, its secret, of which only a hash is stored, and the couriers of the
  ///   session that were deleted because it had too many; nil if the session has ended.
  public func createPushChannel(
    session: Int64, environment: ContainerEnvironment
  ) async throws(StorageFailure) -> (
    courier: PushChannel, secret: String, former: [PushChannel.ID]
  )? {
    let now = now()
    // The random source of a virtual machine that was restored from a snapshot can repeat itself.
    // The secret also depends on the session and the time, so that it never opens the queue of
    // another session.
    let use = "courier of session \(session) at \(now)"
    let secret = Hex.text(key.seal(random(32), purpose: use))
    let made = try await storage.insertPushChannel(
      SecretHash(of: secret), ofSession: session, environment, at: now,
      limit: PushChannel.perSession)
    return made.map { ($0.courier, secret, $0.former) }
  }

  /// Whether a courier exists and its session has not ended.
  func isAlive(_ courier: PushChannel) async throws(StorageFailure) -> Bool {
    try await storage.hasPushChannel(courier.id, at: now())
  }

  /// Returns the courier with a secret and updates the time of its last use.
  ///
  /// - Returns: nil if there is none, or it has expired.
  public func courier(_ secret: String) async throws(StorageFailure) -> PushChannel? {
    guard Hex.isDigits(secret, count: 64) else { return nil }
    let now = now()
    guard let courier = try await storage.courier(SecretHash(of: secret), at: now),
      now - courier.usedAt < PushChannel.lifetime
    else { return nil }
    // Update the time once a day, so that most polls write nothing.
    if now - courier.usedAt >= 86_400_000 {
      try await storage.touchPushChannel(courier.id, at: now)
    }
    return courier
  }
}
