import CloudRecords
import FoundationEssentials
import HTTPTypes
import Hummingbird

/// The handler of the endpoints of CloudKit Web Services. It authenticates the caller, reads and
/// decodes the body, runs the operation in the service and encodes the response.
struct APIHandler: Sendable {
  let service: RecordService
  let accountService: AccountService
  let push: LongPollHub
  let reads: RunningReads
  let connections: ConnectionTable
  let limits: RateLimits
  let origin: RequestOrigin
  let bodies = BodyBudget()
  let responses: BodyBudget

  /// The authenticated parameters of a request. `caller` and `account` are nil if the request has
  /// no web auth token and is not signed.
  struct Call: Sendable {
    let container: ContainerID
    let environment: ContainerEnvironment
    /// The client to which the operations of the request are charged.
    let requester: RateLimits.Requester
    var authenticatedUser: AuthenticatedUser?
    /// The signature that is checked after the body was read; nil if the request is not signed.
    var signedRequest: SignedRequest?
    let account: Account?
    let caller: Caller?
    /// The beginning of URLs that lead to this service: scheme, host and port.
    let base: String
  }

  func respond(
    to purpose: ServedPath.Purpose, _ request: Request, _ context: HTTPContext
  ) async throws -> Response {
    var token: String?
    var history: HistoryReport?
    var response: Response
    do {
      let shortBody = try await shortBody(of: request, context)
      let call = try await authenticate(request, context)
      token = call.authenticatedUser?.token
      let reported = try await answer(purpose, call, shortBody, request, context)
      history = reported.history
      response = try reported.get()
    } catch let error as ServiceError {
      response = .failure(addingSignInURL(to: error, request, context), id: context.id)
    } catch let failure as StorageFailure {
      response = .failure(failure.serviceError, id: context.id)
    }
    if let token { response.headers[.webAuthToken] = token }
    if let history { response.headers[.history] = history.headerValue }
    if purpose.namesService { response.headers[.serviceID] = try? await service.id() }
    return response
  }

  /// Adds the URL of the sign-in page to an AUTHENTICATION_REQUIRED error.
  func addingSignInURL(
    to error: ServiceError, _ request: Request, _ context: HTTPContext
  ) -> ServiceError {
    guard error.code == .authenticationRequired,
      let secret = request.parameter(Self.apiTokenParameter)
    else { return error }
    var error = error
    error.redirectURL =
      origin.base(request, context) + SignInHandler.signInPath
      + "?\(Self.apiTokenParameter)=\(PercentEncoding.encode(secret))"
    return error
  }

  /// The limit of a body's size in bytes if the user is not signed in. Such requests cannot save
  /// records.
  private static let anonymousBytes = 256 * 1024

  /// - Parameter shortBody: the body, if it was read before the request was authenticated.
  private func answer(
    _ purpose: ServedPath.Purpose, _ call: Call, _ shortBody: Data?, _ request: Request,
    _ context: HTTPContext
  ) async throws -> Reported<Response> {
    switch purpose {
    case .endpoint(let route):
      let sender = sender(of: call, request, context)
      let claim = bodies.claim(for: sender)
      defer { withExtendedLifetime(claim) {} }
      let address: DatabaseAddress?
      let body: Data
      do {
        address = try self.address(of: route, call, context)
        // Refuse before the body is read, so that the client does not upload it for nothing.
        if call.caller == nil, needsSignIn(route, address) { throw ServiceError.notSignedIn }
        if call.signedRequest != nil, address?.database != .public {
          throw ServiceError(.badRequest, cause: .signedNotPublic)
        }
        if let shortBody {
          try claim.grow(by: shortBody.count)
          body = shortBody
        } else {
          body = try await request.bytes(
            upTo: call.caller == nil ? Self.anonymousBytes : Limits.requestBytes,
            counting: claim)
        }
      } catch {
        if call.caller != nil { try limits.consume(by: sender) }
        throw error
      }
      try verify(call, route, body, request, context)
      if shortBody == nil, !body.isEmpty { try await checkSession(of: call) }
      guard let address else {
        return Reported(.success(.json(try await answerDevice(route, body, call))))
      }
      return try await answerSigned(call) {
        try await answer(
          route, body, at: address, call, witness: request.headers[.historyWitness], context
        ) { purpose.hasRecords ? .json($0, compressedFor: request) : .json($0) }
      }
    case .signOut:
      guard let authenticatedUser = call.authenticatedUser else {
        // A request without a token was charged when it was authenticated; the signature of a
        // signed one is not checked.
        if call.signedRequest != nil { try limits.consume(by: sender(of: call, request, context)) }
        throw ServiceError.notSignedIn
      }
      _ = try await accountService.revoke(
        session: authenticatedUser.sessionID, of: authenticatedUser.account)
      push.remove(session: authenticatedUser.sessionID)
      return Reported(.success(.json(try Wire.encode(EmptyBody()))))
    case .unserved(let code, let cause):
      // The signature of a signed request is not checked.
      if call.signedRequest == nil {
        try charge(1, to: call)
      } else {
        try limits.consume(by: sender(of: call, request, context))
      }
      throw ServiceError(code, cause: cause)
    default:
      throw ServiceError(.notFound, cause: .noSuchEndpoint)
    }
  }

  /// Checks again that the session exists: it or its account can end while the body is uploaded or
  /// the request waits.
  func checkSession(of call: Call) async throws {
    guard let id = call.authenticatedUser?.sessionID else { return }
    guard try await accountService.isAlive(session: id) else { throw ServiceError.notSignedIn }
  }

  /// Returns the database that a request addresses.
  ///
  /// - Returns: nil for an endpoint without a database.
  /// - Throws: BAD_REQUEST if the path's database is unknown or does not have the endpoint.
  private func address(
    of route: Route, _ call: Call, _ context: HTTPContext
  ) throws(ServiceError) -> DatabaseAddress? {
    guard !route.databases.isEmpty else { return nil }
    guard let name = context.parameters.get("database"),
      let database = DatabaseScope(rawValue: name)
    else { throw ServiceError(.badRequest, cause: .malformedPath) }
    // Discovering users is refused for the same reason in all databases.
    guard database != .shared || route == .usersDiscover else {
      throw ServiceError(.badRequest, cause: .notServed(.sharing, database.rawValue))
    }
    guard route.databases.contains(database) else {
      throw ServiceError(.badRequest, cause: .notInDatabase(database))
    }
    return DatabaseAddress(call.container, call.environment, database)
  }

  /// Whether the endpoint requires a signed-in user.
  private func needsSignIn(_ route: Route, _ address: DatabaseAddress?) -> Bool {
    switch address?.database {
    case nil, .private: true
    case .public: [.recordsModify, .subscriptionsModify, .assetsUpload].contains(route)
    case .shared: false  // Refused already.
    }
  }
}
