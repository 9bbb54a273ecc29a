/// A key of a record or zone in a request that asks for a share.
///
/// The record service does not serve sharing. It refuses such a request instead of carrying it out
/// without the share.
public enum SharingRequest: String, CaseIterable, Hashable, Sendable {
  /// Asks for a URL by which others find the record or zone.
  case createShortGUID
  /// Names the record that is shared.
  case forRecord
  /// Says what everybody who has the URL may do.
  case publicPermission
  /// Lists the users with whom the record is shared.
  case participants

  /// The name of the record type of shares.
  public static let recordType = "cloudkit.share"
}

extension KeyedDecodingContainer {
  /// Returns the first key that asks for a share; nil if there is none. Null, false and an empty
  /// list ask for nothing.
  func sharingRequest() throws -> SharingRequest? {
    for request in SharingRequest.allCases {
      guard let key = Key(stringValue: request.rawValue),
        let value = try decodeIfPresent(JSONValue.self, forKey: key)
      else { continue }
      if ![.null, .bool(false), .array([])].contains(value) { return request }
    }
    return nil
  }
}
