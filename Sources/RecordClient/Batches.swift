public import CloudRecords

/// A sequence of requests that together have the operations of one large request.
///
///     for request in Batches(of: RecordsModify.Request(operations: operations)) {
///       try await client.call(RecordsModify.self, request)
///     }
///
/// The order of the operations is preserved. Each request has at most `Limits.operations`
/// operations and `Limits.batchBytes` bytes of JSON; an operation that is larger than that is in a
/// request of its own.
public struct Batches: Sequence, Sendable {
  private let request: RecordsModify.Request
  private let maximumCount: Int
  private let maximumBytes: Int

  /// Splits a request into batches. Each of them is created when the iteration reaches it.
  ///
  /// - Parameter request: A request with all operations. Its other values are the same in all
  ///   requests.
  public init(of request: RecordsModify.Request) {
    self.init(of: request, operations: Limits.operations, bytes: Limits.batchBytes)
  }

  init(of request: RecordsModify.Request, operations: Int, bytes: Int) {
    self.request = request
    maximumCount = operations
    maximumBytes = bytes
  }

  /// Creates an iterator, which begins with the first request.
  public func makeIterator() -> Iterator {
    Iterator(request, maximumCount: maximumCount, maximumBytes: maximumBytes)
  }

  /// The iterator, which creates each request when it is needed.
  public struct Iterator: IteratorProtocol {
    private let request: RecordsModify.Request
    private let maximumCount: Int
    private let maximumBytes: Int
    /// The size in bytes of a request without operations.
    private let envelope: Int
    /// The number of operations in the previous requests.
    private var sent = 0

    init(_ request: RecordsModify.Request, maximumCount: Int, maximumBytes: Int) {
      self.request = request
      self.maximumCount = maximumCount
      self.maximumBytes = maximumBytes
      envelope = Self.bytes(request.with([]))
    }

    /// Returns the next request; nil after the last one.
    public mutating func next() -> RecordsModify.Request? {
      var batch: [RecordsModify.Operation] = []
      var bytes = envelope
      for operation in request.operations[sent...].prefix(maximumCount) {
        // Includes the comma before the operation.
        let size = Self.bytes(operation) + (batch.isEmpty ? 0 : 1)
        guard batch.isEmpty || size <= maximumBytes - bytes else { break }
        batch.append(operation)
        // An operation that is too large fills the request, so the next one begins another request.
        bytes = size > maximumBytes - bytes ? maximumBytes : bytes + size
      }
      sent += batch.count
      return batch.isEmpty ? nil : request.with(batch)
    }

    /// The size of a value as JSON. A value that cannot be encoded counts as too large, so that it
    /// fails in a request of its own.
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
