/// A web auth token, taken apart.
///
/// It names its session and its number in the session's rotation, and its seal proves that this
/// server made it. The server can therefore recognize a token that its files do not know yet:
/// one issued after the copy was made to which the files were put back (record-service.md,
/// "History").
struct SessionToken: Hashable, Sendable {
  let session: WebSession.ID
  /// Its number in the rotation of the session; the first is 1.
  let number: Int64
  /// Milliseconds since 1970, UTC.
  let issuedAt: Int64
  let seal: [UInt8]

  /// Characters of a token: three numbers and the seal in hexadecimal digits.
  static let length = 2 * (3 * 8 + ServerKey.longSealLength)
  /// Characters of a token of former versions, which is found by its hash.
  static let formerLength = 128

  /// A token of a session.
  ///
  /// The seal covers everything about the session and its account that never changes. Session ids
  /// and even nonces can be given a second time when the files and the random source of a machine
  /// were put back; a token still fits no session but its own.
  init(
    session: WebSession.ID, of account: Account, nonce: [UInt8], createdAt: Int64, number: Int64,
    issuedAt: Int64, key: ServerKey
  ) {
    self.session = session
    self.number = number
    self.issuedAt = issuedAt
    seal = key.longSeal(
      [
        Self.bytes([session, number, issuedAt, createdAt, account.id, account.createdAt]), nonce,
        account.seed, Array(account.name.utf8),
      ], purpose: "session token")
  }

  /// - Returns: nil for what is not written like a token.
  init?(_ text: String) {
    guard Hex.isDigits(text, count: Self.length), let bytes = Hex.bytes(text) else { return nil }
    let numbers = (0..<3).map { index in
      bytes[8 * index..<8 * index + 8].reduce(0) { $0 << 8 | Int64($1) }
    }
    (session, number, issuedAt) = (numbers[0], numbers[1], numbers[2])
    seal = Array(bytes[24...])
  }

  var text: String { Hex.text(Self.bytes([session, number, issuedAt]) + seal) }

  /// Whether this server made the token for a session.
  func fits(_ found: FoundWebSession, key: ServerKey) -> Bool {
    let own = SessionToken(
      session: found.session.id, of: found.account, nonce: found.session.nonce,
      createdAt: found.session.createdAt, number: number, issuedAt: issuedAt, key: key)
    return session == own.session && ServerKey.areEqual(seal, own.seal)
  }

  private static func bytes(_ numbers: [Int64]) -> [UInt8] {
    numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian, Array.init) }
  }
}

extension FoundWebSession {
  /// The newest token of the session, where its rotation stands like this.
  func newestToken(_ rotation: TokenRotation, key: ServerKey) -> SessionToken {
    SessionToken(
      session: session.id, of: account, nonce: session.nonce, createdAt: session.createdAt,
      number: rotation.newest, issuedAt: rotation.issuedAt, key: key)
  }
}
