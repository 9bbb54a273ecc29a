/// An error that a service reports.
///
/// It is either the error of a whole request, or the error of one item of a response; the latter
/// identifies the item by `recordName`, `zoneID` or `subscriptionID`.
public struct ServiceError: Error, Hashable, Sendable {
  /// The kind of error.
  public var code: ErrorCode
  /// The cause of the error; nil if there is none beyond the code.
  public let cause: ErrorCause?
  /// The number of seconds to wait before the request is sent again.
  public var retryAfter: Double?
  /// The URL of the sign-in page; only with AUTHENTICATION_REQUIRED.
  public var redirectURL: String?
  /// The identifier of the request in the server's log.
  public var uuid: String?
  /// The record that the error is about.
  public var recordName: String?
  /// The zone that the error is about.
  public var zoneID: ZoneID?
  /// The subscription that the error is about.
  public var subscriptionID: String?
  /// The report on the zone's history in the headers of the response. It is not part of the body.
  public var history: HistoryReport?

  /// Creates an error with a typed cause. `Wire.encode` converts the cause to text.
  ///
  /// - Parameters:
  ///   - cause: The cause in more detail; nil if there is none beyond the code.
  ///   - retryAfter: The number of seconds to wait before the request is sent again; nil for none.
  ///   - redirectURL: The URL of the sign-in page, for AUTHENTICATION_REQUIRED.
  ///   - uuid: The identifier of the request in the server's log.
  public init(
    _ code: ErrorCode, cause: ErrorCause? = nil, retryAfter: Double? = nil,
    redirectURL: String? = nil, uuid: String? = nil, recordName: String? = nil,
    zoneID: ZoneID? = nil, subscriptionID: String? = nil
  ) {
    self.code = code
    self.cause = cause
    self.retryAfter = retryAfter
    self.redirectURL = redirectURL
    self.uuid = uuid
    self.recordName = recordName
    self.zoneID = zoneID
    self.subscriptionID = subscriptionID
  }

  /// Creates an error as a client receives it.
  ///
  /// - Parameters:
  ///   - reason: The text that the service sent; nil if it sent none.
  ///   - retryAfter: The number of seconds to wait before the request is sent again; nil for none.
  public init(
    _ code: ErrorCode, reason: String?, retryAfter: Double? = nil, redirectURL: String? = nil,
    uuid: String? = nil, recordName: String? = nil, zoneID: ZoneID? = nil,
    subscriptionID: String? = nil
  ) {
    self.init(
      code, cause: reason.map(ErrorCause.text), retryAfter: retryAfter, redirectURL: redirectURL,
      uuid: uuid, recordName: recordName, zoneID: zoneID, subscriptionID: subscriptionID)
  }

  /// The text that the service sent; nil if it sent none, or if the cause is a typed one.
  public var reason: String? { if case .text(let text) = cause { text } else { nil } }

  /// The meaning of the cause; nil if clients do not have to distinguish it from other causes with
  /// the same code.
  public var meaning: ErrorMeaning? { cause.flatMap(ErrorMeaning.init) }

  /// Returns the error as an item of `records`.
  public func with(recordName: String?) -> ServiceError {
    var error = self
    error.recordName = recordName
    return error
  }

  /// Returns the error as an item of `zones`.
  public func with(zoneID: ZoneID) -> ServiceError {
    var error = self
    error.zoneID = zoneID
    return error
  }

  /// Returns the error as an item of `subscriptions`.
  public func with(subscriptionID: String?) -> ServiceError {
    var error = self
    error.subscriptionID = subscriptionID
    return error
  }
}

extension ServiceError: CustomStringConvertible {
  /// The code and the cause, for debugging.
  public var description: String {
    cause.map { "\(code.rawValue): \(reason ?? "\($0)")" } ?? code.rawValue
  }
}

extension ServiceError {
  /// The maximum length in Unicode scalars of a service's string that is displayed or stored.
  public static let textLimit = 200

  /// Returns a service's string in a form that can be displayed and stored: shortened to
  /// `textLimit` Unicode scalars, with a space in place of each control character, format
  /// character, line separator and paragraph separator.
  public static func sanitized(_ text: String) -> String {
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

  /// Whether the value to be decoded is an error: it has a `serverErrorCode` or an
  /// `extensionErrorCode` that is not null.
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
    code = ErrorCode(rawValue: Self.sanitized(written))
    cause = try container.decodeIfPresent(String.self, forKey: .reason)
      .map { .text(Self.sanitized($0)) }
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
    try container.encodeIfPresent(reason(for: encoder), forKey: .reason)
    try container.encodeIfPresent(retryAfter, forKey: .retryAfter)
    try container.encodeIfPresent(redirectURL, forKey: .redirectURL)
    try container.encodeIfPresent(uuid, forKey: .uuid)
    try container.encodeIfPresent(recordName, forKey: .recordName)
    try container.encodeIfPresent(zoneID, forKey: .zoneID)
    try container.encodeIfPresent(subscriptionID, forKey: .subscriptionID)
  }

  /// Returns the text that is encoded for the cause.
  ///
  /// - Throws: An `EncodingError` if the cause is not `text` and `Wire.encode` was called without a
  ///   `wording`.
  private func reason(for encoder: any Encoder) throws -> String? {
    switch cause {
    case nil: return nil
    case .text(let text)?: return text
    case let cause?:
      guard let wording = encoder.userInfo[.wording] as? Wire.Wording else {
        throw EncodingError.invalidValue(
          cause,
          .init(
            codingPath: encoder.codingPath + [CodingKeys.reason], debugDescription: "no wording"))
      }
      return wording(cause)
    }
  }
}
