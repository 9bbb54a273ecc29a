import Text

/// Facts about well-known editions and about the names that publishers use.
enum KnownEdition {
  /// The ID of the Arabic text in the reading of Ḥafṣ.
  static let arabicID = "ar.hafs"

  /// Returns the metadata of an edition by the name that its publisher, the phone app or quran-api
  /// uses; nil if it is unknown.
  static func info(key: String) -> Edition.Info? {
    if let translation = RecognisedTranslation.all.first(where: { [$0.id, $0.key].contains(key) }) {
      return translation.info
    }
    return switch key {
    case "ara-quranuthmanihaf", "hafs", "ar.hafs":
      Edition.Info(
        id: arabicID, language: "ar", direction: .rightToLeft, kind: .original,
        title: "حفص عن عاصم",
        publisher: "King Fahd Glorious Quran Printing Complex",
        source: "https://qurancomplex.gov.sa/", isRecognised: true)
    default: nil
    }
  }

  /// Returns an ID for the name that a publisher uses: `en.sahih` as it is, `english_saheeh` as
  /// `en.saheeh`. Empty if the name cannot be an ID.
  static func id(key: String, language: String) -> String {
    var id = key.lowercased()
    if let separator = id.firstIndex(of: "_"), !id.contains(".") {
      let prefix = language.isEmpty ? String(id[..<separator]) : language
      id = "\(prefix).\(id[id.index(after: separator)...])"
    }
    return Edition.Info.isValid(id: id) && id != Edition.bundledID ? id : ""
  }

  /// The BCP 47 tag of the language in a name such as `english_saheeh` or `en.sahih`; nil if the
  /// name contains none.
  static func languageTag(ofKey key: String) -> String? {
    let prefix = key.prefix { $0.isLetter }
    guard prefix.endIndex < key.endIndex else { return nil }
    if key[prefix.endIndex] == ".", (2...3).contains(prefix.utf8.count) {
      return prefix.lowercased()
    }
    return languageTag(named: String(prefix))
  }

  /// The BCP 47 tag of a language by its English name.
  static func languageTag(named name: String) -> String? { languages[name.lowercased()] }

  private static let languages = [
    "albanian": "sq", "arabic": "ar", "azeri": "az", "bengali": "bn", "bosnian": "bs",
    "chinese": "zh", "dutch": "nl", "english": "en", "french": "fr", "german": "de",
    "hausa": "ha", "hindi": "hi", "indonesian": "id", "italian": "it", "japanese": "ja",
    "khmer": "km", "korean": "ko", "malay": "ms", "malayalam": "ml", "persian": "fa",
    "portuguese": "pt", "russian": "ru", "somali": "so", "spanish": "es", "swahili": "sw",
    "swedish": "sv", "tagalog": "tl", "tamil": "ta", "thai": "th", "turkish": "tr",
    "urdu": "ur", "uzbek": "uz", "vietnamese": "vi",
  ]

  /// The kind of a text by its name and title. Names of well-known commentaries are recognised.
  static func kind(of name: String) -> Edition.Kind {
    let name = name.lowercased()
    let commentaries = [
      "tafsir", "tafseer", "mokhtasar", "mukhtasar", "moyassar", "muyassar", "jalalayn", "تفسير",
      "المختصر", "الميسر",
    ]
    if commentaries.contains(where: name.contains) { return .commentary }
    return name.contains("transliteration") ? .transliteration : .translation
  }
}
