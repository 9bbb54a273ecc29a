public import CloudRecords

/// Leave for an app to use a container, without the secret that proves it.
public struct APIToken: Hashable, Sendable, Identifiable {
  public let id: Int64
  public let terms: APITokenTerms
  /// Milliseconds since 1970, UTC.
  public let createdAt: Int64

  public init(id: Int64, terms: APITokenTerms, createdAt: Int64) {
    self.id = id
    self.terms = terms
    self.createdAt = createdAt
  }
}

/// What an API token is good for.
public struct APITokenTerms: Hashable, Sendable {
  /// What people are told the app is called.
  public let label: String
  public let container: ContainerID
  /// Nil for both.
  public let environment: ContainerEnvironment?
  /// Where web pages that use it come from; empty for anywhere.
  public let origins: [WebOrigin]
  /// Where a browser may be sent with a web auth token, besides this very machine.
  public let callbacks: [String]

  /// Characters of a label.
  public static let labelLimit = 100

  /// - Throws: what cannot be granted.
  public init(
    label: String, container: ContainerID, environment: ContainerEnvironment? = nil,
    origins: [String] = [], callbacks: [String] = []
  ) throws(APITokenProblem) {
    guard label.contains(where: { !$0.isWhitespace }), label.unicodeScalars.count <= Self.labelLimit
    else { throw .label(limit: Self.labelLimit) }
    var allowed: [WebOrigin] = []
    for text in origins {
      guard let origin = WebOrigin(text) else { throw .origin(text) }
      allowed.append(origin)
    }
    for callback in callbacks where !Callback.isRegistrable(callback) { throw .callback(callback) }
    self.label = label
    self.container = container
    self.environment = environment
    self.origins = allowed
    self.callbacks = callbacks
  }

  /// Whether a web page from there may use it. No origin means that no browser asks for a
  /// page of another site, and who is no browser may claim any.
  func allows(origin: String?) -> Bool {
    guard let origin, !origins.isEmpty else { return true }
    return WebOrigin(origin).map(origins.contains) ?? false
  }
}

/// What cannot be granted to an app.
public enum APITokenProblem: Error, Hashable, Sendable {
  /// It is blank, or has more characters than this.
  case label(limit: Int)
  /// It is no `https://host` or `http://host`, with a port or without.
  case origin(String)
  /// It is no https URL, nor one of http on this machine; or it has a fragment, or what is
  /// added to it already.
  case callback(String)
}
