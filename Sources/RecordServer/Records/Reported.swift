public import CloudRecords

/// The result of a request and the history report for its response header.
public struct Reported<Answer: Sendable>: Sendable {
  public var result: Result<Answer, ServiceError>
  /// Nil where the request was not about exactly one zone, or the zone was not reached.
  public var history: HistoryReport?

  public init(_ result: Result<Answer, ServiceError>, history: HistoryReport? = nil) {
    self.result = result
    self.history = history
  }

  /// The answer.
  ///
  /// - Throws: the error of the whole request.
  public func get() throws(ServiceError) -> Answer { try result.get() }
}
