public import Editions
import Library
import Messages
import Quran

// `quran-vi read`
extension CommandContext {
  /// Prints ayahs, each with its reference.
  ///
  /// - Parameters:
  ///   - references: The references as typed.
  ///   - editions: The editions whose texts are printed, at least one.
  ///   - arabic: The Arabic text, which is printed before those of the editions; nil for none.
  ///   - isPlain: Whether to print the texts only. Has no effect on JSON.
  /// - Throws: Status 2 if a reference is invalid.
  public func read(
    _ references: [String], editions: [Edition], arabic: Edition? = nil, isPlain: Bool = false
  ) throws(CommandFailure) {
    let ayahs = try QuranReference.list(references, messages: messages).flatMap { Array($0.ayahs) }
    try print(ayahs, editions, arabic, isPlain)
  }

  /// Prints the ayah of the day. It depends only on the local date.
  ///
  /// Parameters as for `read`.
  public func readDaily(
    editions: [Edition], arabic: Edition? = nil, isPlain: Bool = false
  ) throws(CommandFailure) {
    try print([.ofTheDay(Day(containing: now()))], editions, arabic, isPlain)
  }

  /// Prints an ayah chosen at random.
  ///
  /// Parameters as for `read`, except:
  ///
  /// - Parameter references: The ayahs from which one is chosen, as typed; empty for all.
  public func readRandom(
    _ references: [String], editions: [Edition], arabic: Edition? = nil, isPlain: Bool = false
  ) throws(CommandFailure) {
    let ayahs =
      references.isEmpty
      ? Array(AyahID.first...AyahID.last)
      : try QuranReference.list(references, messages: messages).flatMap { Array($0.ayahs) }
    try print([ayahs.randomElement() ?? .first], editions, arabic, isPlain)
  }

  private func print(
    _ ayahs: [AyahID], _ editions: [Edition], _ arabic: Edition?, _ isPlain: Bool
  ) throws(CommandFailure) {
    if asJSON {
      try console.json(
        ayahs.flatMap { ayah in
          editions.map {
            AyahRow(ayah, $0, arabic: arabic, footnotes: $0.footnotes(of: ayah))
          }
        })
    } else {
      try console.lines(
        ayahs.flatMap { ayah in
          ([arabic].compactMap { $0 }.filter { arabic in
            !editions.contains { $0.info.id == arabic.info.id }
          } + editions).map { edition in
            let name = editions.count > 1 ? "[\(edition.info.id)]  " : ""
            return (isPlain ? "" : "\(ayah)  \(name)") + edition.text(of: ayah)
          }
        })
    }
  }
}

extension AyahID {
  /// The number of ayahs from one day's ayah to the next one's. It has no divisor in common with the
  /// number of ayahs, so that each ayah has its day once in 6,236 days.
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
  let number: Int
  let edition: String
  let text: String
  let arabic: String?
  let footnotes: [FootnoteRow]?
  /// Only in the list of favourites; milliseconds since 1970, UTC.
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
    number = ayah.ayah
    self.edition = edition.info.id
    text = edition.text(of: ayah)
    self.arabic = arabic?.text(of: ayah)
    self.footnotes =
      footnotes.isEmpty ? nil : footnotes.map { FootnoteRow(number: $0.number, text: $0.text) }
    self.favoritedAt = favoritedAt
  }
}
