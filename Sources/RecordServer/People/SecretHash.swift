import Crypto

/// What is stored of a secret that nobody chose: its SHA-256. Such a secret has at least
/// 128 random bits, so it needs no salt and no slowness, and to look one up by its hash
/// gives nothing away by its time.
public struct SecretHash: Hashable, Sendable {
  /// Thirty-two.
  public let bytes: [UInt8]

  public init(of secret: String) {
    bytes = Array(SHA256.hash(data: Array(secret.utf8)))
  }
}
