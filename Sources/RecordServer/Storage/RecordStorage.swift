public import CloudRecords

/// Where records are kept.
///
/// A transaction sees one state of everything, and changes are made whole or not at all; what
/// was written is on the disk when `write` returns. The body runs where waiting for a disk or
/// a socket does no harm, and may run more than once.
public protocol RecordStorage: Sendable {
  /// - Throws: what the body throws, or a `StorageFailure`.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any RecordReading) throws -> Value
  ) async throws -> Value

  /// - Throws: what the body throws, or a `StorageFailure`; nothing was changed then.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any RecordWriting) throws -> Value
  ) async throws -> Value
}

/// What a transaction can read.
public protocol RecordReading {
  // MARK: Service

  /// The permanent id of the service, kept with its data: 32 hexadecimal digits.
  func serviceID() throws -> String

  // MARK: History

  /// The mark under which a history has a number that was given after marks were introduced;
  /// nil where it is not known.
  func mark(of number: Int64, in history: History) throws -> Mark?
  /// The history of a database; nil where there is no such owner.
  func history(of owner: OwnerID) throws -> History?
  /// The last number that may be forgotten of a history; nil where there is nothing to forget.
  /// The newest one is never forgotten.
  ///
  /// - Parameters:
  ///   - time: transactions before it may be forgotten, in milliseconds since 1970.
  ///   - count: so many transactions are kept; older ones may be forgotten.
  ///   - limit: how many transactions are forgotten at once, at most.
  func forgettableNumber(
    in history: History, before time: Int64, keeping count: Int, limit: Int
  ) throws -> Int64?
  /// How many answers told a client that the service has lost a part of its history.
  func forkCount() throws -> Int

  // MARK: Containers

