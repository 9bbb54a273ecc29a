import CloudRecords
import FoundationEssentials
import Library

// What becomes of an earlier state of the library that was put back.
extension SyncEngine {
  /// Looks up what the service holds of everything that the restored library knows, and leaves
  /// both as the reader said: what is to be sent is in the outbox then. What the library never
  /// knew is found by the fetch that follows.
  ///
  /// Where this is stopped, it begins again with the next round, before anything else.
  ///
  /// - Throws: `restored` where nobody said yet what counts.
  func settleRestoration(
    of account: SyncAccount, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    guard let restoration = account.restoration else { return }
    guard restoration != .asked else { throw .restored }
    let user = account.userRecordName
    let records = try transaction { transaction in
      if restoration == .keepService { try transaction.dropDeletionsWithoutRecords() }
      var records: [(name: String, thing: Thing?)] = []
      for name in try transaction.recordNames() { records.append((name, nil)) }
      for thing in try transaction.thingsWithoutRecords() {
        guard let entry = try transaction.entry(thing) else { continue }
        records.append((entry.recordName(of: user), thing))
      }
      return records
    }
    var rest = records[...]
    while !rest.isEmpty {
      let part = rest.prefix(Limits.operations)
      rest = rest.dropFirst(part.count)
      let results = try await lookUp(part.map(\.name))
      let now = now()
      try transaction { transaction in
        var comparison = RestoredComparison(user: user, now: now, listing: account.listing)
        for ((name, thing), result) in zip(part, results) {
          switch restoration {
          case .keepService:
            try comparison.keepService(result.record, named: name, thing, in: &transaction)
          case .keepRestored, .asked:
            try comparison.keepRestored(result.record, named: name, thing, in: &transaction)
          }
        }
        report.trashed += comparison.trashed
      }
      report.received += results.count { $0.record != nil }
      onProgress(.receiving(records: report.received))
    }
    try update { $0.restoration = nil }
  }
}

/// Compares a restored library with what the service holds, a record at a time.
private struct RestoredComparison {
  /// The user record name of whom the library belongs to.
  let user: String
  /// Milliseconds since 1970, UTC.
  let now: Int64
  let listing: Int
  /// How many texts went to the trash.
  private(set) var trashed = 0

  init(user: String, now: Int64, listing: Int) {
    (self.user, self.now, self.listing) = (user, now, listing)
  }

  /// Has the library's version of a thing sent, where the service has another one. That one's
  /// text goes to the trash.
  ///
  /// - Parameters:
  ///   - record: what the service holds; nil for nothing.
  ///   - thing: what it is of; nil for what is known of the record.
  mutating func keepRestored(
    _ record: Record?, named name: String, _ thing: Thing?, in transaction: inout SyncTransaction
  ) throws {
    let known = try transaction.state(named: name)
    guard let thing = known?.thing ?? thing else { return }
    let restored = try transaction.entry(thing)
    guard let record else {
      return try createAgain(thing, known, isThere: restored != nil, in: &transaction)
    }
    // Unreadable records are not overwritten.
    guard case .entry(let found) = RecordReading(record, of: user) else { return }
    let remote = found.renamed(thing)
    try transaction.store(RecordState(record, of: thing, listing: listing))
    try transaction.forgetSent(thing)
    guard let restored else {
      // It was deleted before the backup was made, and that was not sent yet.
      if try transaction.pending(thing)?.isDeletion == true {
        try keepText(of: remote, unlessIn: known?.entry(of: user), named: name, transaction)
      } else {
        try transaction.take(remote, as: thing)
      }
      return
    }
    let primary = try transaction.states(of: thing).primary(for: restored, of: user)
    if let same = primary?.entry(of: user), same.isSame(as: restored) {
      try transaction.take(same, as: thing)
      try transaction.drop(thing)
      return
    }
    if remote.text != restored.text {
      try keepText(of: remote, unlessIn: known?.entry(of: user), named: name, transaction)
    }
    try transaction.prevail(restored, over: remote, at: now)
  }

  /// The service does not have the record, or not any more.
  private func createAgain(
    _ thing: Thing, _ known: RecordState?, isThere: Bool, in transaction: inout SyncTransaction
  ) throws {
    if var known {
      // As long as another record of it is there, so is it.
      guard isThere, try transaction.states(of: thing).count == 1 else {
        try transaction.removeState(named: known.name)
        if try transaction.states(of: thing).isEmpty { try transaction.drop(thing) }
        return
      }
      known.tag = nil
      try transaction.store(known)
    }
    guard isThere else { return }
    let isRestored = try transaction.pending(thing)?.isRestored ?? true
    try transaction.enqueueRestored(thing, isRestored: isRestored, at: now)
    try transaction.forgetSent(thing)
  }

  /// Makes the library hold what the service does. A text that was written here and never sent
  /// goes to the trash, and so does a note that is gone there. What was changed since the earlier
  /// state was put back stays, to be merged and sent as any change.
  mutating func keepService(
    _ record: Record?, named name: String, _ thing: Thing?, in transaction: inout SyncTransaction
  ) throws {
    let known = try transaction.state(named: name)
    guard let thing = known?.thing ?? thing else { return }
    let pending = try transaction.pending(thing)
    if let pending, !pending.isRestored { return }
    let mine = try transaction.entry(thing)
    let isUnsent = known == nil || pending?.isDeletion == false
    var remote: Entry?
    if let record {
      // Unreadable records are not overwritten.
      guard case .entry(let found) = RecordReading(record, of: user) else { return }
      try transaction.store(RecordState(record, of: thing, listing: listing))
      let states = try transaction.states(of: thing)
      remote = states.primary(for: found.renamed(thing), of: user)?.entry(of: user)
    } else {
      try transaction.removeState(named: name)
      // As long as another record of it is there, so is it.
      guard try transaction.states(of: thing).isEmpty else { return }
    }
    if case .note(let note) = mine {
      if remote == nil {
        try transaction.keepInTrash(note, at: now)
        trashed += 1
      } else if isUnsent, let mine, mine.text != remote?.text {
        try keepText(of: mine, unlessIn: nil, named: name, transaction)
      }
    }
    try transaction.take(remote, as: thing)
    try transaction.drop(thing)
  }

  /// Keeps the text of a version of a note that gives way to another one.
  ///
  /// - Parameter base: a version of which the other one was made.
  private mutating func keepText(
    of entry: Entry, unlessIn base: Entry?, named name: String, _ transaction: SyncTransaction
  ) throws {
    guard case .note(let note) = entry, entry.text != base?.text else { return }
    // Under an id of its own: the note is still there, and an earlier version may be in the trash.
    let id = UUID(name: name + "\n" + note.text.text, in: Self.formerVersions)
    try transaction.keepInTrash(
      Note(
        id: id, ayah: note.ayah, text: note.text, createdAt: note.createdAt,
        modifiedAt: note.modifiedAt), at: now)
    trashed += 1
  }

  /// A namespace made for this purpose.
  private static let formerVersions = UUID(
    uuid: (
      0x2C, 0x81, 0xF0, 0x6B, 0x5A, 0xD3, 0x4C, 0x19, 0x9E, 0x47, 0xB2, 0x08, 0x73, 0xEC, 0x16, 0x5F
    ))
}

extension Entry {
  /// The text of a note.
  fileprivate var text: NoteText? {
    if case .note(let note) = self { note.text } else { nil }
  }

  /// Whether two versions of a thing differ in nothing but times.
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
