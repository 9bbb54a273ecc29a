public import Library

/// What becomes of a thing that two devices may have changed.
public struct Merge: Hashable, Sendable {
  /// Nil where it is gone.
  public var entry: Entry?
  /// A text that found no place in the note: kept as a note of its own.
  public var copy: Note?
  /// Whether the server has to hear of it: the entry is not what it holds.
  public var needsSending: Bool

  /// What this device made of a thing since it last agreed with the server.
  public enum Local: Hashable, Sendable {
    /// Nothing.
    case unchanged
    case saved(Entry)
    /// - Parameter at: milliseconds since 1970, by this device's clock.
    case deleted(at: Int64)
  }

  /// Decides, in the same way on every device: by what was done, by times, then by the bytes
  /// of the content, never by which side it happened on. Times are compared as they were written:
  /// a device that compared them with its own clock would decide in a way of its own.
  ///
  ///     Merge(.progress(surah), base: 10, local: .saved(40), remote: 30).entry  // 40
  ///
  /// - Parameters:
  ///   - recordName: of the record, as the server has it.
  ///   - base: what the server held when this device last knew it; nil for nothing, and where
  ///     that is not known.
  ///   - remote: what it holds now; nil for nothing.
  public init(_ recordName: String, base: Entry?, local: Local, remote: Entry?) {
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
      // An edit wins over a deletion that had not seen it.
      guard let remote else {
        self.init(mine, nil)
        return
      }
      self.init(mine, remote, base: base, named: recordName)
    }
  }

  private init(_ entry: Entry?, _ remote: Entry?, copy: Note? = nil) {
    self.entry = entry
    self.copy = copy
    needsSending = entry != remote
  }

  /// Whether what another device changed outlives the deletion of this one.
  private static func isKept(_ remote: Entry?, deletedAt time: Int64) -> Bool {
    guard case .favorite(let favorite) = remote else { return true }
    return favorite.favoritedAt >= time
  }

  /// Both sides have it, and both changed it.
  private init(_ mine: Entry, _ remote: Entry, base: Entry?, named recordName: String) {
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
      let merged = NoteMerge(mine, theirs, base: before, named: recordName)
      self.init(.note(merged.note), remote, copy: merged.copy)
    default:
      // A record whose name says something else than its fields is never read as an entry.
      preconditionFailure("two kinds of one thing")
    }
  }
}

extension Merge.Local {
  /// What this device holds; nil where it deleted it. Not known where nothing changed.
  fileprivate var entry: Entry? {
    if case .saved(let entry) = self { entry } else { nil }
  }
}

/// A text ranked by its bytes.
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
