import CloudRecords

/// The operations of a request on one zone: what they make of its records.
struct RecordBatch {
  let context: RequestContext
  let scope: Scope
  let operations: [RecordsModify.Operation]
  /// The names of the operations' records; new ones are made up.
  let names: [String]
  let isAtomic: Bool
  let records: BatchRecords
  let quota: Usage
  /// Milliseconds since 1970.
  let now: Int64

  /// Bytes of the records in one answer. Requests are smaller, but to change a field of a
  /// large record is a small request with a large answer.
  static let answerBytes = 4 * Limits.pageBytes

  /// References with an action that the saved records of one request may have. Each is looked
  /// after while nobody else can write.
  static let referenceLimit = 4 * Limits.cascade
  /// Records that one request may delete, those among them that go with another one.
  static let deletionLimit = 4 * Limits.cascade
  /// How often a batch is gone through, each time without what turned out to be at fault.
  private static let passLimit = 10

  /// What the batch comes to.
  struct Outcome {
    let pass: BatchPass
    /// By operation.
    let failures: [Int: ServiceError]
  }

  /// Carries the operations out in memory, each by itself or all or none.
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
      // With one failure all others fail too: which more there would be does not matter.
      if violations.isEmpty || isAtomic {
        return Outcome(pass: pass, failures: isAtomic ? all(failures) : failures)
      }
    }
    throw ServiceError(.limitExceeded, reason: Reason.referencesTooDeep)
  }

  /// With one failure all others fail too.
  private func all(_ failures: [Int: ServiceError]) -> [Int: ServiceError] {
    guard !failures.isEmpty else { return failures }
    var all = failures
    for index in operations.indices where all[index] == nil {
      all[index] = ServiceError(.atomicError, reason: Reason.atomicFailure)
    }
    return all
  }
}
