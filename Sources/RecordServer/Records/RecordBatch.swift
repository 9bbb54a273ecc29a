import CloudRecords

/// The operations of a request on one zone, and the limits of a request.
struct RecordBatch {
  let context: RequestContext
  let scope: Scope
  let operations: [RecordsModify.Operation]
  /// The names of the operations' records; a new record without a name gets a generated one.
  let names: [String]
  let isAtomic: Bool
  let records: BatchRecords
  /// The size that the records in the response may still have, in bytes. The zones of a request
  /// share `maximumResponseBytes`.
  let responseLimit: Int
  let quota: Usage
  /// Whether records must have the fields that the schema marks as required.
  let isStrictAboutRequiredFields: Bool
  /// An empty usage, to which the operations add what they use; nil if it is not recorded.
  let schemaUsage: SchemaUsage?
  /// The time of the request in milliseconds since 1970.
  let now: Int64

  /// The maximum size of the records in one response, in bytes. A request is smaller, but a small
  /// request can change a field of a large record and gets the whole record back.
  static let maximumResponseBytes = 4 * Limits.pageBytes

  /// The maximum size of the records that the operations on one zone read and encode, in bytes of
  /// JSON; see `BatchRecords` for what counts more. Other writers wait meanwhile. When the limit is
  /// reached, the remaining operations fail.
  static let costLimit = 2 * maximumResponseBytes

  /// The maximum number of DELETE_SELF and VALIDATE references in the saved records of one batch.
  /// Each is checked while other writers wait.
  static let referenceLimit = 4 * Limits.cascade
  /// The maximum number of records that one batch may delete, including cascades.
  static let deletionLimit = 4 * Limits.cascade
  /// The maximum number of passes. Each pass leaves out the operations that failed in the previous
  /// one.
  private static let passLimit = 10

  /// The result of carrying out a batch in memory.
  struct Outcome {
    let pass: BatchPass
    /// The errors, by the index of the operation.
    let failures: [Int: ServiceError]
  }

  /// Carries out the operations in memory. In an atomic batch one failure makes all operations
  /// fail.
  ///
  /// - Throws: LIMIT_EXCEEDED if references still lack their targets after the last pass.
  func run() throws -> Outcome {
    try records.load(names)
    var failures: [Int: ServiceError] = [:]
    for _ in 0..<Self.passLimit {
      var pass = BatchPass(self)
      for index in operations.indices where failures[index] == nil {
        var attempt = pass
        do {
          try attempt.carryOut(index)
          pass = attempt
        } catch let error as ServiceError {
          failures[index] = error
        }
      }
      let violations = try pass.violations()
      failures.merge(violations) { first, _ in first }
      // One failure is enough to reject an atomic batch, so further failures need not be found.
      if violations.isEmpty || isAtomic {
        return Outcome(pass: pass, failures: isAtomic ? all(failures) : failures)
      }
    }
    throw ServiceError(.limitExceeded, cause: .referencesTooDeep)
  }

  /// Adds ATOMIC_ERROR for every operation that did not fail itself, if any operation failed.
  private func all(_ failures: [Int: ServiceError]) -> [Int: ServiceError] {
    guard !failures.isEmpty else { return failures }
    var all = failures
    for index in operations.indices where all[index] == nil {
      all[index] = ServiceError(.atomicError, cause: .atomicFailure)
    }
    return all
  }
}
