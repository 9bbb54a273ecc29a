public import CloudRecords

extension People {
  /// Makes a place where a session's notifications can be waited for.
  ///
  /// - Returns: the courier, its secret, which is told this once, and those of the session that
  ///   are over, as it has too many; nil where the session has ended.
  public func createCourier(
    session: Int64, environment: ContainerEnvironment
  ) async throws(StorageFailure) -> (courier: Courier, secret: String, former: [Courier.ID])? {
    let now = now()
    // The random source of a machine that was put back may repeat itself: what it gave to one
    // session must not open the mailbox of another.
    let use = "courier of session \(session) at \(now)"
    let secret = Hex.text(key.seal(random(32), purpose: use))
    let made = try await storage.insertCourier(
      SecretHash(of: secret), ofSession: session, environment, at: now,
      limit: Courier.perSession)
    return made.map { ($0.courier, secret, $0.former) }
  }

  /// Whether a courier is still good.
  func isAlive(_ courier: Courier) async throws(StorageFailure) -> Bool {
    try await storage.hasCourier(courier.id, at: now())
  }

  /// Finds the courier of a secret, which counts as its use.
  ///
  /// - Returns: nil where there is none, or none any more.
  public func courier(_ secret: String) async throws(StorageFailure) -> Courier? {
    guard Hex.isDigits(secret, count: 64) else { return nil }
    let now = now()
    guard let courier = try await storage.courier(SecretHash(of: secret), at: now),
      now - courier.usedAt < Courier.lifetime
    else { return nil }
    // Not at every poll, which would make a write of every wait.
    if now - courier.usedAt >= 86_400_000 { try await storage.touchCourier(courier.id, at: now) }
    return courier
  }
}
