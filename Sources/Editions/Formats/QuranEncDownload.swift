import Digests
public import Quran

/// Collects the responses of QuranEnc's API, each of one surah, until the text is complete.
///
///     var download = QuranEncDownload()
///     for surah in SurahNumber.all { try download.add(response(of: surah), of: surah) }
///     let editions = try download.editions(
///       key: "vietnamese_rwwad", title: "…", version: "1.0.5")
///
/// A response can be stored as it is, and added again after an interruption.
public struct QuranEncDownload: Sendable {
  private var translation = EditionBuilder()
  private var arabic = EditionBuilder()
  private var responses: [SurahNumber: [UInt8]] = [:]

  public init() {}

  /// The surahs whose responses were added.
  public var surahs: Set<SurahNumber> { Set(responses.keys) }

  /// Adds a response to `/api/v1/translation/sura/{key}/{surah}`.
  ///
  /// - Throws: `faults` if the response does not consist of exactly the ayahs of the surah, or
  ///   another failure of `ParsedEdition.parse`. Nothing is added in these cases.
  public mutating func add(
    _ response: [UInt8], of surah: SurahNumber
  ) throws(EditionFailure) {
    guard response.count <= EditionFormat.byteLimit else {
      throw .tooLarge(limit: EditionFormat.byteLimit)
    }
    let rows = try JSONEditions.quranEncRows(in: SourceText(validating: response))
    var part = QuranEncDownload()
    try part.add(rows)
    let faults = part.translation.faults(in: surah.ayahs)
    guard faults.isEmpty else { throw .faults(faults) }
    guard responses[surah] == nil else { return }
    try add(rows)
    responses[surah] = response
  }

  mutating func add(_ rows: [QuranEncRow]) throws(EditionFailure) {
    for row in rows {
      try translation.add(
        surah: row.sura.value, ayah: row.aya.value, row.translation, footnotes: row.footnotes ?? "")
      if let text = row.arabicText {
        try arabic.add(surah: row.sura.value, ayah: row.aya.value, text)
      }
    }
  }

  /// Returns the translation, and the Arabic text if all responses have it.
  ///
  /// - Parameters:
  ///   - key: QuranEnc's name of the translation, such as `vietnamese_rwwad`.
  ///   - title: The title in QuranEnc's list of translations.
  ///   - version: The version in QuranEnc's list of translations.
  ///   - description: The description in QuranEnc's list of translations.
  /// - Throws: `faults` if responses are missing.
  public func editions(
    key: String, title: String, version: String, description: String = ""
  ) throws(EditionFailure) -> [ParsedEdition] {
    var notes = SourceNotes()
    notes.add("translation id", key)
    notes.add("title", title)
    notes.add("version", version)
    notes.add("url", "https://quranenc.com/en/browse/\(key)")
    notes.add(comment: description)
    var editions = try editions(notes)
    let checksum = SHA256.hex(of: SurahNumber.all.flatMap { responses[$0] ?? [] })
    for index in editions.indices { editions[index].info.sourceChecksum = checksum }
    return editions
  }

  func editions(_ notes: SourceNotes) throws(EditionFailure) -> [ParsedEdition] {
    var notes = notes
    notes.add("url", "https://quranenc.com")
    var editions = [try ParsedEdition(.quranEncJSON, translation.finish(), notes)]
    if arabic.faults(in: AyahID.first...AyahID.last).isEmpty {
      var notes = SourceNotes()
      notes.add("id", "ar.hafs")
      editions.append(try ParsedEdition(.quranEncJSON, arabic.finish(), notes))
      editions[1].info.source = "https://quranenc.com"
    }
    return editions
  }
}
