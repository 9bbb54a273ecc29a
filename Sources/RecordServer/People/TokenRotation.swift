/// Which tokens of a session are good, and when there is a new one (record-service.md,
/// "People").
///
/// The tokens of a session are numbered. At any time the newest is good, and the one before
/// it until the newest has been used, plus a minute for requests that were on their way.
/// The newest is replaced when it is ten minutes old and the one before it is dead, so there
/// are never more than two.
///
/// A client that loses an answer is therefore never locked out: what it still has is the
/// newest or the one before, and the latter dies only by use of the newest.
///
/// A token with a higher number than the newest was issued before the files were put back to an
/// earlier state. It is accepted and becomes the newest: the rotation goes on from there.
///
/// A clock that is set back makes no good token bad, and does not stop the rotation: the minute
/// begins anew, and a token issued at a time far ahead is as old as one issued long ago.
public struct TokenRotation: Hashable, Sendable {
  /// Milliseconds a token is the newest, at least.
  public static let interval: Int64 = 600_000
  /// Milliseconds the former token outlives the first use of its successor.
  public static let grace: Int64 = 60_000

  /// Milliseconds without use after which the session is over.
  public let lifetime: Int64
  /// The number of the newest token; the first is 1.
  public private(set) var newest: Int64
  /// When the newest was made. All times are in milliseconds since 1970, UTC.
  public private(set) var issuedAt: Int64
  /// When the newest was first used; nil before that.
  public private(set) var firstUsedAt: Int64?
  public private(set) var expiresAt: Int64

  /// A session that begins.
  public init(lifetime: Int64, at now: Int64) {
    self.init(
      lifetime: lifetime, newest: 1, issuedAt: now, firstUsedAt: nil, expiresAt: now + lifetime)
  }

  /// One as it was stored.
  public init(
    lifetime: Int64, newest: Int64, issuedAt: Int64, firstUsedAt: Int64?, expiresAt: Int64
  ) {
    self.lifetime = lifetime
    self.newest = newest
    self.issuedAt = issuedAt
    self.firstUsedAt = firstUsedAt
    self.expiresAt = expiresAt
  }

  /// When the session was last used, or shortly before that: see `renew`.
  public var lastUsedAt: Int64 { expiresAt - lifetime }

  /// Takes a token.
  ///
  /// - Parameters:
  ///   - number: which of the session's it is. That the session once had a token of this number
  ///     has been proved.
  ///   - issued: when it was issued; nil where the token does not say.
  /// - Returns: whether it is good. Where it is not, nothing is changed.
  public mutating func use(_ number: Int64, issuedAt issued: Int64? = nil, at now: Int64) -> Bool {
    guard accepts(number, issuedAt: issued, at: now) else { return false }
    if number > newest {
      newest = number
      issuedAt = issued ?? now
      firstUsedAt = nil
    }
    if number == newest {
      let usedSince = min(firstUsedAt ?? now, now)
      firstUsedAt = usedSince
      let isAlone = newest == 1 || now - usedSince >= Self.grace
      if isAlone, abs(now - issuedAt) >= Self.interval {
        newest += 1
        issuedAt = now
        firstUsedAt = nil
        // So that the stored end is never before that of any token; `accepts` relies on it.
        expiresAt = max(expiresAt, now + lifetime)
      }
    }
    renew(at: now)
    return true
  }

  /// Whether a token is good; see `use`.
  public func accepts(_ number: Int64, issuedAt issued: Int64? = nil, at now: Int64) -> Bool {
    // A session lives at least for its lifetime after the issue of any of its tokens. The stored
    // end says less only where the files were put back.
    guard now < max(expiresAt, issued.map { $0 + lifetime } ?? expiresAt) else { return false }
    if number >= newest { return true }
    guard number == newest - 1, number > 0 else { return false }
    return firstUsedAt.map { now - $0 < Self.grace } ?? true
  }

  /// Use prolongs the session. Not at every request, which would make a write of every read:
  /// by a thirtieth of the lifetime at least.
  private mutating func renew(at now: Int64) {
    let renewed = now + lifetime
    if renewed - expiresAt >= lifetime / 30 { expiresAt = renewed }
  }
}
