public import Editions
public import Quran
import Text

extension Messages {
  /// Explains why a text is not a valid reference.
  public func explain(_ failure: QuranReference.Failure) -> String {
    switch failure {
    case .empty:
      pick(
        "Chưa cho biết câu hay chương nào; ví dụ: 2:255, 36, yasin, juz 30, trang 604.",
        "No place was given; for example: 2:255, 36, yasin, juz 30, page 604.")
    case .noSuchSurah(let number): noSuchSurah(number)
    case .noSuchAyah(let surah, let ayah):
      noSuchAyah(
        surah: surah.rawValue, name: surah.surah.transliteration, ayah: ayah,
        count: surah.ayahCount)
    case .noSuchPart(let division, let number):
      noSuchPart(name(of: division), number, count: division.count)
    case .backwards(let first, let last): backwards("\(first)", "\(last)")
    case .ambiguous(let text, let surahs):
      ambiguous(
        shortened(text.sanitizedLine), surahs.prefix(6).map { "\($0) \($0.surah.transliteration)" },
        more: max(surahs.count - 6, 0))
    case .unknown(let text):
      pick(
        "Không hiểu “\(shortened(text.sanitizedLine))”; ví dụ: 2:255, 36, yasin, juz 30, trang 604.",
        "“\(shortened(text.sanitizedLine))” is not a place in the Quran;"
          + " for example: 2:255, 36, yasin, juz 30, page 604.")
    case .link(.malformed(let text)):
      pick(
        "“\(shortened(text.sanitizedLine))” không phải liên kết hợp lệ;"
          + " dạng đúng: quranvn://surah/2/ayah/255.",
        "“\(shortened(text.sanitizedLine))” is not a link to an ayah;"
          + " the form is quranvn://surah/2/ayah/255.")
    case .link(.noSuchSurah(let number)): noSuchSurah(number)
    }
  }

  /// Returns the name of a division.
  public func name(of division: Division) -> String {
    switch division {
    case .juz: juz
    case .hizb: hizb
    case .hizbQuarter: hizbQuarter
    case .manzil: manzil
    case .ruku: ruku
    case .page: page
    }
  }
}
