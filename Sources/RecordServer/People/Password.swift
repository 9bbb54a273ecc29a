import Text

/// A password as someone chose it. It is never printed.
public struct Password: Hashable, Sendable {
  /// Bytes of UTF-8 a password has at least.
  public static let minimum = 10
  /// Bytes of UTF-8 a password has at most, so that no request makes hashing long.
  public static let maximum = 1024

  let bytes: [UInt8]

  /// - Parameter text: of any length: short ones were never chosen here, and are simply
  ///   no one's.
  /// - Returns: nil where it is too long to be looked at.
  init?(typed text: String) {
    guard text.utf8.count <= Self.maximum else { return nil }
    // The same word must come out the same however a keyboard composes it. NFC may only
    // lengthen a text threefold (UAX #15), so this bounds the bytes as well.
    bytes = Array(text.nfc.utf8)
  }

  /// A password to be.
  ///
  /// - Throws: what is wrong with it.
  public init(choosing text: String) throws(PasswordProblem) {
    guard let password = Self(typed: text) else { throw .tooLong(bytes: Self.maximum) }
    guard password.bytes.count >= Self.minimum else { throw .tooShort(bytes: Self.minimum) }
    self = password
  }
}

extension Password: CustomStringConvertible, CustomReflectable {
  public var description: String { "Password" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What keeps a text from being a password.
public enum PasswordProblem: Error, Hashable, Sendable {
  case tooShort(bytes: Int)
  case tooLong(bytes: Int)
}
