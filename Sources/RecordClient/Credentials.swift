/// What is needed to be let in. Never printed: a description shows nothing of it.
public struct Credentials: Sendable, Equatable {
  /// Tells the app to the container.
  public var apiToken: String
  /// Tells the reader to the service; nil for one who is not signed in.
  public var webAuthToken: String?

  public init(apiToken: String, webAuthToken: String? = nil) {
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
  }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "Credentials" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where credentials are kept.
public protocol CredentialStore: Sendable {
  func read() async throws -> Credentials
  /// Keeps the newest token: written before the next request is sent.
  ///
  /// - Parameter former: the one that it takes the place of. Where another stands by now, or
  ///   none, somebody signed in anew or out, and that stays as it is.
  func keep(webAuthToken: String, after former: String?) async throws
}
