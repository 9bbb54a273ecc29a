import Editions
import FoundationEssentials

/// A translation in QuranEnc's list of translations.
public struct CatalogEntry: Codable, Hashable, Sendable {
  /// QuranEnc's name of the translation, such as `vietnamese_rwwad`.
  public var key: String
  /// The version of the text, such as `1.0.5`.
  public var version: String
  public var title: String
  public var description: String

  init(key: String, version: String, title: String = "", description: String = "") {
    self.key = key
    self.version = version
    self.title = title
    self.description = description
  }

  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: CodingKeys.self)
    key = try object.decode(String.self, forKey: .key)
    version = try object.decode(String.self, forKey: .version)
    title = try object.decodeIfPresent(String.self, forKey: .title) ?? ""
    description = try object.decodeIfPresent(String.self, forKey: .description) ?? ""
  }

  /// Whether two versions are the same. QuranEnc writes the version of a translation as `1.0.5` in
  /// its list, and as `v1.0.5-csv.1` in the files of the same translation.
  static func areSame(_ version: String, _ other: String) -> Bool {
    func number(_ version: String) -> Substring {
      let number = version.prefix { $0 != "-" }
      return number.first == "v" ? number.dropFirst() : number
    }
    return number(version) == number(other)
  }

  /// Decodes the list.
  ///
  /// - Returns: The valid entries of the list, or nil if the bytes are not a list.
  static func decodeList(_ bytes: [UInt8]) -> [CatalogEntry]? {
    try? JSONDecoder().decode(List.self, from: Data(bytes)).translations.compactMap(\.entry)
      .filter { RecognisedTranslation.isKey($0.key) && !$0.version.isEmpty }
  }

  private struct List: Decodable {
    let translations: [Element]
  }

  private struct Element: Decodable {
    let entry: CatalogEntry?

    init(from decoder: any Decoder) throws {
      entry = try? CatalogEntry(from: decoder)
    }
  }
}
