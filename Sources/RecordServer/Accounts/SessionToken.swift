/// A web auth token, decoded.
///
/// It names its session and its number in the session's rotation, and its seal (an HMAC) proves
/// that this server created it. The server therefore recognizes even a token that is newer than its
/// files: after a restore from a backup, clients have tokens that were issued after the backup was
/// made.
struct SessionToken: Hashable, Sendable {
  /// The session of the token.
  let session: WebSession.ID
  /// The number of the token in the session's rotation; the first is 1.
  let number: Int64
  /// The time of issue, in milliseconds since 1970, UTC.
  let issuedAt: Int64
  /// The HMAC-SHA512 of the session, the account and the token.
  let seal: [UInt8]

  /// The length of an encoded token: three numbers and the seal in hexadecimal digits.
  static let length = 2 * (3 * 8 + ServerKey.longSealLength)
  /// The length of an encoded token of earlier versions. Those tokens are found by their hashes.
  static let formerLength = 128

  /// Creates a token of a session.
  ///
  /// The seal covers all properties of the session and its account that never change. After a
  /// restore of the files, or of a virtual machine's random source, session ids and even nonces can
  /// be used a second time; nevertheless a token is valid only for its own session.
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

  /// Decodes a token.
  ///
  /// - Returns: nil if the string does not have the form of a token. The seal is not checked.
  init?(_ text: String) {
    guard Hex.isDigits(text, count: Self.length), let bytes = Hex.bytes(text) else { return nil }
    let numbers = (0..<3).map { index in
      bytes[8 * index..<8 * index + 8].reduce(0) { $0 << 8 | Int64($1) }
    }
    (session, number, issuedAt) = (numbers[0], numbers[1], numbers[2])
    seal = Array(bytes[24...])
  }

  /// The encoded token.
  var text: String { Hex.text(Self.bytes([session, number, issuedAt]) + seal) }

  /// Whether this server created the token for a session.
  func fits(_ found: SessionAndAccount, key: ServerKey) -> Bool {
    let own = found.token(number, issuedAt: issuedAt, key: key)
    return session == own.session && ServerKey.areEqual(seal, own.seal)
  }

  private static func bytes(_ numbers: [Int64]) -> [UInt8] {
    numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian, Array.init) }
  }
}

extension SessionAndAccount {
  /// Returns the token of the session with a number.
  func token(_ number: Int64, issuedAt: Int64, key: ServerKey) -> SessionToken {
    SessionToken(
      session: session.id, of: account, nonce: session.nonce, createdAt: session.createdAt,
      number: number, issuedAt: issuedAt, key: key)
  }
}
