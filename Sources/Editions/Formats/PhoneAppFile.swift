/// The phone app's `quran.json`, which has the Arabic text and a Vietnamese translation.
struct PhoneAppFile: Decodable {
  struct Metadata: Decodable {
    var generatedAt: String?
    var arabicSource: Source?
    var vietnameseSource: Source?
  }

  struct Source: Decodable {
    var name: String?
    var author: String?
    var source: String?
  }

  struct Surah: Decodable {
    let number: JSONNumber
    let ayahs: [Ayah]
  }

  struct Ayah: Decodable {
    let number: JSONNumber
    let arabic: String
    let vietnamese: String
  }

  let metadata: Metadata?
  let surahs: [Surah]

  /// The Vietnamese and the Arabic edition.
  var editions: [ParsedEdition] {
    get throws(EditionFailure) {
      var vietnamese = EditionBuilder()
      var arabic = EditionBuilder()
      for surah in surahs {
        for ayah in surah.ayahs {
          try vietnamese.add(surah: surah.number.value, ayah: ayah.number.value, ayah.vietnamese)
          try arabic.add(surah: surah.number.value, ayah: ayah.number.value, ayah.arabic)
        }
      }
      return [
        edition(try vietnamese.finish(), metadata?.vietnameseSource, language: "vi"),
        edition(try arabic.finish(), metadata?.arabicSource, language: "ar"),
      ]
    }
  }

  private func edition(
    _ content: EditionContent, _ source: Source?, language: String
  ) -> ParsedEdition {
    var notes = SourceNotes()
    notes.add("id", source?.name ?? "")
    notes.add("name", source?.author ?? "")
    notes.add("url", source?.source ?? "")
    notes.add("version", metadata?.generatedAt ?? "")
    var edition = ParsedEdition(.phoneAppJSON, content, notes)
    edition.info.language = language
    return edition
  }
}
