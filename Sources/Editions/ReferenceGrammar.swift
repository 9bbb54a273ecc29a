import Quran
import Text

/// One side of a dash: a number, and maybe one more.
struct Place {
  let first: Int
  let second: Int?
}

extension Reference {
  /// `36`, `2:255`, `2:255-257`, `1:1-114:6`, `112-114`.
  init(_ places: [Place], unknown text: String) throws(Failure) {
    guard let start = places.first else { throw .unknown(text) }
    let surah = try Self.surah(start.first)
    guard let ayah = start.second else {
      guard let end = places.dropFirst().first else {
        self = .surah(surah)
        return
      }
      let endSurah = try Self.surah(end.first)
      let last = try Self.ayah(endSurah, end.second ?? endSurah.ayahCount)
      self = try Self.range(surah.firstAyah, last)
      return
    }
    try self.init(surah, [Place(first: ayah, second: nil)] + places.dropFirst(), unknown: text)
  }

  /// What follows the name of a surah: nothing, `255`, `255-257`, `285-3:2`.
  init(_ surah: SurahNumber, _ places: [Place], unknown text: String) throws(Failure) {
    guard let start = places.first else {
      self = .surah(surah)
      return
    }
    guard start.second == nil else { throw .unknown(text) }
    let first = try Self.ayah(surah, start.first)
    var last = first
    if let end = places.dropFirst().first {
      let endSurah = end.second == nil ? surah : try Self.surah(end.first)
      last = try Self.ayah(endSurah, end.second ?? end.first)
    }
    self = try Self.range(first, last)
  }

  /// `juz 30`, `trang 1-3`.
  init(_ division: Division, _ places: [Place], unknown text: String) throws(Failure) {
    var parts: [ClosedRange<AyahID>] = []
    for place in places {
      guard place.second == nil else { throw .unknown(text) }
      guard let ayahs = division.ayahs(of: place.first) else {
        throw .noSuchPart(division, place.first)
      }
      parts.append(ayahs)
    }
    guard parts.count == 2 else {
      self = .part(division, places[0].first)
      return
    }
    self = try Self.range(parts[0].lowerBound, parts[1].upperBound)
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

  private static func range(_ first: AyahID, _ last: AyahID) throws(Failure) -> Reference {
    guard first <= last else { throw .backwards(first, last) }
    return .ayahs(first...last)
  }
}

/// Reads `number [separator number] [dash number [separator number]]`, where a
/// separator is a colon, a full stop or spaces.
struct NumberScanner {
  private var rest: Substring

  init(_ text: Substring) {
    rest = text
  }

  /// No places where there is no text; nil where the text is something else.
  mutating func places() -> [Place]? {
    guard !rest.isEmpty else { return [] }
    guard let first = place() else { return nil }
    guard !rest.isEmpty else { return [first] }
    guard skip(\.isDash), let second = place(), rest.isEmpty else { return nil }
    return [first, second]
  }

  private mutating func place() -> Place? {
    guard let first = number() else { return nil }
    let before = rest
    let isSeparated = skip { $0 == ":" || $0 == "." || $0 == "：" } || rest.first != before.first
    guard isSeparated, let second = number() else {
      rest = before
      return Place(first: first, second: nil)
    }
    return Place(first: first, second: second)
  }

  /// Skips one character, with the spaces around it.
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
  /// A digit of any script's decimal numbers, with nothing on it.
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
  /// Without the spaces around it.
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text = text.dropFirst() }
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return String(text)
  }
}

extension String {
  /// What a person typed or pasted: without the spaces around it, and without
  /// characters that do not show.
  var typed: String {
    var scalars = unicodeScalars
    scalars.removeAll { $0.properties.isDefaultIgnorableCodePoint }
    return String(scalars).trimmed
  }
}