  func containers() throws -> [ContainerID]
  /// Nil for a container that is not served.
  func state(
    of container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> EnvironmentState?

  // MARK: Owners and zones

  /// - Parameter account: 0 for a public database.
  func owner(of place: Place, account: Int64) throws -> OwnerRow?
  /// Whose private database it is; nil for a public one.
  func account(of owner: OwnerID) throws -> Int64?
  /// In the order of their numbers.
  func owners(
    in container: ContainerID, _ environment: ContainerEnvironment, after: OwnerID, limit: Int
  ) throws -> [OwnerID]
  /// The one with the largest number; nil for none.
  func lastOwner(
    in container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> OwnerID?
  /// The private databases of an account.
  func owners(of account: Int64) throws -> [OwnerID]
  /// The public databases, each with its default zone.
  func publicScopes() throws -> [Scope]
  /// A deleted one too.
  func zone(_ name: String, of owner: OwnerID) throws -> ZoneRow?
  /// Deleted ones too, in the order of their changes.
  func zones(of owner: OwnerID, changedAfter number: Int64, limit: Int) throws -> [ZoneRow]
  func usage(of account: Int64, in owner: OwnerID) throws -> Usage

  // MARK: Records

  /// Those that there are, tombstones too, by name.
  ///
  /// - Parameter bytes: names after the record that crosses this are not looked for.
  func records(_ names: [String], in scope: Scope, bytes: Int) throws -> [String: RecordRow]
  /// Records and tombstones with larger numbers, in their order.
  ///
  /// - Parameter bytes: the page ends with the record that crosses this.
  func changes(in scope: Scope, after number: Int64, limit: Int, bytes: Int) throws -> [RecordRow]
  /// Where in the order of a search the records are that it finds.
  func search(_ search: RecordSearch, in scope: Scope) throws -> [RecordSearch.Position]
  /// How many index entries of a field pass all of some tests, counted up to a limit.
  func count(
    _ tests: [RecordSearch.Test], of field: FieldID, in scope: Scope, upTo limit: Int
  ) throws -> Int
  /// Records of a type by name.
  ///
  /// - Parameter bytes: as in `changes`.
  func records(
    of type: String, in scope: Scope, after name: String, limit: Int, bytes: Int
  ) throws -> [RecordRow]
  /// References to a record, one of each holder, by holders, not more than `limit`.
  func references(
    to target: String, _ action: HeldReference.Action, in scope: Scope, limit: Int
  ) throws -> [HeldReference]
  /// How many deletions are remembered.
  func tombstoneCount(in scope: Scope) throws -> Int

  // MARK: Subscriptions

  func subscriptions(of account: Int64, in owner: OwnerID) throws -> [Subscription]
  /// How many subscriptions an account has, and the bytes of their JSON together.
  func subscriptionUsage(of account: Int64, in owner: OwnerID) throws -> (count: Int, bytes: Int)
  func subscription(_ id: String, of account: Int64, in owner: OwnerID) throws -> Subscription?
  /// Those of everybody that may fire for records of a type, or for a zone, in order.
  ///
  /// - Parameter type: nil for subscriptions of zones.
  func subscriptions(
    watching type: String?, in owner: OwnerID, after: SubscriptionRow.Position?, limit: Int
  ) throws -> [SubscriptionRow]

  // MARK: Jobs

  /// Those that are not done, oldest first.
  func jobs() throws -> [JobRow]
}

/// What a transaction can change besides. All it changes is one owner's, but for schemas and
/// jobs.
public protocol RecordWriting: RecordReading {
  // MARK: Containers

  func save(_ container: ContainerID, hasDefaultZoneFeed: Bool) throws
  /// Keeps a schema, and numbers for the fields it indexes.
  @discardableResult
  func save(
    _ schema: Schema, of container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> EnvironmentState
  /// Ends what tokens are good for. Zones made from here on have other change tags.
  func renewEpoch(of container: ContainerID, _ environment: ContainerEnvironment) throws

  // MARK: Owners and zones

  /// Whether an account was removed, or is being removed. Nothing may be made for it any more.
  func isGone(account: Int64) throws -> Bool
  /// Makes an owner and its default zone.
  func makeOwner(of place: Place, account: Int64, _ source: MarkSource) throws -> OwnerRow
  /// Takes an owner away of which no record is left, and the work on it.
  func removeOwner(_ owner: OwnerID) throws
  /// Makes a zone, or makes a deleted one again.
  func makeZone(_ name: String, of owner: OwnerID, _ source: MarkSource) throws -> ZoneRow
  /// Leaves a tombstone of a zone. Its records are left to a job.
  func deleteZone(_ scope: Scope, _ source: MarkSource) throws
  /// Forgets the zones deleted first where more than `limit` zones are known.
  func forgetZones(of owner: OwnerID, beyond limit: Int) throws
  /// Allots numbers, and keeps others from doing so until the transaction ends: the order of
  /// numbers is that of commits.
  ///
  /// - Returns: the first of them.
  func numbers(_ count: Int, in scope: Scope) throws -> Int64
  /// Adds a transaction to the history of a zone, and the zone to the database's feed.
  ///
  /// - Parameter newest: the last number that the transaction gave in the zone, and its mark.
  func advance(_ scope: Scope, to newest: ChangeTag, _ source: MarkSource) throws
  /// Forgets the beginning of a history.
  func forget(_ history: History, through number: Int64) throws
  /// Counts an answer that told a client that the service has lost a part of its history.
  func countFork() throws
  func removeUsage(of account: Int64, in owner: OwnerID) throws
  func charge(_ change: Usage, to account: Int64, in owner: OwnerID) throws

  // MARK: Records

  /// Keeps records as they are now; of deleted ones a tombstone, and nothing in a public
  /// database.
  func save(_ records: [IndexedRecord], in scope: Scope) throws
  func save(_ entries: [IndexEntry], of name: String, in scope: Scope) throws
  /// Takes records and tombstones of an owner away, and then their history, leaving nothing of
  /// them.
  ///
  /// - Parameter incarnation: of a zone; nil for all that there ever were.
  /// - Parameter limit: how many, at most.
  /// - Returns: what is gone; nil where there was nothing left.
  func purge(_ owner: OwnerID, _ incarnation: Int64?, limit: Int) throws -> Usage?
  /// Takes away what an account created in a public database.
  ///
  /// - Returns: how many records; 0 where there was nothing left.
  func purge(createdBy account: Int64, in scope: Scope, limit: Int) throws -> Int
  /// Forgets tombstones of deletions before a time, the oldest first, not more than `limit`.
  ///
  /// - Returns: how many.
  func forgetTombstones(in scope: Scope, before time: Int64, limit: Int) throws -> Int

  // MARK: Subscriptions

  func save(_ subscription: SubscriptionRow, in owner: OwnerID) throws
  func removeSubscription(_ id: String, of account: Int64, in owner: OwnerID) throws
  func removeSubscriptions(of account: Int64, in owner: OwnerID) throws

  // MARK: Jobs

  @discardableResult
  func add(_ job: StorageJob) throws -> JobRow
  func save(_ job: JobRow) throws
  func remove(_ job: JobRow) throws
}
