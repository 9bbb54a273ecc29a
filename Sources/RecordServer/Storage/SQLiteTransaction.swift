import CloudRecords
import FoundationEssentials
import GRDB
import NIOConcurrencyHelpers

/// A transaction on an SQLite database.
final class SQLiteTransaction {
  let database: Database
  let environmentStates: EnvironmentStateCache
  /// The only owner whose rows this transaction changes; nil until it changes some.
  private var owner: OwnerID?
  /// The statements of searches that this transaction has prepared, by their SQL. A search of many
  /// zones uses the same few.
  private var searchStatements: [String: Statement] = [:]

  init(_ database: Database, environmentStates: EnvironmentStateCache) {
    self.database = database
    self.environmentStates = environmentStates
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
  }

  // MARK: Statements

  /// Returns the statement of a search. It is not cached for other transactions, because the number
  /// of different searches is unlimited.
  func searchStatement(_ sql: String) throws -> Statement {
    if let statement = searchStatements[sql] { return statement }
    let statement = try database.makeStatement(sql: sql)
    searchStatements[sql] = statement
    return statement
  }

  /// Whether a string can be used as an argument. GRDB passes strings to SQLite as C strings, so a
  /// string with a NUL would end there and could match another string.
  static func isText(_ text: String) -> Bool { !text.utf8.contains(0) }

  /// Executes a statement.
  func run(_ sql: String, _ arguments: StatementArguments) throws {
    try database.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// Returns the first row of a statement; nil if there is none.
  func row<Value>(
    _ sql: String, _ arguments: StatementArguments, _ read: (Row) throws -> Value
  ) throws -> Value? {
    let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
    guard let row = try rows.next() else { return nil }
    let value = try read(row)
    // A statement stays active until its last row was read.
    while try rows.next() != nil {}
    return value
  }

  /// Returns all rows of a statement.
  func rows<Value>(
    _ sql: String, _ arguments: StatementArguments, _ read: (Row) throws -> Value
  ) throws -> [Value] {
    let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
    var values: [Value] = []
    while let row = try rows.next() { values.append(try read(row)) }
    return values
  }
}

extension SQLiteTransaction: RecordWriting {}

/// A cache of environment states, so that schemas are not parsed for every request.
final class EnvironmentStateCache: Sendable {
  private let states = NIOLockedValueBox<[String: EnvironmentState]>([:])

  /// Returns the cached state if it has the given version, epoch and option; otherwise calls `read`
  /// and caches the result.
  func state(
    _ container: ContainerID, _ environment: ContainerEnvironment, version: Int64, epoch: Int64,
    hasDefaultZoneFeed: Bool, read: () throws -> EnvironmentState
  ) rethrows -> EnvironmentState {
    let key = "\(environment.rawValue) \(container.name)"
    if let state = states.withLockedValue({ $0[key] }), state.version == version,
      state.epoch == epoch,
      state.hasDefaultZoneFeed == hasDefaultZoneFeed
    {
      return state
    }
    let state = try read()
    states.withLockedValue { $0[key] = state }
    return state
  }
}
