public import CloudRecords

/// The result of a request and the history report for its response header.
public struct Reported<Response: Sendable>: Sendable {
  /// The response, or the error of the whole request.
  public var result: Result<Response, ServiceError>
  /// The report on the history of the zone; nil if the request does not concern exactly one zone,
  /// or that zone was not found.
  public var history: HistoryReport?

  public init(_ result: Result<Response, ServiceError>, history: HistoryReport? = nil) {
    self.result = result
    self.history = history
  }

  /// Returns the response.
  ///
  /// - Throws: the error of the whole request.
  public func get() throws(ServiceError) -> Response { try result.get() }
}
