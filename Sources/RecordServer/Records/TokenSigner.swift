import Crypto
public import FoundationEssentials

/// Signs the sync tokens and continuation markers that clients hold.
///
/// A signature is an HMAC-SHA256 over the content, the kind, the owner and the zone. A token is
/// therefore valid only for the purpose it was issued for, and it does not contain the owner.
public struct TokenSigner: Sendable {
  private let key: SymmetricKey
  /// Encrypts the ENCRYPTED fields of records.
  let sealer: FieldSealer
  /// Makes the receipts and URLs of assets.
  let assets: AssetSigner

  /// Derives the keys from a secret.
  ///
  /// - Parameter secret: at least 32 random bytes. Tokens and encrypted fields are valid only with
  ///   the secret they were made with.
  public init(secret: Data) {
    precondition(secret.count >= 32, "a secret of at least 32 bytes")
    let secret = SymmetricKey(data: secret)
    func derived(_ use: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: secret, info: Data(use.utf8), outputByteCount: 32)
    }
    key = derived("record-service tokens")
    sealer = FieldSealer(key: derived("record-service encrypted fields"))
    assets = AssetSigner(derived)
  }

  /// The kind of a token.
  enum Kind: UInt8 {
    /// A sync token of a zone.
    case zone = 1
    /// A sync token of a database.
    case database = 2
    /// A continuation marker of a query.
    case query = 3
  }

  /// The purpose for which a token is valid.
  struct Purpose: Hashable {
    var kind: Kind
    var owner: OwnerID
    /// The name of the zone; empty for tokens of a database and markers of a query.
    var zone = ""

    fileprivate var bytes: Data {
      Data([kind.rawValue]) + Data(bigEndian: owner.rawValue) + Data(zone.utf8)
    }
  }

  /// Returns the kind, the content and the signature in base64, which clients expect of sync
  /// tokens.
  func sign(_ content: Data, for purpose: Purpose) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Self.message(content, purpose), using: key)
    return (Data([purpose.kind.rawValue]) + content + code).base64EncodedString()
  }

  private static func message(_ content: Data, _ purpose: Purpose) -> Data {
    // The length separates the content from the purpose, so that two different pairs never have the
    // same message.
    Data(bigEndian: Int64(content.count)) + content + purpose.bytes
  }

  /// Verifies a token.
  ///
  /// - Parameter length: the minimum length of the content in bytes.
  /// - Returns: the content.
  /// - Throws: `unknown` or `broken`.
  func verify(
    _ token: String, length: Int, for purpose: Purpose
  ) throws(TokenProblem) -> Data {
    guard !token.isEmpty else { throw .broken }
    // A truncated token can end within a group of four base64 characters.
    let whole = token.utf8.count / 4 * 4
    guard let bytes = Data(base64Encoded: Data(token.utf8.prefix(whole))),
      bytes.first == purpose.kind.rawValue
    else { throw .unknown }
    guard whole == token.utf8.count, bytes.count > length + SHA256.byteCount else { throw .broken }
    let content = Data(bytes.dropFirst().dropLast(SHA256.byteCount))
    let message = Self.message(content, purpose)
    guard
      HMAC<SHA256>.isValidAuthenticationCode(
        bytes.suffix(SHA256.byteCount), authenticating: message, using: key)
    else { throw .unknown }
    return content
  }
}

/// The reason why a sync token or continuation marker is refused.
enum TokenProblem: Error, Hashable {
  /// It was not issued by this service, or it was issued for another purpose.
  case unknown
  /// It is truncated; or it is a continuation marker of another query, or one whose state the
  /// history is not known to contain.
  case broken
  /// The state that it names is no longer stored.
  case expired
  /// The state that it names is not part of this history.
  case forked
  /// It was issued before the epoch changed with a restore or a reset. After a reset has deleted
  /// the owner, the token is `unknown`.
  ///
  /// - Parameter isForked: whether the state that it names was lost.
  case reset(isForked: Bool)
}

extension Data {
  /// The big-endian bytes of an integer.
  init(bigEndian number: Int64) {
    self.init((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
  }
}

/// Reads integers and byte strings from the front of a buffer.
struct ByteReader {
  private var bytes: Data.SubSequence

  init(_ bytes: Data) {
    self.bytes = bytes[...]
  }

  var isAtEnd: Bool { bytes.isEmpty }

  /// Reads bytes.
  ///
  /// - Returns: nil if fewer than `count` bytes are left.
  mutating func data(_ count: Int) -> Data? {
    guard bytes.count >= count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return Data(bytes.prefix(count))
  }

  /// Reads a big-endian 64-bit integer; nil if fewer than 8 bytes are left.
  mutating func int64() -> Int64? {
    data(8)?.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Reads a big-endian, unsigned 16-bit integer; nil if fewer than 2 bytes are left.
  mutating func int16() -> Int? {
    data(2)?.reduce(0) { $0 << 8 | Int($1) }
  }
}
