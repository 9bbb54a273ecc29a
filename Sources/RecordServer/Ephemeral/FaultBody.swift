import CloudRecords

/// A fault in JSON: `{"error": "THROTTLED", "retryAfter": 2, "requests": 3}`.
struct FaultBody: Hashable {
  /// A code of the protocol.
  var error: String?
  /// Whether each item of the response gets the error, instead of the whole request.
  var items: Bool?
  var retryAfter: Double?
  /// Seconds.
  var delay: Double?
  var cut: Cut?
  var expire: Expiry?
  var requests: Int?
  /// The end of the endpoint's path, such as `records/modify`.
  var endpoint: String?
  var environment: ContainerEnvironment?
  var database: DatabaseScope?
  var user: String?

  /// Whether the connection is closed before or after the request is carried out.
  enum Cut: String, WireEnum {
    case before, after
  }

  /// The tokens that expire.
  enum Expiry: String, WireEnum {
    case syncTokens
  }

  /// Converts the body.
  ///
  /// - Throws: `EphemeralFailure` for values that no fault has.
  func fault() throws(EphemeralFailure) -> Fault {
    guard [error != nil, cut != nil, expire != nil].count(where: { $0 }) <= 1 else {
      throw .severalEffects
    }
    if error == nil {
      if items != nil { throw .onlyWithError("items") }
      if retryAfter != nil { throw .onlyWithError("retryAfter") }
    }
    var fault = Fault(.none)
    if let name = error {
      let code = ErrorCode(rawValue: name)
      guard ErrorCode.allCases.contains(code) else { throw .unknownCode(name) }
      fault.effect =
        items == true
        ? .itemErrors(code, retryAfter: retryAfter) : .error(code, retryAfter: retryAfter)
    } else if let cut {
      fault.effect = .cut(isCarriedOut: cut == .after)
    } else if expire != nil {
      fault.effect = .expiredSyncTokens
    }
    if let delay {
      // Durations cannot represent all doubles.
      guard abs(delay) <= 1e6 else { throw .outOfRange(.delay) }
      fault.delay = .seconds(delay)
    }
    if let name = endpoint {
      guard let route = Route(rawValue: name) else { throw .unknownEndpoint(name) }
      fault.endpoint = route
    }
    fault.requests = requests ?? 1
    fault.environment = environment
    fault.database = database
    fault.user = user
    return fault
  }

  init(_ fault: Fault) {
    switch fault.effect {
    case .none: break
    case .error(let code, let retryAfter):
      (error, self.retryAfter) = (code.rawValue, retryAfter)
    case .itemErrors(let code, let retryAfter):
      (error, self.retryAfter, items) = (code.rawValue, retryAfter, true)
    case .cut(let isCarriedOut): cut = isCarriedOut ? .after : .before
    case .expiredSyncTokens: expire = .syncTokens
    }
    if fault.delay > .zero { delay = fault.delay / .seconds(1) }
    requests = fault.requests
    endpoint = fault.endpoint?.rawValue
    environment = fault.environment
    database = fault.database
    user = fault.user
  }
}

extension FaultBody: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case error, items, retryAfter, delay, cut, expire, requests, endpoint, environment, database
    case user
  }

  /// The keys of the JSON object.
  static let keys = KnownKeys.object(CodingKeys.allCases.map(\.rawValue))
}
