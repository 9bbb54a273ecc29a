public import Quran
import Text

/// What a reader means by `2:255`, `baqarah 255`, `36`, `juz 30` or `trang 604`.
///
///     try Reference(parsing: "2:255-257")    // .ayahs(2:255...2:257)
///     try Reference(parsing: "con bò cái")   // .surah(2)
///     try Reference(parsing: "juz 31")       // throws .noSuchPart(.juz, 31)
///
/// A place is a surah, by number or name, and maybe an ayah after `:`, `.` or a
/// space; two places, or a place and the ayah to stop at, with a dash between
/// make a range. Names are those of the surah tables, or beginnings of them that
/// fit one surah, without regard to case, marks, spaces, hyphens, apostrophes
/// and the Arabic article. Digits may be of any script.
public enum Reference: Hashable, Sendable {
  case ayahs(ClosedRange<AyahID>)
  case surah(SurahNumber)
  case part(Division, Int)

  public enum Failure: Error, Hashable, Sendable {
    case empty
    case noSuchSurah(Int)
    case noSuchAyah(SurahNumber, Int)
    case noSuchPart(Division, Int)
    /// The last ayah of a range stands before its first.
    case backwards(AyahID, AyahID)
    /// Several surahs carry that name, or begin with it.
    case ambiguous(String, [SurahNumber])
    case unknown(String)
    case link(DeepLink.Failure)
  }

  /// Reads what a person typed. A number too long for an `Int` counts as the
  /// largest one.
  public init(parsing text: String) throws(Failure) {
    let text = text.typed
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

    // Names have no digits, so the first digit ends the name.
    let name = text.prefix { !$0.isDecimalDigit }.trimmed
    var numbers = NumberScanner(text.drop { !$0.isDecimalDigit })
    guard let places = numbers.places() else { throw .unknown(text) }
    if let keyword = Keyword(name) {
      guard !places.isEmpty else { throw .unknown(text) }
      switch keyword {
      case .surah: try self.init(places, unknown: text)
      case .part(let division): try self.init(division, places, unknown: text)
      }
    } else if name.isEmpty {
      try self.init(places, unknown: text)
    } else if let surah = try SurahName.find(name, unknown: text) {
      try self.init(surah, places, unknown: text)
    } else {
      throw .unknown(text)
    }
  }

  /// The ayahs it stands for, in the order of the book.
  public var ayahs: ClosedRange<AyahID> {
    switch self {
    case .ayahs(let ayahs): ayahs
    case .surah(let surah): surah.ayahs
    case .part(let division, let number): division.ayahs(of: number) ?? AyahID.first...AyahID.last
    }
  }
}
