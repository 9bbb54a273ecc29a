import Quran
import Text

/// Finds surahs by their names.
enum SurahFinder {
  /// Returns the surah with the given name, or the only surah that has a name with this prefix.
  /// Returns nil if there is none.
  ///
  /// - Throws: `ambiguous` if several surahs match.
  static func find(_ name: String) throws(QuranReference.Failure) -> SurahNumber? {
    var words = name.nameWords
    if words.count > 1, ReferenceKeyword(words[0]) == .surah { words.removeFirst() }
    var wanted = [words.joined()]
    if words.count > 1, articles.contains(words[0]) { wanted.append(words.dropFirst().joined()) }
    guard !wanted[0].isEmpty else { return nil }

    let exact = surahs { wanted.contains($0) }
    let found = exact.isEmpty ? surahs { name in wanted.contains { name.hasPrefix($0) } } : exact
    guard found.count <= 1 else { throw .ambiguous(name, found) }
    return found.first
  }

  private static func surahs(where isMatch: (String) -> Bool) -> [SurahNumber] {
    all.filter { $0.names.contains(where: isMatch) }.map(\.surah)
  }

  /// All names of all surahs, with and without the article.
  private static let all: [(surah: SurahNumber, names: [String])] = SurahNumber.all.map { number in
    let surah = number.surah
    let names = [surah.transliteration, surah.arabicName, surah.vietnameseName].flatMap { name in
      let words = name.nameWords
      let hasArticle = words.count > 1 && articles.contains(words[0])
      return hasArticle ? [words.joined(), words.dropFirst().joined()] : [words.joined()]
    }
    return (number, names + names.filter { $0.hasPrefix("ال") }.map { String($0.dropFirst(2)) })
  }

  /// The transliterations of the Arabic article, and `Ali` of `Ali 'Imran` (surah 3).
  private static let articles: Set<String> = [
    "al", "ad", "adh", "an", "ar", "as", "ash", "at", "ath", "az", "ali",
  ]
}

/// A word before a number in a reference, such as "surah" in "surah 2" or "juz" in "juz 30".
enum ReferenceKeyword: Equatable {
  case surah
  case part(Division)

  init?(_ name: String) {
    switch name.nameWords.joined() {
    case "surah", "sura", "chuong", "سوره": self = .surah
    case "juz", "جزء": self = .part(.juz)
    case "hizb", "حزب": self = .part(.hizb)
    case "rub", "quarter", "ربع": self = .part(.hizbQuarter)
    case "manzil", "منزل": self = .part(.manzil)
    case "ruku", "ركوع": self = .part(.ruku)
    case "trang", "page", "صفحه": self = .part(.page)
    default: return nil
    }
  }
}

extension String {
  /// The words of a name after `folded`, without digits and punctuation.
  fileprivate var nameWords: [String] {
    folded.unicodeScalars.split { !$0.properties.isAlphabetic }.map { String($0) }
  }
}
