/// The number of a surah, 1…114.
///
///     let cow = SurahNumber(2)!
///     cow.surah.transliteration   // "Al-Baqarah"
///     cow.next                    // 3
public struct SurahNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The one-based number, 1…114.
  public let rawValue: Int

  /// Returns nil if `rawValue` is outside 1…114.
  public init?(_ rawValue: Int) {
    guard (1...Self.count).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  init(unchecked rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The number of surahs: 114.
  public static let count = 114
  public static let first = SurahNumber(unchecked: 1)
  public static let last = SurahNumber(unchecked: count)

  /// All surah numbers in ascending order.
  public static var all: [SurahNumber] { (1...count).map(SurahNumber.init(unchecked:)) }

  /// The next surah number, or nil for the last one.
  public var next: SurahNumber? { SurahNumber(rawValue + 1) }
  /// The previous surah number, or nil for the first one.
  public var previous: SurahNumber? { SurahNumber(rawValue - 1) }

  /// The names and other facts of the surah.
  public var surah: Surah { Tables.surahs[rawValue - 1] }

  /// The number of ayahs of the surah (Kufan count), 3…286.
  public var ayahCount: Int { Tables.ayahsBefore[rawValue] - Tables.ayahsBefore[rawValue - 1] }

  public var firstAyah: AyahID { AyahID(unchecked: self, 1) }
  public var lastAyah: AyahID { AyahID(unchecked: self, ayahCount) }

  /// All ayahs of the surah.
  public var ayahs: ClosedRange<AyahID> { firstAyah...lastAyah }

  /// Returns the ayah with a one-based number, clamped to the ayahs of the surah.
  public func ayah(clamping number: Int) -> AyahID {
    AyahID(unchecked: self, min(max(number, 1), ayahCount))
  }

  public static func < (a: SurahNumber, b: SurahNumber) -> Bool { a.rawValue < b.rawValue }

  public var description: String { String(rawValue) }
}
