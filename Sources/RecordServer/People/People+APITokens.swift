public import CloudRecords

extension People {
  /// Characters of an API token: hexadecimal digits (cloudkit-web-services.md 1.2).
  static let apiTokenLength = 64

  /// Lets an app use a container.
  ///
  /// - Returns: the token, and its secret, which is told this once.
  public func createAPIToken(
    _ terms: APITokenTerms
  ) async throws(StorageFailure) -> (token: APIToken, secret: String) {
    let secret = Hex.text(random(Self.apiTokenLength / 2))
    return (try await storage.insertAPIToken(SecretHash(of: secret), terms, at: now()), secret)
  }

  /// Oldest first.
  public func apiTokens() async throws(StorageFailure) -> [APIToken] {
    try await storage.apiTokens()
  }

  /// Takes an API token away, and signs out everyone who signed in by it.
  ///
  /// - Returns: whether there was one.
  public func revoke(apiToken id: Int64) async throws(StorageFailure) -> Bool {
    try await storage.removeAPIToken(id)
  }

  /// Checks the API token of a request.
  ///
  /// - Parameter origin: the request's header `Origin`.
  /// - Throws: AUTHENTICATION_FAILED; TRY_AGAIN_LATER or INTERNAL_ERROR where the storage
  ///   fails.
  public func check(
    apiToken secret: String, container: ContainerID, environment: ContainerEnvironment,
    origin: String?
  ) async throws(ServiceError) -> APIToken {
    let found: APIToken?
    do { found = try await apiToken(secret) } catch { throw error.serviceError }
    guard let token = found, token.terms.container == container,
      token.terms.environment.map({ $0 == environment }) ?? true
    else { throw ServiceError(.authenticationFailed, reason: Reason.unknownAPIToken) }
    guard token.terms.allows(origin: origin) else {
      throw ServiceError(.authenticationFailed, reason: Reason.originNotAllowed)
    }
    return token
  }

  /// - Returns: nil where there is none.
  func apiToken(_ secret: String) async throws(StorageFailure) -> APIToken? {
    guard Hex.isDigits(secret, count: Self.apiTokenLength) else { return nil }
    return try await storage.apiToken(SecretHash(of: secret))
  }
}
