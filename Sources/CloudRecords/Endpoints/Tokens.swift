/// The `tokens/create` endpoint, which creates a push token and a URL for receiving
/// notifications by long polling.
public enum TokensCreate: Endpoint {
  public static let route = Route.tokensCreate

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The environment of the Apple Push Notification service that the token is for.
    public var apnsEnvironment: ContainerEnvironment
    /// An identifier of the client, chosen by the client.
    public var clientId: String?

    /// Creates the request for a new push token. The client may choose a `clientId` for itself.
    public init(apnsEnvironment: ContainerEnvironment, clientId: String? = nil) {
      self.apnsEnvironment = apnsEnvironment
      self.clientId = clientId
    }
  }

  /// The response body.
  public struct Response: Codable, Hashable, Sendable {
    /// The environment that the token is for.
    public var apnsEnvironment: ContainerEnvironment
    /// The push token, which identifies the receiver of the notifications.
    public var apnsToken: String
    /// The URL for long polling. It responds with one notification or with an empty body, and
    /// is then requested again.
    ///
    /// Anyone who knows the URL can receive the notifications.
    public var webcourierURL: String

    /// Creates the response with a new push token and the URL for long polling.
    public init(apnsEnvironment: ContainerEnvironment, apnsToken: String, webcourierURL: String) {
      self.apnsEnvironment = apnsEnvironment
      self.apnsToken = apnsToken
      self.webcourierURL = webcourierURL
    }
  }
}

/// The `tokens/register` endpoint, which registers a push token to receive notifications.
public enum TokensRegister: Endpoint {
  public static let route = Route.tokensRegister

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The environment that the token was created for.
    public var apnsEnvironment: ContainerEnvironment
    /// The push token.
    public var apnsToken: String
    /// An identifier of the client, chosen by the client.
    public var clientId: String?

    /// Creates the request that registers a push token, which `tokens/create` has returned.
    public init(apnsEnvironment: ContainerEnvironment, apnsToken: String, clientId: String? = nil) {
      self.apnsEnvironment = apnsEnvironment
      self.apnsToken = apnsToken
      self.clientId = clientId
    }
  }

  public typealias Response = EmptyBody
}
