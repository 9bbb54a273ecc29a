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
  let queries: RunningQueries
  let limits: RateLimits
  let origin: RequestOrigin
  let bodies = BodyBudget()

  /// The authenticated parameters of a request. `caller` and `account` are nil if the request has
  /// no web auth token and is not signed.
  struct Call: Sendable {
    let container: ContainerID
    let environment: ContainerEnvironment
    /// The client to which the operations of the request are charged.
    let requester: RateLimits.Requester
    var authenticatedUser: AuthenticatedUser?
    /// The signature that is checked when the body is there; nil if the request is not signed.
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
      let body = try reported.get()
      response = purpose.hasRecords ? .json(body, compressedFor: request) : .json(body)
    } catch let error as ServiceError {
      response = .failure(completed(error, request, context), id: context.id)
    } catch let failure as StorageFailure {
      response = .failure(failure.serviceError, id: context.id)
    }
    if let token { response.headers[.webAuthToken] = token }
    if let history { response.headers[.history] = history.headerValue }
    if purpose.namesService { response.headers[.serviceID] = try? await service.id() }
    return response
  }

  /// Adds the URL of the sign-in page to an AUTHENTICATION_REQUIRED error.
  func completed(
    _ error: ServiceError, _ request: Request, _ context: HTTPContext
  ) -> ServiceError {
    guard error.code == .authenticationRequired,
      let secret = request.parameter(Self.apiTokenParameter)
    else { return error }
    var error = error
    error.redirectURL =
      origin.base(request, context) + SignInHandler.signInPath
      + "?\(Self.apiTokenParameter)=\(Callback.percentEncoded(secret))"
    return error
  }

  // MARK: Authentication

  /// The number of bytes up to which a body is read before the request is authenticated. The headers
  /// of a request may be as long.
  private static let shortBytes = 16_384

  /// Reads the body of a request before the request is authenticated, if the body is short. The
  /// session is then checked when all of the request is there, and need not be checked again.
  ///
  /// - Returns: nil if the body is not short; it is read after the authentication.
  private func shortBody(of request: Request, _ context: HTTPContext) async throws -> Data? {
    guard let length = request.headers[.contentLength].flatMap({ Int($0) }),
      1...Self.shortBytes ~= length
    else { return nil }
    do {
      return try await request.bytes(upTo: Self.shortBytes)
    } catch let error as ServiceError {
      try limits.take(by: .anonymous(origin.client(request, context)))
      throw error
    }
  }

  static let apiTokenParameter = "ckAPIToken"
  static let webAuthTokenParameter = "ckWebAuthToken"

  private func authenticate(_ request: Request, _ context: HTTPContext) async throws -> Call {
    let client = origin.client(request, context)
    do {
      guard let container = context.parameters.get("container").flatMap({ ContainerID($0) }),
        let environment = context.parameters.get("environment")
          .flatMap(ContainerEnvironment.init(rawValue:))
      else { throw ServiceError(.badRequest, cause: .malformedPath) }
      if let keyID = request.headers[.keyID] {
        return try await authenticate(
          keyID, container, environment, base: origin.base(request, context), request)
      }
      guard let secret = request.parameter(Self.apiTokenParameter) else {
        throw ServiceError(.authenticationFailed, cause: .missingAPIToken)
      }
      var authenticatedUser: AuthenticatedUser?
      // Clients that have not signed in yet send an empty token.
      if let token = request.parameter(Self.webAuthTokenParameter), !token.isEmpty {
        let user = try await accountService.authenticate(
          token, apiToken: secret, container: container, environment: environment,
          origin: request.headers[.origin])
        accountService.recordUse(of: user.account, from: client)
        authenticatedUser = user
      } else {
        _ = try await accountService.check(
          apiToken: secret, container: container, environment: environment,
          origin: request.headers[.origin])
        try limits.take(by: .anonymous(client))
      }
      return Call(
        container: container, environment: environment,
        requester: authenticatedUser.map { .user($0.account.id) } ?? .anonymous(client),
        authenticatedUser: authenticatedUser, account: authenticatedUser?.account,
        caller: authenticatedUser.map {
          Caller(
            account: $0.account.id,
            userRecordName: accountService.userRecordName(of: $0.account, in: container),
            session: "\($0.sessionID)")
        }, base: origin.base(request, context))
    } catch let error as ServiceError where error.code.isRejection {
      // Rejected requests are charged to the client's address, which limits how fast tokens can be
      // guessed.
      try limits.take(by: .anonymous(client))
      throw error
    }
  }

  /// Authenticates a request that is signed with a server-to-server key. The caller is the account
  /// of the key; the signature itself is checked when the body is there.
  private func authenticate(
    _ keyID: String, _ container: ContainerID, _ environment: ContainerEnvironment,
    base: String, _ request: Request
  ) async throws -> Call {
    guard request.parameter(Self.apiTokenParameter) == nil,
      request.parameter(Self.webAuthTokenParameter) == nil
    else { throw ServiceError(.authenticationFailed, cause: .signedWithToken) }
    guard let date = request.headers[.signatureDate], let signature = request.headers[.signature],
      let target = request.head.path
    else { throw ServiceError(.authenticationFailed, cause: .invalidSignatureDate) }
    let signed = try await accountService.signedRequest(
      SignedRequest.Headers(keyID: keyID, date: date, signature: signature, target: target),
      container: container, environment: environment)
    let account = signed.account
    return Call(
      container: container, environment: environment, requester: .user(account.id),
      signedRequest: signed, account: account,
      caller: Caller(
        account: account.id,
        userRecordName: accountService.userRecordName(of: account, in: container),
        session: "key \(signed.key.id)"), base: base)
  }

  /// Returns the client that is charged until the signature of the request is checked: its address,
  /// because everybody who knows the ID of a key can send requests with it.
  private func sender(
    of call: Call, _ request: Request, _ context: HTTPContext
  ) -> RateLimits.Requester {
    call.signedRequest == nil ? call.requester : .anonymous(origin.client(request, context))
  }

  /// Checks the signature of a signed request, now that its body is there.
  private func verify(
    _ call: Call, _ route: Route, _ body: Data, _ request: Request, _ context: HTTPContext
  ) throws {
    guard let signed = call.signedRequest else { return }
    do {
      try accountService.verify(signed, body: body, isOnce: Self.changing.contains(route))
    } catch {
      try limits.take(by: .anonymous(origin.client(request, context)))
      throw error
    }
  }

  /// The endpoints that change something.
  private static let changing: Set<Route> = [
    .recordsModify, .zonesModify, .subscriptionsModify, .assetsUpload,
  ]

  /// Charges the operations of a request to the signed-in user. Anonymous requests were charged
  /// during authentication.
  ///
  /// - Throws: THROTTLED.
  private func charge(_ operations: Int, to call: Call) throws(ServiceError) {
    guard call.caller != nil else { return }
    try limits.take(max(1, operations), by: call.requester)
  }

  /// Answers a request. If it is refused as a whole, nothing was changed: its signature is forgotten,
  /// so that it can be sent again and takes no room.
  private func answerSigned(
    _ call: Call, _ answer: () async throws -> Reported<Data>
  ) async throws -> Reported<Data> {
    do {
      let reported = try await answer()
      if case .failure(let error) = reported.result {
        accountService.forget(call.signedRequest, refusedWith: error)
      }
      return reported
    } catch let error as ServiceError {
      accountService.forget(call.signedRequest, refusedWith: error)
      throw error
    }
  }

  // MARK: Endpoints

  /// The number of operations that are charged for a query of all zones.
  private static let zoneWideCost = 10
  /// The limit of a body's size in bytes if the user is not signed in. Such requests cannot save
  /// records.
  private static let anonymousBytes = 256 * 1024

  /// - Parameter shortBody: the body, if it was read before the request was authenticated.
  private func answer(
    _ purpose: ServedPath.Purpose, _ call: Call, _ shortBody: Data?, _ request: Request,
    _ context: HTTPContext
  ) async throws -> Reported<Data> {
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
        if call.caller == nil, needsSignIn(route, address) { throw Self.signInNeeded }
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
        if call.caller != nil { try limits.take(by: sender) }
        throw error
      }
      try verify(call, route, body, request, context)
      if shortBody == nil, !body.isEmpty { try await checkSession(of: call) }
      guard let address else {
        return Reported(.success(try await answerDevice(route, body, call)))
      }
      return try await answerSigned(call) {
        try await answer(
          route, body, at: address, call, witness: request.headers[.historyWitness], context)
      }
    case .signOut:
      guard let authenticatedUser = call.authenticatedUser else { throw Self.signInNeeded }
      _ = try await accountService.revoke(
        session: authenticatedUser.sessionID, of: authenticatedUser.account)
      push.remove(session: authenticatedUser.sessionID)
      return Reported(.success(try Wire.encode(EmptyBody())))
    case .unserved(let code, let cause):
      // The signature of a signed request is not checked.
      if call.signedRequest == nil {
        try charge(1, to: call)
      } else {
        try limits.take(by: sender(of: call, request, context))
      }
      throw ServiceError(code, cause: cause)
    default:
      throw ServiceError(.notFound, cause: .noSuchEndpoint)
    }
  }

  /// Checks again that the session exists: it or its account can end while the body is uploaded.
  private func checkSession(of call: Call) async throws {
    guard let id = call.authenticatedUser?.sessionID else { return }
    guard try await accountService.isAlive(session: id) else { throw Self.signInNeeded }
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

  private static var signInNeeded: ServiceError {
    ServiceError(.authenticationRequired, cause: .authorizationNeeded)
  }

  private func answer(
    _ route: Route, _ body: Data, at address: DatabaseAddress, _ call: Call, witness: String?,
    _ context: HTTPContext
  ) async throws -> Reported<Data> {
    let work = RequestWork()
    defer { limits.charge(work.operations, to: call.requester) }
    func answer<E: Endpoint>(
      _: E.Type, cost: (E.Request) -> Int = { _ in 1 },
      numbersAsStrings: (E.Request) -> Bool = { _ in false },
      _ carryOut: (E.Request, DatabaseAddress, Caller?, _ witness: String?) async -> Reported<
        E.Response
      >
    ) async throws -> Reported<Data> {
      let request: E.Request
      do {
        // Clients can send listing requests without a body.
        request = try Wire.decode(
          E.Request.self, from: body.isEmpty ? Data("{}".utf8) : body, as: .request)
      } catch {
        try charge(1, to: call)
        throw error.serviceError
      }
      try charge(cost(request), to: call)
      let reported = await carryOut(request, address, call.caller, witness)
      switch reported.result {
      case .success(let answer):
        let bytes = try Wire.encode(
          response: answer, numbersAsStrings: numbersAsStrings(request), base: call.base)
        return Reported(.success(bytes), history: reported.history)
      case .failure(let error): return Reported(.failure(error), history: reported.history)
      }
    }
    /// Handles an endpoint that is not about the records of one zone, and therefore has no history
    /// to report.
    func answer<E: Endpoint>(
      _ endpoint: E.Type, cost: (E.Request) -> Int = { _ in 1 },
      _ carryOut: (E.Request, DatabaseAddress, Caller?) async throws(ServiceError) -> E.Response
    ) async throws -> Reported<Data> {
      try await answer(endpoint, cost: cost) { request, address, caller, _ in
        do throws(ServiceError) {
          return Reported(.success(try await carryOut(request, address, caller)))
        } catch {
          return Reported(.failure(error))
        }
      }
    }
    func modify(
      _ request: RecordsModify.Request, at address: DatabaseAddress, by caller: Caller?,
      witness: String?
    ) async -> Reported<RecordsModify.Response> {
      await service.modify(request, at: address, by: caller, witness: witness, work: work)
    }
    func query(
      _ request: RecordsQuery.Request, at address: DatabaseAddress, by caller: Caller?,
      witness: String?
    ) async -> Reported<RecordsQuery.Response> {
      do throws(ServiceError) {
        return try await queries.run(
          for: call.requester, on: ObjectIdentifier(context.channel),
          isOpen: context.channel.isActive
        ) { [service] in
          await service.query(request, at: address, by: caller, witness: witness, work: work)
        }
      } catch {
        return Reported(.failure(error))
      }
    }
    return switch route {
    case .recordsModify:
      try await answer(
        RecordsModify.self, cost: { min($0.operations.count, Limits.operations) },
        numbersAsStrings: \.wantsNumbersAsStrings, modify)
    case .recordsQuery:
      try await answer(
        RecordsQuery.self,
        cost: {
          $0.zoneWide == true && $0.zoneID == nil && address.database != .public
            ? Self.zoneWideCost : 1
        },
        numbersAsStrings: { $0.numbersAsStrings == true }, query)
    case .recordsLookup:
      try await answer(
        RecordsLookup.self, numbersAsStrings: { $0.numbersAsStrings == true }, service.lookup)
    case .recordsChanges:
      try await answer(
        RecordsChanges.self, numbersAsStrings: { $0.numbersAsStrings == true },
        service.recordsChanges)
    case .changesZone:
      try await answer(
        ChangesZone.self, numbersAsStrings: \.wantsNumbersAsStrings, service.changesZone)
    case .changesDatabase: try await answer(ChangesDatabase.self, service.changesDatabase)
    case .zonesList: try await answer(ZonesList.self, service.zonesList)
    case .zonesLookup: try await answer(ZonesLookup.self, service.zonesLookup)
    case .zonesModify:
      try await answer(
        ZonesModify.self, cost: { min($0.operations.count, Limits.operations) },
        service.zonesModify)
    case .zonesChanges: try await answer(ZonesChanges.self, service.zonesChanges)
    case .subscriptionsList:
      try await answer(SubscriptionsList.self, service.subscriptionsList)
    case .subscriptionsLookup:
      try await answer(SubscriptionsLookup.self, service.subscriptionsLookup)
    case .subscriptionsModify:
      try await answer(
        SubscriptionsModify.self, cost: { min($0.operations.count, Limits.operations) },
        service.subscriptionsModify)
    case .usersCurrent:
      try await answer(UsersCurrent.self) { _, _, caller throws(ServiceError) in
        guard let caller, let account = call.account else { throw Self.signInNeeded }
        return UsersCurrent.Response(
          userRecordName: caller.userRecordName, firstName: account.name)
      }
    case .usersCaller:
      try await answer(UsersCaller.self) { _, _, caller throws(ServiceError) in
        guard let caller, let account = call.account else { throw Self.signInNeeded }
        return UsersCaller.Response(
          UserIdentity(
            userRecordName: caller.userRecordName,
            nameComponents: .init(givenName: account.name)))
      }
    case .usersDiscover:
      try await answer(UsersDiscover.self) { _, _, _ throws(ServiceError) in
        throw ServiceError(.accessDenied, cause: .notServed(.userLookup))
      }
    case .assetsUpload:
      try await answer(
        AssetsUpload.self, cost: { min($0.tokens.count, Limits.operations) },
        service.assetsUpload)
    case .tokensCreate, .tokensRegister:
      throw ServiceError(.notFound, cause: .noSuchEndpoint)
    }
  }

  // MARK: Tokens

  /// Handles `tokens/create` and `tokens/register`.
  private func answerDevice(_ route: Route, _ body: Data, _ call: Call) async throws -> Data {
    guard let authenticatedUser = call.authenticatedUser else { throw Self.signInNeeded }
    try charge(1, to: call)
    switch route {
    case .tokensCreate:
      let request = try decode(TokensCreate.Request.self, body)
      let made = try await accountService.createPushChannel(
        session: authenticatedUser.sessionID, environment: call.environment)
      guard let made else { throw Self.signInNeeded }
      push.remove(made.former)
      guard try await push.add(made.pushChannel, ifAlive: accountService.isAlive) else {
        throw Self.signInNeeded
      }
      return try Wire.encode(
        TokensCreate.Response(
          apnsEnvironment: request.apnsEnvironment, apnsToken: made.secret,
          webcourierURL: "\(call.base)/courier/\(made.secret)"))
    default:
      let request = try decode(TokensRegister.Request.self, body)
      guard let pushChannel = try await accountService.pushChannel(request.apnsToken),
        pushChannel.sessionID == authenticatedUser.sessionID,
        pushChannel.environment == call.environment,
        try await push.add(pushChannel, ifAlive: accountService.isAlive)
      else { throw ServiceError(.badRequest, cause: .notServed(.applePush)) }
      return try Wire.encode(EmptyBody())
    }
  }

  private func decode<Body: Decodable>(_ type: Body.Type, _ body: Data) throws -> Body {
    do {
      return try Wire.decode(type, from: body, as: .request)
    } catch {
      throw error.serviceError
    }
  }
}

extension ErrorCode {
  /// Whether the error means that the client sent invalid credentials or a malformed request.
  fileprivate var isRejection: Bool {
    [.authenticationFailed, .authenticationRequired, .badRequest].contains(self)
  }
}
