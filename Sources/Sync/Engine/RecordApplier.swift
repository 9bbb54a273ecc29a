import CloudRecords
import FoundationEssentials
import Library
import Quran

/// The deletion of a record on the service.
struct RecordDeletion {
  /// The name of the record.
  let name: String
  /// The change tag of the version that was deleted; nil if it is unknown.
  var tag: String?
}

/// Applies records of the service and their deletions to the library.
struct RecordApplier {
  /// The user record name of the account that the library belongs to.
  let user: String
  /// Milliseconds since 1970, UTC.
  let now: Int64
  /// The number of the last listing that was started.
  var listing: Int
  /// Whether the library is synced with this account for the first time.
  var isFirstContact = false
  /// Whether the service's history was rolled back behind what this device knows. The service's
  /// version of a record is then not necessarily later than the version known here.
  var isForked = false
  /// When the account's profile was created, in milliseconds since 1970, UTC. Records that were
  /// known before that belonged to an account that was deleted since. `.max` if there is no profile
  /// any more; nil if the time is unknown.
  var profileCreatedAt: Int64?

  /// Merges a record that exists on the service into the library.
  ///
  /// - Returns: Whether an entry was merged. It is false if the record is not an entry, if its
  ///   version is already known, or if the deletion of the record is queued again.
  @discardableResult
  func apply(_ record: Record, in transaction: inout SyncTransaction) throws -> Bool {
    let name = record.recordName
    let known = try transaction.state(named: name)
    switch DecodedRecord(record, of: user, as: known?.thing) {
    case .foreign, .profile:
      try transaction.setUnreadable(nil, named: name)
      return false
    case .malformed(let problem):
      try transaction.setUnreadable(
        UnreadableRecord(name: name, type: record.recordType, problem: problem), named: name)
      try transaction.markListed(name, in: listing)
      if let thing = DecodedRecord.brokenSetting(record, of: user, as: known?.thing) {
        // The change tag is stored so that the next value set here can replace the record.
        try transaction.store(RecordState(record, of: thing, listing: listing))
      }
      return false
    case .entry(let entry):
      try transaction.setUnreadable(nil, named: name)
      return try apply(entry, of: record, known, in: &transaction)
    }
  }

  private func apply(
    _ decoded: Entry, of record: Record, _ known: RecordState?,
    in transaction: inout SyncTransaction
  ) throws -> Bool {
    let name = record.recordName
    if let known, known.tag != nil, known.tag == record.recordChangeTag {
      try transaction.markListed(name, in: listing)
      if known.createdAt == nil, let createdAt = record.createdAt {
        try transaction.setCreationTime(createdAt, ofRecord: name)
      }
      return false
    }
    let lostDeletion = try lostDeletion(of: record, in: transaction)
    if let lostDeletion, known == nil, try deleteAgain(record, lostDeletion, in: &transaction) {
      return false
    }
    let thing = try known?.thing ?? thing(for: decoded, named: name, in: &transaction)
    var known = known
    let remote = decoded.renamed(thing)
    let agreed = known?.entry(of: user)
    let isReplaced = known?.isReplaced(by: record) ?? false
    let isOlder = isReplaced && mayComeFromOlderVersion(remote, agreed, record, known)
    // The known version and this one are then merged as at a first contact.
    if isOlder { known = known?.afterDeletion }
    let pending = try transaction.pending(thing)
    let base = base(of: remote, record, known, pending)
    var local = try local(thing, known, pending, in: transaction)
    // Another device created the record again after its deletion. The queued deletion is not newer
    // than the stored one: `deleteAgain` queued it for another record of the thing.
    if isForked, known == nil, case .deleted(let time) = local,
      let deleted = try transaction.deletedRecord(named: name), deleted.deletedAt >= time
    {
      local = .unchanged
    }
    // This record has not changed, and the library may have the version of the thing's other
    // record.
    if local == .unchanged, remote == base, let entry = try transaction.entry(thing) {
      local = .saved(entry)
    }
    var merge = Merge(
      name, base: base, local: local, remote: remote, isKnown: known != nil && !isOlder)
    try transaction.apply(merge.entry, as: thing)
    var state = try RecordState(record, of: thing, listing: listing)
    state.formerTags = try formerTags(before: record, known, in: transaction)
    if lostDeletion != nil {
      // The thing exists here again. Send a new version of the record, because other devices delete
      // this version again. With an empty base, no version counts as already sent.
      state.base = try CanonicalJSON.encode([String: Field]())
      merge.needsSending = true
    }
    try transaction.store(state)
    // If the thing has several records, every device must write to the same one.
    let states = try transaction.states(of: thing)
    if states.count > 1, let primary = states.primary(for: merge.entry, of: user) {
      merge.needsSending =
        merge.entry == nil || primary.tag == nil || primary.entry(of: user) != merge.entry
    }
    if !merge.needsSending {
      try transaction.dequeue(thing)
    } else {
      try transaction.enqueue(thing, isDeletion: merge.entry == nil, at: now)
      try transaction.clearSent(thing)
      if var change = try transaction.pending(thing), change.parked == .recordUnreadable {
        // The record can be read again.
        (change.parked, change.wait) = (nil, nil)
        try transaction.update(change)
      }
    }
    if let copy = merge.copy { try add(copy, in: &transaction) }
    // The other device may have written the later version without having seen the known one. The
    // text of the known version is kept in the trash, because it may exist nowhere else.
    if isReplaced, !isOlder, case .note(let note) = agreed, let entry = merge.entry,
      !entry.hasLines(of: .note(note))
    {
      try transaction.addFormerText(of: note, named: name, at: now)
    }
    return true
  }

