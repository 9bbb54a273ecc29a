import FoundationEssentials
import Quran

/// A decoded element of an export.
enum ImportRow {
  case favorite(Favorite)
  case note(Note)
  case progress(SurahProgress)
  case setting(Setting)
  case readingDay(Day, ayahs: Int)
  case draft(Draft)
  case cue(Int, AyahID)

  /// Decodes an element of a list.
  ///
  /// - Parameters:
  ///   - json: JSON that `JSONStream` found well-formed.
  ///   - unknownFields: Increased by the number of the element's keys that this version does not
  ///     know.
  init(
    _ json: [UInt8], of list: ExportDocument.List, unknownFields: inout Int
  ) throws(ImportRefusal) {
    guard String(validating: json, as: UTF8.self) != nil else {
      throw ImportRefusal(reason: .notText)
    }
    do {
      let element = try JSONDecoder().decode(
        DecodedElement.self, from: Data(json), configuration: list)
      unknownFields += element.unknownFields
      self = element.row
    } catch let refusal as ImportRefusal {
      throw refusal
    } catch {
      throw ImportRefusal(error)
    }
  }
}

/// The reason why an element cannot be decoded.
struct ImportRefusal: Error {
  let reason: ImportReport.Reason

  init(reason: ImportReport.Reason) {
    self.reason = reason
  }

  fileprivate init(_ error: any Error) {
    reason =
      switch error {
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
        .wrongType(field: context.codingPath.first?.stringValue)
      case DecodingError.keyNotFound(let key, _): .missing(field: key.stringValue)
      default: .notText
      }
  }
}

private struct DecodedElement: DecodableWithConfiguration {
  let row: ImportRow
  let unknownFields: Int

  init(from decoder: any Decoder, configuration list: ExportDocument.List) throws {
    var fields = Fields(try decoder.container(keyedBy: FieldName.self))
    row =
      switch list {
      case .favorites:
        .favorite(
          Favorite(try fields.ayah("ayah"), favoritedAt: try fields.value("favoritedAt")))
      case .notes:
        .note(
          Note(
            id: try fields.id("id"), ayah: try fields.ayah("ayah"), text: try fields.note("text"),
            createdAt: try fields.value("createdAt"), modifiedAt: try fields.value("modifiedAt")))
      case .progress: .progress(try fields.progress())
      case .settings: .setting(try fields.setting())
      case .readingDays:
        .readingDay(
          try fields.day("day"), ayahs: try fields.number("ayahs", in: 1...1_000_000))
      case .drafts:
        .draft(try fields.draft())
      case .cues: .cue(try fields.number("number", in: 1...9), try fields.ayah("ayah"))
      }
    unknownFields = fields.unknown.count
  }
}

private struct FieldName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// The fields of an element. It records the keys that were not read, which this version does not
/// know.
private struct Fields {
  private let container: KeyedDecodingContainer<FieldName>
  private(set) var unknown: Set<String>

  init(_ container: KeyedDecodingContainer<FieldName>) {
    self.container = container
    unknown = Set(container.allKeys.map(\.stringValue))
  }

  mutating func value<Value: Decodable>(_ name: String) throws -> Value {
    unknown.remove(name)
    do {
      return try container.decode(Value.self, forKey: FieldName(stringValue: name))
    } catch let error as DecodingError {
      throw error
    } catch {
      // An error of Foundation: a number is too large, or there is half a surrogate pair.
      throw ImportRefusal(reason: Value.self == String.self ? .notText : .invalidValue(field: name))
    }
  }

  mutating func optional<Value: Decodable>(_ name: String) throws -> Value? {
    unknown.remove(name)
    let key = FieldName(stringValue: name)
    guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
    return try value(name) as Value
  }

  mutating func number(_ name: String, in range: ClosedRange<Int>) throws -> Int {
    let number: Int = try value(name)
    guard range.contains(number) else { throw ImportRefusal(reason: .invalidValue(field: name)) }
    return number
  }

  mutating func ayah(_ name: String) throws -> AyahID {
    let text: String = try value(name)
    guard let ayah = AyahID(text) else {
      throw ImportRefusal(reason: .noSuchAyah(String(text.prefix(100))))
    }
    return ayah
  }

  mutating func id(_ name: String) throws -> UUID {
    let text: String = try value(name)
    guard let id = UUID(uuidString: text) else {
      throw ImportRefusal(reason: .badID(String(text.prefix(100))))
    }
    return id
  }

  mutating func note(_ name: String) throws -> NoteText {
    let text: String = try value(name)
    do {
      return try NoteText(text)
    } catch {
      throw ImportRefusal(reason: .note(error))
    }
  }

  mutating func day(_ name: String) throws -> Day {
    let text: String = try value(name)
    guard let day = Day(text) else { throw ImportRefusal(reason: .invalidValue(field: name)) }
    return day
  }

  mutating func draft() throws -> Draft {
    let id = try self.id("id")
    // A document of an earlier version has no `note`, because a draft had the ID of its note. Its
    // `basedOn` is the time of the edited note, which does not identify a text.
    unknown.remove("basedOn")
    let note: String? = try optional("note")
    let base: String? = try optional("base")
    return Draft(
      id: id, noteID: note.flatMap(UUID.init(uuidString:)) ?? id, ayah: try ayah("ayah"),
      base: base.flatMap { try? NoteText($0) },
      text: try value("text"), changedAt: try value("changedAt"))
  }

  mutating func progress() throws -> SurahProgress {
    let number: Int = try value("surah")
    guard let surah = SurahNumber(number) else {
      throw ImportRefusal(reason: .noSuchSurah(number))
    }
    // The number of ayahs is known from the surah.
    unknown.remove("totalAyahs")
    let last = try self.number("lastReadAyah", in: 0...surah.ayahCount)
    return SurahProgress(surah, lastReadAyah: last, lastUpdatedAt: try value("lastUpdatedAt"))
  }

  /// Reads a setting. The table checks whether the value is JSON.
  mutating func setting() throws -> Setting {
    let key: String = try value("key")
    guard (1...100).contains(key.utf8.count),
      key.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw ImportRefusal(reason: .invalidValue(field: "key")) }
    let text: String = try value("value")
    // A setting is sent as a record, so the size limit for notes applies to it as well.
    guard text.utf8.count <= NoteText.limit, !text.utf8.contains(0) else {
      throw ImportRefusal(reason: .invalidValue(field: "value"))
    }
    return Setting(key: key, value: text, lastModifiedAt: try value("lastModifiedAt"))
  }
}
