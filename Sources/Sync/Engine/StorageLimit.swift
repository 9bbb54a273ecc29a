import CloudRecords
import Library

/// Limits how much a library stores of its service, in all rounds together. Without this limit a
/// faulty service that keeps sending new records could gradually fill the disk.
struct StorageLimit: Hashable, Sendable {
  /// The maximum number of records: ten times the default quota of an account of the record
  /// service.
  var records = 1_000_000
  /// The maximum size of the library's database in bytes. The default quota of an account of the
  /// record service is one gigabyte, which needs about three gigabytes in a library.
  var bytes = 8_000_000_000

  /// The failure of a round that did not apply all records.
  var failure: SyncFailure { .storageLimitReached(records: records, bytes: bytes) }

  /// Selects the items of a page that may be applied. Below the limit these are all items. At the
  /// limit these are the items that store nothing new: deletions and the records in versions that
  /// this device already knows. So the library can become smaller again once the service has
  /// deleted records.
  ///
  /// - Parameters:
  ///   - page: The items of the page.
  ///   - user: The user record name of the account.
  func accepted(
    _ page: [RecordResult], of user: String, in transaction: SyncTransaction
  ) throws -> [RecordResult] {
    guard
      try transaction.recordCount() + page.count > records || transaction.databaseSize() > bytes
    else { return page }
    return try page.filter { result in
      guard let record = result.record else { return true }
      let known = try transaction.state(named: record.recordName)
      return switch DecodedRecord(record, of: user, as: known?.thing) {
      // Records of these kinds are not stored.
      case .foreign, .profile: true
      case .malformed: try transaction.isUnread(record.recordName)
      case .entry: known.map { $0.tag == record.recordChangeTag } ?? false
      }
    }
  }
}
