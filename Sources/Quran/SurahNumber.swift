/// The number of a surah, 1…114.
///
///     let cow = SurahNumber(2)!
///     cow.surah.transliteration   // "Al-Baqarah"
///     cow.next                    // 3
public struct SurahNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// One-based: 1…114.
  public let rawValue: Int

  /// Nil when `rawValue` is outside 1…114.
  public init?(_ rawValue: Int) {
    guard (1...Self.count).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  init(unchecked rawValue: Int) {
    self.rawValue = rawValue
  }

  /// How many surahs the book has: 114.
  public static let count = 114
  public static let first = SurahNumber(unchecked: 1)
  public static let last = SurahNumber(unchecked: count)

  /// Every surah number, in the order of the book.
  public static var all: [SurahNumber] { (1...count).map(SurahNumber.init(unchecked:)) }

  public var next: SurahNumber? { SurahNumber(rawValue + 1) }
  public var previous: SurahNumber? { SurahNumber(rawValue - 1) }

  /// What is known of the surah: names, counts, revelation.
  public var surah: Surah { Tables.surahs[rawValue - 1] }

  /// How many ayahs the surah has (Kufan count): 3…286.
  public var ayahCount: Int { Tables.ayahsBefore[rawValue] - Tables.ayahsBefore[rawValue - 1] }

  public var firstAyah: AyahID { AyahID(unchecked: self, 1) }
  public var lastAyah: AyahID { AyahID(unchecked: self, ayahCount) }

  /// The surah's ayahs, first to last.
  public var ayahs: ClosedRange<AyahID> { firstAyah...lastAyah }

  /// The ayah of that number, moved to the nearest that the surah has.
  public func ayah(clamping number: Int) -> AyahID {
    AyahID(unchecked: self, min(max(number, 1), ayahCount))
  }

  public static func < (a: SurahNumber, b: SurahNumber) -> Bool { a.rawValue < b.rawValue }

  public var description: String { String(rawValue) }
}
