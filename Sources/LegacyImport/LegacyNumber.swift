/// Numbers as people and scripts write them.
enum LegacyNumber {
  /// More than any number of the book; what is larger counts as this.
  static let large = 1_000_000

  /// A number without a sign: decimal digits of any script (those of full width as of a
  /// phone's keyboard, Arabic ones), with white space around them. Nil for all else.
  static func parse(_ text: Substring) -> Int? {
    var scalars = Substring.UnicodeScalarView(text.unicodeScalars)
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    guard !scalars.isEmpty else { return nil }
    var number = 0
    for scalar in scalars {
      guard scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue
      else { return nil }
      number = min(number * 10 + Int(digit), large)
    }
    return number
  }

  /// A whole number of any sign, moved into −`large`…`large`: written as one, as a
  /// fraction that is none, or as a text of either. Nil for all else.
  static func whole(_ value: LegacyValue) -> Int? {
    switch value {
    case .integer(let number): min(max(number, -large), large)
    case .real(let number): whole(number)
    case .string(let text): parse(text[...]) ?? signed(text.trimmed)
    default: nil
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
