/// The tokens that authenticate requests. Descriptions of a value do not contain the tokens.
public struct Credentials: Sendable, Equatable {
  /// The token that identifies the app to the container.
  public var apiToken: String
  /// The token that identifies the user; nil if the user is not signed in.
  public var webAuthToken: String?

  /// Creates credentials; `webAuthToken` is nil if the user is not signed in.
  public init(apiToken: String, webAuthToken: String? = nil) {
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
  }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description without the tokens.
  public var description: String { "Credentials" }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// A mirror without children, so that no dump shows the tokens.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Persistent storage for credentials.
public protocol CredentialStore: Sendable {
  /// Returns the stored credentials.
  ///
  /// - Throws: Any error if they cannot be read. The call then fails with `.credentials`.
  func read() async throws -> Credentials
  /// Stores a new token. The client calls this before it sends the next request.
  ///
  /// - Parameters:
  ///   - webAuthToken: The new token.
  ///   - previous: The token that the new one replaces. If the stored token is another one or
  ///     missing, the user has signed in or out in the meantime, and the stored credentials must
  ///     not change.
  /// - Throws: Any error if the token cannot be stored. The client then tries again before the next
  ///   request.
  func store(webAuthToken: String, replacing previous: String?) async throws
}
