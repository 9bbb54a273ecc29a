import Dispatch
public import FoundationEssentials
import GRDB
public import Quran
import Synchronization

extension Library {
  /// The queue of the `LibraryOwner` that shares a library, on which `sync` runs its transactions.
  struct SyncQueue: Sendable {
    let queue: DispatchQueue
    /// Posts `changed` for a commit that changes entries. It is called on the queue.
    let post: @Sendable (LibraryReply) -> Void
  }

  /// Changes entries to the versions of other devices, and the state of sync, in one transaction.
  ///
  ///     try library.sync { transaction in
  ///       guard try transaction.entry(thing) == known else { return }
  ///       try transaction.apply(remote, as: thing)
  ///       try transaction.store(state)
  ///     }
  ///
  /// If a `LibraryOwner` shares the library, the transaction runs on the owner's queue, and the
  /// commit is posted from there, as the replies of the owner are.
  ///
  /// - Parameter body: Changes the library. It must not call the owner.
  /// - Returns: The body's result, and the entries that changed.
  /// - Throws: A `LibraryFailure` if the transaction failed. Nothing is changed then.
  @discardableResult
  public func sync<Value>(
    _ body: (inout SyncTransaction) throws -> Value
  ) throws(LibraryFailure) -> (value: Value, commit: Commit) {
    guard let syncQueue = syncQueue.withLock({ $0 }) else { return try runSync(body) }
    return try syncQueue.queue.sync {
      Result { () throws(LibraryFailure) in
        let result = try runSync(body)
        if !result.commit.isEmpty { syncQueue.post(.changed(result.commit)) }
        return result
      }
    }.get()
  }

  private func runSync<Value>(
    _ body: (inout SyncTransaction) throws -> Value
  ) throws(LibraryFailure) -> (value: Value, commit: Commit) {
    let (value, commit, generation) = try write { database in
      let changesBefore = database.totalChangesCount
      var transaction = SyncTransaction(database: database)
      let value = try body(&transaction)
      let isChanged = !isInMemory && database.totalChangesCount != changesBefore
      let generation = isChanged ? try database.raiseGeneration() : nil
      return (value, Commit(transaction.edits), generation)
    }
    // The number is saved after the commit. A library with a lower number was restored from a copy.
    generation?.save(beside: path)
    return (value, commit)
  }

  /// The account of the library; nil if it is not connected.
  public func syncAccount() throws(LibraryFailure) -> SyncAccount? {
    try read { try $0.syncAccount() }
  }

