/// The stored hash of a password: `scrypt$15$8$1$salt$key` with the salt and the key in hexadecimal
/// digits.
public struct PasswordHash: Hashable, Sendable {
  let cost: ScryptCost
  let salt: [UInt8]
  let key: [UInt8]
}

extension PasswordHash {
  /// Parses a stored hash.
  ///
  /// - Returns: nil if the string is not a hash of this form.
  public init?(stored text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let cost = ScryptCost(parts[1...3]),
      let salt = Hex.bytes(parts[4]), let key = Hex.bytes(parts[5]), !salt.isEmpty,
      key.count == ScryptCost.keyLength
    else { return nil }
    self.init(cost: cost, salt: salt, key: key)
  }

  /// The form in which the hash is stored.
  public var stored: String {
    "scrypt$\(cost.logarithm)$\(cost.blockSize)$\(cost.parallelism)$\(Hex.text(salt))"
      + "$\(Hex.text(key))"
  }

  /// Whether the hash has this key. The comparison takes constant time.
  func matches(_ derived: [UInt8]) -> Bool {
    ServerKey.areEqual(key, derived)
  }
}

/// The cost parameters of scrypt (RFC 7914).
public struct ScryptCost: Hashable, Sendable {
  /// The length of the derived key in bytes.
  static let keyLength = 32

  /// The parameters of new hashes: N = 2^15, r = 8, p = 1, which takes 32 MB.
  public static let standard = ScryptCost(logarithm: 15, blockSize: 8, parallelism: 1)

  /// The most memory that parameters of a stored hash may require, in bytes: twice the standard.
  static let memoryLimit = 64 << 20
  /// The most work that they may require: the product of N, r and p, four times the standard.
  static let workLimit = 1 << 20

  /// The binary logarithm of the cost parameter N.
  let logarithm: Int
  /// The block size parameter r.
  let blockSize: Int
  /// The parallelization parameter p.
  let parallelism: Int

  private init(logarithm: Int, blockSize: Int, parallelism: Int) {
    self.logarithm = logarithm
    self.blockSize = blockSize
    self.parallelism = parallelism
  }

  /// Parses the parameters of a stored hash.
  ///
  /// - Returns: nil if they are not numbers, are outside N = 2^10…2^20, r = 1…32 and p = 1…16, or
  ///   exceed the limits of memory and work.
  init?(_ parts: some Collection<Substring>) {
    let numbers = parts.compactMap { Int($0) }
    guard parts.count == 3, numbers.count == 3, 10...20 ~= numbers[0], 1...32 ~= numbers[1],
      1...16 ~= numbers[2]
    else { return nil }
    self.init(logarithm: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
    guard 128 * blockSize * rounds <= Self.memoryLimit,
      rounds * blockSize * parallelism <= Self.workLimit
    else { return nil }
  }

  /// The cost parameter N.
  var rounds: Int { 1 << logarithm }
}
