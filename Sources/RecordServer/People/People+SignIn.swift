extension People {
  // MARK: The request

  /// Begins a sign-in.
  ///
  /// - Parameter secret: the app's API token.
  public func begin(
    apiToken secret: String, returning: SignInReturn = .usual
  ) async throws(SignInFailure) -> SignInRequest {
    let found: APIToken?
    do { found = try await apiToken(secret) } catch { throw .unavailable(error) }
    guard let token = found else { throw .unknownApp }
    let way: SignInWay =
      switch returning {
      case .code: .code
      case .usual: token.terms.callbacks.first.map(SignInWay.callback) ?? .code
      case .callback(let callback): .callback(callback)
      }
    return try request(token, way, expiresAt: now() + options.formLifetime)
  }

  /// Takes a request back from its form.
  ///
  /// - Throws: `requestExpired` unless it is one of ours and not too old; else as when it
  ///   was begun, since the API token may have been revoked meanwhile.
  public func signInRequest(sealed: String) async throws(SignInFailure) -> SignInRequest {
    let form = SealedForm(key: key)
    guard let content = form.open(sealed, as: SealedSignIn.self, for: .signIn),
      now() < content.expiresAt
    else { throw .requestExpired }
    let found: APIToken?
    do { found = try await storage.apiToken(content.apiTokenID) } catch {
      throw .unavailable(error)
    }
    guard let token = found else { throw .unknownApp }
    return try request(
      token, content.callback.map(SignInWay.callback) ?? .code, expiresAt: content.expiresAt)
  }

  private func request(
    _ token: APIToken, _ way: SignInWay, expiresAt: Int64
  ) throws(SignInFailure) -> SignInRequest {
    var content = SealedSignIn(apiTokenID: token.id, callback: nil, expiresAt: expiresAt)
    if case .callback(let callback) = way {
      guard Callback.isAllowed(callback, registered: token.terms.callbacks) else {
        throw .callbackRefused
      }
      content.callback = callback
    }
    // Encoding numbers and a text does not fail.
    guard let sealed = try? SealedForm(key: key).seal(content, for: .signIn) else {
      throw .requestExpired
    }
    return SignInRequest(
      app: token.terms.label, container: token.terms.container,
      environment: token.terms.environment, way: way, expiresAt: expiresAt, sealed: sealed,
      apiTokenID: token.id)
  }

  // MARK: The password

  /// Finds out whose a name and a password are.
  ///
  /// That there is no such account costs as much as a wrong password and is answered alike.
  public func verify(
    name: String, password: String, address: ClientAddress
  ) async throws(SignInFailure) -> Account {
    let name = try? AccountName(name)
    if let wait = signIns.begin(account: name?.text, address: address, at: now()) {
      throw .tooManyAttempts(retryAfter: wait)
    }
    // Nobody has so long a password, whoever is asked for.
    guard let password = Password(typed: password) else { throw .wrongNameOrPassword }
    var stored: StoredAccount?
    if let name {
      do { stored = try await storage.account(named: name) } catch {
        signIns.takeBack(account: name.text, address: address)
        throw .unavailable(error)
      }
    }
    let hash = stored?.password ?? nobody
    guard let derived = await derive(password.bytes, hash.salt, hash.cost) else {
      signIns.takeBack(account: name?.text, address: address)
      throw .busy(retryAfter: Self.busySeconds)
    }
    guard hash.matches(derived), let account = stored?.account else {
      throw .wrongNameOrPassword
    }
    signIns.succeed(account: name?.text, address: address)
    return account
  }

  // MARK: The session

  /// Signs an account in with the app that asked.
  ///
  /// - Parameter account: as `verify` or `register` just returned it.
  /// - Throws: `wrongNameOrPassword` where it has another password since then, or is gone;
  ///   `unknownApp` where the API token is gone.
  public func complete(
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
    switch request.way {
    case .callback(let callback): return .redirect(Callback.url(callback, token: token))
    case .code: return .code(token)
    }
  }

  /// - Returns: the web auth token of a new session; nil where there can be none.
  private func issue(
    _ request: SignInRequest, as account: Account, for lifetime: SessionLifetime
  ) async throws(StorageFailure) -> String? {
    let now = now()
    let nonce = random(16)
    let rotation = TokenRotation(lifetime: lifetime.milliseconds, at: now)
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

  /// Opens the form of registration.
  ///
  /// - Parameter signIn: what to go on with afterwards.
  public func registrationRequest(
    signIn: SignInRequest? = nil
  ) throws(RegistrationFailure) -> RegistrationRequest {
    guard options.registration != .closed else { throw .closed }
    let content = SealedRegistration(
      expiresAt: now() + options.formLifetime, signIn: signIn?.sealed)
    guard let sealed = try? SealedForm(key: key).seal(content, for: .registration) else {
      throw .requestExpired
    }
    return RegistrationRequest(expiresAt: content.expiresAt, sealed: sealed, signIn: signIn)
  }

  /// Takes a request back from its form. What it was to go on with is left out where that is
  /// no longer possible: the account can be made nevertheless.
  public func registrationRequest(
    sealed: String
  ) async throws(RegistrationFailure) -> RegistrationRequest {
    guard options.registration != .closed else { throw .closed }
    let form = SealedForm(key: key)
    guard let content = form.open(sealed, as: SealedRegistration.self, for: .registration),
      now() < content.expiresAt
    else { throw .requestExpired }
    var signIn: SignInRequest?
    if let sealed = content.signIn { signIn = try? await signInRequest(sealed: sealed) }
    return RegistrationRequest(expiresAt: content.expiresAt, sealed: sealed, signIn: signIn)
  }
}

/// What the form of sign-in carries.
private struct SealedSignIn: Codable {
  var apiTokenID: Int64
  /// Nil for a code.
  var callback: String?
  /// Milliseconds since 1970, UTC.
  var expiresAt: Int64
}

/// What the form of registration carries.
private struct SealedRegistration: Codable {
  /// Milliseconds since 1970, UTC.
  var expiresAt: Int64
  /// A sealed `SealedSignIn`.
  var signIn: String?
}
