import CloudRecords
import Library

/// Limits what a library takes from its service, in all rounds together. Without this limit a faulty
/// service that keeps sending new records could fill the disk, a part of it in each round.
struct StorageLimit: Hashable, Sendable {
  /// The maximum number of records: ten times what our service stores for an account.
  var records = 1_000_000
  /// The maximum size of the library's database in bytes. Our service stores at most one gigabyte
  /// for an account, which takes about three in a library.
  var bytes = 8_000_000_000

  /// The failure of a round that left records out.
  var failure: SyncFailure { .storageLimitReached(records: records, bytes: bytes) }

  /// Selects the records of a page that may be applied: all of them below the limit. At the limit
  /// only deletions and known records, which let the library become smaller once the service has
  /// deleted what it should not have sent.
  ///
  /// - Parameter user: The user record name of the account.
  func accepted(
    _ page: [RecordResult], of user: String, in transaction: SyncTransaction
  ) throws -> [RecordResult] {
    guard
      try transaction.recordCount() + page.count > records || transaction.databaseSize() > bytes
    else { return page }
    return try page.filter { result in
      guard let record = result.record else { return true }
      return switch DecodedRecord(record, of: user) {
      // These are not stored.
      case .foreign, .profile: true
      case .malformed: try transaction.isUnread(record.recordName)
      case .entry:
        try transaction.state(named: record.recordName).map { $0.tag == record.recordChangeTag }
          ?? false
      }
    }
  }
}
