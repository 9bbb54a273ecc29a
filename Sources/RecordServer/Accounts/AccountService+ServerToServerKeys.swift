import CloudRecords
import FoundationEssentials

extension AccountService {
  /// Creates a server-to-server key.
  public func createServerToServerKey(
    _ terms: ServerToServerKeyTerms
  ) async throws(StorageFailure) -> ServerToServerKey {
    try await storage.insertServerToServerKey(
      Hex.text(random(Self.apiTokenLength / 2)), terms, at: now())
  }

  /// Returns all server-to-server keys with the names of their accounts, oldest first.
  public func serverToServerKeys() async throws(StorageFailure) -> [(
    key: ServerToServerKey, account: String
  )] {
    try await storage.serverToServerKeys()
  }

  /// Deletes a server-to-server key.
  ///
  /// - Returns: whether it existed.
  public func revoke(serverToServerKey id: Int64) async throws(StorageFailure) -> Bool {
    try await storage.removeServerToServerKey(id)
  }

  /// Finds the key of a signed request, and checks the date. `verify` checks the signature, after
  /// the body was read.
  ///
  /// - Throws: AUTHENTICATION_FAILED; TRY_AGAIN_LATER or INTERNAL_ERROR if the storage fails.
  func signedRequest(
    _ headers: SignedRequest.Headers, container: ContainerID, environment: ContainerEnvironment
  ) async throws(ServiceError) -> SignedRequest {
    guard let time = headers.time else {
      throw ServiceError(.authenticationFailed, cause: .invalidSignatureDate)
    }
    let found: (key: ServerToServerKey, account: Account)?
    do {
      found =
        Hex.isDigits(headers.keyID, count: Self.apiTokenLength)
        ? try await storage.serverToServerKey(headers.keyID) : nil
    } catch { throw error.serviceError }
    guard let (key, account) = found, key.terms.container == container,
      key.terms.environment.map({ $0 == environment }) ?? true
    else { throw ServiceError(.authenticationFailed, cause: .unknownServerToServerKey) }
    try Self.checkAge(of: time, at: now())
    return SignedRequest(headers: headers, key: key, account: account, time: time)
  }

  private static func checkAge(of time: Int64, at now: Int64) throws(ServiceError) {
    guard abs(now - time) <= SignedRequest.window else {
      throw ServiceError(
        .authenticationFailed,
        cause: .staleSignature(
          seconds: Int((now - time) / 1000), limit: Int(SignedRequest.window / 1000)))
    }
  }

  /// Checks the signature of a request.
  ///
  /// - Parameter isOnce: whether the request changes something, so that its signature is accepted
  ///   only once.
  /// - Throws: AUTHENTICATION_FAILED; TRY_AGAIN_LATER if too many signatures are in use.
  func verify(
    _ request: SignedRequest, body: Data, isOnce: Bool
  ) throws(ServiceError) {
    let now = now()
    try Self.checkAge(of: request.time, at: now)
    guard request.isSigned(body: body), let replayID = request.replayID else {
      throw ServiceError(.authenticationFailed, cause: .wrongSignature)
    }
    guard isOnce else { return }
    let end = request.time + SignedRequest.window
    switch usedSignatures.use(replayID, of: request.key.id, until: end, at: now) {
    case .first: return
    case .repeated: throw ServiceError(.authenticationFailed, cause: .repeatedSignature)
    case .full: throw ServiceError(.tryAgainLater, cause: .tooManyRequests, retryAfter: 10)
    }
  }

  /// Forgets the signature of a request that was refused and has changed nothing.
  ///
  /// - Parameter request: nil for a request without a signature.
  func forget(_ request: SignedRequest?, refusedWith error: ServiceError) {
    let codes: [ErrorCode] = [.throttled, .badRequest, .limitExceeded]
    guard codes.contains(error.code), let replayID = request?.replayID else { return }
    usedSignatures.forget(replayID)
  }
}
