public import Editions
import Messages
import Quran

// `quran-vi read`
extension CommandContext {
  /// Prints ayahs, each with its reference.
  ///
  /// - Parameters:
  ///   - references: The references as typed.
  ///   - edition: The edition whose text is printed.
  ///   - arabic: The Arabic text, which is printed before that of the edition; nil for none.
  ///   - isPlain: Whether to print the text only. Has no effect on JSON.
  /// - Throws: Status 2 if a reference is invalid.
  public func read(
    _ references: [String], edition: Edition, arabic: Edition? = nil, isPlain: Bool = false
  ) throws(CommandFailure) {
    let ayahs = try QuranReference.list(references, messages: messages).flatMap { Array($0.ayahs) }
    if asJSON {
      try console.json(
        ayahs.map { AyahRow($0, edition, arabic: arabic, footnotes: edition.footnotes(of: $0)) })
    } else {
      try console.lines(
        ayahs.flatMap { ayah in
          [arabic, edition].compactMap { $0 }.map {
            (isPlain ? "" : "\(ayah)  ") + $0.text(of: ayah)
          }
        })
    }
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
