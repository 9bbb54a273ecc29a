import FoundationEssentials

/// A record as it is kept: its newest state, or that it was deleted.
public struct RecordRow: Hashable, Sendable {
  var name: String
  var type: String
  /// Its place in the feed.
  var number: Int64
  /// Of the transaction that wrote it. The number and the mark are its change tag.
  var mark = Mark(rawValue: 0)
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
  /// Of a tombstone: the change tag of the version that was deleted; nil where that was not kept
  /// yet.
  var deletedTag: ChangeTag?

  var changeTag: ChangeTag { ChangeTag(number: number, mark: mark) }
  /// The change tag as a client sees it.
  var tag: String { changeTag.description }
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
