import GRDB
import NIOConcurrencyHelpers

/// Copies of a database in memory.
final class Snapshots: Sendable {
  private struct State {
    var copies: [String: DatabaseQueue] = [:]
    /// The number of names that were made up.
    var count = 0
  }

  private let start: DatabaseQueue
  private let state = NIOLockedValueBox(State())

  /// - Parameter database: a database in the state to which `reset` returns.
  init(startingWith database: any DatabaseWriter) throws {
    start = try Self.copy(of: database)
  }

  /// Puts the state of the start into a database, and removes the copies.
  func reset(_ database: any DatabaseWriter) throws {
    try start.backup(to: database)
    state.withLockedValue { $0.copies = [:] }
  }

  /// Copies a database.
  ///
  /// - Parameter name: nil for a new name.
  /// - Returns: the name of the copy.
  /// - Throws: `EphemeralFailure.snapshotName` or `tooManySnapshots`.
  func add(_ name: String?, of database: any DatabaseWriter) throws -> String {
    if let name, !(1...EphemeralService.snapshotNameLimit).contains(name.utf8.count) {
      throw EphemeralFailure.snapshotName(limit: EphemeralService.snapshotNameLimit)
    }
    let copy = try Self.copy(of: database)
    return try state.withLockedValue { state in
      var chosen = name
      while chosen == nil {
        state.count += 1
        let made = "snapshot-\(state.count)"
        if state.copies[made] == nil { chosen = made }
      }
      let name = chosen ?? ""
      guard state.copies[name] != nil || state.copies.count < EphemeralService.snapshotLimit else {
        throw EphemeralFailure.tooManySnapshots(limit: EphemeralService.snapshotLimit)
      }
      state.copies[name] = copy
      return name
    }
  }

  /// Puts a copy into a database.
  ///
  /// - Throws: `EphemeralFailure.unknownSnapshot`.
  func restore(_ name: String, to database: any DatabaseWriter) throws {
    guard let copy = state.withLockedValue({ $0.copies[name] }) else {
      throw EphemeralFailure.unknownSnapshot(name)
    }
    try copy.backup(to: database)
  }

  private static func copy(of database: any DatabaseWriter) throws -> DatabaseQueue {
    let copy = try DatabaseQueue()
    try database.backup(to: copy)
    return copy
  }
}
