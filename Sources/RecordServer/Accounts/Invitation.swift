/// The permission to create one account, without its code.
public struct Invitation: Hashable, Sendable, Identifiable {
  /// The number of the invitation in the database.
  public let id: Int64
  /// The time of creation, in milliseconds since 1970, UTC.
  public let createdAt: Int64
  /// The time of expiry, in milliseconds since 1970, UTC.
  public let expiresAt: Int64
}

/// The code of an invitation: 160 random bits in Crockford's base 32, whose letters and digits are
/// not easily confused, in groups of four so that it can be written down.
///
///     7H2K-9QXT-…
public enum InvitationCode {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  static let randomBytes = 20
  private static let length = 32

  /// Encodes random bytes as a code.
  static func text(_ random: [UInt8]) -> String {
    var digits: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in random {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        if !digits.isEmpty, digits.count % 5 == 4 { digits.append(UInt8(ascii: "-")) }
        digits.append(alphabet[Int(bits >> UInt32(count) & 31)])
      }
      bits &= 0xFF
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns the canonical form of a code that a user typed: upper case, without spaces and
  /// hyphens, and with the digits 0 and 1 instead of the similar letters O, I and L.
  ///
  /// - Returns: nil if the string is not a code.
  static func canonical(_ typed: String) -> String? {
    guard typed.utf8.count <= 4 * length else { return nil }
    var digits: [UInt8] = []
    for character in typed.utf8 {
      switch character {
      case UInt8(ascii: " "), UInt8(ascii: "-"), 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "a")...UInt8(ascii: "z"): append(character - 32)
      default: append(character)
      }
    }
    func append(_ character: UInt8) {
      switch character {
      case UInt8(ascii: "O"): digits.append(UInt8(ascii: "0"))
      case UInt8(ascii: "I"), UInt8(ascii: "L"): digits.append(UInt8(ascii: "1"))
      default: digits.append(character)
      }
    }
    guard digits.count == length, digits.allSatisfy(alphabet.contains) else { return nil }
    return String(decoding: digits, as: UTF8.self)
  }
}
