public import Editions
import Library
import Messages
public import Quran

// `quran-vi read`
extension CommandContext {
  /// Returns the ayahs of references that the user typed.
  ///
  /// - Throws: Status 2 if there are none or one is not a reference.
  public func ayahs(_ references: [String]) throws(CommandFailure) -> [AyahID] {
    try QuranReference.list(references, messages: messages).flatMap { Array($0.ayahs) }
  }

  /// The ayah of the day. It depends only on the local date.
  public var dailyAyah: AyahID { .ofTheDay(Day(containing: now())) }

  /// Returns an ayah chosen at random.
  ///
  /// - Parameter references: References as typed, from whose ayahs one is chosen; empty for all.
  /// - Throws: Status 2 if one is not a reference.
  public func randomAyah(of references: [String]) throws(CommandFailure) -> AyahID {
    let all = AyahID.first...AyahID.last
    let ayahs = references.isEmpty ? Array(all) : try ayahs(references)
    return ayahs.randomElement() ?? .first
  }

  /// Prints ayahs, each with its reference unless `isPlain` is true.
  ///
  /// - Parameters:
  ///   - ayahs: The ayahs, in the order in which they are printed.
  ///   - editions: The editions whose texts are printed, at least one.
  ///   - arabic: An Arabic edition whose text is printed first, unless it is one of `editions`; nil
  ///     for none. In JSON its text is a field of each row.
  ///   - isPlain: Whether to print the texts only. Has no effect on JSON.
  public func read(
    _ ayahs: [AyahID], editions: [Edition], arabic: Edition? = nil, isPlain: Bool = false
  ) throws(CommandFailure) {
    if asJSON {
      return try console.json(
        ayahs.flatMap { ayah in
          editions.map {
            AyahRow(ayah, $0, arabic: arabic, footnotes: $0.footnotes(of: ayah))
          }
        })
    }
    let hasArabic = editions.contains { $0.info.id == arabic?.info.id }
    let printed = (hasArabic ? [] : [arabic].compactMap { $0 }) + editions
    try console.lines(
      ayahs.flatMap { ayah in
        printed.map { edition in
          let name = editions.count > 1 ? "[\(edition.info.id)]  " : ""
          return (isPlain ? "" : "\(ayah)  \(name)") + edition.text(of: ayah)
        }
      })
  }
}

extension AyahID {
  /// The number of ayahs from the ayah of one day to the ayah of the next. It is coprime to the
  /// number of ayahs, so that each ayah is chosen once in 6,236 days.
  private static let dailyStep = 2503

  /// Returns the ayah of a day.
  static func ofTheDay(_ day: Day) -> AyahID {
    let position = (day.number * dailyStep) % count
    return AyahID(index: (position + count) % count + 1) ?? .first
  }
}

/// An ayah in the JSON output.
struct AyahRow: Encodable {
  let ayah: String
  let surah: Int
  let surahName: String
  let vietnameseSurahName: String
  let number: Int
  let juz: Int
  let hizb: Int
  let page: Int
  /// `recommended` or `obligatory`; nil if there is no prostration after the ayah.
  let sajda: String?
  let edition: String
  let text: String
  let arabic: String?
  let footnotes: [FootnoteRow]?
  /// The time at which the ayah became a favourite, in milliseconds since 1970, UTC. Only the list
  /// of favourites contains it.
  let favoritedAt: Int64?

  struct FootnoteRow: Encodable {
    let number: Int?
    let text: String
  }

  init(
    _ ayah: AyahID, _ edition: Edition, arabic: Edition? = nil, footnotes: [Footnote] = [],
    favoritedAt: Int64? = nil
  ) {
    self.ayah = ayah.description
    surah = ayah.surah.rawValue
    surahName = ayah.surah.surah.transliteration
    vietnameseSurahName = ayah.surah.surah.vietnameseName
    number = ayah.ayah
    juz = ayah.juz
    hizb = ayah.hizb
    page = ayah.page
    sajda = ayah.sajda?.rawValue
    self.edition = edition.info.id
    text = edition.text(of: ayah)
    self.arabic = arabic?.text(of: ayah)
    self.footnotes =
      footnotes.isEmpty ? nil : footnotes.map { FootnoteRow(number: $0.number, text: $0.text) }
    self.favoritedAt = favoritedAt
  }
}
