public import CloudRecords

/// An answer, with what its headers say.
public struct Reply<Answer: Sendable>: Sendable {
  public var answer: Answer
  /// About the history of the zone; nil where the service tells nothing, as Apple's.
  public var history: HistoryReport?
  /// The service's permanent id, in answers of users/caller; nil where it has none.
  public var serviceID: String?

  public init(_ answer: Answer, history: HistoryReport? = nil, serviceID: String? = nil) {
    self.answer = answer
    self.history = history
    self.serviceID = serviceID
  }
}

extension Reply: Equatable where Answer: Equatable {}
extension Reply: Hashable where Answer: Hashable {}
