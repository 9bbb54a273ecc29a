import Text

/// The name of an account as it is stored and compared: in NFC and lower case, without leading and
/// trailing spaces, and with single spaces between words.
///
///     AccountName("  An  Nguyễn ")?.text   // "an nguyễn"
public struct AccountName: Hashable, Sendable {
  /// The maximum length of a name in Unicode scalars.
  public static let limit = 64

  /// The normalized name.
  public let text: String

  /// Normalizes and checks a name as the user typed it.
  ///
  /// - Throws: the reason why it cannot be used.
  public init(_ text: String) throws(AccountNameProblem) {
    // Limit the length before the normalization, which takes time.
    guard text.utf8.count <= 16 * Self.limit else { throw .tooLong(limit: Self.limit) }
    let words = text.nfc.lowercased().nfc.split(whereSeparator: \.isWhitespace)
    let name = words.joined(separator: " ")
    guard !name.isEmpty else { throw .empty }
    guard name.unicodeScalars.count <= Self.limit else { throw .tooLong(limit: Self.limit) }
    guard name.unicodeScalars.allSatisfy(\.isOfNames),
      name.unicodeScalars.first.map({ $0.properties.isAlphabetic || $0.isDecimalDigit }) == true
    else { throw .unusable }
    self.text = name
  }
}

/// The reason why a string cannot be the name of an account.
public enum AccountNameProblem: Error, Hashable, Sendable {
  /// It is empty or has only spaces.
  case empty
  /// It is longer than the limit, in Unicode scalars.
  case tooLong(limit: Int)
  /// It does not begin with a letter or a digit, or contains other characters than letters, marks,
  /// digits, spaces and `. _ - @ +`.
  case unusable
}

extension Unicode.Scalar {
  fileprivate var isDecimalDigit: Bool { properties.generalCategory == .decimalNumber }

  fileprivate var isOfNames: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      true
    default:
      " ._-@+".unicodeScalars.contains(self)
    }
  }
}
