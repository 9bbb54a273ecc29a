import CloudRecords
import FoundationEssentials
import Library

// Encodes and decodes the fields of records that the library stores.
extension RecordState {
  /// Creates the state of a record that the service returned.
  ///
  /// - Parameters:
  ///   - record: The record as the service returned it.
  ///   - thing: The thing of the record.
  ///   - listing: The number of the last listing that was started.
  init(_ record: Record, of thing: Thing, listing: Int) throws {
    self.init(
      name: record.recordName, thing: thing, tag: record.recordChangeTag,
      base: try CanonicalJSON.encode(record.fields), listing: listing)
  }

  /// The stored fields; empty if they cannot be decoded.
  var fields: [String: Field] { (try? CanonicalJSON.decode(base)) ?? [:] }

  /// The service's version of the entry when this state was stored; nil if it cannot be decoded.
  func entry(of user: String) -> Entry? {
    let record = Record(name, type: thing.recordKind.rawValue, fields: fields)
    guard case .entry(let entry) = DecodedRecord(record, of: user) else { return nil }
    return entry.renamed(thing)
  }
}

extension PendingChange {
  /// Separates the fields of several saves. Encoded fields contain no line breaks.
  private static let separator = UInt8(ascii: "\n")
  /// The maximum number of unconfirmed saves that are stored.
  private static let unconfirmedLimit = 8

  /// The encoded fields of the saves that were sent and whose outcome is unknown, the oldest first.
  /// Each of them may still arrive, as long as the record has the version that the device knows.
  var unconfirmedSaves: [Data] { sent?.split(separator: Self.separator) ?? [] }

  /// Adds the encoded fields of a save that is sent now.
  mutating func addUnconfirmedSave(_ fields: Data) {
    let saves = unconfirmedSaves.filter { $0 != fields } + [fields]
    sent = Data(saves.suffix(Self.unconfirmedLimit).joined(separator: [Self.separator]))
  }

  /// The name of the record that the unconfirmed saves have created or changed, if they arrived;
  /// nil if there are none.
  func sentName(of user: String) -> String? {
    guard let save = unconfirmedSaves.last, let fields = try? CanonicalJSON.decode(save) else {
      return nil
    }
    guard case .note(let id) = thing else {
      return (thing.recordKind.prefix ?? "") + "\(user)-\(thing.key)"
    }
    guard case .string(let ayah) = fields[FieldName.ayahID]?.value else { return nil }
    return (RecordKind.note.prefix ?? "") + "\(user)-\(ayah)-\(id.uuidString)"
  }
}

extension Thing {
  /// The kind of the record that stores the thing.
  var recordKind: RecordKind {
    switch self {
    case .favorite: .favorite
    case .note: .note
    case .progress: .progress
    case .setting: .setting
    }
  }
}

extension Entry {
  /// Returns the entry with the id that its note has in the library. The ids differ if two records
  /// contain the same note id.
  func renamed(_ thing: Thing) -> Entry {
    guard case .note(let note) = self, case .note(let id) = thing, note.id != id else {
      return self
    }
    return .note(
      Note(
        id: id, ayah: note.ayah, text: note.text, createdAt: note.createdAt,
        modifiedAt: note.modifiedAt))
  }
}
