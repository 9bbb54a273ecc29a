/// The facts about one surah, as in Resources/quran/surahs.tsv.
public struct Surah: Sendable {
  public let number: SurahNumber
  /// The number of ayahs (Kufan count), 3…286.
  public let ayahCount: Int
  /// The number of rukus.
  public let rukuCount: Int
  public let revelation: Revelation
  /// The position in the traditional order of revelation, 1…114.
  public let revelationOrder: Int
  /// The name in Arabic script.
  public let arabicName: String
  /// The Arabic name in Latin letters, such as `Al-Baqarah`.
  public let transliteration: String
  /// The name translated to Vietnamese.
  public let vietnameseName: String

  /// The transliterated and the Vietnamese name, `Al-Baqarah · Con Bò Cái`; only one if they are
  /// equal, as `Yunus`.
  public var names: String {
    transliteration == vietnameseName ? transliteration : "\(transliteration) · \(vietnameseName)"
  }

  /// Whether an unnumbered basmala precedes the first ayah. This is true for all surahs except the
  /// first, whose first ayah is the basmala, and the ninth, which has none.
  public var isHeadedByBasmala: Bool { number.rawValue != 1 && number.rawValue != 9 }

  init(
    _ number: Int, _ ayahCount: Int, _ rukuCount: Int, _ revelation: Revelation,
    _ revelationOrder: Int, _ arabicName: String, _ transliteration: String,
    _ vietnameseName: String
  ) {
    self.number = SurahNumber(unchecked: number)
    self.ayahCount = ayahCount
    self.rukuCount = rukuCount
    self.revelation = revelation
    self.revelationOrder = revelationOrder
    self.arabicName = arabicName
    self.transliteration = transliteration
    self.vietnameseName = vietnameseName
  }
}

/// The place where a surah was revealed.
public enum Revelation: String, Sendable {
  case makkah = "Makkah"
  case madinah = "Madinah"
}

/// The kind of prostration that an ayah calls for.
public enum Sajda: String, CaseIterable, Sendable {
  case recommended
  case obligatory
}
