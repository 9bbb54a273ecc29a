import Text

/// The name of an account, as it is stored and compared: in NFC and lower case, without
/// space around it and with single spaces inside.
///
///     AccountName("  An  Nguyễn ")?.text   // "an nguyễn"
public struct AccountName: Hashable, Sendable {
  /// Characters (Unicode scalars) a name may have.
  public static let limit = 64

  public let text: String

  /// - Throws: what is wrong with it.
  public init(_ text: String) throws(AccountNameProblem) {
    // Bounded before it is normalised, which takes time.
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

/// What keeps a text from being the name of an account.
public enum AccountNameProblem: Error, Hashable, Sendable {
  case empty
  /// In characters.
  case tooLong(limit: Int)
  /// It begins with no letter or digit, or has something else than letters, marks, digits,
  /// spaces and `. _ - @ +`.
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
