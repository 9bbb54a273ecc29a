import FoundationEssentials

/// A record as it is kept: its newest state, or that it was deleted.
public struct RecordRow: Hashable, Sendable {
  var name: String
  var type: String
  /// Its place in the feed.
  var number: Int64
  /// Of the transaction that wrote it; nil where there were no marks yet.
  var mark: Mark?
  /// Whether it is a tombstone: the content is empty then.
  var isDeleted = false
  /// Its fields as `CanonicalJSON`, those with a value only, without the encrypted ones.
  var content = Data()
  /// The encrypted fields, sealed; nil for none.
  var sealed: Data?
  /// As `RecordSize` counts them.
  var bytes = 0
  /// Milliseconds since 1970.
  var createdAt: Int64
  /// A user record name.
  var createdBy: String
  /// Milliseconds since 1970.
  var modifiedAt: Int64
  /// A user record name.
  var modifiedBy: String
  /// Whose it is in a public database; nil elsewhere.
  var creator: Int64?
  /// The name of the record it belongs to.
  var parent: String?
  /// Of a tombstone: the version that was deleted; nil where that was not kept yet.
  var deletedVersion: RecordVersion?

  var version: RecordVersion { RecordVersion(number: number, mark: mark) }
  /// The change tag.
  var tag: String { version.tag }
}

/// One saved state of a record.
public struct RecordVersion: Hashable, Sendable {
  let number: Int64
  /// Nil where it was saved before there were marks.
  let mark: Mark?

  /// The change tag by which clients know it. A version from before there were marks keeps the
  /// tag that it always had, since clients still hold that one.
  var tag: String {
    mark.map { ChangeTag(number: number, mark: $0).description } ?? String(number, radix: 36)
  }
}

/// A record with what it is found by.
public struct IndexedRecord: Hashable, Sendable {
  var row: RecordRow
  var entries: [IndexEntry]
  var references: [HeldReference]
}

/// One value of one field of a record, in the order of the field's values.
public struct IndexEntry: Hashable, Sendable {
  var field: FieldID
  var key: IndexKey
}

/// The number of an indexed field of a record type.
public struct FieldID: Hashable, Sendable {
  let rawValue: Int64
}

/// A reference that matters to its target: one that deletes its holder, or keeps the target.
public struct HeldReference: Hashable, Sendable {
  /// The record that the reference points to.
  var target: String
  /// The record that has it.
  var holder: String
  var field: String
  var action: Action

  public enum Action: Int, Sendable {
    case deleteSelf = 1
    case validate = 2
  }
}
