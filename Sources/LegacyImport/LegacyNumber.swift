/// Numbers as people and scripts write them.
enum LegacyNumber {
  /// More than any number of the book; what is larger counts as this.
  static let large = 1_000_000
  /// Bytes that a text may have to be a number or an id, white space included.
  static let textLimit = 100
  /// Bytes of a number in JSON or XML that is looked at: what is longer is none of ours.
  static let writtenLimit = 1000

  /// A number without a sign: decimal digits of any script (those of full width as of a
  /// phone's keyboard, Arabic ones), with white space around them. Nil for all else.
  static func parse(_ text: Substring) -> Int? {
    guard text.utf8.count <= textLimit else { return nil }
    var number: Int?
    var hasEnded = false
    for scalar in text.unicodeScalars {
      if scalar.isSpace {
        hasEnded = number != nil
      } else {
        guard !hasEnded, let digit = scalar.decimalDigit else { return nil }
        number = min((number ?? 0) * 10 + digit, large)
      }
    }
    return number
  }

  /// A whole number of any sign, moved into −`large`…`large`: written as one, as a
  /// fraction that is none, or as a text of either. Nil for all else.
  static func whole(_ value: LegacyValue) -> Int? {
    switch value {
    case .integer(let number): return min(max(number, -large), large)
    case .real(let number): return whole(number)
    case .string(let text):
      guard text.utf8.count <= textLimit else { return nil }
      return parse(text[...]) ?? signed(text.trimmed)
    default: return nil
    }
  }

  private static func whole(_ number: Double) -> Int? {
    guard number.rounded() == number, !number.isInfinite else { return nil }
    return Int(min(max(number, -Double(large)), Double(large)))
  }

  /// Not the hexadecimal digits, `inf` and `nan` that Swift takes for a number, too.
  private static func signed(_ text: Substring) -> Int? {
    guard text.utf8.count <= 40,
      text.utf8.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) })
    else { return nil }
    return Double(text).flatMap(whole)
  }
}
