import CloudRecords
import FoundationEssentials
import Library
import Quran

/// Takes what the server holds into the library, a record at a time.
struct Intake {
  /// The user record name of whom the library belongs to.
  let user: String
  /// Milliseconds since 1970, UTC.
  let now: Int64
  /// The listing that was begun last.
  var listing: Int
  /// Whether the library and the account meet for the first time.
  var isFirstContact = false
  /// Whether the service went back behind what this device knows: then the version that the
  /// service has of a record need not be a later one of what is known here.
  var isForked = false
  var rules = SyncRules()

  /// Merges a record that is on the server.
  ///
  /// - Returns: whether it is something of the reader's that this device had not seen.
  @discardableResult
  func receive(_ record: Record, in transaction: inout SyncTransaction) throws -> Bool {
    let name = record.recordName
    switch RecordReading(record, of: user) {
    case .foreign, .profile:
      try transaction.setUnread(nil, named: name)
      return false
    case .malformed(let problem):
      try transaction.setUnread(
        UnreadRecord(name: name, type: record.recordType, problem: problem.description),
        named: name)
      try transaction.touch(name, listing: listing)
      if let thing = RecordReading.brokenSetting(record, of: user) {
        // With its change tag, so that the next value that is set here can replace it.
        try transaction.store(RecordState(record, of: thing, listing: listing))
      }
      return false
    case .entry(let entry):
      try transaction.setUnread(nil, named: name)
      return try receive(entry, of: record, in: &transaction)
    }
  }

  private func receive(
    _ found: Entry, of record: Record, in transaction: inout SyncTransaction
  ) throws -> Bool {
    let name = record.recordName
    let known = try transaction.state(named: name)
    if let known, known.tag != nil, known.tag == record.recordChangeTag {
      try transaction.touch(name, listing: listing)
      return false
    }
    let lostDeletion = try lostDeletion(of: record, in: transaction)
    if let lostDeletion, known == nil, try deleteAgain(record, lostDeletion, in: &transaction) {
      return false
    }
    let thing = try known?.thing ?? place(of: found, named: name, in: &transaction)
    let remote = found.renamed(thing)
    let pending = try transaction.pending(thing)
    var merge = Merge(
      name, base: base(of: remote, record, known, pending),
      local: try local(thing, known, pending, in: transaction), remote: remote)
    try transaction.take(merge.entry, as: thing)
    var state = try RecordState(record, of: thing, listing: listing)
    state.formerTags = try formerTags(before: record, known, in: transaction)
    if lostDeletion != nil {
      // It was created again since. Devices that delete this version again have to see another.
      state.base = try CanonicalJSON.encode([String: Field]())
      merge.needsSending = true
    }
    try transaction.store(state)
    // Every device must choose the same record to write.
    let states = try transaction.states(of: thing)
    if states.count > 1, let primary = states.primary(for: merge.entry, of: user) {
      merge.needsSending = merge.entry == nil || primary.entry(of: user) != merge.entry
    }
    if !merge.needsSending {
      try transaction.drop(thing)
    } else {
      try transaction.enqueue(thing, isDeletion: merge.entry == nil, at: now)
      try transaction.forgetSent(thing)
    }
    if let copy = merge.copy { try keep(copy, in: &transaction) }
    return true
  }

  /// The tags of versions that the one now stored was made from.
  private func formerTags(
    before record: Record, _ known: RecordState?, in transaction: SyncTransaction
  ) throws -> [String] {
    guard isForked else {
      return try known?.tagsOfAncestors ?? transaction.tagsBeforeDeletion(of: record.recordName)
    }
    // The later ones are of versions that the service has lost.
    guard let known,
      let place = known.formerTags.firstIndex(where: { $0 == record.recordChangeTag })
    else { return [] }
    return Array(known.formerTags[(place + 1)...])
  }

