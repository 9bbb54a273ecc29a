import Quran
import Text

/// Finds surahs by a few typed letters.
enum SurahFilter {
  /// Returns the surahs whose number starts with the typed text, or in one of whose names the text
  /// starts at the beginning of a word. For example, `bo ca` finds Con Bò Cái.
  ///
  /// Spaces, hyphens and diacritics are ignored. Arabic names are also found without their article.
  static func surahs(matching text: String) -> [SurahNumber] {
    let wanted = words(of: text).joined()
    guard !wanted.isEmpty else { return SurahNumber.all }
    return SurahNumber.all.filter { number in
      String(number.rawValue).hasPrefix(wanted)
        || names[number.rawValue - 1].contains { $0.hasPrefix(wanted) }
    }
  }

  /// For each surah, the parts of its names that start at a word, without spaces: `conbocai`,
  /// `bocai` and `cai` for Con Bò Cái.
  private static let names: [[String]] = SurahNumber.all.map {
    let surah = $0.surah
    return [surah.transliteration, surah.vietnameseName, surah.arabicName].flatMap { name in
      let words = words(of: name)
      return words.indices.flatMap { index in
        let name = words[index...].joined()
        return name.hasPrefix("ال") ? [name, String(name.dropFirst(2))] : [name]
      }
    }
  }

  private static func words(of text: String) -> [Substring] {
    text.folded.split { !$0.isLetter && !$0.isNumber }
  }
}
