import CloudRecords
import FoundationEssentials
import Library

// The fields of records as the library keeps them.
extension RecordState {
  /// - Parameter record: as the server told it.
  init(_ record: Record, of thing: Thing, listing: Int) throws {
    self.init(
      name: record.recordName, thing: thing, tag: record.recordChangeTag,
      base: try CanonicalJSON.encode(record.fields), listing: listing)
  }

  /// What was written before; nothing where it cannot be read, which is like not knowing it.
  var fields: [String: Field] { (try? CanonicalJSON.decode(base)) ?? [:] }

  /// What the server held when this was stored; nil where that cannot be read.
  func entry(of user: String) -> Entry? {
    let record = Record(name, type: thing.recordKind.rawValue, fields: fields)
    guard case .entry(let entry) = RecordReading(record, of: user) else { return nil }
    return entry.renamed(thing)
  }
}

extension PendingChange {
  /// The name of the record that the last attempt was to make, where its outcome is not known.
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
  /// The entry under the name it has in the library: two records may have the id of one note.
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
