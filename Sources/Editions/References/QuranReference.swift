public import Quran
import Text

/// A reference to a passage, as users type it: `2:255`, `baqarah 255`, `36`, `juz 30` or `trang
/// 604`.
///
///     try QuranReference(parsing: "2:255-257")    // .ayahs(2:255...2:257)
///     try QuranReference(parsing: "con bò cái")   // .surah(2)
///     try QuranReference(parsing: "juz 31")       // throws .noSuchPart(.juz, 31)
///
/// An end of a range is a surah, by number or name, optionally followed by `:`, `.` or a space and
/// an ayah. A range is two ends, or an end and its last ayah, separated by a dash. A name is a name
/// from the table of surahs, or a prefix that the names of only one surah have. Case, diacritics,
/// spaces, hyphens, apostrophes and the Arabic article are ignored in names. Digits may be of any
/// script. A link (`DeepLink`) and the name of an ayah (`AyahFinder`) are references, too. A text
/// with `|` or `"`, which the search uses for alternatives and phrases, is not a reference.
public enum QuranReference: Hashable, Sendable {
  /// A range of ayahs, or a single ayah.
  case ayahs(ClosedRange<AyahID>)
  /// A whole surah.
  case surah(SurahNumber)
  /// A part of a division.
  case part(Part)

  /// A part of a division, such as juz 30.
  public struct Part: Hashable, Sendable {
    public let division: Division
    /// The one-based number of the part.
    public let number: Int
    public let ayahs: ClosedRange<AyahID>

    /// Returns nil if the division does not have a part with this number.
    public init?(_ division: Division, _ number: Int) {
      guard let ayahs = division.ayahs(of: number) else { return nil }
      self.division = division
      self.number = number
      self.ayahs = ayahs
    }
  }

  /// The reason why a text is not a reference.
  public enum Failure: Error, Hashable, Sendable {
    /// The text is empty.
    case empty
    /// The number of the surah is outside 1…114.
    case noSuchSurah(Int)
    /// The surah does not have an ayah with this number.
    case noSuchAyah(SurahNumber, Int)
    /// The division does not have a part with this number.
    case noSuchPart(Division, Int)
    /// The last ayah of the range precedes the first one.
    case backwards(AyahID, AyahID)
    /// Several surahs have this name, or a name with this prefix.
    case ambiguous(String, [SurahNumber])
    /// The text is not in a known form, or the name is unknown.
    case unknown(String)
    /// The text is an invalid link.
    case link(DeepLink.Failure)

    /// Whether the text has the form of a reference, but the Quran has no such passage.
    public var isNoSuchPassage: Bool {
      switch self {
      case .noSuchSurah, .noSuchAyah, .noSuchPart, .backwards: true
      case .empty, .ambiguous, .unknown, .link: false
      }
    }
  }

  /// Parses text that a user typed. A number that overflows `Int` is replaced by `Int.max`.
  ///
  /// - Throws: `Failure` if the text is not a reference to ayahs of the Quran.
  public init(parsing text: String) throws(Failure) {
    let text = text.cleanedInput
    guard !text.isEmpty else { throw .empty }
    guard !text.folded.hasPrefix(DeepLink.scheme + ":") else {
      do {
        let ayah = try DeepLink(parsing: text).ayah
        self = .ayahs(ayah...ayah)
      } catch {
        throw .link(error)
      }
      return
    }

    guard !text.contains(where: { "|\"".contains($0) }) else { throw .unknown(text) }
    // Names have no digits, so the first digit ends the name.
    let name = text.prefix { !$0.isDecimalDigit }.trimmed
    var numbers = NumberScanner(text.drop { !$0.isDecimalDigit })
    guard let ends = numbers.endpoints() else { throw .unknown(text) }
    if let keyword = ReferenceKeyword(name) {
      guard !ends.isEmpty else { throw .unknown(text) }
      switch keyword {
      case .surah: try self.init(ends, unknown: text)
      case .part(let division): try self.init(division, ends, unknown: text)
      }
    } else if name.isEmpty {
      try self.init(ends, unknown: text)
    } else if ends.isEmpty, let ayah = AyahFinder.find(name) {
      self = .ayahs(ayah...ayah)
    } else if let surah = try SurahFinder.find(name) {
      try self.init(surah, ends, unknown: text)
    } else {
      throw .unknown(text)
    }
  }

  /// The ayahs that the reference covers.
  public var ayahs: ClosedRange<AyahID> {
    switch self {
    case .ayahs(let ayahs): ayahs
    case .surah(let surah): surah.ayahs
    case .part(let part): part.ayahs
    }
  }
}