  /// Counts the changes in the outbox.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC; nil if `notBefore` is not needed.
  public func outboxSummary(at now: Int64? = nil) throws(LibraryFailure) -> OutboxSummary {
    try read { database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT count(*), coalesce(sum(kind <> 'progress'), 0), coalesce(sum(generation), 0),
            min(CASE WHEN waitsSince <= :now AND notBefore > :now THEN notBefore ELSE 0 END),
            (SELECT count(*) FROM outbox WHERE parked IS NOT NULL), max(lastError)
          FROM outbox WHERE parked IS NULL
          """, arguments: ["now": now])
      guard let row else { return OutboxSummary() }
      return OutboxSummary(
        count: row[0], otherThanProgress: row[1], generations: row[2], notBefore: row[3] ?? 0,
        parked: row[4], lastError: (row[5] as String?).map(SyncProblem.init(json:)))
    }
  }

  /// The changes in the outbox, sorted by kind and key.
  ///
  /// - Parameters:
  ///   - isParked: Whether to return only the parked changes, or only the others.
  ///   - limit: The maximum number of changes.
  public func pendingChanges(
    isParked: Bool, limit: Int = .max
  ) throws(LibraryFailure) -> [PendingChange] {
    try read {
      try $0.pendingChanges(
        where: "parked IS \(isParked ? "NOT " : "")NULL ORDER BY kind, key LIMIT ?",
        limit == .max ? -1 : limit)
    }
  }

  /// Makes all parked changes due.
  public func retryParked() throws(LibraryFailure) {
    try sync { try $0.retryParked { _ in true } }
  }

  /// The records on the service that cannot be decoded, sorted by name.
  public func unreadableRecords() throws(LibraryFailure) -> [UnreadableRecord] {
    try read { database in
      try database.rows("SELECT name, type, problem FROM unreadRecord ORDER BY name") { row in
        UnreadableRecord(
          name: row.string(0), type: row.string(1), problem: .init(stored: row.string(2)))
      }
    }
  }
}

/// A transaction of sync. See `Library.sync`.
public struct SyncTransaction {
  let database: Database
  fileprivate(set) var edits: [Edit] = []

  /// Runs a closure in a savepoint of this transaction. If the closure returns false, everything
  /// that it changed is rolled back. If it throws, the whole transaction must fail.
  public mutating func savepoint(
    _ body: (inout SyncTransaction) throws -> Bool
  ) throws {
    let editsBefore = edits
    try database.inSavepoint {
      if try body(&self) { return .commit }
      edits = editsBefore
      return .rollback
    }
  }

  // MARK: Entries

  /// The library's version of a thing; nil if it does not exist.
  public func entry(_ thing: Thing) throws -> Entry? { try database.entry(thing) }

  /// The notes of an ayah, oldest first.
  public func notes(of ayah: AyahID) throws -> [Note] { try Note.all(of: ayah, in: database) }

  /// Changes a thing to another device's version, without adding it to the outbox.
  ///
  /// - Parameters:
  ///   - entry: The new version; nil to delete the thing.
  ///   - thing: The thing.
  public mutating func apply(_ entry: Entry?, as thing: Thing) throws {
    let before = try database.entry(thing)
    guard before != entry else { return }
    if let entry { try database.store(entry) } else { try database.remove(thing) }
    edits.append(Edit(thing, from: before, to: entry))
  }

  /// Saves an entry and adds it to the outbox.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - now: Milliseconds since 1970, UTC.
  public mutating func save(_ entry: Entry, at now: Int64) throws {
    if let edit = try database.put(entry, as: entry.thing, at: now) { edits.append(edit) }
  }

  /// Adds a note to the trash, from which the user can restore it. Sync does this when another
  /// device has deleted the note, and when it replaces the text of a note in a library that was
  /// restored to an earlier state. If the trash already has an earlier text of the note, it keeps
  /// both.
  ///
  /// - Parameters:
  ///   - note: The note.
  ///   - now: Milliseconds since 1970, UTC.
  public func addToTrash(_ note: Note, at now: Int64) throws {
    try database.keepTrashedText(of: note)
    try database.run(
      """
      INSERT OR REPLACE INTO trash (
        id, surah, ayah, createdAt, modifiedAt, deletedAt, text, lastDay
      ) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      note.id.uuidString, note.ayah.surah.rawValue, note.ayah.ayah,
      note.createdAt, note.modifiedAt, now, note.text.text,
      Database.day(of: now))
  }

  /// Marks a note as a copy: a text that could not be merged into another note.
  public func markCopy(_ id: UUID) throws {
    try database.markCopy(id)
  }

  // MARK: The outbox

  /// The change of a thing in the outbox; nil if there is none.
  public func pending(_ thing: Thing) throws -> PendingChange? {
    try database.pendingChanges(where: "kind = ? AND key = ?", thing.kind.rawValue, thing.key)
      .first
  }

  /// The changes that can be sent now, sorted by kind and key. See `Wait.left`.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970, UTC.
  ///   - limit: The maximum number of changes.
  public func due(at now: Int64, limit: Int) throws -> [PendingChange] {
    try database.pendingChanges(
      where: """
        parked IS NULL AND NOT coalesce(waitsSince <= ? AND notBefore > ?, FALSE)
        ORDER BY kind, key LIMIT ?
        """, now, now, limit)
  }

