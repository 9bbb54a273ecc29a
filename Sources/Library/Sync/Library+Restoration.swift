import GRDB
import Synchronization

// A connected library can be replaced by an earlier copy of itself. The next sync would overwrite
// the copy with the state of the service, so sync stops until the user chooses which of the two to
// keep.
extension Library {
  /// Sets `restoration` to `undecided` if a connected library is older than its `.generation` file
  /// says; sets `isFromBeforeConnection` if the library has no account. Called once after opening,
  /// because a file can be replaced only while it is not open.
  ///
  /// - Parameter newest: The generation in the `.generation` file. It must be read before the
  ///   library, because another process may raise both in between.
  func detectRestoration(newest: Generation?) throws(LibraryFailure) {
    guard let newest else { return }
    func isRestored(_ database: Database) throws -> Bool {
      try database.generation()?.isRestored(comparedWith: newest) ?? true
    }
    guard try read(isRestored) else { return }
    guard try syncAccount() != nil else {
      beforeConnection.withLock { $0 = true }
      return
    }
    try sync { transaction in
      let database = transaction.database
      // Check again in the transaction, because another process may have set it.
      guard try isRestored(database), var account = try transaction.account() else { return }
      account.restoration = .undecided
      try transaction.setAccount(account)
      try transaction.markOutboxRestored()
      // If the same copy is restored again, that is detected as well.
      try database.setGeneration((try database.generation() ?? .first()).following(newest))
    }
  }

  /// Stores the user's choice. Does nothing when no restoration is pending.
  ///
  /// - Parameter restoration: The version that the next sync keeps.
  /// - Throws: `LibraryFailure` if the library cannot be changed.
  public func chooseRestoration(_ restoration: SyncAccount.Restoration) throws(LibraryFailure) {
    try sync { transaction in
      guard var account = try transaction.account(), account.restoration != nil else { return }
      account.restoration = restoration
      try transaction.setAccount(account)
    }
  }
}

extension SyncTransaction {
  /// An SQL query that selects the kind, the key and the time of the last change of every
  /// favorite, note, progress entry and setting in the library.
  static let things = """
    SELECT 'favorite' AS kind, surah || ':' || ayah AS key, favoritedAt AS time FROM favorite
    UNION ALL SELECT 'note', id, modifiedAt FROM note
    UNION ALL SELECT 'progress', CAST(surah AS TEXT), lastUpdatedAt FROM progress
    UNION ALL SELECT 'setting', key, lastModifiedAt FROM setting
    """

  /// Returns the things in the library for which this device knows no record on the service.
  public func thingsWithoutRecords() throws -> [Thing] {
    try database.rows(
      """
      SELECT kind, key FROM (\(Self.things)) AS thing
      WHERE NOT EXISTS (
        SELECT 1 FROM recordState WHERE kind = thing.kind AND key = thing.key)
      ORDER BY kind, key
      """
    ) { Thing(kind: $0.string(0), key: $0.string(1)) }
  }

  /// Returns the names of all known records, in order.
  public func recordNames() throws -> [String] {
    try database.rows("SELECT name FROM recordState ORDER BY name") { $0.string(0) }
  }

  /// Marks all changes that are in the outbox now as changes of a restored library.
  public func markOutboxRestored() throws {
    try database.run("UPDATE outbox SET isRestored = TRUE")
  }

  /// Removes from the outbox the deletions of things for which this device knows no record on the
  /// service.
  public func dequeueDeletionsWithoutRecords() throws {
    try database.run(
      """
      DELETE FROM outbox WHERE op = 'delete' AND NOT EXISTS (
        SELECT 1 FROM recordState WHERE kind = outbox.kind AND key = outbox.key)
      """)
  }

  /// Stores an entry with a time later than the remote version's, so that it replaces the versions
  /// of other devices, and adds it to the outbox.
  ///
  /// - Parameters:
  ///   - other: The remote version; nil if there is none.
  ///   - now: Milliseconds since 1970, UTC.
  public mutating func saveRestored(
    _ entry: Entry, over other: Entry?, at now: Int64
  ) throws {
    let isRestored = try pending(entry.thing)?.isRestored ?? true
    try save(entry.touched(at: now.advanced(past: other).advanced(past: entry)), at: now)
    try enqueueRestored(entry.thing, isRestored: isRestored, at: now)
  }

  /// Adds a thing of a restored library to the outbox.
  ///
  /// - Parameters:
  ///   - isRestored: False if it was changed after the library was restored.
  ///   - now: Milliseconds since 1970, UTC.
  public func enqueueRestored(_ thing: Thing, isRestored: Bool, at now: Int64) throws {
    try enqueue(thing, isDeletion: false, at: now)
    try database.run(
      "UPDATE outbox SET isRestored = ? WHERE kind = ? AND key = ?", isRestored,
      thing.kind.rawValue, thing.key)
  }
}

extension Database {
  /// Marks a backup of a connected library as restored, so that the next sync keeps the version
  /// that the user chose, or asks which one to keep. Does nothing if neither the backup nor the
  /// replaced library has an account.
  ///
  /// - Parameters:
  ///   - former: The account of the replaced library; nil if it has none or cannot be read.
  ///   - restoration: The user's choice, or `undecided` if there is none yet.
  ///   - newest: The generation in the file beside the library.
  func markRestored(
    replacing former: SyncAccount?, choice restoration: SyncAccount.Restoration, newest: Generation?
  ) throws {
    let transaction = SyncTransaction(database: self)
    var account: SyncAccount
    if let known = try transaction.account() {
      account = known
      // The address of the service may have changed since the backup was made.
      if let former, former.isSame(as: known) {
        account.origin = former.origin
        account.name = former.name
        account.serviceID = former.serviceID
      }
    } else if let former {
      // The backup was made before the library was connected to an account.
      account = SyncAccount(
        origin: former.origin, container: former.container, environment: former.environment,
        userRecordName: former.userRecordName, name: former.name,
        isConfirmed: former.isConfirmed, hasProfile: former.hasProfile,
        serviceID: former.serviceID)
      account.profileCreatedAt = former.profileCreatedAt
    } else {
      return
    }
    account.restoration = restoration
    try transaction.setAccount(account)
    try transaction.markOutboxRestored()
    try setGeneration((try generation() ?? .first()).following(newest))
  }
}
