public import CloudRecords

/// The address of a service, with a container and an environment.
///
///     try ServiceAddress(
///       "https://sync.example.org", container: container, environment: .production)
public struct ServiceAddress: Hashable, Sendable {
  /// The scheme, host and port in lowercase: `https://sync.example.org`, `http://127.0.0.1:8080`.
  /// The default port of the scheme is omitted.
  public let origin: String
  /// The identifier of the container.
  public let container: ContainerID
  /// The environment of the container.
  public let environment: ContainerEnvironment

  let url: WebURL

  /// Creates the address of a container's environment on a service.
  ///
  /// - Parameter url: An https URL, or an http URL of a loopback address. It may not have a path
  ///   other than `/`, a query, a fragment or user information.
  /// - Throws: The reason why the URL is rejected.
  public init(
    _ url: String, container: ContainerID, environment: ContainerEnvironment
  ) throws(AddressProblem) {
    self.url = try WebURL(origin: url)
    origin = self.url.origin
    self.container = container
    self.environment = environment
  }

  /// Checks a URL that a service has sent: it must be an https URL or have the service's own
  /// origin.
  func check(_ text: String) throws(AddressProblem) -> WebURL {
    let parsed = try WebURL(text)
    guard parsed.scheme == .https || parsed.origin == origin else { throw .notSecure }
    return parsed
  }
}

extension WebURL {
  /// Parses the address of a service: an https URL, or an http URL of a loopback address, without a
  /// path, a query or a fragment.
  init(origin text: String) throws(AddressProblem) {
    try self.init(text)
    guard scheme == .https || isLoopback else { throw .notSecure }
    guard rest.isEmpty || rest == "/" else { throw .path }
  }
}

/// The reason why a URL is rejected.
public enum AddressProblem: String, Error, Hashable, Sendable, CaseIterable {
  /// It contains a space, a backslash, a control character or a character outside ASCII.
  case characters
  /// Its scheme is neither https nor http.
  case scheme
  /// Its scheme is http, which is not allowed here. The address of a service may use http if its
  /// host is a loopback address. A URL that a service sends may use http if it has the service's
  /// origin.
  case notSecure
  /// It contains a user name or password.
  case userInfo
  /// Its host is missing or invalid.
  case host
  /// Its port is invalid.
  case port
  /// It has a path, query or fragment, although only an origin is allowed.
  case path
}
