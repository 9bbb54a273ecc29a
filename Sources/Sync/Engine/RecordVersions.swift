import FoundationEssentials
import Library

// The versions of a record before the known one, and after its deletion.
extension RecordState {
  /// The maximum number of change tags of earlier versions that are stored for a record.
  private static let formerTagLimit = 16

  /// The state after the service deleted the record.
  var afterDeletion: RecordState {
    var state = self
    state.formerTags = tagsOfAncestors
    state.tag = nil
    return state
  }

  /// The change tags of the known version and of the versions before it, the newest first.
  var tagsOfAncestors: [String] {
    Array(([tag].compactMap { $0 } + formerTags).prefix(Self.formerTagLimit))
  }
}

extension SyncTransaction {
  /// The change tags that a record had before it was deleted, the newest first; empty if no
  /// deletion is stored. If the record is created again, these are the tags of its former versions.
  func tagsBeforeDeletion(of name: String) throws -> [String] {
    try deletedRecord(named: name)?.tags ?? []
  }

  /// Adds the text of a former version of a note to the trash, because another version replaces it.
  ///
  /// - Parameters:
  ///   - name: The name of the record.
  ///   - now: Milliseconds since 1970, UTC.
  func addFormerText(of note: Note, named name: String, at now: Int64) throws {
    // The text needs an id of its own in the trash, because the note itself still exists and may
    // already have an earlier version there.
    let id = UUID(name: name + "\n" + note.text.text, in: Self.formerVersions)
    try addToTrash(note.with(id: id), at: now)
  }

  /// The namespace of the ids for former versions of notes in the trash.
  private static let formerVersions = UUID(
    uuid: (
      0x2C, 0x81, 0xF0, 0x6B, 0x5A, 0xD3, 0x4C, 0x19, 0x9E, 0x47, 0xB2, 0x08, 0x73, 0xEC, 0x16, 0x5F
    ))

  /// Stores the deletion of a record.
  ///
  /// - Parameters:
  ///   - known: The last known state of the record.
  ///   - tag: The change tag of the deleted version. If it is nil, the deleted version is the one
  ///     that is known here.
  ///   - now: Milliseconds since 1970, UTC.
  func storeDeletion(of known: RecordState, version tag: String? = nil, at now: Int64) throws {
    let tags = [tag].compactMap { $0 } + known.tagsOfAncestors
    try store(DeletedRecord(name: known.name, thing: known.thing, tags: tags, deletedAt: now))
  }
}

extension [RecordState] {
  /// The records that the service has, as far as this device knows.
  var onService: [RecordState] { filter { $0.tag != nil } }

  /// Returns the record to write if a thing has several: the one whose name this user would give
  /// it, otherwise the first by name.
  func primary(for entry: Entry?, of user: String) -> RecordState? {
    let own = entry?.recordName(of: user)
    return first { $0.name == own } ?? self.min { Bytes($0.name) < Bytes($1.name) }
  }
}