  /// Whether a record that another device created again may have been made from an older version
  /// than the known one. That is so if the account was deleted, or the service's history was rolled
  /// back: each device then creates what it has. Otherwise the record was deleted by a device that
  /// had seen the known version, and this version comes after it, even if a clock is wrong.
  private func mayComeFromOlderVersion(
    _ remote: Entry, _ agreed: Entry?, _ record: Record, _ known: RecordState?
  ) -> Bool {
    if !isForked, let profileCreatedAt, let knownTime = known?.createdAt,
      // Otherwise the service's clock was set back, and the order of its times means nothing.
      knownTime < record.createdAt ?? .min
    {
      guard knownTime < profileCreatedAt else { return false }
      // A lower progress only means that the other device had not seen the higher one.
      if case .progress = remote { return true }
    }
    return remote.time <= agreed?.time ?? .max
  }

  /// The change tags of the earlier versions from which this version of the record was made, the
  /// newest first.
  private func formerTags(
    before record: Record, _ known: RecordState?, in transaction: SyncTransaction
  ) throws -> [String] {
    guard isForked else {
      return try known?.tagsOfAncestors ?? transaction.tagsBeforeDeletion(of: record.recordName)
    }
    // The tags before this one in the list belong to versions that the service has lost.
    guard let known,
      let index = known.formerTags.firstIndex(where: { $0 == record.recordChangeTag })
    else { return [] }
    return Array(known.formerTags[(index + 1)...])
  }

  /// Merges the deletion of records on the service into the library. A thing that was changed here
  /// since is created again.
  ///
  /// - Returns: The things that the library had and does not have any more.
  @discardableResult
  func apply(
    _ deletions: [RecordDeletion], in transaction: inout SyncTransaction
  ) throws -> [Thing] {
    var things: [Thing] = []
    var byThing: [Thing: [RecordDeletion]] = [:]
    for deletion in deletions {
      try transaction.setUnreadable(nil, named: deletion.name)
      guard let thing = try transaction.state(named: deletion.name)?.thing else { continue }
      if byThing[thing] == nil { things.append(thing) }
      byThing[thing, default: []].append(deletion)
    }
    return try things.filter { try apply(byThing[$0] ?? [], of: $0, in: &transaction) }
  }

