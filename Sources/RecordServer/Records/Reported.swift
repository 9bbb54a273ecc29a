public import CloudRecords

/// The result of a request and the history report for its response header.
public struct Reported<Answer: Sendable>: Sendable {
  /// The response, or the error of the whole request.
  public var result: Result<Answer, ServiceError>
  /// The report on the history of the zone; nil if the request does not concern exactly one zone,
  /// or that zone was not found.
  public var history: HistoryReport?

  public init(_ result: Result<Answer, ServiceError>, history: HistoryReport? = nil) {
    self.result = result
    self.history = history
  }

  /// Returns the response.
  ///
  /// - Throws: the error of the whole request.
  public func get() throws(ServiceError) -> Answer { try result.get() }
}
