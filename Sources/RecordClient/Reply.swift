public import CloudRecords

/// A response with the values of its headers.
public struct Reply<Answer: Sendable>: Sendable {
  /// The response body.
  public var answer: Answer
  /// The report on the history of the zone; nil if the service does not send it. Apple's does not.
  public var history: HistoryReport?
  /// The permanent identifier of the service, in responses of `users/caller`; nil if the service
  /// does not send it.
  public var serviceID: String?

  public init(_ answer: Answer, history: HistoryReport? = nil, serviceID: String? = nil) {
    self.answer = answer
    self.history = history
    self.serviceID = serviceID
  }
}

extension Reply: Equatable where Answer: Equatable {}
extension Reply: Hashable where Answer: Hashable {}
