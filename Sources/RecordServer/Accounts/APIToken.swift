public import CloudRecords

/// The permission of an app to use a container, without the secret that the app sends.
public struct APIToken: Hashable, Sendable, Identifiable {
  /// The number of the token in the database.
  public let id: Int64
  /// What the token permits.
  public let terms: APITokenTerms
  /// The time of creation, in milliseconds since 1970, UTC.
  public let createdAt: Int64
}

/// What an API token permits.
public struct APITokenTerms: Hashable, Sendable {
  /// The name of the app, which is shown to users.
  public let label: String
  /// The container that the app can use.
  public let container: ContainerID
  /// The environment that the app can use; nil for both.
  public let environment: ContainerEnvironment?
  /// The origins whose web pages can use the token; empty for any origin.
  public let origins: [WebOrigin]
  /// The URLs to which a browser can be redirected with a web auth token. URLs of
  /// `http://127.0.0.1` and `http://[::1]` are allowed without being listed here.
  public let callbacks: [String]

  /// The maximum length of a label in Unicode scalars.
  public static let labelLimit = 100

  /// Checks and stores the terms.
  ///
  /// - Throws: the first problem that is found.
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

  /// Whether a request with this `Origin` header can use the token.
  ///
  /// A request without the header is allowed: it does not come from a web page of another site, and
  /// a program that is not a browser can send any origin.
  func allows(origin: String?) -> Bool {
    guard let origin, !origins.isEmpty else { return true }
    return WebOrigin(origin).map(origins.contains) ?? false
  }
}

/// The reason why an API token cannot be created.
public enum APITokenProblem: Error, Hashable, Sendable {
  /// The label is blank or has more Unicode scalars than the limit.
  case label(limit: Int)
  /// The origin does not have the form `https://host` or `http://host`, with or without a port.
  case origin(String)
  /// The callback is neither an `https` URL nor an `http` URL of a loopback address or of
  /// `localhost`, is longer than 2048 bytes, or contains a fragment, the name `ckWebAuthToken`, or
  /// a character that browsers interpret differently.
  case callback(String)
}