  /// Merges that a record is gone from the server.
  ///
  /// - Parameter tag: of the version that was deleted; nil where that is not known.
  func lose(
    _ name: String, version tag: String? = nil, in transaction: inout SyncTransaction
  ) throws {
    try transaction.setUnread(nil, named: name)
    guard var known = try transaction.state(named: name) else { return }
    let thing = known.thing
    try transaction.remember(known, deletedAs: tag, at: now)
    // As long as another record of it is there, so is it.
    guard try transaction.states(of: thing).count == 1 else {
      try transaction.removeState(named: name)
      return
    }
    let pending = try transaction.pending(thing)
    let before = try transaction.entry(thing)
    let local = try local(thing, known, pending, in: transaction)
    let merge = Merge(
      name, base: known.entry(of: user),
      local: rules.editOutlivesDeletion ? local : .unchanged, remote: nil)
    try transaction.take(merge.entry, as: thing)
    guard merge.entry == nil else {
      // It is made again; until then what is known of it stays.
      known.formerTags = known.tagsOfAncestors
      known.tag = nil
      try transaction.store(known)
      try transaction.enqueue(thing, isDeletion: false, at: now)
      try transaction.forgetSent(thing)
      return
    }
    if case .note(let note) = before { try transaction.keepInTrash(note, at: now) }
    try transaction.removeState(named: name)
    try transaction.drop(thing)
  }

  /// Whether a tombstone applies. After a fork it may delete a version that this device never had.
  func isStanding(_ tombstone: Tombstone, _ known: RecordState) -> Bool {
    guard isForked else { return true }
    let hasSeen = tombstone.deletedChangeTag != nil && tombstone.deletedChangeTag == known.tag
    return hasSeen ? rules.acceptsSeenDeletions : !rules.createsUnseenAgain
  }

  /// The deletion of just this version of a record, which the service has lost.
  private func lostDeletion(
    of record: Record, in transaction: SyncTransaction
  ) throws -> DeletedRecord? {
    guard isForked, rules.remembersDeletions, let tag = record.recordChangeTag,
      let deleted = try transaction.deletedRecord(named: record.recordName),
      deleted.tags.contains(tag)
    else { return nil }
    return deleted
  }

  /// Deletes a record again, unless it was created again here.
  ///
  /// - Returns: whether it is deleted.
  private func deleteAgain(
    _ record: Record, _ deleted: DeletedRecord, in transaction: inout SyncTransaction
  ) throws -> Bool {
    guard try transaction.entry(deleted.thing) == nil,
      try transaction.pending(deleted.thing) == nil
    else { return false }
    try transaction.store(RecordState(record, of: deleted.thing, listing: listing))
    try transaction.enqueue(deleted.thing, isDeletion: true, at: now)
    return true
  }

  /// Queues a record for upload that the service lost in a rollback.
  func createAgain(_ known: RecordState, in transaction: inout SyncTransaction) throws {
    guard try transaction.entry(known.thing) != nil else {
      try transaction.remember(known, at: now)
      try transaction.removeState(named: known.name)
      try transaction.drop(known.thing)
      return
    }
    var known = known
    known.formerTags = known.tagsOfAncestors
    known.tag = nil
    known.listing = listing
    known.isLost = true
    try transaction.store(known)
    try transaction.enqueue(known.thing, isDeletion: false, at: now)
  }

  // MARK: Three versions

  /// What the server held when this device last knew it.
  private func base(
    of remote: Entry, _ record: Record, _ known: RecordState?, _ pending: PendingChange?
  ) -> Entry? {
    guard rules.comparesWithBase else { return nil }
    if let sent = pending?.sent, let fields = try? CanonicalJSON.decode(sent) {
      // What was sent and is there did arrive, whatever was edited since.
      if fields.allSatisfy({ record.fields[$0.key]?.content == $0.value.content }) {
        return remote
      }
      // Another version proves nothing by itself: somebody else may have made the record, as of
      // a note that both imported.
      let all = (known?.fields ?? [:]).merging(fields) { $1 }
      let made = Record(record.recordName, type: record.recordType, fields: all)
      if !isForked, known?.isLost != true, case .entry(let entry) = RecordReading(made, of: user),
        entry.isWithin(remote, since: known?.entry(of: user))
      {
        return entry.renamed(remote.thing)
      }
    }
    let base = known?.entry(of: user)
    guard let known, isForked || known.isLost, rules.forgetsBaseAfterFork else { return base }
    // Another device created it again as it is known here.
    if base == remote { return base }
    // A former version is a common ancestor; for any other version no merge base is known.
    let isFormer = record.recordChangeTag.map(known.formerTags.contains) ?? false
    return isFormer && rules.knowsFormerVersions ? remote : nil
  }

  private func local(
    _ thing: Thing, _ known: RecordState?, _ pending: PendingChange?,
    in transaction: SyncTransaction
  ) throws -> Merge.Local {
    if let pending, pending.isDeletion { return .deleted(at: pending.changedAt) }
    guard pending != nil || known == nil || isForked,
      let entry = try transaction.entry(thing)
    else { return .unchanged }
    return .saved(entry)
  }