  /// Makes parked changes due again. They are sent in the next round.
  ///
  /// - Parameters:
  ///   - kind: The kind of the things. Their changes keep the count of attempts, so a change that
  ///     fails again is parked at once, and keep their waits. Nil for all kinds, whose attempts and
  ///     waits are reset.
  ///   - isIncluded: Whether a change that was parked for this reason is made due.
  public func retryParked(
    ofKind kind: Thing.Kind? = nil, where isIncluded: (SyncProblem) -> Bool
  ) throws {
    for change in try database.pendingChanges(
      where: "parked IS NOT NULL AND kind = coalesce(?, kind)", kind?.rawValue)
    {
      guard let problem = change.parked, isIncluded(problem) else { continue }
      try database.run(
        "UPDATE outbox SET parked = NULL WHERE kind = ? AND key = ?", change.thing.kind.rawValue,
        change.thing.key)
      guard kind == nil else { continue }
      try database.run(
        """
        UPDATE outbox SET attempts = 0, notBefore = NULL, waitsSince = NULL
        WHERE kind = ? AND key = ?
        """, change.thing.kind.rawValue, change.thing.key)
    }
  }

  /// Ends the waits of all changes. That of the account remains: the service asked for it.
  public func endWaits() throws {
    try database.run("UPDATE outbox SET notBefore = NULL, waitsSince = NULL")
  }

  /// Adds all entries of the library to the outbox, for an account that has none of them.
  /// The changes have the times of the entries.
  public func enqueueEverything() throws {
    try database.run(
      """
      INSERT OR IGNORE INTO outbox (kind, key, op, generation, changedAt)
      SELECT kind, key, 'save', 1, time FROM (\(Self.things))
      """)
  }

  /// Adds a change to the outbox. If the outbox has a change of the thing, only its operation, to
  /// save or to delete, is replaced.
  ///
  /// - Parameters:
  ///   - thing: The thing.
  ///   - isDeletion: Whether the thing was deleted.
  ///   - now: Milliseconds since 1970, UTC.
  public func enqueue(_ thing: Thing, isDeletion: Bool, at now: Int64) throws {
    try database.run(
      """
      INSERT INTO outbox (kind, key, op, generation, changedAt) VALUES (?, ?, ?, 1, ?)
      ON CONFLICT (kind, key) DO UPDATE SET op = excluded.op WHERE op <> excluded.op
      """,
      thing.kind.rawValue, thing.key, isDeletion ? "delete" : "save", now)
  }

  /// Stores the result of an attempt to send a change, unless the thing was changed since.
  public func update(_ change: PendingChange) throws {
    try database.run(
      """
      UPDATE outbox SET attempts = ?, waitsSince = ?, notBefore = ?, sent = ?, parked = ?,
        lastError = ?
      WHERE kind = ? AND key = ? AND generation = ?
      """,
      change.attempts, change.wait?.since, change.wait?.until, change.sent, change.parked?.json,
      change.lastError?.json, change.thing.kind.rawValue, change.thing.key,
      change.generation)
  }

  /// Removes the unconfirmed saves from a thing's change. The caller knows that they were carried
  /// out, or that the service will not carry them out any more.
  public func clearSent(_ thing: Thing) throws { try setSent(nil, of: thing) }

  /// Stores the unconfirmed saves of a thing's change. `update` does nothing if the user has edited
  /// the thing after the change was read; this function stores them in this case, too.
  public func setSent(_ sent: Data?, of thing: Thing) throws {
    try database.run(
      "UPDATE outbox SET sent = ? WHERE kind = ? AND key = ?", sent, thing.kind.rawValue, thing.key)
  }

