import CloudRecords

/// Operations on accounts and apps that only the operator of the service may use.
extension AccountService {
  /// Signs in to an account without its password.
  ///
  /// - Parameters:
  ///   - apiTokenID: the API token of the app that gets the session.
  ///   - lifetime: the lifetime of the session.
  /// - Returns: the web auth token of a new session.
  /// - Throws: `unknownApp` if there is no such API token; `wrongNameOrPassword` if the account was
  ///   deleted or has got a new password since `account` was read; `unavailable` if the storage
  ///   failed.
  public func signIn(
    _ account: Account, apiTokenID: Int64, for lifetime: SessionLifetime = .long
  ) async throws(SignInFailure) -> String {
    let found: APIToken?
    do { found = try await storage.apiToken(apiTokenID) } catch { throw .unavailable(error) }
    guard let token = found else { throw .unknownApp }
    // The form is never shown, so it needs no state.
    let request = SignInRequest(
      app: token.terms.label, container: token.terms.container,
      environment: token.terms.environment, delivery: .code, signedState: "",
      apiTokenID: token.id)
    switch try await completeSignIn(request, as: account, for: lifetime) {
    case .code(let token), .redirect(let token): return token
    }
  }

  /// Creates an API token if there is none. If several processes do so at the same time, only one
  /// creates it.
  ///
  /// - Returns: its secret, which cannot be read again; nil if there is an API token.
  public func createFirstAPIToken(
    _ terms: APITokenTerms
  ) async throws(StorageFailure) -> String? {
    let secret = Hex.text(random(Self.apiTokenLength / 2))
    let isFirst = try await storage.insertFirstAPIToken(SecretHash(of: secret), terms, at: now())
    return isFirst ? secret : nil
  }

  /// Ensures that a file contains the secret of a valid API token, so that the operator can read it
  /// again: the storage has only a hash of it. If the file does not exist, or its token was
  /// revoked, a new token is created.
  ///
  /// - Parameters:
  ///   - terms: the app, container and environment of a new token.
  ///   - path: the path of the file.
  /// - Returns: the secret if a token was created; nil if the file has the secret of a valid one.
  @discardableResult
  public func createMissingAPIToken(
    _ terms: APITokenTerms, secretIn path: String
  ) async throws(StorageFailure) -> String? {
    if let secret = try SecretFile.read(path), try await apiToken(secret) != nil { return nil }
    let (_, secret) = try await createAPIToken(terms)
    try SecretFile.write(secret, to: path)
    return secret
  }
}
