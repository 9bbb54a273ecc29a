import Text

/// A password. Its descriptions never contain its text.
public struct Password: Hashable, Sendable {
  /// The minimum length of a new password in characters.
  public static let minimum = 10
  /// The maximum length of a password in bytes of UTF-8, so that a request cannot make the hashing
  /// slow.
  public static let maximum = 1024

  let bytes: [UInt8]

  /// Creates the value of a password that is to be verified. It can be shorter than the minimum.
  ///
  /// - Returns: nil if the string is longer than the maximum.
  init?(typed text: String) {
    guard text.utf8.count <= Self.maximum else { return nil }
    // The same password must have the same bytes with every keyboard. NFC makes a UTF-8 string at
    // most three times as long (UAX #15), so that the number of bytes stays limited.
    bytes = Array(text.nfc.utf8)
  }

  /// Creates the value of a new password.
  ///
  /// - Throws: the reason why it cannot be used.
  public init(choosing text: String) throws(PasswordProblem) {
    guard let password = Self(typed: text) else { throw .tooLong(bytes: Self.maximum) }
    guard text.count >= Self.minimum else { throw .tooShort(characters: Self.minimum) }
    guard !CommonPasswords.contain(text) else { throw .common }
    self = password
  }
}

extension Password: CustomStringConvertible, CustomReflectable {
  public var description: String { "Password" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason why a string cannot be a password.
public enum PasswordProblem: Error, Hashable, Sendable {
  /// It has fewer characters than the minimum.
  case tooShort(characters: Int)
  /// It has more bytes than the maximum.
  case tooLong(bytes: Int)
  /// It is easy to guess: see `CommonPasswords`.
  case common
}
