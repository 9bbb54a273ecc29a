import CloudRecords

/// The usage of the accounts that pay for the records of a batch, compared with their quota.
struct BatchUsage {
  private let records: BatchRecords
  private let quota: Usage
  /// The new usage of each account whose usage changes.
  private(set) var changed: [Int64: Usage] = [:]

  init(of records: BatchRecords, quota: Usage) {
    self.records = records
    self.quota = quota
  }

  /// The usage of an account after the operations so far.
  private func usage(of account: Int64) throws -> Usage {
    try changed[account] ?? records.usage(of: account)
  }

  /// Adds a saved record to the usage of an account.
  ///
  /// - Parameter before: the record that it replaces; nil if it is new.
  /// - Throws: QUOTA_EXCEEDED if the usage grows and exceeds the quota.
  mutating func charge(_ row: RecordRow, before: RecordRow?, to account: Int64) throws {
    let usage = try usage(of: account)
    var after = usage
    after.bytes += row.bytes - (before?.bytes ?? 0)
    after.records += before == nil ? 1 : 0
    guard
      after.bytes <= max(quota.bytes, usage.bytes),
      after.records <= max(quota.records, usage.records)
    else { throw ServiceError(.quotaExceeded, cause: .quotaExceeded) }
    changed[account] = after
  }

  /// Subtracts a deleted record from the usage of an account.
  mutating func discharge(_ row: RecordRow, from account: Int64) throws {
    var usage = try usage(of: account)
    usage.bytes -= row.bytes
    usage.records -= 1
    changed[account] = usage
  }

  /// Moves the bytes of an asset from the usage of the account that uploaded it to that of the
  /// account that pays for the record.
  ///
  /// - Throws: QUOTA_EXCEEDED if the latter exceeds the quota.
  mutating func move(_ bytes: Int, from account: Int64, to payer: Int64) throws {
    guard account != payer else { return }
    var former = try usage(of: account)
    var latter = try usage(of: payer)
    former.bytes -= bytes
    latter.bytes += bytes
    guard latter.bytes <= quota.bytes else {
      throw ServiceError(.quotaExceeded, cause: .quotaExceeded)
    }
    changed[account] = former
    changed[payer] = latter
  }
}