  /// Removes a change from the outbox.
  ///
  /// - Parameters:
  ///   - thing: The thing.
  ///   - generation: The generation that was sent. A change with another generation stays. Nil to
  ///     remove the change with any generation.
  /// - Returns: Whether a change was removed.
  @discardableResult
  public func dequeue(_ thing: Thing, generation: Int? = nil) throws -> Bool {
    try database.run(
      "DELETE FROM outbox WHERE kind = ? AND key = ? AND generation = coalesce(?, generation)",
      thing.kind.rawValue, thing.key, generation)
    return database.changesCount > 0
  }
}

extension Database {
  func markCopy(_ id: UUID) throws {
    try run("INSERT OR IGNORE INTO noteCopy VALUES (?)", id.uuidString)
  }

  func syncAccount() throws -> SyncAccount? {
    try rows(
      """
      SELECT origin, container, environment, userRecordName, name, isConfirmed, hasProfile,
        hasFeed, syncToken, listing, listedAt, syncedAt, serviceID, witness, owesListing,
        restoration, failure, failingSince, waitsSince, notBefore, owesPreparation,
        profileCreatedAt
      FROM account
      """
    ) { row in
      var account = SyncAccount(
        origin: row.string(0), container: row.string(1), environment: row.string(2),
        userRecordName: row.string(3), name: row[4],
        isConfirmed: row.int(5) != 0, hasProfile: row.int(6) != 0, serviceID: row[12])
      account.profileCreatedAt = row[21]
      account.hasFeed = (row[7] as Int?).map { $0 != 0 }
      account.syncToken = row[8]
      account.listing = row.int(9)
      account.listedAt = row[10]
      account.syncedAt = row[11]
      account.witness = row[13]
      account.needsListing = row.int(14) != 0
      account.restoration = (row[15] as String?).flatMap(SyncAccount.Restoration.init)
      account.failure = (row[16] as String?).map(SyncProblem.init(json:))
      account.failingSince = row[17]
      account.wait = row.wait(since: 18, until: 19)
      account.needsPreparation = row.int(20) != 0
      return account
    }.first
  }

  /// Returns the changes in the outbox that meet a condition.
  ///
  /// - Parameter condition: The rest of the statement after WHERE.
  fileprivate func pendingChanges(
    where condition: String, _ values: (any DatabaseValueConvertible)?...
  ) throws -> [PendingChange] {
    try rows(
      """
      SELECT kind, key, op, generation, changedAt, attempts, waitsSince, notBefore,
        sent, parked, lastError, isRestored
      FROM outbox WHERE \(condition)
      """, values
    ) { row in
      guard let thing = Thing(kind: row.string(0), key: row.string(1)) else { return nil }
      return PendingChange(
        thing: thing, isDeletion: row.string(2) == "delete", generation: row.int(3),
        changedAt: row.int64(4), attempts: row.int(5),
        wait: row.wait(since: 6, until: 7),
        sent: row[8],
        parked: (row[9] as String?).map(SyncProblem.init(json:)),
        lastError: (row[10] as String?).map(SyncProblem.init(json:)),
        isRestored: row.int(11) != 0)
    }
  }

  /// Returns the record states that meet a condition.
  ///
  /// - Parameter condition: The rest of the statement after WHERE.
  func recordStates(
    where condition: String, _ values: (any DatabaseValueConvertible)?...
  ) throws -> [RecordState] {
    try rows(
      """
      SELECT name, kind, key, tag, formerTags, base, listing, createdAt FROM recordState
      WHERE \(condition)
      """, values
    ) { row in
      guard let thing = Thing(kind: row.string(1), key: row.string(2)) else { return nil }
      return RecordState(
        name: row.string(0), thing: thing, tag: row[3],
        formerTags: row.string(4).split(separator: " ").map(String.init), base: row.data(5),
        listing: row.int(6), createdAt: row[7])
    }
  }
}

extension Row {
  /// The wait in two columns; nil if there is none.
  fileprivate func wait(since: Int, until: Int) -> Wait? {
    guard let since = self[since] as Int64?, let until = self[until] as Int64?
    else { return nil }
    return Wait(since: since, until: until)
  }
}
