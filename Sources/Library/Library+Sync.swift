public import FoundationEssentials
import GRDB
public import Quran

extension Library {
  /// The one door for what comes from other devices, and for the books that are kept of what
  /// was sent: all of it in one transaction.
  ///
  ///     try library.sync { transaction in
  ///       guard try transaction.entry(thing) == known else { return }
  ///       try transaction.take(remote, as: thing, at: now)
  ///       try transaction.store(state)
  ///     }
  ///
  /// - Returns: what the body returns, and what changed of the reader's own.
  /// - Throws: `LibraryFailure`; then nothing is changed.
  @discardableResult
  public func sync<Value>(
    _ body: (inout SyncTransaction) throws -> Value
  ) throws(LibraryFailure) -> (value: Value, commit: Commit) {
    try write { database in
      var transaction = SyncTransaction(database: database)
      let value = try body(&transaction)
      return (value, Commit(transaction.edits))
    }
  }

  /// Where the library is synced; nil for nowhere.
  public func syncAccount() throws(LibraryFailure) -> SyncAccount? {
    try read { try $0.syncAccount() }
  }

  /// How many changes wait to be sent; those apart that were parked.
  public func pendingCount() throws(LibraryFailure) -> Int {
    try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM outbox WHERE parked IS NULL") ?? 0 }
  }

  /// What waits to be sent.
  public func outboxSummary() throws(LibraryFailure) -> OutboxSummary {
    try read { database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT count(*), coalesce(sum(kind <> 'progress'), 0), coalesce(sum(generation), 0),
            min(coalesce(notBefore, 0)), (SELECT count(*) FROM outbox WHERE parked IS NOT NULL)
          FROM outbox WHERE parked IS NULL
          """)
      guard let row else { return OutboxSummary() }
      return OutboxSummary(
        count: row[0], otherThanProgress: row[1], generations: row[2], notBefore: row[3] ?? 0,
        parked: row[4])
    }
  }

  /// Changes that wait to be sent, by kind and key.
  ///
  /// - Parameters:
  ///   - isParked: whether only those are wanted that are not tried any more, or only the others.
  ///   - limit: the most there are to be.
  public func pendingChanges(
    isParked: Bool, limit: Int = .max
  ) throws(LibraryFailure) -> [PendingChange] {
    try read {
      try $0.pendingChanges(
        where: "parked IS \(isParked ? "NOT " : "")NULL ORDER BY kind, key LIMIT ?",
        [limit == .max ? -1 : limit])
    }
  }

  /// Has changes that were parked sent again.
  public func retryParked() throws(LibraryFailure) {
    try write {
      try $0.execute(
        sql: """
          UPDATE outbox SET parked = NULL, attempts = 0, notBefore = NULL WHERE parked IS NOT NULL
          """)
    }
  }

  /// Records on the server that cannot be read.
  public func unreadRecords() throws(LibraryFailure) -> [UnreadRecord] {
    try read { database in
      try Row.fetchAll(database, sql: "SELECT name, type, problem FROM unreadRecord ORDER BY name")
        .map { UnreadRecord(name: $0[0], type: $0[1], problem: $0[2]) }
    }
  }
}

/// What whoever syncs may do with a library, within one transaction.
public struct SyncTransaction {
  let database: Database
  fileprivate(set) var edits: [Edit] = []

  // MARK: What the reader has

  /// What the library holds of a thing.
  public func entry(_ thing: Thing) throws -> Entry? { try database.entry(thing) }

  /// The notes of an ayah, oldest first.
  public func notes(of ayah: AyahID) throws -> [Note] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT \(Note.columns) FROM note WHERE surah = ? AND ayah = ? ORDER BY createdAt, id"
      ), arguments: [ayah.surah.rawValue, ayah.ayah]
    ).compactMap(Note.init(row:))
  }

  /// Makes the library hold what another device made of a thing, nothing where nil. It is no
  /// change of this device's: nothing is put into the outbox.
  public mutating func take(_ entry: Entry?, as thing: Thing) throws {
    let before = try database.entry(thing)
    guard before != entry else { return }
    if let entry { try database.store(entry) } else { try database.remove(thing) }
    edits.append(Edit(thing, from: before, to: entry))
  }

  /// Makes the library hold an entry that other devices are to hear of.
  ///
  /// - Parameter now: milliseconds since 1970, UTC.
  public mutating func change(_ entry: Entry, at now: Int64) throws {
    if let edit = try database.put(entry, as: entry.thing, at: now) { edits.append(edit) }
  }

  /// Keeps a note that another device deleted, for its reader to bring back.
  ///
  /// - Parameter now: milliseconds since 1970, UTC.
  public func keepInTrash(_ note: Note, at now: Int64) throws {
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO trash (id, surah, ayah, createdAt, modifiedAt, deletedAt, text)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        note.id.uuidString, note.ayah.surah.rawValue, note.ayah.ayah, note.createdAt,
        note.modifiedAt, now, note.text.text,
      ])
  }

  /// Marks a note as the text that found no place in another.
  public func markCopy(_ id: UUID) throws {
    try database.cachedStatement(sql: "INSERT OR IGNORE INTO noteCopy VALUES (?)")
      .execute(arguments: [id.uuidString])
  }

  // MARK: What waits to be sent

  public func pending(_ thing: Thing) throws -> PendingChange? {
    try database.pendingChanges(where: "kind = ? AND key = ?", [thing.kind, thing.key]).first
  }

  /// Those that can be sent now, by kind and key. One that would have to wait for more than a
  /// day does not: nobody waits so long, so the clock was wrong when that was written.
  ///
  /// - Parameters:
  ///   - now: milliseconds since 1970, UTC.
  ///   - limit: the most there are to be.
  public func due(at now: Int64, limit: Int) throws -> [PendingChange] {
    try database.pendingChanges(
      where: """
        parked IS NULL AND coalesce(notBefore NOT BETWEEN ? + 1 AND ? + 86400000, TRUE)
        ORDER BY kind, key LIMIT ?
        """, [now, now, limit])
  }

  /// Puts everything the library holds into the outbox that is not there, for an account that
  /// has none of it.
  ///
  /// - Parameter now: milliseconds since 1970, UTC.
  public func sendEverything(at now: Int64) throws {
    for (kind, key, table, time) in [
      ("favorite", "surah || ':' || ayah", "favorite", "favoritedAt"),
      ("note", "id", "note", "modifiedAt"), ("progress", "surah", "progress", "lastUpdatedAt"),
      ("setting", "key", "setting", "lastModifiedAt"),
    ] {
      try database.execute(
        sql: """
          INSERT OR IGNORE INTO outbox (kind, key, op, generation, changedAt)
          SELECT '\(kind)', \(key), 'save', 1, \(time) FROM \(table)
          """)
    }
  }

  /// Puts a change into the outbox that is not there.
  ///
  /// - Parameter now: milliseconds since 1970, UTC.
  public func enqueue(_ thing: Thing, isDeletion: Bool, at now: Int64) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO outbox (kind, key, op, generation, changedAt) VALUES (?, ?, ?, 1, ?)
        ON CONFLICT (kind, key) DO UPDATE SET op = excluded.op WHERE op <> excluded.op
        """
    ).execute(arguments: [thing.kind, thing.key, isDeletion ? "delete" : "save", now])
  }

