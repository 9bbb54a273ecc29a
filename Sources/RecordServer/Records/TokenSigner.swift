import Crypto
public import FoundationEssentials

/// Signs what clients carry for the service: sync tokens and continuation markers.
///
/// A signature is an HMAC-SHA256 over the kind, the owner, the zone and the content; so a token
/// is good for nothing but what it was made for, and tells nothing of whose it is.
public struct TokenSigner: Sendable {
  private let key: SymmetricKey
  /// For the encrypted fields of records.
  let sealer: FieldSealer

  /// - Parameter secret: at least 32 random bytes; tokens and encrypted fields are readable
  ///   with the same ones only.
  public init(secret: Data) {
    precondition(secret.count >= 32, "a secret of at least 32 bytes")
    let secret = SymmetricKey(data: secret)
    func derived(_ use: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: secret, info: Data(use.utf8), outputByteCount: 32)
    }
    key = derived("record-service tokens")
    sealer = FieldSealer(key: derived("record-service encrypted fields"))
  }

  enum Kind: UInt8 {
    case zone = 1
    case database = 2
    case query = 3
  }

  /// What a token is good for.
  struct Purpose: Hashable {
    var kind: Kind
    var owner: OwnerID
    /// Empty for those of a database, and of a query.
    var zone = ""

    fileprivate var bytes: Data {
      Data([kind.rawValue]) + Data(bigEndian: owner.rawValue) + Data(zone.utf8)
    }
  }

  /// - Returns: base64, as clients expect it, of the kind, the content and the signature.
  func sign(_ content: Data, for purpose: Purpose) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Self.message(content, purpose), using: key)
    return (Data([purpose.kind.rawValue]) + content + code).base64EncodedString()
  }

  private static func message(_ content: Data, _ purpose: Purpose) -> Data {
    // The length keeps what belongs to the one from passing for a part of the other.
    Data(bigEndian: Int64(content.count)) + content + purpose.bytes
  }

  /// - Parameter length: the least bytes that the content has.
  /// - Returns: the content.
  /// - Throws: why the token is good for nothing here.
  func verify(
    _ token: String, length: Int, for purpose: Purpose
  ) throws(TokenProblem) -> Data {
    guard !token.isEmpty else { throw .broken }
    // What was cut off need not be base64 at its end.
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

/// Why a token or marker is of no use.
enum TokenProblem: Error, Hashable {
  /// It was not made here, or not for this.
  case unknown
  /// It is cut off, or of another query.
  case broken
  /// What it stands for is no longer known.
  case expired
  /// What it stands for is not in this history.
  case forked
  /// It is from before a restore or a reset.
  ///
  /// - Parameter isForked: whether what it stands for was lost with that.
  case reset(isForked: Bool)
}

extension Data {
  init(bigEndian number: Int64) {
    self.init((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
  }
}

/// Takes a text of bytes apart from its beginning.
struct ByteReader {
  private var bytes: Data.SubSequence

  init(_ bytes: Data) {
    self.bytes = bytes[...]
  }

  var isAtEnd: Bool { bytes.isEmpty }

  /// - Returns: nil where there are not as many.
  mutating func data(_ count: Int) -> Data? {
    guard bytes.count >= count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return Data(bytes.prefix(count))
  }

  mutating func int64() -> Int64? {
    data(8)?.reduce(0) { $0 << 8 | Int64($1) }
  }

  mutating func int16() -> Int? {
    data(2)?.reduce(0) { $0 << 8 | Int($1) }
  }
}
