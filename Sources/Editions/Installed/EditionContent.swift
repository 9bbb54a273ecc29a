public import Quran
import Text

/// The text of an edition in memory, complete and checked: 6,236 ayahs that are not empty.
public struct EditionContent: Sendable {
  /// The texts of the ayahs in the order of the Quran, exactly as published.
  let texts: [String]
  /// All footnotes of each ayah that has some, in one string.
  let footnotes: [AyahID: String]
  /// The basmalas that the source stores separately from the ayahs, by the surah that they precede.
  let basmalas: [SurahNumber: String]

  /// Returns the text of an ayah exactly as it was published.
  public func text(of ayah: AyahID) -> String { texts[ayah.index - 1] }

  /// Whether the text has any footnotes.
  public var hasFootnotes: Bool { !footnotes.isEmpty }

  /// The number of bytes of the basmala at the beginning of each surah's first ayah, up to the next
  /// word; 0 if there is none.
  var leadingBasmalaLengths: [Int] {
    SurahNumber.all.map { surah in
      guard surah.surah.isHeadedByBasmala else { return 0 }
      return LeadingBasmala.length(in: text(of: surah.firstAyah), basmala: text(of: .first))
    }
  }
}
