import Quran
import Text

/// One end of a range as typed: one number, or two numbers separated by a colon, a full stop or
/// spaces.
struct RangeEndpoint {
  let first: Int
  let second: Int?
}

extension QuranReference {
  /// Interprets numbers without a name or keyword: `36`, `2:255`, `2:255-257`, `1:1-114:6`,
  /// `112-114`.
  init(_ ends: [RangeEndpoint], unknown text: String) throws(Failure) {
    guard let start = ends.first else { throw .unknown(text) }
    let surah = try Self.surah(start.first)
    guard let ayah = start.second else {
      guard let end = ends.dropFirst().first else {
        self = .surah(surah)
        return
      }
      let endSurah = try Self.surah(end.first)
      let last = try Self.ayah(endSurah, end.second ?? endSurah.ayahCount)
      self = try Self.range(surah.firstAyah, last)
      return
    }
    try self.init(
      surah, [RangeEndpoint(first: ayah, second: nil)] + ends.dropFirst(), unknown: text)
  }

  /// Interprets the numbers after the name of a surah: none, `255`, `255-257`, `285-3:2`.
  init(_ surah: SurahNumber, _ ends: [RangeEndpoint], unknown text: String) throws(Failure) {
    guard let start = ends.first else {
      self = .surah(surah)
      return
    }
    guard start.second == nil else { throw .unknown(text) }
    let first = try Self.ayah(surah, start.first)
    var last = first
    if let end = ends.dropFirst().first {
      let endSurah = end.second == nil ? surah : try Self.surah(end.first)
      last = try Self.ayah(endSurah, end.second ?? end.first)
    }
    self = try Self.range(first, last)
  }

  /// Interprets the numbers after the keyword of a division: `juz 30`, `trang 1-3`.
  init(_ division: Division, _ ends: [RangeEndpoint], unknown text: String) throws(Failure) {
    var parts: [Part] = []
    for end in ends {
      guard end.second == nil else { throw .unknown(text) }
      guard let part = Part(division, end.first) else { throw .noSuchPart(division, end.first) }
      parts.append(part)
    }
    guard let first = parts.first, let last = parts.last else { throw .unknown(text) }
    self =
      parts.count == 1
      ? .part(first) : try Self.range(first.ayahs.lowerBound, last.ayahs.upperBound)
  }

  private static func surah(_ number: Int) throws(Failure) -> SurahNumber {
    guard let surah = SurahNumber(number) else { throw .noSuchSurah(number) }
    return surah
  }

  private static func ayah(_ surah: SurahNumber, _ number: Int) throws(Failure) -> AyahID {
    guard let ayah = AyahID(surah: surah.rawValue, ayah: number) else {
      throw .noSuchAyah(surah, number)
    }
    return ayah
  }

  private static func range(_ first: AyahID, _ last: AyahID) throws(Failure) -> QuranReference {
    guard first <= last else { throw .backwards(first, last) }
    return .ayahs(first...last)
  }
}

/// Parses `number [separator number] [dash number [separator number]]`, where a separator is a
/// colon (also a full-width one), a full stop or white space.
struct NumberScanner {
  private var rest: Substring

  init(_ text: Substring) {
    rest = text
  }

  /// Parses the whole text. Returns an empty array if the text is empty, and nil if it has another
  /// form.
  mutating func endpoints() -> [RangeEndpoint]? {
    guard !rest.isEmpty else { return [] }
    guard let first = endpoint() else { return nil }
    guard !rest.isEmpty else { return [first] }
    guard skip(\.isDash), let second = endpoint(), rest.isEmpty else { return nil }
    return [first, second]
  }

  private mutating func endpoint() -> RangeEndpoint? {
    guard let first = number() else { return nil }
    let before = rest
    let isSeparated = skip { $0 == ":" || $0 == "." || $0 == "：" } || rest.first != before.first
    guard isSeparated, let second = number() else {
      rest = before
      return RangeEndpoint(first: first, second: nil)
    }
    return RangeEndpoint(first: first, second: second)
  }

  /// Skips white space and, if the next character matches, this character and the white space after
  /// it. Returns whether it matched.
  private mutating func skip(_ isWanted: (Character) -> Bool) -> Bool {
    rest = rest.drop(while: \.isWhitespace)
    guard let next = rest.first, isWanted(next) else { return false }
    rest = rest.dropFirst().drop(while: \.isWhitespace)
    return true
  }

  private mutating func number() -> Int? {
    let digits = rest.prefix(while: \.isDecimalDigit)
    guard !digits.isEmpty else { return nil }
    rest = rest[digits.endIndex...]
    var value = 0
    for digit in digits {
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isTooLargeNow) = product.addingReportingOverflow(digit.wholeNumberValue ?? 0)
      guard !isTooLarge, !isTooLargeNow else { return .max }
      value = sum
    }
    return value
  }
}

extension Character {
  /// Whether the character is a decimal digit of any script, without combining marks.
  var isDecimalDigit: Bool {
    let scalars = unicodeScalars
    return scalars.first?.properties.numericType == .decimal
      && scalars.index(after: scalars.startIndex) == scalars.endIndex
  }

  fileprivate var isDash: Bool {
    unicodeScalars.first?.properties.isDash ?? false
  }
}

extension StringProtocol {
  /// The string without leading and trailing white space.
  var trimmed: String { String(trimmed(\.isWhitespace)) }

  /// Returns the string without leading and trailing characters that match.
  func trimmed(_ isTrimmed: (Character) -> Bool) -> SubSequence {
    var rest = self[...]
    while let first = rest.first, isTrimmed(first) { rest.removeFirst() }
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return rest
  }
}

extension String {
  /// The string without leading and trailing white space and without invisible characters, as for
  /// text that a user typed or pasted.
  var cleanedInput: String {
    var scalars = unicodeScalars
    scalars.removeAll { $0.properties.isDefaultIgnorableCodePoint }
    return String(scalars).trimmed
  }
}
