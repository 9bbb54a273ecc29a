public import CloudRecords

extension AccountService {
  /// The length of an API token in hexadecimal digits, as CloudKit's tokens have.
  static let apiTokenLength = 64

  /// Creates an API token, which lets an app use a container.
  ///
  /// - Returns: the token and its secret. Only a hash of the secret is stored.
  public func createAPIToken(
    _ terms: APITokenTerms
  ) async throws(StorageFailure) -> (token: APIToken, secret: String) {
    let secret = Hex.text(random(Self.apiTokenLength / 2))
    return (try await storage.insertAPIToken(SecretHash(of: secret), terms, at: now()), secret)
  }

  /// Returns all API tokens, oldest first.
  public func apiTokens() async throws(StorageFailure) -> [APIToken] {
    try await storage.apiTokens()
  }

  /// Deletes an API token and the sessions that were begun with it.
  ///
  /// - Returns: whether the token existed.
  public func revoke(apiToken id: Int64) async throws(StorageFailure) -> Bool {
    try await storage.removeAPIToken(id)
  }

  /// Checks the API token of a request.
  ///
  /// - Parameter origin: the value of the request's `Origin` header.
  /// - Throws: AUTHENTICATION_FAILED; TRY_AGAIN_LATER or INTERNAL_ERROR if the storage fails.
  public func check(
    apiToken secret: String, container: ContainerID, environment: ContainerEnvironment,
    origin: String?
  ) async throws(ServiceError) -> APIToken {
    let found: APIToken?
    do { found = try await apiToken(secret) } catch { throw error.serviceError }
    return try check(found, container, environment, origin: origin)
  }

  /// Checks the API token that was found for a request.
  ///
  /// - Throws: AUTHENTICATION_FAILED.
  func check(
    _ found: APIToken?, _ container: ContainerID, _ environment: ContainerEnvironment,
    origin: String?
  ) throws(ServiceError) -> APIToken {
    guard let token = found, token.terms.container == container,
      token.terms.environment.map({ $0 == environment }) ?? true
    else { throw ServiceError(.authenticationFailed, cause: .unknownAPIToken) }
    guard token.terms.allows(origin: origin) else {
      throw ServiceError(.authenticationFailed, cause: .originNotAllowed)
    }
    return token
  }

  /// Returns the API token with a secret; nil if there is none.
  func apiToken(_ secret: String) async throws(StorageFailure) -> APIToken? {
    guard Hex.isDigits(secret, count: Self.apiTokenLength) else { return nil }
    return try await storage.apiToken(SecretHash(of: secret))
  }
}
