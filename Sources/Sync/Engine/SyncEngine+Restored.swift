import CloudRecords
import FoundationEssentials
import Library

// Syncing a library after an earlier state of it was restored.
extension SyncEngine {
  /// Looks up every record that the restored library knows, and applies the user's choice to each
  /// of them. The changes that must be sent are in the outbox afterwards. The following fetch finds
  /// the records that the library does not know.
  ///
  /// If this is interrupted, the next round starts it again from the beginning, before it does
  /// anything else.
  ///
  /// - Throws: `restored` if the user has not chosen yet.
  func applyRestoration(
    of account: SyncAccount, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    guard let restoration = account.restoration else { return }
    guard restoration != .undecided else { throw .restored }
    let user = account.userRecordName
    let records = try transaction { transaction in
      if restoration == .keepService { try transaction.dequeueDeletionsWithoutRecords() }
      var records: [(name: String, thing: Thing?)] = []
      for name in try transaction.recordNames() { records.append((name, nil)) }
      for thing in try transaction.thingsWithoutRecords() {
        guard let entry = try transaction.entry(thing) else { continue }
        records.append((entry.recordName(of: user), thing))
      }
      return records
    }
    for part in records.requestParts() {
      let results = try await lookUp(part.map(\.name))
      let now = now()
      try transaction { transaction in
        var comparison = RestoredComparison(
          user: user, now: now, listing: account.listing, isForked: account.needsListing)
        for ((name, thing), result) in zip(part, results) {
          switch restoration {
          case .keepService:
            try comparison.keepService(result.record, named: name, thing, in: &transaction)
          case .keepRestored, .undecided:
            try comparison.keepRestored(result.record, named: name, thing, in: &transaction)
          }
        }
        report.trashed += comparison.trashed
        report.deleted += comparison.deleted
      }
      report.received += results.count { $0.record != nil }
      onProgress(.receiving(records: report.received))
    }
    try update { $0.restoration = nil }
  }
}

/// Compares a restored library with the service, one record at a time.
private struct RestoredComparison {
  /// The user record name of the account that the library belongs to.
  let user: String
  /// Milliseconds since 1970, UTC.
  let now: Int64
  /// The number of the last listing that was started.
  let listing: Int
  /// Whether the service's history was rolled back behind what this device knows. The service may
  /// then not have a text that it once acknowledged.
  let isForked: Bool
  /// The number of texts that were added to the trash.
  private(set) var trashed = 0
  /// The number of things that were removed because the service does not have them.
  private(set) var deleted = 0

  /// Keeps the library's version of a thing. If the service has another version, queues the
  /// library's version for upload and adds the service's text to the trash. A thing that the
  /// library does not have is added to it, unless its deletion is in the outbox.
  ///
  /// - Parameters:
  ///   - record: The record on the service; nil if there is none.
  ///   - name: The name of the record.
  ///   - thing: The thing of the record; nil if it is known from the stored record state.
  mutating func keepRestored(
    _ record: Record?, named name: String, _ thing: Thing?, in transaction: inout SyncTransaction
  ) throws {
    let known = try transaction.state(named: name)
    guard let thing = known?.thing ?? thing else { return }
    let restored = try transaction.entry(thing)
    guard let record else {
      return try createAgain(thing, known, hasEntry: restored != nil, in: &transaction)
    }
    // Unreadable records are not overwritten.
    guard case .entry(let decoded) = DecodedRecord(record, of: user, as: thing) else { return }
    let remote = decoded.renamed(thing)
    try transaction.store(RecordState(record, of: thing, listing: listing))
    try transaction.clearSent(thing)
    guard let restored else {
      // The thing was deleted before the backup was made, and the deletion was not sent yet.
      if try transaction.pending(thing)?.isDeletion == true {
        try addTextToTrash(of: remote, unlessIn: known?.entry(of: user), named: name, transaction)
      } else {
        try transaction.apply(remote, as: thing)
      }
      return
    }
    let primary = try transaction.states(of: thing).onService.primary(for: restored, of: user)
    if let same = primary?.entry(of: user), same.isSame(as: restored) {
      try transaction.apply(same, as: thing)
      try transaction.dequeue(thing)
      return
    }
    if remote.text != restored.text {
      try addTextToTrash(of: remote, unlessIn: known?.entry(of: user), named: name, transaction)
    }
    try transaction.saveRestored(restored, over: remote, at: now)
  }

