/// A cause that a client must distinguish from other errors with the same code. Clients use this
/// instead of comparing the text of `ServiceError.reason`.
public enum ErrorMeaning: Hashable, Sendable {
  /// The sync token was issued for this database but has expired. The client must fetch everything
  /// again.
  case expiredSyncToken
  /// The container does not have the record type.
  case unknownRecordType
  /// The request has more items than the service accepts.
  case tooManyItems

  /// Returns nil if clients do not have to distinguish the cause.
  init?(_ cause: ErrorCause) {
    switch cause {
    case .text(let reason): self.init(reason: reason)
    case .expiredToken: self = .expiredSyncToken
    case .unknownType: self = .unknownRecordType
    case .tooManyItems: self = .tooManyItems
    default: return nil
    }
  }

  /// Recognizes the reasons that Apple's service was observed to send. They are not documented.
  private init?(reason: String) {
    if reason == "client knowledge differs from server knowledge" {
      self = .expiredSyncToken
    } else if reason.hasPrefix("Did not find record type ") || reason.hasPrefix("Unknown Item") {
      self = .unknownRecordType
    } else if reason.contains("maximum number") {
      self = .tooManyItems
    } else {
      return nil
    }
  }
}
