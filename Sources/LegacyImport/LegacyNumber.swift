/// Parses numbers as users and scripts write them.
enum LegacyNumber {
  /// A limit that exceeds all numbers of ayahs and surahs. Larger numbers are clamped to it.
  static let large = 1_000_000
  /// The maximum size in bytes of a string that is parsed as a number or an ID, including white
  /// space.
  static let textLimit = 100
  /// The maximum size in bytes of a number in JSON or XML. Longer numbers are not parsed.
  static let writtenLimit = 1000

  /// Parses an unsigned integer: decimal digits of any script, such as full-width or Arabic digits,
  /// with optional white space around them. Returns nil for any other string.
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

  /// Returns the integer value of a number or a string, clamped to −`large`…`large`. Fractional
  /// notation is accepted if the value is an integer. Returns nil for any other value.
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

  /// Parses a signed decimal number. Rejects hexadecimal digits, `inf` and `nan`, which
  /// `Double.init` accepts.
  private static func signed(_ text: Substring) -> Int? {
    guard text.utf8.count <= 40,
      text.utf8.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) })
    else { return nil }
    return Double(text).flatMap(whole)
  }
}
