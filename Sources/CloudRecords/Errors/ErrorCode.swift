/// What kind of error a server reports (cloudkit-web-services.md 1.14).
///
/// Codes that are not known here are kept as they came.
public enum ErrorCode: Hashable, Sendable {
  // Apple's published table.
  case accessDenied
  case atomicError
  case authenticationFailed
  case authenticationRequired
  case badRequest
  case conflict
  case exists
  case internalError
  case notFound
  case quotaExceeded
  case throttled
  case tryAgainLater
  case validatingReferenceError
  case zoneNotFound
  // CloudKit JS knows them besides.
  case uniqueFieldError
  case zoneBusy
  // Seen elsewhere.
  case changeTokenExpired
  case limitExceeded
  case unknownItem
  case serverRecordChanged
  case batchRequestFailed
  case atomicFailure
  case invalidFieldType
  case serviceUnavailable
  case other(String)
}

extension ErrorCode: CaseIterable {
  /// Every code that has a name here.
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
  public init(rawValue: String) {
    self = Self.named[rawValue] ?? .other(rawValue)
  }

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
  /// Codes are equal when they are written alike, also one made as `.other`.
  public static func == (a: ErrorCode, b: ErrorCode) -> Bool { a.rawValue == b.rawValue }

  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension ErrorCode {
  /// The status of an answer that fails as a whole.
  ///
  /// The first fourteen are Apple's; of the others the one of the nearest published code.
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
