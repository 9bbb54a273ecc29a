import Crypto

/// The SHA-256 hash of a random secret, which is stored instead of it. The secret has at least 128
/// random bits, so that the hash needs no salt and no slow function, and the time of a lookup
/// reveals nothing useful.
public struct SecretHash: Hashable, Sendable {
  /// The 32 bytes of the hash.
  public let bytes: [UInt8]

  public init(of secret: String) {
    bytes = Array(SHA256.hash(data: Array(secret.utf8)))
  }
}