  // MARK: Notes

  /// The thing that a record is of which is not known yet.
  private func place(
    of entry: Entry, named name: String, in transaction: inout SyncTransaction
  ) throws -> Thing {
    guard case .note(let note) = entry else { return entry.thing }
    guard try transaction.states(of: .note(note.id)).isEmpty else {
      return .note(UUID(name: name, in: Self.namesakes))
    }
    if isFirstContact, try transaction.entry(entry.thing) == nil,
      let twin = try twin(of: note, in: transaction)
    {
      try transaction.take(nil, as: .note(twin.id))
      try transaction.drop(.note(twin.id))
      try transaction.take(
        .note(
          Note(
            id: note.id, ayah: note.ayah, text: note.text, createdAt: twin.createdAt,
            modifiedAt: twin.modifiedAt)), as: entry.thing)
    }
    return entry.thing
  }

  /// A note of the same text that was never sent anywhere.
  private func twin(of note: Note, in transaction: SyncTransaction) throws -> Note? {
    try transaction.notes(of: note.ayah).first {
      try $0.text == note.text && transaction.states(of: .note($0.id)).isEmpty
    }
  }

  private func keep(_ copy: Note, in transaction: inout SyncTransaction) throws {
    var copy = copy
    // A copy that was edited is a note like any other, and this text is not in it.
    while case .note(let found) = try transaction.entry(.note(copy.id)) {
      if found.text == copy.text { return }
      copy = copy.copy(of: Entry.note(found).recordName(of: user))
    }
    try transaction.change(.note(copy), at: now)
    try transaction.markCopy(copy.id)
  }

  /// Made for this purpose once: of a second record with the id of one that is known.
  private static let namesakes = UUID(
    uuid: (
      0x9B, 0x1C, 0x6E, 0x5D, 0x20, 0x4F, 0x4A, 0x7B, 0x8C, 0x33, 0x6D, 0x0E, 0xF1, 0x52, 0xA4, 0x97
    ))
}

extension Entry {
  /// Whether it is a note, and another version of it was made of it: a note as it was first
  /// written is what all others come from, and one with each of its edits is there since.
  ///
  /// - Parameter base: what both come from; nil where nothing is known.
  fileprivate func isWithin(_ remote: Entry, since base: Entry?) -> Bool {
    guard let base else { return isOrigin(of: remote) }
    guard case .note(let base) = base, case .note(let sent) = self, case .note(let remote) = remote
    else { return false }
    return LineMerge.merge(base: base.text.text, sent.text.text, remote.text.text)
      == remote.text.text
  }

  /// Whether it is a note as it was first written, and the other one a version of it.
  fileprivate func isOrigin(of other: Entry) -> Bool {
    guard case .note(let note) = self, case .note(let other) = other else { return false }
    return note.createdAt == note.modifiedAt && note.createdAt == other.createdAt
  }
}

extension RecordState {
  /// How many former tags are kept.
  private static let formerTagLimit = 16

  /// The tags of the known version and of those before it, the newest first.
  var tagsOfAncestors: [String] {
    Array(([tag].compactMap { $0 } + formerTags).prefix(Self.formerTagLimit))
  }
}

extension SyncTransaction {
  /// The tags of a record's versions before it was deleted, the newest first; none where that is
  /// not remembered. What is created again comes after them.
  func tagsBeforeDeletion(of name: String) throws -> [String] {
    try deletedRecord(named: name)?.tags ?? []
  }

  /// Remembers the deletion of a record.
  ///
  /// - Parameters:
  ///   - tag: of the version that was deleted, where it may be another one than that known here.
  ///   - now: milliseconds since 1970, UTC.
  func remember(_ known: RecordState, deletedAs tag: String? = nil, at now: Int64) throws {
    let tags = [tag].compactMap { $0 } + known.tagsOfAncestors
    try remember(DeletedRecord(name: known.name, thing: known.thing, tags: tags), at: now)
  }
}

extension [RecordState] {
  /// The one of several records of a thing that is written: that of the user's own name, else
  /// the first by name.
  func primary(for entry: Entry?, of user: String) -> RecordState? {
    let own = entry?.recordName(of: user)
    return first { $0.name == own } ?? self.min { Bytes($0.name) < Bytes($1.name) }
  }
}

extension RecordReading.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .name: "name"
    case .missing(let field): "missing \(field)"
    case .wrongType(let field): "type of \(field)"
    case .outOfRange(let field): "value of \(field)"
    }
  }
}
