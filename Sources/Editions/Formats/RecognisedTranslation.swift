import Text

/// A recognised Vietnamese translation, which QuranEnc publishes.
public struct RecognisedTranslation: Hashable, Sendable {
  /// The ID of the edition, such as `vi.rwwad`.
  public let id: String
  /// QuranEnc's name of the translation, such as `vietnamese_rwwad`.
  public let key: String
  public let translator: String

  /// The recognised translations, in the order in which they are offered.
  public static let all = [
    RecognisedTranslation(
      id: "vi.rwwad", key: "vietnamese_rwwad", translator: "Rowwad Translation Center"),
    RecognisedTranslation(
      id: "vi.hassan", key: "vietnamese_hassan", translator: "Hassan Abdul-Karim"),
  ]

  /// Whether a text has the form of one of QuranEnc's names: `language_name`.
  public static func isKey(_ text: String) -> Bool {
    guard text.utf8.count <= 64, let separator = text.firstIndex(of: "_"),
      separator > text.startIndex
    else { return false }
    return text.utf8.allSatisfy {
      $0.isDecimalDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        || $0 == UInt8(ascii: "_")
    }
  }

  /// The metadata of the edition, without the values that are known only after it is installed.
  public var info: Edition.Info {
    Edition.Info(
      id: id, language: "vi", direction: .leftToRight, title: translator, translator: translator,
      publisher: "QuranEnc.com", source: "https://quranenc.com/en/browse/\(key)",
      licence: "QuranEnc", isRecognised: true)
  }
}

extension Edition.Info {
  /// QuranEnc's name of the translation. Nil if the edition is not one of QuranEnc's, or if a file
  /// was installed under another ID, so that a download would not replace it.
  public var quranEncKey: String? {
    if let known = RecognisedTranslation.all.first(where: { $0.id == id }) { return known.key }
    let origin = "https://quranenc.com/"
    guard isRecognised, source.hasPrefix(origin) else { return nil }
    let key = source.dropFirst(origin.count).split(separator: "/").last ?? ""
    return RecognisedTranslation.isKey(String(key)) ? String(key) : nil
  }
}
