import Crypto
import CryptoExtras
import FoundationEssentials

/// Makes a key of a password: slow on purpose. Tests put a quick one that counts in its
/// place.
public struct PasswordHasher: Sendable {
  /// Of the password's bytes, the salt and the cost: `ScryptCost.keyLength` bytes.
  let derive: @Sendable ([UInt8], [UInt8], ScryptCost) throws -> [UInt8]

  public init(
    derive:
      @escaping @Sendable (
        _ password: [UInt8], _ salt: [UInt8], _ cost: ScryptCost
      ) throws -> [UInt8]
  ) {
    self.derive = derive
  }

  public static let scrypt = PasswordHasher { password, salt, cost in
    let key = try KDF.Scrypt.deriveKey(
      from: password, salt: salt, outputByteCount: ScryptCost.keyLength, rounds: cost.rounds,
      blockSize: cost.blockSize, parallelism: cost.parallelism)
    return key.withUnsafeBytes { Array($0) }
  }
}
