import CloudRecords

/// What the operator of the service may do with accounts and apps, and nobody else.
extension People {
  /// Signs an account in without its password.
  ///
  /// - Parameter apiTokenID: of the app that is to get the session.
  /// - Returns: the web auth token of a new session.
  /// - Throws: `unknownApp` where there is no such API token, `wrongNameOrPassword` where the
  ///   account is gone.
  public func signIn(
    _ account: Account, apiTokenID: Int64, for lifetime: SessionLifetime = .long
  ) async throws(SignInFailure) -> String {
    let found: APIToken?
    do { found = try await storage.apiToken(apiTokenID) } catch { throw .unavailable(error) }
    guard let token = found else { throw .unknownApp }
    // The form is never shown, so nothing has to be sealed in it.
    let request = SignInRequest(
      app: token.terms.label, container: token.terms.container,
      environment: token.terms.environment, way: .code,
      expiresAt: now() + options.formLifetime, sealed: "", apiTokenID: token.id)
    switch try await complete(request, as: account, for: lifetime) {
    case .code(let token), .redirect(let token): return token
    }
  }

  /// Makes sure that a file has the secret of an API token, so that it can be told again: only
  /// a hash of it is kept with the token. Where it has none, or that of one that was revoked,
  /// another is made.
  ///
  /// - Returns: the secret.
  @discardableResult
  public func apiToken(
    _ terms: APITokenTerms, secretIn path: String
  ) async throws(StorageFailure) -> String {
    if let secret = try SecretFile.read(path), try await apiToken(secret) != nil { return secret }
    let (_, secret) = try await createAPIToken(terms)
    try SecretFile.write(secret, to: path)
    return secret
  }
}