  /// Writes down how it went with a change that stays, unless the thing was changed since.
  public func keep(_ change: PendingChange) throws {
    try database.cachedStatement(
      sql: """
        UPDATE outbox SET attempts = ?, notBefore = ?, sent = ?, parked = ?, lastError = ?
        WHERE kind = ? AND key = ? AND generation = ?
        """
    ).execute(
      arguments: [
        change.attempts, change.notBefore, change.sent, change.parked, change.lastError,
        change.thing.kind, change.thing.key, change.generation,
      ])
  }

  /// Forgets what was sent of a thing, once its outcome is known, whatever was changed since.
  public func forgetSent(_ thing: Thing) throws {
    try database.cachedStatement(sql: "UPDATE outbox SET sent = NULL WHERE kind = ? AND key = ?")
      .execute(arguments: [thing.kind, thing.key])
  }

  /// Takes a change out of the outbox.
  ///
  /// - Parameter generation: nothing happens where the thing was changed since; nil for in
  ///   any case.
  /// - Returns: whether it is out.
  @discardableResult
  public func drop(_ thing: Thing, generation: Int? = nil) throws -> Bool {
    try database.cachedStatement(
      sql: "DELETE FROM outbox WHERE kind = ? AND key = ? AND generation = coalesce(?, generation)"
    ).execute(arguments: [thing.kind, thing.key, generation])
    return database.changesCount > 0
  }

  // MARK: What is known of the server

  public func account() throws -> SyncAccount? { try database.syncAccount() }

