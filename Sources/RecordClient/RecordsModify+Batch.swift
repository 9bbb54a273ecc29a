public import CloudRecords

extension RecordsModify.Request {
  /// Returns the request with as many of its first operations as one request may have: at most
  /// `Limits.operations`, and `Limits.batchBytes` bytes of JSON. If the first operation is larger
  /// than that, or cannot be encoded, it is the only one.
  public func firstBatch() -> RecordsModify.Request {
    firstBatch(operations: Limits.operations, bytes: Limits.batchBytes)
  }

  func firstBatch(operations count: Int, bytes limit: Int) -> RecordsModify.Request {
    var batch = self
    batch.operations = []
    var bytes = Self.bytes(batch)
    for operation in operations.prefix(count) {
      // Includes the comma before the operation.
      let size = Self.bytes(operation) + (batch.operations.isEmpty ? 0 : 1)
      guard batch.operations.isEmpty || size <= limit - bytes else { break }
      batch.operations.append(operation)
      // An operation that is too large fills the request.
      bytes = size > limit - bytes ? limit : bytes + size
    }
    return batch
  }

  /// The size of a value as JSON. A value that cannot be encoded counts as too large.
  private static func bytes(_ value: some Encodable) -> Int {
    (try? Wire.encode(value).count) ?? Limits.requestBytes
  }
}
