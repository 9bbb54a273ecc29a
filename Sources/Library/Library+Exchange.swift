import GRDB

// Transactions whose bodies have errors of their own to throw: what a file, a pipe or a
// document is to blame for is no failure of the library.
extension Library {
  /// Reads as `read` does, but throws what is not the database's error as it is.
  func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
    var other: (any Error)?
    do {
      return try read { try Self.noting(&other, body, $0) }
    } catch {
      throw other ?? error
    }
  }

  /// Writes as `write` does, in one transaction, but throws what is not the database's
  /// error as it is.
  func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
    var other: (any Error)?
    do {
      return try write { try Self.noting(&other, body, $0) }
    } catch {
      throw other ?? error
    }
  }

  /// Merges something into the library, in one transaction.
  ///
  /// - Parameter isDryRun: whether nothing of it is to stay.
  func merging<Report>(
    isDryRun: Bool, _ merge: (Database) throws -> Report
  ) throws -> Report {
    guard isDryRun else { return try writing(merge) }
    guard refusal == nil else {
      // What cannot be changed is tried out on a copy.
      return try reading { database in
        let copy = try DatabaseQueue()
        try copy.writeWithoutTransaction { try database.backup(to: $0) }
        return try copy.write(merge)
      }
    }
    var report: Report?
    do {
      return try writing {
        report = try merge($0)
        throw RolledBack()
      }
    } catch is RolledBack {
      guard let report else { throw RolledBack() }
      return report
    }
  }

  /// How a dry run ends.
  private struct RolledBack: Error {}

  private static func noting<Value>(
    _ other: inout (any Error)?, _ body: (Database) throws -> Value, _ database: Database
  ) throws -> Value {
    do {
      return try body(database)
    } catch {
      if !(error is DatabaseError) { other = error }
      throw error
    }
  }
}
