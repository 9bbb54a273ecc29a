import Quran
import Text

/// Collects the ayahs of a text in any order, and checks that they are the 6,236 ayahs.
struct EditionBuilder {
  private var texts = [String?](repeating: nil, count: AyahID.count)
  private var footnotes: [AyahID: String] = [:]
  private var basmalas: [SurahNumber: String] = [:]
  private var repeated: Set<AyahID> = []
  private var extra: [EditionFaults.ExtraAyah] = []
  /// The number of ayahs added, including repeated and extra ones.
  private(set) var count = 0

  /// Adds an ayah. An ayah that does not exist or was added before only counts as a fault.
  ///
  /// - Parameters:
  ///   - surah: The number of the surah, which may not exist.
  ///   - ayah: The number of the ayah in the surah, which may not exist.
  ///   - text: The text exactly as it was published.
  ///   - footnotes: All footnotes of the ayah; empty if there are none.
  ///   - basmala: The basmala before the ayah if the source has it outside of the text; otherwise
  ///     empty.
  /// - Throws: `tooManyAyahs`, `ayahTooLong` or `controlCharacter`.
  mutating func add(
    surah: Int, ayah: Int, _ text: String, footnotes: String = "", basmala: String = ""
  ) throws(EditionFailure) {
    count += 1
    guard count <= EditionFormat.ayahLimit else {
      throw .tooManyAyahs(limit: EditionFormat.ayahLimit)
    }
    guard let id = AyahID(surah: surah, ayah: ayah) else {
      extra.append(EditionFaults.ExtraAyah(surah: surah, ayah: ayah))
      return
    }
    guard texts[id.index - 1] == nil else {
      repeated.insert(id)
      return
    }
    for part in [text, footnotes, basmala] where !part.isEmpty {
      guard part.utf8.count <= EditionFormat.ayahByteLimit else {
        throw .ayahTooLong(id, limit: EditionFormat.ayahByteLimit)
      }
      if let scalar = part.firstForbiddenControl { throw .controlCharacter(id, scalar) }
    }
    texts[id.index - 1] = text
    if !footnotes.allSatisfy(\.isWhitespace) { self.footnotes[id] = footnotes }
    if !basmala.isEmpty { basmalas[id.surah] = basmala }
  }

  /// Adds the next ayah of a text whose ayahs are in the order of the Quran. Ayahs after 114:6 are
  /// numbered as if surah 114 continued.
  mutating func addNext(_ text: String) throws(EditionFailure) {
    if let id = AyahID(index: count + 1) {
      try add(surah: id.surah.rawValue, ayah: id.ayah, text)
    } else {
      try add(
        surah: SurahNumber.count, ayah: AyahID.last.ayah + count + 1 - AyahID.count, text)
    }
  }

  /// Returns the text.
  ///
  /// - Throws: `faults` if an ayah is missing, extra, repeated or empty.
  func finish() throws(EditionFailure) -> EditionContent {
    let faults = faults(in: AyahID.first...AyahID.last)
    guard faults.isEmpty else { throw .faults(faults) }
    return EditionContent(
      texts: texts.compactMap { $0 }, footnotes: footnotes, basmalas: basmalas)
  }

  /// Returns the faults of a text that should have exactly the given ayahs.
  func faults(in ayahs: ClosedRange<AyahID>) -> EditionFaults {
    var faults = EditionFaults(extra: Array(extra), repeated: repeated.sorted())
    for ayah in AyahID.first...AyahID.last {
      switch (texts[ayah.index - 1], ayahs.contains(ayah)) {
      case (nil, true): faults.missing.append(ayah)
      case (let text?, true):
        if text.allSatisfy(\.isWhitespace) { faults.empty.append(ayah) }
      case (.some, false):
        faults.extra.append(.init(surah: ayah.surah.rawValue, ayah: ayah.ayah))
      case (nil, false): continue
      }
    }
    faults.extra.sort()
    return faults
  }
}
