public import CloudRecords
public import RecordClient

extension RecordsModify.Request {
  /// Splits a request as a client does that sends its operations one batch after the other.
  ///
  /// - Parameter first: Returns the first batch of the operations that are left.
  public func batches(
    _ first: (RecordsModify.Request) -> RecordsModify.Request = { $0.firstBatch() }
  ) -> [RecordsModify.Request] {
    var (batches, rest) = ([RecordsModify.Request](), self)
    while !rest.operations.isEmpty {
      let batch = first(rest)
      precondition(!batch.operations.isEmpty, "a batch without operations")
      batches.append(batch)
      rest.operations.removeFirst(batch.operations.count)
    }
    return batches
  }
}