  /// Merges the deletion of records of one thing.
  ///
  /// - Returns: Whether the library had the thing and does not have it any more.
  private func apply(
    _ deletions: [RecordDeletion], of thing: Thing, in transaction: inout SyncTransaction
  ) throws -> Bool {
    let before = try transaction.entry(thing)
    let states = try transaction.states(of: thing)
    var others = states
    for deletion in deletions {
      guard let index = others.firstIndex(where: { $0.name == deletion.name }) else { continue }
      let deleted = others.remove(at: index)
      try transaction.storeDeletion(of: deleted, version: deletion.tag, at: now)
    }
    // The thing exists as long as the service has another record of it.
    let left = others.onService
    guard left.isEmpty else {
      for deletion in deletions { try transaction.removeState(named: deletion.name) }
      // The remaining record may contain another version than the library.
      if let before, left.primary(for: before, of: user)?.entry(of: user) != before {
        try transaction.enqueue(thing, isDeletion: false, at: now)
      }
      return false
    }
    // If one of the records has the version of the library, the user has not changed the thing
    // since: a change that is pending only copies that version to the record that this device
    // writes to.
    let known = states.onService.isEmpty ? states : states.onService
    guard
      let base = known.first(where: { $0.entry(of: user) == before })
        ?? known.primary(for: before, of: user)
    else { return false }
    let pending = try transaction.pending(thing)
    let local = try local(thing, base, pending, in: transaction)
    let kept = Merge(base.name, base: base.entry(of: user), local: local, remote: nil).entry
    try transaction.apply(kept, as: thing)
    guard kept == nil else {
      for state in known where state.name != base.name {
        try transaction.removeState(named: state.name)
      }
      try enqueueAgain(base, in: transaction)
      try transaction.clearSent(thing)
      return false
    }
    if case .note(let note) = before { try transaction.addToTrash(note, at: now) }
    // Records of the thing that the service does not have any more are not created again.
    for state in others { try transaction.storeDeletion(of: state, at: now) }
    for state in states { try transaction.removeState(named: state.name) }
    try transaction.dequeue(thing)
    return before != nil
  }

  /// Rejects the deletion of a record by another device, because the user chose to keep everything.
  /// Queues a record that was deleted on the service for upload again. If this device does not have
  /// the thing any more, the deletion is applied instead.
  func reject(
    _ deletion: RecordDeletion, in transaction: inout SyncTransaction
  ) throws {
    guard let known = try transaction.state(named: deletion.name),
      try transaction.entry(known.thing) != nil
    else {
      try apply([deletion], in: &transaction)
      return
    }
    try transaction.setUnreadable(nil, named: deletion.name)
    try enqueueAgain(known, in: transaction)
    try transaction.clearSent(known.thing)
  }

  /// Queues a record for upload that the service does not have any more. Its stored state remains
  /// until the service has the record again.
  private func enqueueAgain(_ known: RecordState, in transaction: SyncTransaction) throws {
    var known = known.afterDeletion
    known.listing = listing
    try transaction.store(known)
    try transaction.enqueue(known.thing, isDeletion: false, at: now)
  }

  /// Whether a tombstone deletes the known record. After a fork, the deleted version may be one
  /// that this device never had.
  func shouldApply(_ tombstone: Tombstone, to known: RecordState) -> Bool {
    guard isForked else { return true }
    return tombstone.deletedChangeTag != nil && tombstone.deletedChangeTag == known.tag
  }

  /// The stored deletion of a record, if the service has lost that deletion: after a fork, the
  /// service has a version of the record that existed before the deletion.
  private func lostDeletion(
    of record: Record, in transaction: SyncTransaction
  ) throws -> DeletedRecord? {
    guard isForked, let tag = record.recordChangeTag,
      let deleted = try transaction.deletedRecord(named: record.recordName),
      deleted.tags.contains(tag)
    else { return nil }
    return deleted
  }

  /// Queues the deletion of a record again, unless the thing was created again here.
  ///
  /// - Returns: Whether the deletion was queued.
  private func deleteAgain(
    _ record: Record, _ deleted: DeletedRecord, in transaction: inout SyncTransaction
  ) throws -> Bool {
    // Another record of the thing may have queued its deletion already.
    guard try transaction.entry(deleted.thing) == nil,
      try transaction.pending(deleted.thing)?.isDeletion != false
    else { return false }
    try transaction.store(RecordState(record, of: deleted.thing, listing: listing))
    // Another record of the thing may be a newer version, which is compared with this time.
    try transaction.enqueue(deleted.thing, isDeletion: true, at: deleted.deletedAt)
    return true
  }

