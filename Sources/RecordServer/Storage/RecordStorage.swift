public import CloudRecords
public import FoundationEssentials

/// The storage of records, schemas, subscriptions and jobs.
///
/// A transaction sees one consistent state, and its changes are committed completely or not at all.
/// Committed changes are on the disk when `write` returns. Transactions run on threads that may
/// block on a disk or a socket, and their bodies may run more than once.
public protocol RecordStorage: Sendable {
  /// Runs `body` in a read-only transaction. If the task is cancelled, the running statement is
  /// stopped.
  ///
  /// - Parameter budget: limits and counts the rows that the statements look at; nil for no limit.
  /// - Throws: what `body` throws, or a `StorageFailure`: `exhausted` if the budget was exceeded.
  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (any RecordReading) throws -> Value
  ) async throws -> Value

  /// Runs `body` in a transaction that can write.
  ///
  /// - Parameter account: the account that is served. Accounts take turns; nil for work of the
  ///   service itself.
  /// - Throws: what `body` throws, or a `StorageFailure`. Nothing was changed. After
  ///   `commitUnanswered`, however, the changes may have been committed.
  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (any RecordWriting) throws -> Value
  ) async throws -> Value
}

extension RecordStorage {
  /// Runs `body` in a read-only transaction without a budget.
  ///
  /// - Throws: what `body` throws, or a `StorageFailure`.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any RecordReading) throws -> Value
  ) async throws -> Value {
    try await read(within: nil, body)
  }

  /// Runs `body` for the service itself in a transaction that can write.
  ///
  /// - Throws: as `write(for:_:)`.
  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (any RecordWriting) throws -> Value
  ) async throws -> Value {
    try await write(for: nil, body)
  }
}

/// The reads of a transaction. It is a protocol so that a body passed to `read` cannot write.
public protocol RecordReading {
  // MARK: Service

  /// The permanent ID of the service, stored with its data: 32 hexadecimal digits.
  func serviceID() throws -> String

  // MARK: History

  /// Returns the mark of a sequence number that was assigned after marks were introduced; nil if
  /// the number is greater than the newest one. If the mark was deleted (`lastDeletedMark`), the
  /// result is the mark of a later transaction.
  func mark(of number: Int64, in history: History) throws -> Mark?
  /// Returns the history of a database; nil if there is no such owner.
  func history(of owner: OwnerID) throws -> History?
  /// Returns the last sequence number whose mark may be deleted; nil if there is nothing to delete.
  /// The newest mark is never deleted.
  ///
  /// - Parameters:
  ///   - time: marks of transactions before this time may be deleted, in milliseconds since 1970.
  ///   - count: the number of transactions whose marks are kept; older ones may be deleted.
  ///   - limit: the maximum number of transactions to delete at once.
  func lastDeletableNumber(
    in history: History, before time: Int64, keeping count: Int, limit: Int
  ) throws -> Int64?
  /// Returns the number of responses that reported to a client that the service has lost a part of
  /// its history.
  func forkCount() throws -> Int

  // MARK: Containers