  /// Makes the library belong to an account, or to none.
  ///
  /// What is known of the records of another one is forgotten.
  public func setAccount(_ account: SyncAccount?) throws {
    let former = try self.account()
    if let former, account.map({ !$0.isSame(as: former) }) ?? true { try forgetRecords() }
    try database.cachedStatement(sql: "DELETE FROM account").execute()
    guard let account else { return }
    try database.cachedStatement(
      sql: """
        INSERT INTO account (
          id, origin, container, environment, userRecordName, name, isConfirmed, hasProfile,
          hasFeed, syncToken, listing, listedAt, syncedAt
        ) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        account.origin, account.container, account.environment, account.userRecordName,
        account.name, account.isConfirmed, account.hasProfile, account.hasFeed, account.syncToken,
        account.listing,
        account.listedAt, account.syncedAt,
      ])
  }

  /// Forgets what is known of the server's records: the next meeting is the first one.
  public func forgetRecords() throws {
    try database.execute(
      sql: """
        DELETE FROM recordState; DELETE FROM unreadRecord;
        UPDATE outbox SET sent = NULL, attempts = 0, notBefore = NULL;
        UPDATE account SET syncToken = NULL, listedAt = NULL, hasFeed = NULL;
        """)
  }

  public func state(named name: String) throws -> RecordState? {
    try database.recordStates(where: "name = ?", [name]).first
  }

  /// Those of a thing: more than one where other programs made records of it, too.
  public func states(of thing: Thing) throws -> [RecordState] {
    try database.recordStates(where: "kind = ? AND key = ? ORDER BY name", [thing.kind, thing.key])
  }

  /// Those of a kind that a listing did not find, and that were known before it began.
  public func states(missingFrom listing: Int, kind: String) throws -> [RecordState] {
    try database.recordStates(where: "listing < ? AND kind = ? ORDER BY name", [listing, kind])
  }

  /// How many records of a kind are known.
  public func stateCount(kind: String) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM recordState WHERE kind = ?"),
      arguments: [kind]) ?? 0
  }

  public func store(_ state: RecordState) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO recordState (name, kind, key, tag, base, listing) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, key = excluded.key,
          tag = excluded.tag, base = excluded.base, listing = excluded.listing
        """
    ).execute(
      arguments: [
        state.name, state.thing.kind, state.thing.key, state.tag, state.base, state.listing,
      ])
  }

  /// Notes that a listing found a record as it was known.
  public func touch(_ name: String, listing: Int) throws {
    try database.cachedStatement(sql: "UPDATE recordState SET listing = ? WHERE name = ?")
      .execute(arguments: [listing, name])
  }

  public func removeState(named name: String) throws {
    try database.cachedStatement(sql: "DELETE FROM recordState WHERE name = ?")
      .execute(arguments: [name])
  }

  /// Notes that a record cannot be read; nil for one that can, or that is gone.
  public func setUnread(_ record: UnreadRecord?, named name: String) throws {
    guard let record else {
      try database.cachedStatement(sql: "DELETE FROM unreadRecord WHERE name = ?")
        .execute(arguments: [name])
      return
    }
    try database.cachedStatement(sql: "INSERT OR REPLACE INTO unreadRecord VALUES (?, ?, ?)")
      .execute(arguments: [record.name, record.type, record.problem])
  }
}

extension Database {
  fileprivate func syncAccount() throws -> SyncAccount? {
    try Row.fetchOne(
      cachedStatement(
        sql: """
          SELECT origin, container, environment, userRecordName, name, isConfirmed, hasProfile,
            hasFeed, syncToken, listing, listedAt, syncedAt FROM account
          """)
    ).map { row in
      SyncAccount(
        origin: row[0], container: row[1], environment: row[2], userRecordName: row[3],
        name: row[4], isConfirmed: row[5], hasProfile: row[6], hasFeed: row[7], syncToken: row[8],
        listing: row[9], listedAt: row[10], syncedAt: row[11])
    }
  }

  /// - Parameter condition: of the statement, with what follows it.
  fileprivate func pendingChanges(
    where condition: String, _ arguments: StatementArguments
  ) throws -> [PendingChange] {
    try Row.fetchAll(
      cachedStatement(
        sql: """
          SELECT kind, key, op, generation, changedAt, attempts, notBefore, sent, parked, lastError
          FROM outbox WHERE \(condition)
          """), arguments: arguments
    ).compactMap { row in
      guard let thing = Thing(kind: row[0], key: row[1]) else { return nil }
      return PendingChange(
        thing: thing, isDeletion: row[2] == "delete", generation: row[3], changedAt: row[4],
        attempts: row[5], notBefore: row[6], sent: row[7], parked: row[8], lastError: row[9])
    }
  }

  /// - Parameter condition: of the statement, with what follows it.
  fileprivate func recordStates(
    where condition: String, _ arguments: StatementArguments
  ) throws -> [RecordState] {
    try Row.fetchAll(
      cachedStatement(
        sql: "SELECT name, kind, key, tag, base, listing FROM recordState WHERE \(condition)"),
      arguments: arguments
    ).compactMap { row in
      guard let thing = Thing(kind: row[1], key: row[2]) else { return nil }
      return RecordState(name: row[0], thing: thing, tag: row[3], base: row[4], listing: row[5])
    }
  }
}
