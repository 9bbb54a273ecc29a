public import CloudRecords

/// A response with the values of its headers.
public struct ServiceResponse<Body: Sendable>: Sendable {
  /// The response body.
  public var body: Body
  /// The report on the history of the zone; nil if the service does not send it. Apple's does not.
  public var history: HistoryReport?
  /// The permanent identifier of the service, in responses of `users/caller`; nil if the service
  /// does not send it.
  public var serviceID: String?

  /// Creates a response; a value is nil if the service does not send its header.
  public init(_ body: Body, history: HistoryReport? = nil, serviceID: String? = nil) {
    self.body = body
    self.history = history
    self.serviceID = serviceID
  }
}

extension ServiceResponse: Equatable where Body: Equatable {}
extension ServiceResponse: Hashable where Body: Hashable {}
