/// What the reason of an error says that its code does not. Clients compare meanings, never the
/// words of a reason.
///
/// The wordings are those that Apple's service has been seen to send.
public enum ErrorMeaning: Hashable, Sendable {
  /// The sync token is one of this database, but too old to continue from.
  case expiredSyncToken
  /// The container does not have the record type.
  case unknownRecordType
  /// The request has more items than the service accepts.
  case tooManyItems

  /// - Parameter reason: The reason as the service sent it.
  /// - Returns: nil if the reason says nothing beyond the code.
  init?(reason: String) {
    if reason == Reason.expiredToken {
      self = .expiredSyncToken
    } else if reason.hasPrefix(Reason.unknownType("")) || reason.hasPrefix("Unknown Item") {
      self = .unknownRecordType
    } else if reason.contains("maximum number") {
      self = .tooManyItems
    } else {
      return nil
    }
  }
}
