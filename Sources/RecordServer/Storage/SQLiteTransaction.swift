import CloudRecords
import FoundationEssentials
import GRDB
import NIOConcurrencyHelpers

/// A transaction in SQLite.
final class SQLiteTransaction {
  let database: Database
  let states: StateCache
  /// The one owner that this transaction changes.
  private var owner: OwnerID?

  init(_ database: Database, states: StateCache) {
    self.database = database
    self.states = states
  }

  /// Notes whose rows are about to be changed.
  ///
  /// - Throws: where they are a second owner's: what spreads over machines by owner could not
  ///   do that in one transaction.
  func change(_ owner: OwnerID) throws {
    guard self.owner == nil || self.owner == owner else {
      throw StorageFailure.failed("a transaction of two owners")
    }
    self.owner = owner
  }

  // MARK: Statements

  /// Whether a text can be looked for. SQLite, as GRDB gives it texts, takes them to end at a
  /// NUL, and would find another.
  static func isText(_ text: String) -> Bool { !text.utf8.contains(0) }

  func run(_ sql: String, _ arguments: StatementArguments) throws {
    try database.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  func row<Value>(
    _ sql: String, _ arguments: StatementArguments, _ read: (Row) throws -> Value
  ) throws -> Value? {
    let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
    guard let row = try rows.next() else { return nil }
    let value = try read(row)
    // A statement that is not read to its end would stay open.
    while try rows.next() != nil {}
    return value
  }

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

/// Schemas as they were last read, so that they are not parsed for every request.
final class StateCache: Sendable {
  private let states = NIOLockedValueBox<[String: EnvironmentState]>([:])

  /// The state of a version; read anew where another one is known, or none.
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
