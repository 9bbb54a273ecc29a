import CloudRecords

/// A cache of the records that a batch needs, read from the transaction on demand.
final class BatchRecords {
  let scope: Scope
  private let transaction: any RecordReading
  let sealer: FieldSealer
  let assetSigner: AssetSigner
  private var rows: [String: RecordRow?] = [:]
  private var fields: [String: [String: Field]] = [:]
  private var deleteSelfReferences: [String: [ConstrainedReference]] = [:]
  private var usages: [Int64: Usage] = [:]

  init(scope: Scope, transaction: any RecordReading, signer: TokenSigner) {
    self.scope = scope
    self.transaction = transaction
    sealer = signer.sealer
    assetSigner = signer.assets
  }

  /// Reads several records in one call, so that later look-ups find them in the cache.
  func load(_ names: [String]) throws {
    let missing = names.filter { rows[$0] == nil }
    let found = try transaction.records(missing, in: scope, bytes: .max)
    for name in missing { rows[name] = .some(found[name]) }
  }

  /// The record before the batch; nil if it does not exist or is deleted.
  func live(_ name: String) throws -> RecordRow? {
    if rows[name] == nil { try load([name]) }
    guard let row = rows[name] ?? nil, !row.isDeleted else { return nil }
    return row
  }

  /// The fields of a record before the batch.
  func fields(of row: RecordRow) throws -> [String: Field] {
    if let known = fields[row.name] { return known }
    let read = try sealer.fields(of: row, in: scope)
    fields[row.name] = read
    return read
  }

  /// The references to a record before the batch, one for each source.
  ///
  /// - Parameter changes: how many records the batch changes. A record can have any number of
  ///   VALIDATE references to it, but the batch only needs to find one whose source it does not
  ///   change: `changes + 1` of them always include one, if it exists.
  func references(
    to target: String, _ action: ConstrainedReference.Action, despite changes: Int
  ) throws -> [ConstrainedReference] {
    guard action == .deleteSelf else {
      return try transaction.references(to: target, action, in: scope, limit: changes + 1)
    }
    if let known = deleteSelfReferences[target] { return known }
    let read = try transaction.references(to: target, action, in: scope, limit: .max)
    deleteSelfReferences[target] = read
    return read
  }

  /// An asset before the batch; nil if it does not exist.
  func asset(_ id: AssetID) throws -> AssetRow? { try transaction.asset(id, of: scope.owner) }

  /// The usage of an account before the batch.
  func usage(of account: Int64) throws -> Usage {
    if let known = usages[account] { return known }
    let read = try transaction.usage(of: account, in: scope.owner)
    usages[account] = read
    return read
  }
}
