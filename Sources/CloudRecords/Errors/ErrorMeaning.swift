/// What the cause of an error means for a client, beyond its code. Clients compare meanings, never
/// the words of a service.
public enum ErrorMeaning: Hashable, Sendable {
  /// The sync token is one of this database, but too old to continue from.
  case expiredSyncToken
  /// The container does not have the record type.
  case unknownRecordType
  /// The request has more items than the service accepts.
  case tooManyItems

  /// - Returns: nil if the cause means nothing beyond the code.
  init?(_ cause: ErrorCause) {
    switch cause {
    case .text(let words): self.init(words: words)
    case .expiredToken: self = .expiredSyncToken
    case .unknownType: self = .unknownRecordType
    case .tooManyItems: self = .tooManyItems
    default: return nil
    }
  }

  /// The words are those that Apple's service has been seen to send.
  private init?(words: String) {
    if words == "client knowledge differs from server knowledge" {
      self = .expiredSyncToken
    } else if words.hasPrefix("Did not find record type ") || words.hasPrefix("Unknown Item") {
      self = .unknownRecordType
    } else if words.contains("maximum number") {
      self = .tooManyItems
    } else {
      return nil
    }
  }
}
