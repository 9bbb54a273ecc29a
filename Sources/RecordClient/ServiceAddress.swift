public import CloudRecords

/// Where a service is: its origin, a container, an environment.
///
///     try ServiceAddress(
///       "https://sync.example.org", container: container, environment: .production)
public struct ServiceAddress: Hashable, Sendable {
  /// Apple's service.
  public static let apple = "https://api.apple-cloudkit.com"

  /// Scheme, host and port: `https://sync.example.org`, `http://127.0.0.1:8080`. In lower case,
  /// the port only where it is not the scheme's; no path, query, user info or fragment.
  public let origin: String
  public let container: ContainerID
  public let environment: ContainerEnvironment

  let url: WebURL

  /// - Parameter url: https, or http on loopback; with no more behind the port than a slash.
  public init(
    _ url: String, container: ContainerID, environment: ContainerEnvironment
  ) throws(AddressProblem) {
    let parsed: WebURL
    do { parsed = try WebURL(url) } catch { throw AddressProblem(error) }
    guard parsed.scheme == .https || parsed.isLoopback else { throw .notSecure }
    guard parsed.rest.isEmpty || parsed.rest == "/" else { throw .path }
    self.url = parsed
    origin = parsed.origin
    self.container = container
    self.environment = environment
  }

  /// Checks a URL that a service gave: it must be https or the service's own origin.
  func check(_ text: String) throws(AddressProblem) -> WebURL {
    let parsed: WebURL
    do { parsed = try WebURL(text) } catch { throw AddressProblem(error) }
    guard parsed.scheme == .https || parsed.origin == origin else { throw .notSecure }
    return parsed
  }
}

/// Why a URL is not used.
public enum AddressProblem: String, Error, Hashable, Sendable, CaseIterable {
  /// It has a space, a control character, or one outside ASCII.
  case characters
  /// It is neither https nor http.
  case scheme
  /// It is http, and neither on this machine nor the service itself.
  case notSecure
  /// It has a user name or password in it.
  case userInfo
  case host
  case port
  /// There is a path, query or fragment where only an origin may be.
  case path

  init(_ problem: WebURL.Problem) {
    switch problem {
    case .characters: self = .characters
    case .scheme: self = .scheme
    case .userInfo: self = .userInfo
    case .host: self = .host
    case .port: self = .port
    }
  }
}
