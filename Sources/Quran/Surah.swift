/// What is known of one surah, as in Resources/quran/surahs.tsv.
public struct Surah: Sendable {
  public let number: SurahNumber
  /// 3…286, by the Kufan count.
  public let ayahCount: Int
  public let rukuCount: Int
  public let revelation: Revelation
  /// Place in the traditional order of revelation, 1…114.
  public let revelationOrder: Int
  public let arabicName: String
  /// Latin letters, as `Al-Baqarah`.
  public let transliteration: String
  public let vietnameseName: String

  /// Both names that are written in Latin letters: `Al-Baqarah · Con Bò Cái`.
  public var names: String { "\(transliteration) · \(vietnameseName)" }

  /// Whether a basmala stands above the first ayah: all surahs but the first,
  /// where it is the first ayah, and the ninth, which has none.
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

/// Where a surah was revealed.
public enum Revelation: String, Sendable {
  case makkah = "Makkah"
  case madinah = "Madinah"
}

/// The prostration that an ayah calls for.
public enum Sajda: String, Sendable {
  case recommended
  case obligatory
}
