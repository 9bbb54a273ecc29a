import FoundationEssentials

/// Parses editions in the JSON formats.
enum JSONEditions {
  static func parse(_ text: SourceText) throws(EditionFailure) -> [ParsedEdition] {
    let documents = try documents(in: text)
    if case .quranEnc = documents[0] { return try QuranEncRow.editions(of: rows(documents)) }
    guard documents.count == 1 else { throw .unknownFormat }
    switch documents[0] {
    case .quranEnc: throw .unknownFormat
    case .phoneApp(let file): return try file.editions
    case .mushaf(let mushaf): return [try mushaf.edition]
    case .verses(let verses): return [try VerseRow.edition(of: verses)]
    }
  }

  /// Returns the ayahs in responses of QuranEnc.
  static func quranEncRows(in text: SourceText) throws(EditionFailure) -> [QuranEncRow] {
    try rows(documents(in: text))
  }

  private static func rows(
    _ documents: [JSONDocument]
  ) throws(EditionFailure) -> [QuranEncRow] {
    var rows: [QuranEncRow] = []
    for document in documents {
      guard case .quranEnc(let more) = document else { throw .unknownFormat }
      rows += more
    }
    return rows
  }

  /// - Throws: `unknownFormat`, `invalidJSON`, or a failure of `JSONLimits`.
  private static func documents(in text: SourceText) throws(EditionFailure) -> [JSONDocument] {
    var documents: [JSONDocument] = []
    for range in try JSONLimits.documents(in: text.bytes) {
      documents.append(try decode(text.bytes[range]))
    }
    return documents
  }

  private static func decode(_ bytes: ArraySlice<UInt8>) throws(EditionFailure) -> JSONDocument {
    do {
      return try JSONDecoder().decode(JSONDocument.self, from: Data(bytes))
    } catch let failure as EditionFailure {
      throw failure
    } catch let error as DecodingError {
      throw .invalidJSON(path: error.path)
    } catch {
      throw .invalidJSON(path: "")
    }
  }
}

/// A document in one of the JSON formats, which are recognised by their keys.
private enum JSONDocument: Decodable {
  case quranEnc([QuranEncRow])
  case phoneApp(PhoneAppFile)
  case mushaf(MushafFile)
  case verses([VerseRow])

  private enum Key: String, CodingKey {
    case format, quran, result, surahs
  }

  init(from decoder: any Decoder) throws {
    if let list = try? decoder.unkeyedContainer() {
      self = .quranEnc(try QuranEncRow.rows(in: list))
      return
    }
    let object = try decoder.container(keyedBy: Key.self)
    if object.contains(.result) {
      self = .quranEnc(try object.decode([QuranEncRow].self, forKey: .result))
    } else if let format = try? object.decode(String.self, forKey: .format) {
      guard format == MushafFile.format else { throw EditionFailure.unknownFormat }
      self = .mushaf(try MushafFile(from: decoder))
    } else if object.contains(.surahs) {
      self = .phoneApp(try PhoneAppFile(from: decoder))
    } else if object.contains(.quran) {
      self = .verses(try object.decode([VerseRow].self, forKey: .quran))
    } else {
      throw EditionFailure.unknownFormat
    }
  }
}

/// An ayah in an edition of quran-api.
private struct VerseRow: Decodable {
  let chapter: JSONNumber
  let verse: JSONNumber
  let text: String

  static func edition(of rows: [VerseRow]) throws(EditionFailure) -> ParsedEdition {
    var builder = EditionBuilder()
    for row in rows {
      try builder.add(surah: row.chapter.value, ayah: row.verse.value, row.text)
    }
    return try ParsedEdition(.chapterVerseJSON, builder.finish(), SourceNotes())
  }
}

/// An integer that is written as a number or as a string.
struct JSONNumber: Decodable {
  let value: Int

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let value = Int(text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number")
      }
      self.value = value
    } else {
      value = try container.decode(Int.self)
    }
  }
}

extension DecodingError {
  /// The keys and indices of the value that could not be decoded, such as `quran.12.text`.
  fileprivate var path: String {
    let path: [any CodingKey]
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      path = context.codingPath
    case .keyNotFound(let key, let context): path = context.codingPath + [key]
    @unknown default: path = []
    }
    return path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
