import Quran
import Text

/// Finds ayahs that have names of their own.
enum AyahFinder {
  /// The names without spaces, hyphens and apostrophes.
  private static let ayahs: [String: (surah: Int, ayah: Int)] = [
    "ayatkursi": (2, 255), "ayatalkursi": (2, 255), "ayatulkursi": (2, 255),
    "ayahkursi": (2, 255), "ayatulkursiy": (2, 255), "caukursi": (2, 255),
    "ayatnur": (24, 35), "ayatannur": (24, 35), "ayatunnur": (24, 35),
    "ayatdayn": (2, 282), "ayataddayn": (2, 282), "ayatuddayn": (2, 282),
  ]

  /// Returns the ayah with a name; nil if there is none.
  static func find(_ name: String) -> AyahID? {
    ayahs[name.folded.filter { $0.isLetter }].flatMap {
      AyahID(surah: $0.surah, ayah: $0.ayah)
    }
  }
}
