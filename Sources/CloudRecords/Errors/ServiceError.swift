/// An error as the service reports it: of a whole request, or of one entry of an answer,
/// then with the name of what failed.
public struct ServiceError: Error, Hashable, Sendable {
  public var code: ErrorCode
  /// In the service's own words; see `Reason`.
  public var reason: String?
  /// Seconds to wait before trying again.
  public var retryAfter: Double?
  /// Where to sign in, with AUTHENTICATION_REQUIRED.
  public var redirectURL: String?
  /// Identifies the request in the server's log.
  public var uuid: String?
  public var recordName: String?
  public var zoneID: ZoneID?
  public var subscriptionID: String?
  /// What the header of the answer said about the history of the zone; never part of a body.
  public var history: HistoryReport?

  public init(
    _ code: ErrorCode, reason: String? = nil, retryAfter: Double? = nil,
    redirectURL: String? = nil, uuid: String? = nil, recordName: String? = nil,
    zoneID: ZoneID? = nil, subscriptionID: String? = nil
  ) {
    self.code = code
    self.reason = reason
    self.retryAfter = retryAfter
    self.redirectURL = redirectURL
    self.uuid = uuid
    self.recordName = recordName
    self.zoneID = zoneID
    self.subscriptionID = subscriptionID
  }

  /// The error as an entry of `records`.
  public func of(record recordName: String?) -> ServiceError {
    var error = self
    error.recordName = recordName
    return error
  }

  /// The error as an entry of `zones`.
  public func of(zone zoneID: ZoneID) -> ServiceError {
    var error = self
    error.zoneID = zoneID
    return error
  }

  /// The error as an entry of `subscriptions`.
  public func of(subscription subscriptionID: String?) -> ServiceError {
    var error = self
    error.subscriptionID = subscriptionID
    return error
  }
}

extension ServiceError: CustomStringConvertible {
  public var description: String {
    reason.map { "\(code.rawValue): \($0)" } ?? code.rawValue
  }
}

extension ServiceError {
  /// The most Unicode scalars of a text that is taken from a service to be shown.
  public static let textLimit = 200

  /// A service's text as it may be shown and stored: at most `textLimit` Unicode scalars, with a
  /// space for every control, formatting and line-breaking character.
  public static func cleaned(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(textLimit) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: result.append(" ")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

extension ServiceError: Codable {
  private enum CodingKeys: String, CodingKey {
    case code = "serverErrorCode"
    case extensionCode = "extensionErrorCode"
    case reason, retryAfter, redirectURL, uuid, recordName, zoneID, subscriptionID
  }

  /// Whether what is decoded is an error, by the one mark there is of it.
  static func isPresent(in decoder: any Decoder) throws -> Bool {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    return try [CodingKeys.code, .extensionCode].contains { key in
      try container.contains(key) && !container.decodeNil(forKey: key)
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let written =
      try container.decodeIfPresent(String.self, forKey: .code)
      ?? container.decode(String.self, forKey: .extensionCode)
    code = ErrorCode(rawValue: Self.cleaned(written))
    reason = try container.decodeIfPresent(String.self, forKey: .reason).map(Self.cleaned)
    retryAfter = try container.decodeIfPresent(Double.self, forKey: .retryAfter)
    redirectURL = try container.decodeIfPresent(String.self, forKey: .redirectURL)
    uuid = try container.decodeIfPresent(String.self, forKey: .uuid)
    recordName = try container.decodeIfPresent(String.self, forKey: .recordName)
    zoneID = try container.decodeIfPresent(ZoneID.self, forKey: .zoneID)
    subscriptionID = try container.decodeIfPresent(String.self, forKey: .subscriptionID)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(code, forKey: .code)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encodeIfPresent(retryAfter, forKey: .retryAfter)
    try container.encodeIfPresent(redirectURL, forKey: .redirectURL)
    try container.encodeIfPresent(uuid, forKey: .uuid)
    try container.encodeIfPresent(recordName, forKey: .recordName)
    try container.encodeIfPresent(zoneID, forKey: .zoneID)
    try container.encodeIfPresent(subscriptionID, forKey: .subscriptionID)
  }
}
