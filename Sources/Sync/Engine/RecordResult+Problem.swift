import CloudRecords
import RecordClient

extension [RecordResult] {
  /// Checks that these are the results for the named records, in the same order. A proxy may answer
  /// one request with the response to another.
  ///
  /// - Returns: The problem; nil if the results are the right ones.
  func problem(for names: some Collection<String>) -> UnexpectedResponse.Problem? {
    guard count == names.count else { return .wrongCount }
    let isInOrder = zip(self, names).allSatisfy { $0.recordName == nil || $0.recordName == $1 }
    return isInOrder ? nil : .wrongRecords
  }

  /// Checks that deletions are answered with a tombstone, and saves with a record.
  ///
  /// - Parameter operations: The operations of the request; as many as there are results.
  /// - Returns: The problem; nil if the results are of the right kinds.
  func problem(
    for operations: [RecordsModify.Operation]
  ) -> UnexpectedResponse.Problem? {
    let isRight = zip(self, operations).allSatisfy { result, operation in
      switch result {
      case .record: operation.operationType != .delete
      case .tombstone: operation.operationType == .delete
      case .failure: true
      }
    }
    return isRight ? nil : .wrongRecords
  }
}
