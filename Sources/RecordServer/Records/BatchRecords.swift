import CloudRecords

/// A cache of the records that a batch needs, read from the transaction on demand.
final class BatchRecords {
  let scope: Scope
  private let transaction: SQLTransaction
  let signer: TokenSigner
  private var rows: [String: RecordRow?] = [:]
  private var headings: [String: RecordHeading?] = [:]
  private var fields: [String: [String: Field]] = [:]
  private var deleteSelfReferences: [String: [ConstrainedReference]] = [:]
  private var usages: [Int64: Usage] = [:]
  /// The cost of reading a reference. All costs are the number of bytes of plain JSON that take the
  /// same time.
  private static let referenceCost = 64
  /// The cost of decoding or encoding a value, in addition to the bytes of its JSON.
  private static let valueCost = 32
  /// The same for a value with several members, such as a location.
  private static let objectCost = 128
  /// The cost of what was read, decoded and encoded so far. A record that several passes encode
  /// counts each time.
  private var cost = 0

  init(scope: Scope, transaction: SQLTransaction, signer: TokenSigner) {
    self.scope = scope
    self.transaction = transaction
    self.signer = signer
  }

  /// Throws LIMIT_EXCEEDED if the records that were read and encoded have reached the limit of a
  /// batch.
  func checkCost() throws {
    guard cost < RecordBatch.costLimit else {
      throw ServiceError(.limitExceeded, cause: .batchTooLarge(limit: RecordBatch.costLimit))
    }
  }

  /// Counts a record that was encoded.
  func addEncoded(_ fields: [String: Field], _ row: RecordRow) {
    cost += row.storedBytes + Self.extraCost(fields, row)
  }

  /// The cost of decoding or encoding fields, in addition to the bytes of their JSON. Escape
  /// sequences, and the values of lists, take several times as long as plain text.
  private static func extraCost(_ fields: [String: Field], _ row: RecordRow) -> Int {
    fields.values.reduce(max(0, row.storedBytes - row.bytes)) { sum, field in
      guard let value = field.value else { return sum }
      return switch value.type.kind {
      case .location, .reference, .asset: sum + value.elementCount * objectCost
      default: sum + value.elementCount * valueCost
      }
    }
  }

  /// Reads several records at once, so that later look-ups find them in the cache. If they are
  /// larger than a response may be, the others are read one by one when they are needed.
  func load(_ names: [String]) throws {
    let missing = names.filter { rows[$0] == nil }
    let found = try transaction.records(missing, in: scope, bytes: RecordBatch.maximumResponseBytes)
    let bytes = found.values.reduce(0) { $0 + $1.storedBytes }
    cost += bytes
    let isWhole = bytes < RecordBatch.maximumResponseBytes
    for name in missing {
      if let row = found[name] { rows[name] = row } else if isWhole { rows[name] = .some(nil) }
    }
  }

  /// The record before the batch; nil if it does not exist or is deleted.
  func existingRecord(_ name: String) throws -> RecordRow? {
    if rows[name] == nil {
      let found = try transaction.records([name], in: scope, bytes: .max)[name]
      rows[name] = .some(found)
      cost += found?.storedBytes ?? 0
    }
    guard let row = rows[name] ?? nil, !row.isDeleted else { return nil }
    return row
  }

  /// The type and creator of a record before the batch; nil if the record does not exist or is
  /// deleted. This does not read the fields of the record.
  func heading(_ name: String, for account: Int64?) throws -> RecordHeading? {
    if let known = rows[name] {
      return known.flatMap { $0.isDeleted ? nil : $0.heading }
    }
    if let known = headings[name] { return known }
    let read = try transaction.heading(of: name, in: scope, for: account)
    headings[name] = .some(read)
    return read
  }

  /// The fields of a record before the batch.
  func fields(of row: RecordRow) throws -> [String: Field] {
    if let known = fields[row.name] { return known }
    let read = try signer.sealer.fields(of: row, in: scope)
    fields[row.name] = read
    cost += Self.extraCost(read, row)
    return read
  }

  /// The references to a record before the batch, one for each source: all of action DELETE_SELF,
  /// or up to `changes` + 1 of action VALIDATE.
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
    cost += read.count * Self.referenceCost
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
