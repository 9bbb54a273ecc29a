import Crypto
import FoundationEssentials

/// What is kept of a password: `scrypt$15$8$1$salt$key`, the latter two in hexadecimal.
public struct PasswordHash: Hashable, Sendable {
  let cost: ScryptCost
  let salt: [UInt8]
  let key: [UInt8]

  init(cost: ScryptCost, salt: [UInt8], key: [UInt8]) {
    self.cost = cost
    self.salt = salt
    self.key = key
  }

  /// - Returns: nil where this is none.
  public init?(stored text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let cost = ScryptCost(parts[1...3]),
      let salt = Hex.bytes(parts[4]), let key = Hex.bytes(parts[5]), !salt.isEmpty,
      key.count == ScryptCost.keyLength
    else { return nil }
    self.init(cost: cost, salt: salt, key: key)
  }

  public var stored: String {
    "scrypt$\(cost.logarithm)$\(cost.blockSize)$\(cost.parallelism)$\(Hex.text(salt))"
      + "$\(Hex.text(key))"
  }

  /// Compares in a time that tells nothing of where they differ.
  func matches(_ derived: [UInt8]) -> Bool {
    SymmetricKey(data: key) == SymmetricKey(data: derived)
  }
}

/// How much work it is to try a password (RFC 7914).
public struct ScryptCost: Hashable, Sendable {
  /// Bytes that are derived.
  static let keyLength = 32

  /// record-service.md, "People": N = 2^15, r = 8, p = 1, which takes 32 MB.
  public static let standard = ScryptCost(logarithm: 15, blockSize: 8, parallelism: 1)

  /// Of N to the base 2.
  let logarithm: Int
  let blockSize: Int
  let parallelism: Int

  private init(logarithm: Int, blockSize: Int, parallelism: Int) {
    self.logarithm = logarithm
    self.blockSize = blockSize
    self.parallelism = parallelism
  }

  /// - Returns: nil where it would be no work, or more than a server should do.
  init?(_ parts: some Collection<Substring>) {
    let numbers = parts.compactMap { Int($0) }
    guard parts.count == 3, numbers.count == 3, 10...20 ~= numbers[0], 1...32 ~= numbers[1],
      1...16 ~= numbers[2]
    else { return nil }
    self.init(logarithm: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
  }

  var rounds: Int { 1 << logarithm }
}
