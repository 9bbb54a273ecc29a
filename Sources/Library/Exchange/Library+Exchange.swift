import GRDB

// Transactions whose closures throw errors of files and documents, which are not failures of the
// library.
extension Library {
  /// Reads as `read` does. Errors that are not of the database are thrown unchanged.
  func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
    var other: (any Error)?
    do {
      return try read { try Self.noting(&other, body, $0) }
    } catch {
      throw other ?? error
    }
  }

  /// Writes as `write` does. Errors that are not of the database are thrown unchanged.
  func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
    var other: (any Error)?
    do {
      return try write { try Self.noting(&other, body, $0) }
    } catch {
      throw other ?? error
    }
  }

  /// Runs a closure that merges data into the library, in one transaction.
  ///
  /// - Parameter isDryRun: Whether the transaction is rolled back.
  func merging<Report>(
    isDryRun: Bool, _ merge: (Database) throws -> Report
  ) throws -> Report {
    guard isDryRun else { return try writing(merge) }
    guard refusal == nil else {
      // For a dry run, a library that cannot be changed is copied into memory.
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

  /// The error that ends a dry run.
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
