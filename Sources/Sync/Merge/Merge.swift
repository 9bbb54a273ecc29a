public import Library

/// The three-way merge of a thing that two devices may have changed.
public struct Merge: Hashable, Sendable {
  /// The merged entry; nil if the thing is deleted.
  public var entry: Entry?
  /// A text that could not be merged into the note, as a new note; nil if there is none.
  public var copy: Note?
  /// Whether the entry differs from the service's version and must be sent.
  public var needsSending: Bool

  /// The change of this device since it last agreed with the service.
  public enum Local: Hashable, Sendable {
    /// No change.
    case unchanged
    /// The thing was saved.
    case saved(Entry)
    /// The thing was deleted.
    ///
    /// - Parameter at: Milliseconds since 1970, by this device's clock.
    case deleted(at: Int64)
  }

  /// Merges two versions of a thing.
  ///
  /// The result depends on the changes, then on their times, then on the bytes of the content. It
  /// does not depend on which of two devices made which change, with one exception: a favourite
  /// that one device saved and the other deleted. If the deletion is sent first, the favourite is
  /// saved again; otherwise the later change wins.
  ///
  /// Times are compared as they were written, not with this device's clock, which may differ.
  ///
  /// For example, if the base of a surah's progress is 10, this device saved 40 and the service has
  /// 30, the merged progress is 40 and must be sent.
  ///
  /// - Parameters:
  ///   - recordName: The name of the record on the service.
  ///   - base: The service's last version that this device knew before; nil if there was none, or
  ///     if it is unknown.
  ///   - local: The change of this device.
  ///   - remote: The service's version now; nil if there is none.
  ///   - isKnown: Whether both versions are edits of a record that this device knew. It can be true
  ///     although the base is unknown.
  public init(
    _ recordName: String, base: Entry?, local: Local, remote: Entry?, isKnown: Bool = false
  ) {
    switch local {
    case .unchanged:
      self.init(remote, remote)
    case .saved(let mine) where mine == base:
      self.init(remote, remote)
    case _ where remote == base:
      self.init(local.entry, remote)
    case .deleted(let time):
      self.init(Self.isKept(remote, deletedAt: time) ? remote : nil, remote)
    case .saved(let mine):
      // Another device deleted the record without having seen this edit, so the edit is kept.
      guard let remote else {
        self.init(mine, nil)
        return
      }
      self.init(mine, remote, base: base, named: recordName, isKnown: isKnown || base != nil)
    }
  }

  private init(_ entry: Entry?, _ remote: Entry?, copy: Note? = nil) {
    self.entry = entry
    self.copy = copy
    needsSending = entry != remote
  }

  /// Whether another device's version is kept although this device deleted the thing: always,
  /// except for a favourite that is older than the deletion.
  private static func isKept(_ remote: Entry?, deletedAt time: Int64) -> Bool {
    guard case .favorite(let favorite) = remote else { return true }
    return favorite.favoritedAt >= time
  }

  /// Merges two versions that both differ from the base.
  private init(
    _ mine: Entry, _ remote: Entry, base: Entry?, named recordName: String, isKnown: Bool
  ) {
    switch (mine, remote) {
    case (.favorite(let mine), .favorite(let theirs)):
      self.init(mine.favoritedAt < theirs.favoritedAt ? .favorite(mine) : remote, remote)
    case (.progress(let mine), .progress(let theirs)):
      self.init(mine.lastReadAyah > theirs.lastReadAyah ? .progress(mine) : remote, remote)
    case (.setting(let mine), .setting(let theirs)):
      let isLater =
        (mine.lastModifiedAt, Bytes(mine.value))
        > (theirs.lastModifiedAt, Bytes(theirs.value))
      self.init(mine.value != theirs.value && isLater ? .setting(mine) : remote, remote)
    case (.note(let mine), .note(let theirs)):
      var before: Note?
      if case .note(let note) = base { before = note }
      let merged = NoteMerge(mine, theirs, base: before, named: recordName, isKnown: isKnown)
      self.init(.note(merged.note), remote, copy: merged.copy)
    default:
      // Both versions are of the same thing, because a record whose name contradicts its fields is
      // never decoded as an entry.
      preconditionFailure("two kinds of one thing")
    }
  }
}

extension Merge.Local {
  /// The saved entry; nil if the thing was deleted or not changed.
  fileprivate var entry: Entry? {
    if case .saved(let entry) = self { entry } else { nil }
  }
}

/// A string that is compared by the bytes of its UTF-8 form, and not by Unicode equivalence.
struct Bytes: Comparable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (one: Bytes, other: Bytes) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }

  static func < (one: Bytes, other: Bytes) -> Bool {
    one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }
}
