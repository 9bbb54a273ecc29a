public import Quran

/// What a reader means by `2:255`, `baqarah 255`, `36`, `juz 30` or `trang 604`.
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

  public init(parsing text: String) throws(Failure) {
    throw .empty
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
