import FoundationEssentials

/// A stored record: its newest state or, if it was deleted, its tombstone.
public struct RecordRow: Hashable, Sendable {
  var name: String
  var type: String
  /// Its sequence number, which is its position in the change feed.
  var number: Int64
  /// The mark of the transaction that wrote it; nil if it was written before marks were introduced.
  var mark: Mark?
  /// Whether it is a tombstone. A tombstone has no content.
  var isDeleted = false
  /// The fields that have a value, encoded as `CanonicalJSON`, without the encrypted ones.
  var content = Data()
  /// The encrypted fields, sealed by `FieldSealer`; nil if there are none.
  var sealed: Data?
  /// Its size as `RecordSize` computes it, in bytes.
  var bytes = 0
  /// The time of creation in milliseconds since 1970.
  var createdAt: Int64
  /// The user record name of its creator.
  var createdBy: String
  /// The time of the last change in milliseconds since 1970.
  var modifiedAt: Int64
  /// The user record name of the user who changed it last.
  var modifiedBy: String
  /// The account that created it in a public database; nil in a private one.
  var creator: Int64?
  /// The name of its parent record, if it has one.
  var parent: String?
  /// For a tombstone, the version that was deleted; nil if it was deleted before this was stored.
  var deletedVersion: RecordVersion?

  /// The size of its stored fields in bytes. It limits what is read at once, because it can be many
  /// times `bytes`: JSON takes six bytes for a control character, and repeats the keys for each
  /// reference.
  var storedBytes: Int { content.count + (sealed?.count ?? 0) }
  /// The version of this state of the record.
  var version: RecordVersion { RecordVersion(number: number, mark: mark) }
  /// The change tag.
  var tag: String { version.tag }
  var heading: RecordHeading { RecordHeading(type: type, creator: creator) }
}

/// The parts of a record that determine who may read and change it.
public struct RecordHeading: Hashable, Sendable {
  let type: String
  /// The account that created the record in a public database. It can be nil if it is not the
  /// account that wants to use the record, because roles only tell the creator from others.
  let creator: Int64?
}

/// A saved state of a record.
public struct RecordVersion: Hashable, Sendable {
  let number: Int64
  /// The mark of the transaction that saved the state; nil if it was saved before marks were
  /// introduced.
  let mark: Mark?

  /// The change tag as clients know it. A version without a mark has the tag that it had before
  /// marks were introduced, because clients still hold that tag.
  var tag: String {
    mark.map { ChangeTag(number: number, mark: $0).description } ?? String(number, radix: 36)
  }
}

/// A record with its index entries and references.
public struct IndexedRecord: Hashable, Sendable {
  var row: RecordRow
  var entries: [IndexEntry]
  var references: [ConstrainedReference]
}

/// One value of an indexed field of a record; a list has an entry for each element.
public struct IndexEntry: Hashable, Sendable {
  /// The indexed field.
  var field: FieldID
  /// The stored, possibly truncated key of the value.
  var key: IndexKey
}

/// The ID of an indexed field of a record type.
public struct FieldID: Hashable, Sendable {
  let rawValue: Int64
}

/// A reference with the action DELETE_SELF or VALIDATE.
public struct ConstrainedReference: Hashable, Sendable {
  /// The record that the reference points to.
  var target: String
  /// The record that contains the reference.
  var source: String
  /// The name of the field that contains the reference.
  var field: String
  var action: Action

  /// The action of a reference. The raw values are stored.
  public enum Action: Int, Sendable {
    /// The source is deleted with its target.
    case deleteSelf = 1
    /// The target must exist, and cannot be deleted while it is referenced.
    case validate = 2
  }
}
