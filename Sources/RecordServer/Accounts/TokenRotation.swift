/// The rotation of a session's web auth tokens: which tokens are valid, and when a new one is
/// issued.
///
/// The tokens of a session are numbered. The newest one is always valid. The previous one is valid
/// until the newest one has been used, and for one more minute for requests that are on their way.
/// The newest token is replaced when it is ten minutes old and the previous one is no longer valid,
/// so that never more than two are valid.
///
/// A client that loses a response is therefore never locked out: it has the newest token or the
/// previous one, and the previous one becomes invalid only by the use of the newest.
///
/// A token with a higher number than the newest was issued before the files were restored to an
/// earlier state. It is accepted and becomes the newest.
///
/// A clock that is set back does not make valid tokens invalid and does not stop the rotation: the
/// minute begins again, and a token whose time of issue is far in the future is replaced as an old
/// one is.
public struct TokenRotation: Hashable, Sendable {
  /// The minimum time between two new tokens, in milliseconds.
  public static let interval: Int64 = 600_000
  /// The time for which the previous token stays valid after the first use of the newest, in
  /// milliseconds.
  public static let grace: Int64 = 60_000

  /// The time without use after which the session expires, in milliseconds.
  public let lifetime: Int64
  /// The number of the newest token; the first is 1.
  public private(set) var newest: Int64
  /// The time at which the newest token was issued. All times are in milliseconds since 1970, UTC.
  public private(set) var issuedAt: Int64
  /// The time at which the newest token was first used; nil if it was not.
  public private(set) var firstUsedAt: Int64?
  /// The time at which the session expires.
  public private(set) var expiresAt: Int64
}

extension TokenRotation {
  /// Creates the rotation of a new session, whose first token is issued now. Without use, the
  /// session expires after `lifetime` milliseconds.
  ///
  /// - Parameter isFirstReplaced: whether the first token is replaced at its first use, as if it
  ///   were ten minutes old. This is for a token in a URL, which browsers remember.
  public init(lifetime: Int64, at now: Int64, isFirstReplaced: Bool = false) {
    self.init(
      lifetime: lifetime, newest: 1, issuedAt: isFirstReplaced ? now - Self.interval : now,
      firstUsedAt: nil, expiresAt: now + lifetime)
  }

  /// Uses a token: issues the next one if it is due, and postpones the session's expiry.
  ///
  /// - Parameters:
  ///   - number: the number of the token. The caller has verified that the session once had a token
  ///     with this number.
  ///   - issued: the time at which the token was issued; nil if the token does not contain it.
  /// - Returns: whether the token is valid. If it is not, nothing is changed.
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
        // The stored expiry must not be earlier than that of any token; `accepts` relies on it.
        expiresAt = max(expiresAt, now + lifetime)
      }
    }
    renew(at: now)
    return true
  }

  /// Whether a token is valid; see `use`.
  public func accepts(_ number: Int64, issuedAt issued: Int64? = nil, at now: Int64) -> Bool {
    // A session lives at least for its lifetime after the issue of each of its tokens. The stored
    // expiry is earlier only after a restore of the files.
    guard now < max(expiresAt, issued.map { $0 + lifetime } ?? expiresAt) else { return false }
    if number >= newest { return true }
    guard number == newest - 1, number > 0 else { return false }
    return firstUsedAt.map { now - $0 < Self.grace } ?? true
  }

  /// Postpones the session's expiry, but only by at least a thirtieth of the lifetime, so that most
  /// requests write nothing.
  private mutating func renew(at now: Int64) {
    let renewed = now + lifetime
    if renewed - expiresAt >= lifetime / 30 { expiresAt = renewed }
  }
}
