/// The code of an error that a service reports (`serverErrorCode`).
///
/// Codes without a case are decoded as `other`.
public enum ErrorCode: Hashable, Sendable {
  // Codes of Apple's CloudKit Web Services Reference.

  /// The caller does not have permission for the endpoint, zone, record or database.
  case accessDenied
  /// The operation was not performed because another operation of an atomic request failed.
  case atomicError
  /// The API token, server-to-server key or web auth token was rejected.
  case authenticationFailed
  /// The request needs a signed-in user.
  case authenticationRequired
  /// The request is malformed or violates the schema.
  case badRequest
  /// The record's change tag is not the current one.
  case conflict
  /// A record of the same name exists.
  case exists
  /// An error occurred in the service.
  case internalError
  /// The record or another resource does not exist.
  case notFound
  /// The storage quota of the app or of the user is exceeded.
  case quotaExceeded
  /// The client sends too many requests and must wait.
  case throttled
  /// The service is temporarily unable to handle the request.
  case tryAgainLater
  /// The operation would violate a reference with the action VALIDATE.
  case validatingReferenceError
  /// The zone does not exist.
  case zoneNotFound

  // Further codes that CloudKit JS knows.

  /// Another record has the same value in a field whose values must be unique.
  case uniqueFieldError
  /// Too many requests change the zone at the same time.
  case zoneBusy

  // Further codes that services have been seen to send.

  /// The sync token is no longer valid: the client must fetch everything again.
  case changeTokenExpired
  /// The request, or something in it, is too large.
  case limitExceeded
  /// Has the meaning of `notFound`.
  case unknownItem
  /// Has the meaning of `conflict`.
  case serverRecordChanged
  /// Has the meaning of `atomicError`.
  case batchRequestFailed
  /// Has the meaning of `atomicError`.
  case atomicFailure
  /// The value of a field does not have the type that the schema declares.
  case invalidFieldType
  /// Has the meaning of `tryAgainLater`.
  case serviceUnavailable
  /// A code without a case of its own, as received.
  case other(String)
}

extension ErrorCode: CaseIterable {
  /// All codes except `other`.
  public static let allCases: [ErrorCode] = [
    .accessDenied, .atomicError, .authenticationFailed, .authenticationRequired, .badRequest,
    .conflict, .exists, .internalError, .notFound, .quotaExceeded, .throttled, .tryAgainLater,
    .validatingReferenceError, .zoneNotFound, .uniqueFieldError, .zoneBusy, .changeTokenExpired,
    .limitExceeded, .unknownItem, .serverRecordChanged, .batchRequestFailed, .atomicFailure,
    .invalidFieldType, .serviceUnavailable,
  ]

  private static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
}

extension ErrorCode: RawRepresentable {
  /// Creates the code for a string; `other` if the string is unknown.
  public init(rawValue: String) {
    self = Self.named[rawValue] ?? .other(rawValue)
  }

  /// The code as it is sent: `ACCESS_DENIED`.
  public var rawValue: String {
    switch self {
    case .accessDenied: "ACCESS_DENIED"
    case .atomicError: "ATOMIC_ERROR"
    case .authenticationFailed: "AUTHENTICATION_FAILED"
    case .authenticationRequired: "AUTHENTICATION_REQUIRED"
    case .badRequest: "BAD_REQUEST"
    case .conflict: "CONFLICT"
    case .exists: "EXISTS"
    case .internalError: "INTERNAL_ERROR"
    case .notFound: "NOT_FOUND"
    case .quotaExceeded: "QUOTA_EXCEEDED"
    case .throttled: "THROTTLED"
    case .tryAgainLater: "TRY_AGAIN_LATER"
    case .validatingReferenceError: "VALIDATING_REFERENCE_ERROR"
    case .zoneNotFound: "ZONE_NOT_FOUND"
    case .uniqueFieldError: "UNIQUE_FIELD_ERROR"
    case .zoneBusy: "ZONE_BUSY"
    case .changeTokenExpired: "CHANGE_TOKEN_EXPIRED"
    case .limitExceeded: "LIMIT_EXCEEDED"
    case .unknownItem: "UNKNOWN_ITEM"
    case .serverRecordChanged: "SERVER_RECORD_CHANGED"
    case .batchRequestFailed: "BATCH_REQUEST_FAILED"
    case .atomicFailure: "ATOMIC_FAILURE"
    case .invalidFieldType: "INVALID_FIELD_TYPE"
    case .serviceUnavailable: "SERVICE_UNAVAILABLE"
    case .other(let code): code
    }
  }
}

extension ErrorCode: Codable {}

extension ErrorCode {
  /// Codes with equal raw values are equal, even if one of them was created as `other`.
  public static func == (a: ErrorCode, b: ErrorCode) -> Bool { a.rawValue == b.rawValue }

  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension ErrorCode {
  /// The HTTP status of a response whose request fails as a whole with this code.
  ///
  /// Apple publishes the statuses of the first fourteen codes. Each of the others has the status of
  /// the published code with the most similar meaning.
  public var httpStatus: Int {
    switch self {
    case .accessDenied: 403
    case .atomicError: 400
    case .authenticationFailed: 401
    case .authenticationRequired: 421
    case .badRequest: 400
    case .conflict: 409
    case .exists: 409
    case .internalError: 500
    case .notFound: 404
    case .quotaExceeded: 413
    case .throttled: 429
    case .tryAgainLater: 503
    case .validatingReferenceError: 412
    case .zoneNotFound: 404
    case .uniqueFieldError: 409
    case .zoneBusy: 503
    case .changeTokenExpired: 400
    case .limitExceeded: 413
    case .unknownItem: 404
    case .serverRecordChanged: 409
    case .batchRequestFailed: 400
    case .atomicFailure: 400
    case .invalidFieldType: 400
    case .serviceUnavailable: 503
    case .other: 500
    }
  }

  /// Whether the same request may succeed later.
  public var isTransient: Bool {
    switch self {
    case .internalError, .throttled, .tryAgainLater, .zoneBusy, .serviceUnavailable: true
    default: false
    }
  }
}
