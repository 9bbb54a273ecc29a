import Quran

/// An ayah in QuranEnc's JSON.
struct QuranEncRow: Decodable {
  let sura: JSONNumber
  let aya: JSONNumber
  let translation: String
  let footnotes: String?
  let arabicText: String?

  private enum CodingKeys: String, CodingKey {
    case sura, aya, translation, footnotes
    case arabicText = "arabic_text"
  }

  /// An element of a list: a response or a row.
  private struct Element: Decodable {
    let rows: [QuranEncRow]

    private enum Key: String, CodingKey {
      case result, translation
    }

    init(from decoder: any Decoder) throws {
      let object = try decoder.container(keyedBy: Key.self)
      if object.contains(.result) {
        rows = try object.decode([QuranEncRow].self, forKey: .result)
      } else if object.contains(.translation) {
        rows = [try QuranEncRow(from: decoder)]
      } else {
        throw EditionFailure.unknownFormat
      }
    }
  }

  /// Returns the rows of a list of responses or rows.
  static func rows(in list: any UnkeyedDecodingContainer) throws -> [QuranEncRow] {
    var list = list
    var rows: [QuranEncRow] = []
    while !list.isAtEnd { rows += try list.decode(Element.self).rows }
    guard !rows.isEmpty else { throw EditionFailure.unknownFormat }
    return rows
  }

  /// Returns the translation, and the Arabic text if all rows have it.
  static func editions(of rows: [QuranEncRow]) throws(EditionFailure) -> [ParsedEdition] {
    var download = QuranEncDownload()
    try download.add(rows)
    return try download.editions(SourceNotes())
  }
}
