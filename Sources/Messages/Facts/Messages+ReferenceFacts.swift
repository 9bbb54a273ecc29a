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
    case .noSuchSurah(let number), .link(.noSuchSurah(let number)):
      pick(
        "Không có chương \(number); các chương được đánh số từ 1 đến 114.",
        "There is no surah \(number); surahs are numbered 1 to 114.")
    case .noSuchAyah(let surah, let ayah):
      pick(
        "Không có câu \(surah):\(ayah); chương \(surah) (\(surah.surah.transliteration)) có "
          + "\(surah.ayahCount) câu.",
        "There is no ayah \(surah):\(ayah); surah \(surah) (\(surah.surah.transliteration)) has "
          + "\(surah.ayahCount) ayahs.")
    case .noSuchPart(let division, let number):
      pick(
        "Không có \(name(of: division)) \(number); \(name(of: division)) được đánh số từ 1 đến "
          + "\(division.count).",
        "There is no \(name(of: division)) \(number); they are numbered 1 to \(division.count).")
    case .backwards(let first, let last):
      pick(
        "\(first)-\(last) bị ngược; hãy viết \(last)-\(first).",
        "\(first)-\(last) runs backwards; write \(last)-\(first).")
    case .ambiguous(let text, let surahs): ambiguous(shortened(text.sanitizedLine), surahs)
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
    }
  }

  private func ambiguous(_ text: String, _ surahs: [SurahNumber]) -> String {
    let list = surahs.prefix(6).map { "\($0) \($0.surah.transliteration)" }.joined(separator: ", ")
    let more = surahs.count - 6
    let rest = more <= 0 ? "" : pick(" và \(more) chương khác", " and \(more) more")
    return pick("“\(text)” có thể là: \(list)\(rest).", "“\(text)” could be: \(list)\(rest).")
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