  /// Queues a thing for upload because the service does not have its record. If the library does
  /// not have the thing, or if the thing has another record, forgets the record instead.
  ///
  /// - Parameters:
  ///   - known: The stored state of the record; nil if there is none.
  ///   - hasEntry: Whether the library has the thing.
  private func createAgain(
    _ thing: Thing, _ known: RecordState?, hasEntry: Bool, in transaction: inout SyncTransaction
  ) throws {
    if var known {
      // The thing exists as long as another record of it does.
      guard hasEntry, try transaction.states(of: thing).count == 1 else {
        try transaction.removeState(named: known.name)
        if try transaction.states(of: thing).isEmpty { try transaction.dequeue(thing) }
        return
      }
      known.tag = nil
      try transaction.store(known)
    }
    guard hasEntry else { return }
    let isRestored = try transaction.pending(thing)?.isRestored ?? true
    try transaction.enqueueRestored(thing, isRestored: isRestored, at: now)
    try transaction.clearSent(thing)
  }

  /// Replaces a thing in the library with its version on the service.
  ///
  /// If the text of a note may exist nowhere else, it is kept in the trash: the service never
  /// received it, or the record that had it was deleted. A change that was made after the backup
  /// was restored is not replaced. It stays in the outbox, and is merged and sent like any other
  /// change.
  ///
  /// - Parameters:
  ///   - record: The record on the service; nil if the service does not have it.
  ///   - name: The name of the record.
  ///   - thing: The thing of the record; nil if it is known from the stored record state.
  mutating func keepService(
    _ record: Record?, named name: String, _ thing: Thing?, in transaction: inout SyncTransaction
  ) throws {
    let known = try transaction.state(named: name)
    guard let thing = known?.thing ?? thing else { return }
    let pending = try transaction.pending(thing)
    if let pending, !pending.isRestored { return }
    let mine = try transaction.entry(thing)
    let isReplaced = record.map { known?.isReplaced(by: $0) ?? false } ?? false
    let isUnsent = known == nil || isReplaced || pending?.isDeletion == false || isForked
    var remote: Entry?
    if let record {
      // Unreadable records are not overwritten.
      guard case .entry(let decoded) = DecodedRecord(record, of: user, as: thing) else { return }
      try transaction.store(RecordState(record, of: thing, listing: listing))
      let states = try transaction.states(of: thing).onService
      remote = states.primary(for: decoded.renamed(thing), of: user)?.entry(of: user)
    } else {
      try transaction.removeState(named: name)
      // The thing exists as long as another record of it does.
      guard try transaction.states(of: thing).isEmpty else { return }
    }
    if case .note(let note) = mine {
      if remote == nil {
        try transaction.addToTrash(note, at: now)
        trashed += 1
      } else if isUnsent, let mine, mine.text != remote?.text {
        try addTextToTrash(of: mine, unlessIn: nil, named: name, transaction)
      }
    }
    if mine != nil, remote == nil { deleted += 1 }
    try transaction.apply(remote, as: thing)
    try transaction.dequeue(thing)
  }

  /// Adds the text of a version of a note to the trash, because another version replaces it.
  ///
  /// - Parameters:
  ///   - entry: The version that is replaced. Nothing is added if it is not a note.
  ///   - base: The last version that both sides knew; nil if there is none. Nothing is added if the
  ///     text has not changed since.
  ///   - name: The name of the record.
  private mutating func addTextToTrash(
    of entry: Entry, unlessIn base: Entry?, named name: String, _ transaction: SyncTransaction
  ) throws {
    guard case .note(let note) = entry, entry.text != base?.text else { return }
    try transaction.addFormerText(of: note, named: name, at: now)
    trashed += 1
  }
}

extension Entry {
  /// The text of a note; nil for other entries.
  fileprivate var text: NoteText? {
    if case .note(let note) = self { note.text } else { nil }
  }

  /// Whether two versions of a thing differ only in their times.
  fileprivate func isSame(as other: Entry) -> Bool {
    switch (self, other) {
    case (.favorite(let one), .favorite(let other)): one.ayah == other.ayah
    case (.note(let one), .note(let other)): one.text == other.text && one.ayah == other.ayah
    case (.progress(let one), .progress(let other)): one.lastReadAyah == other.lastReadAyah
    case (.setting(let one), .setting(let other)): one.value == other.value
    default: false
    }
  }
}