  /// Queues a record for upload that the service lost in a rollback. If the thing does not exist
  /// here any more, stores the deletion of the record instead.
  func createAgain(_ known: RecordState, in transaction: inout SyncTransaction) throws {
    guard try transaction.entry(known.thing) != nil else {
      try transaction.storeDeletion(of: known, at: now)
      try transaction.removeState(named: known.name)
      // While other records of the thing are left, their deletion may still have to be sent.
      if try transaction.states(of: known.thing).isEmpty { try transaction.dequeue(known.thing) }
      return
    }
    try enqueueAgain(known, in: transaction)
  }

  // MARK: The versions to merge

  /// The merge base: the version that both sides had when this device last agreed with the service;
  /// nil if it is unknown.
  private func base(
    of remote: Entry, _ record: Record, _ known: RecordState?, _ pending: PendingChange?
  ) -> Entry? {
    let saves = pending?.unconfirmedSaves ?? []
    // If the record has exactly the fields of a save, the service carried that save out. All
    // changes here are then later edits.
    let isSaved = saves.contains { save in
      guard let fields = try? CanonicalJSON.decode(save.fields) else { return false }
      return fields.allSatisfy { record.fields[$0.key]?.content == $0.value.content }
    }
    if isSaved { return remote }
    let agreed = known?.entry(of: user)
    guard let known, isForked || known.tag == nil else {
      return isForked ? nil : lastSave(saves, within: remote, record, known) ?? agreed
    }
    // The service had lost this record, and another device may have created it again from any
    // earlier version. That is a common ancestor if it has the fields that this device knows, or
    // the tag of an earlier version.
    let isFormer = record.recordChangeTag.map(known.formerTags.contains) ?? false
    if agreed == remote || isFormer { return remote }
    return isForked ? nil : lastSave(saves, within: remote, record, known)
  }

  /// Finds the last save whose edits the record contains. The device got no response to these
  /// saves, so it does not know whether the service carried them out.
  ///
  /// If the service had lost the record, the record may now be a different version that another
  /// device created. Then a save counts only if the record contains all of its lines.
  ///
  /// - Returns: The version that was saved; nil if the record contains no save. The record may then
  ///   be from another device, for example if both devices imported the same note.
  private func lastSave(
    _ saves: [UnconfirmedSave], within remote: Entry, _ record: Record, _ known: RecordState?
  ) -> Entry? {
    let isLost = known.map { $0.tag == nil } ?? false
    var found: Entry?
    for save in saves {
      guard let fields = try? CanonicalJSON.decode(save.fields) else { continue }
      let all = (known?.fields ?? [:]).merging(fields) { $1 }
      let sentRecord = Record(record.recordName, type: record.recordType, fields: all)
      if case .entry(let entry) = DecodedRecord(sentRecord, of: user),
        entry.isWithin(
          remote, since: found ?? known?.entry(of: user), wasRefused: save.wasRefused),
        !isLost || found != nil || remote.hasLines(of: entry)
      {
        found = entry.renamed(remote.thing)
      }
    }
    return found
  }

  /// The change of this device since it last agreed with the service. After a fork, or if this
  /// device does not know the record, an entry of the library counts as saved even without a
  /// pending change.
  private func local(
    _ thing: Thing, _ known: RecordState?, _ pending: PendingChange?,
    in transaction: SyncTransaction
  ) throws -> Merge.Local {
    if let pending, pending.isDeletion { return .deleted(at: pending.changedAt) }
    guard pending != nil || known?.tag == nil || isForked,
      let entry = try transaction.entry(thing)
    else { return .unchanged }
    return .saved(entry)
  }

  // MARK: Notes

