extension AccountService {
  // MARK: Requests

  /// Begins a sign-in.
  ///
  /// - Parameters:
  ///   - secret: the app's API token.
  ///   - requested: how the app wants to receive the web auth token; nil for the first callback
  ///     that is registered with the API token, or a code if there is none.
  /// - Throws: `unknownApp`, `callbackRefused` or `unavailable`.
  public func beginSignIn(
    apiToken secret: String, delivery requested: TokenDelivery? = nil
  ) async throws(SignInFailure) -> SignInRequest {
    let found: APIToken?
    do { found = try await apiToken(secret) } catch { throw .unavailable(error) }
    guard let token = found else { throw .unknownApp }
    let delivery = requested ?? token.terms.callbacks.first.map(TokenDelivery.callback) ?? .code
    return try request(token, delivery, expiresAt: now() + options.formLifetime)
  }

  /// Restores the request of a sign-in from a submitted form.
  ///
  /// - Throws: `requestExpired` if this server did not create the form or it is too old; otherwise
  ///   the errors of `beginSignIn`, because the API token can be revoked in the meantime.
  public func signInRequest(signedState: String) async throws(SignInFailure) -> SignInRequest {
    let form = SignedFormState(key: key)
    guard let content = form.verify(signedState, as: SignInState.self, for: .signIn),
      now() < content.expiresAt
    else { throw .requestExpired }
    let found: APIToken?
    do { found = try await storage.apiToken(content.apiTokenID) } catch {
      throw .unavailable(error)
    }
    guard let token = found else { throw .unknownApp }
    return try request(
      token, content.callback.map(TokenDelivery.callback) ?? .code, expiresAt: content.expiresAt)
  }

  private func request(
    _ token: APIToken, _ delivery: TokenDelivery, expiresAt: Int64
  ) throws(SignInFailure) -> SignInRequest {
    var content = SignInState(apiTokenID: token.id, callback: nil, expiresAt: expiresAt)
    if case .callback(let callback) = delivery {
      guard Callback.isAllowed(callback, registered: token.terms.callbacks) else {
        throw .callbackRefused
      }
      content.callback = callback
    }
    // Encoding numbers and strings does not fail.
    guard let signedState = try? SignedFormState(key: key).sign(content, for: .signIn) else {
      throw .requestExpired
    }
    return SignInRequest(
      app: token.terms.label, container: token.terms.container,
      environment: token.terms.environment, delivery: delivery, signedState: signedState,
      apiTokenID: token.id)
  }

  // MARK: Passwords

  /// Returns the account with a name if the password is correct.
  ///
  /// An unknown name takes as long as a wrong password and throws the same error.
  public func verify(
    name: String, password: String, address: ClientAddress
  ) async throws(SignInFailure) -> Account {
    let name = try? AccountName(name)
    let attempt: SignInGuard.Attempt
    do { attempt = try await beginAttempt(on: name?.text, from: address) } catch {
      guard let error = error as? SignInGuard.TooManyAttempts else {
        throw .unavailable(StorageFailure(error))
      }
      throw .tooManyAttempts(retryAfter: error.seconds)
    }
    var outcome = SignInGuard.Outcome.succeeded
    let account: Result<Account, SignInFailure>
    do throws(SignInFailure) {
      account = .success(try await verify(name, password, attempt))
    } catch {
      outcome = error == .wrongNameOrPassword ? .failed : .undecided
      account = .failure(error)
    }
    await endAttempt(attempt, outcome)
    return try account.get()
  }

  /// Verifies a password in an attempt that has begun.
  private func verify(
    _ name: AccountName?, _ password: String, _ attempt: SignInGuard.Attempt
  ) async throws(SignInFailure) -> Account {
    if attempt.delay > 0 {
      do { try await pause(.milliseconds(attempt.delay)) } catch {
        throw .busy(retryAfter: Self.busySeconds)
      }
    }
    // No account has a password of this length, so the error reveals nothing about the name.
    guard let password = Password(typed: password) else { throw .wrongNameOrPassword }
    var stored: StoredAccount?
    if let name {
      do { stored = try await storage.account(named: name) } catch { throw .unavailable(error) }
    }
    let hash = stored?.password ?? dummyHash
    let client: HashingQueue.Client = attempt.isKnown ? .known : .stranger
    guard let derived = await derive(password.bytes, hash.salt, hash.cost, for: client) else {
      throw .busy(retryAfter: Self.busySeconds)
    }
    guard hash.matches(derived), let account = stored?.account else {
      throw .wrongNameOrPassword
    }
    return account
  }

