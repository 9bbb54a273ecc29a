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
  ///   - isPlain: Whether to print the text only. Has no effect on JSON.
  /// - Throws: Status 2 if a reference is invalid.
  public func read(
    _ references: [String], edition: Edition, isPlain: Bool = false
  ) throws(CommandFailure) {
    let ayahs = try QuranReference.list(references, messages: messages).flatMap { Array($0.ayahs) }
    if asJSON {
      try console.json(ayahs.map { AyahRow($0, edition) })
    } else {
      try console.lines(ayahs.map { (isPlain ? "" : "\($0)  ") + edition.text(of: $0) })
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
  /// Only in the list of favourites; milliseconds since 1970, UTC.
  let favoritedAt: Int64?

  init(_ ayah: AyahID, _ edition: Edition, favoritedAt: Int64? = nil) {
    self.ayah = ayah.description
    surah = ayah.surah.rawValue
    number = ayah.ayah
    self.edition = edition.info.id
    text = edition.text(of: ayah)
    self.favoritedAt = favoritedAt
  }
}