  /// Returns the thing for a record that was unknown so far. If another record has the same note
  /// id, the note gets an id that is derived from the record's name. On first contact, a note here
  /// that was never sent and has the same text and ayah becomes that thing.
  private func thing(
    for entry: Entry, named name: String, in transaction: inout SyncTransaction
  ) throws -> Thing {
    guard case .note(let note) = entry else { return entry.thing }
    guard try transaction.states(of: .note(note.id)).isEmpty else {
      return .note(UUID(name: name, in: Self.duplicateIDs))
    }
    if isFirstContact, try transaction.entry(entry.thing) == nil,
      let unsent = try unsentNote(equalTo: note, in: transaction)
    {
      try transaction.apply(nil, as: .note(unsent.id))
      try transaction.dequeue(.note(unsent.id))
      try transaction.apply(
        .note(note.with(createdAt: unsent.createdAt, modifiedAt: unsent.modifiedAt)),
        as: entry.thing)
    }
    return entry.thing
  }

  /// Returns a note with the same ayah and text that was never sent; nil if there is none.
  private func unsentNote(equalTo note: Note, in transaction: SyncTransaction) throws -> Note? {
    try transaction.notes(of: note.ayah).first {
      try $0.text == note.text && transaction.states(of: .note($0.id)).isEmpty
    }
  }

  /// Adds the copy of a note that a merge created, unless the library already has it.
  private func add(_ copy: Note, in transaction: inout SyncTransaction) throws {
    var copy = copy
    // If the user has edited an earlier copy with this id, its text differs. The new copy then gets
    // another id.
    while case .note(let existing) = try transaction.entry(.note(copy.id)) {
      if existing.text == copy.text { return }
      copy = copy.conflictCopy(fromRecord: Entry.note(existing).recordName(of: user))
    }
    try transaction.save(.note(copy), at: now)
    try transaction.markCopy(copy.id)
  }

  /// The namespace of the ids for notes whose record contains the id of another known note.
  private static let duplicateIDs = UUID(
    uuid: (
      0x9B, 0x1C, 0x6E, 0x5D, 0x20, 0x4F, 0x4A, 0x7B, 0x8C, 0x33, 0x6D, 0x0E, 0xF1, 0x52, 0xA4, 0x97
    ))
}

extension RecordApplier {
  /// Creates one for records that were looked up.
  init(user: String, now: Int64, account: SyncAccount?) {
    self.init(
      user: user, now: now, listing: account?.listing ?? 0,
      profileCreatedAt: account?.profileCreatedAt)
  }
}

extension Entry {
  /// Whether both entries are versions of one note, and the other version was made from this one:
  /// this is the first version of the note, or the other version contains each of its edits.
  ///
  /// - Parameters:
  ///   - base: The common ancestor; nil if it is unknown.
  ///   - wasRefused: Whether the service refused to create this version.
  fileprivate func isWithin(_ remote: Entry, since base: Entry?, wasRefused: Bool) -> Bool {
    guard let base else { return isOrigin(of: remote, withAllLines: wasRefused) }
    guard case .note(let base) = base, case .note(let sent) = self, case .note(let remote) = remote
    else { return false }
    return sent.modifiedAt <= remote.modifiedAt
      && LineMerge.merge(base: base.text.text, sent.text.text, remote.text.text)
        == remote.text.text
  }

  /// Whether this version of a note has all lines of the other one.
  fileprivate func hasLines(of other: Entry) -> Bool {
    guard case .note(let note) = self, case .note(let other) = other else { return false }
    return LineMerge.holds(note.text.text, linesOf: other.text.text)
  }

  /// Whether this is the version with which a note was created on the service, and the other entry
  /// is a later version of it. Of two first versions with different texts, neither is a later
  /// version of the other, because one of them can come from an import.
  ///
  /// - Parameter withAllLines: Whether the later version must contain all lines of this one.
  ///   Otherwise it can be a later version of another first version. It must always contain them if
  ///   this version was edited before it was sent.
  fileprivate func isOrigin(of other: Entry, withAllLines: Bool) -> Bool {
    guard case .note(let note) = self, case .note(let other) = other else { return false }
    let isEdited = note.createdAt != note.modifiedAt
    return note.createdAt == other.createdAt && note.modifiedAt < other.modifiedAt
      && (!(withAllLines || isEdited) || Entry.note(other).hasLines(of: self))
  }
}
