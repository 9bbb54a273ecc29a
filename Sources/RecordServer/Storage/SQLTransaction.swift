import CloudRecords
import FoundationEssentials

/// A transaction of records in an SQL database. Its methods only read.
public class SQLTransaction {
  let connection: any SQLConnection
  let cache: StorageCache
  /// The owner that this transaction has locked; nil if it has locked none.
  private var lockedOwner: OwnerID?

  init(_ connection: any SQLConnection, cache: StorageCache) {
    self.connection = connection
    self.cache = cache
  }

  /// Locks an owner against other transactions that write, if the engine runs several of them at
  /// the same time. The first statement about an owner does this, so that what it reads is still
  /// true when the transaction commits, and sequence numbers are in the order of commits.
  func lock(_ owner: OwnerID) throws {
    guard connection.dialect.locksRows, lockedOwner != owner else { return }
    _ = try connection.row(
      "SELECT id FROM owner WHERE id = ?\(connection.dialect.forUpdate)", [owner.rawValue]
    ) { _ in true }
    lockedOwner = owner
  }

  /// Notes that a statement has locked an owner.
  func noteLock(of owner: OwnerID) {
    if connection.dialect.locksRows { lockedOwner = owner }
  }

  /// Whether a string can be stored. PostgreSQL stores no text with a NUL, and functions of SQLite
  /// see only what is before it.
  static func isText(_ text: String) -> Bool { !text.utf8.contains(0) }
}

/// A transaction of records that can write. It changes rows of only one owner, apart from rows that
/// belong to no owner, such as schemas and jobs.
public final class SQLWriteTransaction: SQLTransaction {
  /// The only owner whose rows this transaction changes; nil until it changes some.
  private var owner: OwnerID?
  /// Whether no other transaction can use the environments until this one ends.
  private let hasLockedEnvironments: Bool

  /// - Parameter locksEnvironments: whether the transaction may change environments, which others
  ///   cannot use until it ends.
  init(
    _ connection: any SQLConnection, cache: StorageCache,
    locksEnvironments: Bool
  ) throws {
    let lock = connection.dialect.lock("environment")
    if locksEnvironments, let lock { try connection.run(lock, []) }
    hasLockedEnvironments = locksEnvironments || lock == nil
    super.init(connection, cache: cache)
  }

  /// Declares that the transaction is going to change an environment.
  ///
  /// - Throws: `EnvironmentsNotLocked`. A transaction that has used an environment or locked an
  ///   owner cannot lock the environments any more, as two that do so would wait for each other.
  func willChangeEnvironment() throws {
    guard hasLockedEnvironments else { throw EnvironmentsNotLocked() }
  }

  /// Declares that the transaction is going to change rows of an owner. Call this before each
  /// change of such rows.
  ///
  /// - Throws: a `StorageFailure` if the transaction has already changed rows of another owner. A
  ///   database that distributes rows over machines by owner could not do this in one transaction.
  func restrictChanges(to owner: OwnerID) throws {
    guard self.owner == nil || self.owner == owner else {
      throw StorageFailure.failed(.severalOwners)
    }
    self.owner = owner
    try lock(owner)
  }
}

/// The error of a transaction that has to lock the environments first, and is run again to do so.
struct EnvironmentsNotLocked: Error {}
