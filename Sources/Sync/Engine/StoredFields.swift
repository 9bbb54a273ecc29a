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
  /// The name of the record that the last attempt sent, if the outcome of that attempt is unknown;
  /// otherwise nil.
  func sentName(of user: String) -> String? {
    guard let sent, let fields = try? CanonicalJSON.decode(sent) else { return nil }
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
