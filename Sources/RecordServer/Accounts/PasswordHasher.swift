import Crypto
import CryptoExtras
import FoundationEssentials

/// The function that derives a key from a password. It is slow on purpose; tests replace it with a
/// fast one.
public struct PasswordHasher: Sendable {
  /// Returns `ScryptCost.keyLength` bytes derived from the bytes of a password, a salt and the
  /// cost.
  let derive: @Sendable ([UInt8], [UInt8], ScryptCost) throws -> [UInt8]

  public init(
    derive:
      @escaping @Sendable (
        _ password: [UInt8], _ salt: [UInt8], _ cost: ScryptCost
      ) throws -> [UInt8]
  ) {
    self.derive = derive
  }

  /// Derives the key with scrypt (RFC 7914).
  public static let scrypt = PasswordHasher { password, salt, cost in
    let key = try KDF.Scrypt.deriveKey(
      from: password, salt: salt, outputByteCount: ScryptCost.keyLength, rounds: cost.rounds,
      blockSize: cost.blockSize, parallelism: cost.parallelism)
    return key.withUnsafeBytes { Array($0) }
  }
}
