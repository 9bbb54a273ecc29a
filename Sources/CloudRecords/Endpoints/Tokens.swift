/// Asks for a URL where notifications can be waited for.
public enum TokensCreate: Endpoint {
  public static let route = Route.tokensCreate

  public struct Request: Codable, Hashable, Sendable {
    public var apnsEnvironment: ContainerEnvironment
    public var clientId: String?

    public init(apnsEnvironment: ContainerEnvironment, clientId: String? = nil) {
      self.apnsEnvironment = apnsEnvironment
      self.clientId = clientId
    }
  }

  public struct Answer: Codable, Hashable, Sendable {
    public var apnsEnvironment: ContainerEnvironment
    public var apnsToken: String
    /// A long poll: it answers with one notification, or with nothing, and is asked again.
    /// Who has the URL gets the notifications.
    public var webcourierURL: String

    public init(apnsEnvironment: ContainerEnvironment, apnsToken: String, webcourierURL: String) {
      self.apnsEnvironment = apnsEnvironment
      self.apnsToken = apnsToken
      self.webcourierURL = webcourierURL
    }
  }
}

/// Makes notifications go to a token.
public enum TokensRegister: Endpoint {
  public static let route = Route.tokensRegister

  public struct Request: Codable, Hashable, Sendable {
    public var apnsEnvironment: ContainerEnvironment
    public var apnsToken: String
    public var clientId: String?

    public init(apnsEnvironment: ContainerEnvironment, apnsToken: String, clientId: String? = nil) {
      self.apnsEnvironment = apnsEnvironment
      self.apnsToken = apnsToken
      self.clientId = clientId
    }
  }

  public typealias Answer = Nothing
}