  // MARK: Sessions

  /// Creates a session for the app that began the sign-in.
  ///
  /// - Parameter account: the account that `verify` or `register` returned.
  /// - Throws: `wrongNameOrPassword` if the account has got a new password since then or was
  ///   deleted; `unknownApp` if the API token was revoked; `unavailable` if the storage failed.
  public func completeSignIn(
    _ request: SignInRequest, as account: Account, for lifetime: SessionLifetime
  ) async throws(SignInFailure) -> SignInOutcome {
    let token: String
    do {
      guard let issued = try await issue(request, as: account, for: lifetime) else {
        let app = try await storage.apiToken(request.apiTokenID)
        throw app == nil ? SignInFailure.unknownApp : .wrongNameOrPassword
      }
      token = issued
    } catch let failure as SignInFailure {
      throw failure
    } catch {
      throw .unavailable(StorageFailure(error))
    }
    switch request.delivery {
    case .callback(let callback): return .redirect(Callback.url(callback, token: token))
    case .code: return .code(token)
    }
  }

  /// Creates a session.
  ///
  /// - Returns: the session's first web auth token; nil if the account has changed or the API token
  ///   was revoked.
  private func issue(
    _ request: SignInRequest, as account: Account, for lifetime: SessionLifetime
  ) async throws(StorageFailure) -> String? {
    let now = now()
    let nonce = random(16)
    let isInURL = if case .callback = request.delivery { true } else { false }
    let rotation = TokenRotation(
      lifetime: lifetime.milliseconds, at: now, isFirstReplaced: isInURL)
    let session = NewWebSession(
      account: account, apiTokenID: request.apiTokenID, container: request.container,
      environment: request.environment, nonce: nonce, createdAt: now, rotation: rotation,
      limit: options.sessionsPerAccount)
    guard let id = try await storage.insertSession(session) else { return nil }
    return SessionToken(
      session: id, of: account, nonce: nonce, createdAt: now, number: rotation.newest,
      issuedAt: rotation.issuedAt, key: key
    ).text
  }

  // MARK: Registration

  /// Begins a registration.
  ///
  /// - Parameter signIn: the sign-in that is completed after the registration.
  /// - Throws: `closed` if users cannot register.
  public func registrationRequest(
    signIn: SignInRequest? = nil
  ) throws(RegistrationFailure) -> RegistrationRequest {
    guard options.registration != .closed else { throw .closed }
    let content = RegistrationState(
      expiresAt: now() + options.formLifetime, signIn: signIn?.signedState)
    guard let signedState = try? SignedFormState(key: key).sign(content, for: .registration) else {
      throw .requestExpired
    }
    return RegistrationRequest(signedState: signedState, signIn: signIn)
  }

  /// Restores the request of a registration from a submitted form. A sign-in that can no longer be
  /// completed is omitted, because the account can be created without it.
  ///
  /// - Throws: `closed` or `requestExpired`.
  public func registrationRequest(
    signedState: String
  ) async throws(RegistrationFailure) -> RegistrationRequest {
    guard options.registration != .closed else { throw .closed }
    let form = SignedFormState(key: key)
    guard let content = form.verify(signedState, as: RegistrationState.self, for: .registration),
      now() < content.expiresAt
    else { throw .requestExpired }
    var signIn: SignInRequest?
    if let state = content.signIn { signIn = try? await signInRequest(signedState: state) }
    return RegistrationRequest(signedState: signedState, signIn: signIn)
  }
}

/// The content of the sign-in form's signed field.
private struct SignInState: Codable {
  var apiTokenID: Int64
  /// The redirect URL; nil if a code is shown.
  var callback: String?
  /// The time of expiry, in milliseconds since 1970, UTC.
  var expiresAt: Int64
}

/// The content of the registration form's signed field.
private struct RegistrationState: Codable {
  /// The time of expiry, in milliseconds since 1970, UTC.
  var expiresAt: Int64
  /// The signed field of the sign-in form; nil if the registration did not begin with a sign-in.
  var signIn: String?
}
