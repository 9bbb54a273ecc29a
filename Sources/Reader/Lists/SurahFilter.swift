import Quran
import Text

/// Finds surahs by a few typed letters.
enum SurahFilter {
  /// Returns the surahs whose number begins with the string, or one of whose names contains it;
  /// spaces, hyphens and marks are ignored.
  static func surahs(matching text: String) -> [SurahNumber] {
    let wanted = key(text)
    guard !wanted.isEmpty else { return SurahNumber.all }
    return SurahNumber.all.filter { number in
      String(number.rawValue).hasPrefix(wanted) || names[number.rawValue - 1].contains(wanted)
    }
  }

  private static let names: [String] = SurahNumber.all.map {
    let surah = $0.surah
    return [surah.transliteration, surah.vietnameseName, surah.arabicName].map(key)
      .joined(separator: "\n")
  }

  private static func key(_ text: String) -> String {
    text.folded.filter { $0.isLetter || $0.isNumber }
  }
}
