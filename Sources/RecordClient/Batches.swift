public import CloudRecords

/// Requests that each are small enough for a service.
///
///     for request in Batches(of: RecordsModify.Request(operations: operations)) {
///       try await client.call(RecordsModify.self, request)
///     }
///
/// The order is kept. A request has at most 200 operations and 1 MB of JSON; an operation that
/// is larger goes alone.
public struct Batches: Sequence, Sendable {
  private let request: RecordsModify.Request
  private let maximumCount: Int
  private let maximumBytes: Int

  /// - Parameter request: with all the operations; what else it says every batch says.
  public init(of request: RecordsModify.Request) {
    self.init(of: request, operations: Limits.operations, bytes: Limits.batchBytes)
  }

  init(of request: RecordsModify.Request, operations: Int, bytes: Int) {
    self.request = request
    maximumCount = operations
    maximumBytes = bytes
  }

  public func makeIterator() -> Iterator {
    Iterator(request, maximumCount: maximumCount, maximumBytes: maximumBytes)
  }

  public struct Iterator: IteratorProtocol {
    private let request: RecordsModify.Request
    private let maximumCount: Int
    private let maximumBytes: Int
    /// The bytes around the operations.
    private let envelope: Int
    /// How many operations are in the batches so far.
    private var sent = 0

    init(_ request: RecordsModify.Request, maximumCount: Int, maximumBytes: Int) {
      self.request = request
      self.maximumCount = maximumCount
      self.maximumBytes = maximumBytes
      envelope = Self.bytes(request.with([]))
    }

    public mutating func next() -> RecordsModify.Request? {
      var batch: [RecordsModify.Operation] = []
      var bytes = envelope
      for operation in request.operations[sent...].prefix(maximumCount) {
        // With the comma before it.
        let size = Self.bytes(operation) + (batch.isEmpty ? 0 : 1)
        guard batch.isEmpty || size <= maximumBytes - bytes else { break }
        batch.append(operation)
        // One that is too large leaves no room: what follows it begins another batch.
        bytes = size > maximumBytes - bytes ? maximumBytes : bytes + size
      }
      sent += batch.count
      return batch.isEmpty ? nil : request.with(batch)
    }

    /// What cannot be written counts as too large: then it fails alone.
    private static func bytes(_ value: some Encodable) -> Int {
      (try? Wire.encode(value).count) ?? Limits.requestBytes
    }
  }
}

extension RecordsModify.Request {
  fileprivate func with(_ operations: some Sequence<RecordsModify.Operation>) -> Self {
    var request = self
    request.operations = Array(operations)
    return request
  }
}