  /// Returns the containers that are served, by name.
  func containers() throws -> [ContainerID]
  /// Returns the state of a container's environment; nil if the container is not served.
  func state(
    of container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> EnvironmentState?

  // MARK: Owners and zones

  /// Returns the row of a database; nil if nothing was stored in it yet.
  ///
  /// - Parameter account: the account of a private database; 0 for a public one.
  func owner(of address: DatabaseAddress, account: Int64) throws -> OwnerRow?
  /// Returns the account of a private database; nil for a public one.
  func account(of owner: OwnerID) throws -> Int64?
  /// Returns the owners of an environment with greater IDs than `after`, in the order of their IDs.
  func owners(
    in container: ContainerID, _ environment: ContainerEnvironment, after: OwnerID, limit: Int
  ) throws -> [OwnerID]
  /// Returns the owner with the greatest ID; nil if there is none.
  func lastOwner(
    in container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> OwnerID?
  /// Returns the private databases of an account.
  func owners(of account: Int64) throws -> [OwnerID]
  /// Returns the default zones of all public databases.
  func publicScopes() throws -> [Scope]
  /// Returns the zone with this name, even if it is deleted.
  func zone(_ name: String, of owner: OwnerID) throws -> ZoneRow?
  /// Returns the zones that changed after `number` in the database's feed, including deleted ones,
  /// in the order of their changes.
  func zones(of owner: OwnerID, changedAfter number: Int64, limit: Int) throws -> [ZoneRow]
  /// Returns the usage of an account in a database.
  func usage(of account: Int64, in owner: OwnerID) throws -> Usage

  // MARK: Records

  /// Returns the records and tombstones with the given names, by name.
  ///
  /// - Parameter bytes: a limit of the total size of the stored fields. The names after the record
  ///   that makes the total reach this number of bytes are ignored.
  func records(_ names: [String], in scope: Scope, bytes: Int) throws -> [String: RecordRow]
  /// Returns the type and creator of a record, without reading its fields; nil if the record does
  /// not exist or is deleted.
  ///
  /// - Parameter account: the account that wants to read it.
  func heading(of name: String, in scope: Scope, for account: Int64?) throws -> RecordHeading?
  /// Returns records and tombstones with greater sequence numbers than `number`, in the order of
  /// the numbers.
  ///
  /// - Parameter bytes: a limit of the total size of the stored fields. The page ends with the
  ///   record that makes the total reach this number of bytes.
  func changes(in scope: Scope, after number: Int64, limit: Int, bytes: Int) throws -> [RecordRow]
  /// Whether it takes much longer to look up the sort key of an entry than to read the next row of
  /// an index.
  var hasSlowLookups: Bool { get }
  /// Returns the positions of the records that a search finds.
  func search(_ search: RecordSearch, in scope: Scope) throws -> [RecordSearch.Position]
  /// Returns the position of a row that a search scans, whether or not its conditions hold; nil if
  /// the search scans fewer rows.
  ///
  /// - Parameters:
  ///   - number: the number of the row; the first is 1.
  ///   - search: a search that `canStopAnywhere`.
  func position(
    ofRow number: Int, scannedBy search: RecordSearch, in scope: Scope
  ) throws -> RecordSearch.Position?
  /// Counts the index entries of a field that pass all tests, up to a limit.
  func count(
    _ tests: [RecordSearch.Test], of field: FieldID, in scope: Scope, upTo limit: Int
  ) throws -> Int
  /// Returns the records of a type whose names follow `name`, in the order of their names.
  ///
  /// - Parameter bytes: a limit of the total size of the stored fields. The page ends with the
  ///   record that makes the total reach this number of bytes.
  func records(
    of type: String, in scope: Scope, after name: String, limit: Int, bytes: Int
  ) throws -> [RecordRow]
  /// Returns at most `limit` references to a record, one for each source, in the order of the
  /// sources' names.
  func references(
    to target: String, _ action: ConstrainedReference.Action, in scope: Scope, limit: Int
  ) throws -> [ConstrainedReference]
  /// Returns the number of stored tombstones.
  func tombstoneCount(in scope: Scope) throws -> Int

  // MARK: Assets

  /// Returns an asset; nil if there is none with this ID.
  func asset(_ id: AssetID, of owner: OwnerID) throws -> AssetRow?
  /// Returns bytes of a chunk of an asset; nil if the chunk is not stored.
  ///
  /// - Parameters:
  ///   - number: the first chunk is 0.
  ///   - offset: the number of bytes before those that are returned.
  ///   - count: the maximum number of bytes.
  func bytes(
    ofChunk number: Int, from offset: Int, count: Int, of id: AssetID, in owner: OwnerID
  ) throws -> Data?
  /// Returns assets that no record holds and that expired before or at `time`.
  func expiredAssets(of owner: OwnerID, at time: Int64, limit: Int) throws -> [AssetRow]

  // MARK: Subscriptions

  /// Returns the subscriptions of an account, in the order of their IDs.
  func subscriptions(of account: Int64, in owner: OwnerID) throws -> [Subscription]
  /// Returns the number of an account's subscriptions and the total size of their JSON.
  func subscriptionUsage(of account: Int64, in owner: OwnerID) throws -> (count: Int, bytes: Int)
  /// Returns a subscription of an account; nil if there is none with this ID.
  func subscription(_ id: String, of account: Int64, in owner: OwnerID) throws -> Subscription?
  /// Whether any account has a subscription that may fire for records of a type, or for a zone.
  ///
  /// - Parameter type: the record type; nil for zone subscriptions.
  func hasSubscriptions(watching type: String?, in owner: OwnerID) throws -> Bool
  /// Returns the subscriptions of all accounts that may fire for records of a type, or for a zone,
  /// in the order of their positions.
  ///
  /// - Parameter type: the record type; nil for zone subscriptions.
  func subscriptions(
    watching type: String?, in owner: OwnerID, after: SubscriptionRow.Position?, limit: Int
  ) throws -> [SubscriptionRow]

  // MARK: Jobs

  /// Returns the unfinished jobs, oldest first.
  func jobs() throws -> [JobRow]

  // MARK: Operator

  /// Counts the records and jobs.
  func counts() throws -> StorageCounts
  /// Returns the number of records in all databases of a container's environment, without
  /// tombstones.
  func recordCount(in container: ContainerID, _ environment: ContainerEnvironment) throws -> Int
  /// Checks the consistency of redundant data.
  ///
  /// - Returns: the faults; empty if there are none.
  func inconsistencies() throws -> [DatabaseFault]
}

/// The numbers of records and jobs in a database.
public struct StorageCounts: Hashable, Sendable {
  /// The number of records in all containers and databases, without tombstones.
  public var records: Int
  /// The number of unfinished jobs (`StorageJob`). A server resumes them when it starts.
  public var jobs: Int
}

/// The writes of a transaction. A transaction changes rows of only one owner, apart from rows that
/// belong to no owner, such as schemas and jobs. It is a protocol so that the rules of the service
/// do not depend on SQL.
public protocol RecordWriting: RecordReading {
  // MARK: Containers

  /// Adds a container, or changes its option.
  ///
  /// - Parameter hasDefaultZoneFeed: whether its default zones have a change feed.
  func save(_ container: ContainerID, hasDefaultZoneFeed: Bool) throws
  /// Saves a schema and assigns IDs to its indexed fields.
  @discardableResult
  func save(
    _ schema: Schema, of container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> EnvironmentState
  /// Renews the epoch of an environment, which expires all its tokens. Zones created afterwards
  /// start with greater sequence numbers, so that no change tag is used again.
  func renewEpoch(of container: ContainerID, _ environment: ContainerEnvironment) throws

  // MARK: Owners and zones

  /// Whether an account was removed or is being removed. Nothing may be created for it any more.
  ///
  /// - Parameter isHeld: whether the account must not be removed until the transaction ends. That
  ///   is needed only where no row of an owner is locked yet: the deletion of an account locks its
  ///   owners, and deletes what was saved before.
  func isGone(account: Int64, isHeld: Bool) throws -> Bool
  /// Creates an owner and its default zone. `account` is 0 for a public database.
  func makeOwner(of address: DatabaseAddress, account: Int64, _ source: MarkSource) throws
    -> OwnerRow
  /// Deletes an owner that has no records or assets left, and everything else that is stored about
  /// it.
  func removeOwner(_ owner: OwnerID) throws
  /// Creates a zone, or creates a deleted one again.
  func makeZone(_ name: String, of owner: OwnerID, _ source: MarkSource) throws -> ZoneRow
  /// Marks a zone as deleted. The caller adds a job that deletes its records.
  func deleteZone(_ scope: Scope, _ source: MarkSource) throws
  /// Deletes the rows of the zones that were deleted first, if more than `limit` zones are stored.
  func deleteOldestZones(of owner: OwnerID, beyond limit: Int) throws
  /// Allots sequence numbers. Until the transaction ends, no other writer can allot numbers in the
  /// zone, so the order of the numbers is the order of the commits. `advance` stores the last one.
  ///
  /// - Parameter newest: the last number of the zone, as this transaction has read or allotted it.
  /// - Returns: the first of the numbers.
  func allotNumbers(_ count: Int, after newest: Int64, in scope: Scope) throws -> Int64
  /// Adds the transaction to the history of a zone and, in a private database, to the feed of the
  /// database.
  ///
  /// - Parameter newest: the last number that the transaction assigned in the zone, and its mark.
  func advance(_ scope: Scope, to newest: ChangeTag, _ source: MarkSource) throws
  /// Deletes the marks of a history up to a number.
  func deleteMarks(of history: History, through number: Int64) throws
  /// Counts a response that reports to a client that the service has lost a part of its history.
  func countFork() throws
  /// Deletes the usage of an account in a database.
  func removeUsage(of account: Int64, in owner: OwnerID) throws
  /// Adds to the usage of an account.
  ///
  /// - Parameter change: the difference; negative for deleted records.
  func charge(_ change: Usage, to account: Int64, in owner: OwnerID) throws

  // MARK: Records

  /// Saves records with their index entries and references. A deleted record leaves a tombstone,
  /// except in a public database.
  func save(_ records: [IndexedRecord], in scope: Scope) throws
  /// Replaces the index entries of a record.
  func save(_ entries: [IndexEntry], of name: String, in scope: Scope) throws
  /// Deletes records and tombstones of an owner; once none are left, their assets; and then their
  /// history. It leaves no tombstones.
  ///
  /// - Parameters:
  ///   - incarnation: the incarnation of a zone; nil for all zones that the owner ever had.
  ///   - limit: the maximum number of rows to delete.
  /// - Returns: the usage of what was deleted; nil if there was nothing left to delete.
  func purge(_ owner: OwnerID, _ incarnation: Int64?, limit: Int) throws -> Usage?
  /// Deletes at most `limit` of the records that an account created in a public database.
  ///
  /// - Returns: the number of deleted records; 0 if there were none left.
  func purge(createdBy account: Int64, in scope: Scope, limit: Int) throws -> Int
  /// Deletes at most `limit` tombstones of deletions before `time`, oldest first.
  ///
  /// - Parameter time: milliseconds since 1970.
  /// - Returns: the number of deleted tombstones.
  func deleteTombstones(in scope: Scope, before time: Int64, limit: Int) throws -> Int

  // MARK: Assets

  /// Saves an asset; replaces one with the same ID.
  func save(_ asset: AssetRow, in owner: OwnerID) throws
  /// Saves the bytes of a chunk of an asset.
  func saveChunk(_ bytes: Data, number: Int, of id: AssetID, in owner: OwnerID) throws
  /// Deletes the last chunks of an asset and, once none are left, the asset.
  ///
  /// - Parameter limit: the maximum number of chunks to delete.
  /// - Returns: the number of deleted bytes, and whether the asset is gone.
  func deleteChunks(
    of id: AssetID, in owner: OwnerID, limit: Int
  ) throws -> (bytes: Int, isGone: Bool)
  /// Deletes some of the assets in a public database that belong to an account. The quota of an
  /// account includes the bytes of its assets.
  ///
  /// - Parameter limit: the maximum number of chunks to delete in this transaction.
  /// - Returns: false if the account has no assets left. Otherwise, call this again.
  func purgeAssets(of account: Int64, in owner: OwnerID, limit: Int) throws -> Bool

  // MARK: Subscriptions

  /// Saves a subscription; replaces one with the same account and ID.
  func save(_ subscription: SubscriptionRow, in owner: OwnerID) throws
  /// Deletes a subscription, if it exists.
  func removeSubscription(_ id: String, of account: Int64, in owner: OwnerID) throws
  /// Deletes all subscriptions of an account.
  func removeSubscriptions(of account: Int64, in owner: OwnerID) throws

  // MARK: Jobs

  /// Adds a job.
  @discardableResult
  func add(_ job: StorageJob) throws -> JobRow
  /// Returns the job that deletes an account; adds it if there is none.
  func job(deleting account: Int64) throws -> JobRow
  /// Saves the progress of a job.
  func save(_ job: JobRow) throws
  /// Removes a finished job.
  func remove(_ job: JobRow) throws
}
