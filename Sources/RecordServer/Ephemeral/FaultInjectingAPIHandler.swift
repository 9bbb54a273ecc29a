import CloudRecords
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// The handler of the endpoints of an ephemeral service. Simulates faults, and passes the requests
/// that no fault stops to `APIHandler`.
struct FaultInjectingAPIHandler: Sendable {
  let api: APIHandler
  let ephemeral: EphemeralService

  func respond(
    to purpose: ServedPath.Purpose, _ request: Request, _ context: HTTPContext
  ) async throws -> Response {
    guard case .endpoint(let route) = purpose, let fault = await fault(of: request, route, context)
    else { return try await pass(purpose, request, context) }
    if fault.delay > .zero { try await ephemeral.sleep(fault.delay) }
    switch fault.effect {
    case .none: break
    case .error(let code, let retryAfter):
      let error = api.addingSignInURL(to: Self.error(code, retryAfter), request, context)
      return .failure(error, id: context.id)
    case .itemErrors(let code, let retryAfter):
      do {
        let body = try await request.bytes(upTo: Limits.requestBytes)
        return .json(try Self.items(of: route, body, Self.error(code, retryAfter)))
      } catch let problem as BodyDecodingError {
        return .failure(problem.serviceError, id: context.id)
      }
    case .cut(let isCarriedOut):
      if isCarriedOut { _ = try await pass(purpose, request, context) }
      try? await context.channel.close(mode: .all)
      // The response has nowhere to go.
      throw CancellationError()
    case .expiredSyncTokens:
      if let environment = context.environment { try await ephemeral.expireSyncTokens(environment) }
    }
    return try await pass(purpose, request, context)
  }

  /// Lets the service respond. A push channel is first stored and then gets its queue. A reset in
  /// between would delete it, and the client would get AUTHENTICATION_REQUIRED, so the two steps
  /// are not interrupted.
  private func pass(
    _ purpose: ServedPath.Purpose, _ request: Request, _ context: HTTPContext
  ) async throws -> Response {
    switch purpose {
    case .endpoint(.tokensCreate), .endpoint(.tokensRegister):
      try await ephemeral.controls.run { [api] in
        try await api.respond(to: purpose, request, context)
      }
    default: try await api.respond(to: purpose, request, context)
    }
  }

  private func fault(
    of request: Request, _ route: Route, _ context: HTTPContext
  ) async -> Fault? {
    var facts = FaultInjector.Request(
      endpoint: route, environment: context.environment,
      database: context.parameters.get("database").flatMap(DatabaseScope.init(rawValue:)))
    if ephemeral.faults.dependOnUser, let environment = facts.environment,
      let secret = request.parameter(APIHandler.apiTokenParameter),
      let token = request.parameter(APIHandler.webAuthTokenParameter)
    {
      let user = try? await ephemeral.accountService.authenticate(
        token, apiToken: secret, container: ephemeral.container, environment: environment,
        origin: request.headers[.origin])
      facts.user = user?.account.name
    }
    return ephemeral.faults.next(for: facts)
  }

  private static func error(_ code: ErrorCode, _ retryAfter: Double?) -> ServiceError {
    ServiceError(code, reason: EphemeralMessages.induced, retryAfter: retryAfter)
  }

  /// Returns the body of a response in which each item of the request has an error.
  ///
  /// - Throws: `BodyDecodingError`.
  private static func items(
    of route: Route, _ body: Data, _ error: ServiceError
  ) throws -> Data {
    func request<E: Endpoint>(_: E.Type) throws(BodyDecodingError) -> E.Request {
      try Wire.decode(E.Request.self, from: body, as: .request)
    }
    func records(_ names: [String?]) throws -> Data {
      try Wire.encode(
        response: RecordsModify.Response(
          records: names.map { .failure(error.with(recordName: $0)) }))
    }
    func zones(_ ids: [ZoneID]) throws -> Data {
      try Wire.encode(response: ZonesResponse(zones: ids.map { .failure(error.with(zoneID: $0)) }))
    }
    func subscriptions(_ ids: [String?]) throws -> Data {
      try Wire.encode(
        response: SubscriptionsResponse(
          subscriptions: ids.map { .failure(error.with(subscriptionID: $0)) }))
    }
    switch route {
    case .recordsModify:
      return try records(request(RecordsModify.self).operations.map(\.record.recordName))
    case .recordsLookup:
      return try records(request(RecordsLookup.self).records.map(\.recordName))
    case .changesZone:
      let zones = try request(ChangesZone.self).zones.map(\.zoneID)
      return try Wire.encode(
        response: ChangesZone.Response(zones: zones.map { .failure(error.with(zoneID: $0)) }))
    case .zonesModify:
      return try zones(request(ZonesModify.self).operations.map(\.zone.zoneID))
    case .zonesLookup:
      return try zones(request(ZonesLookup.self).zones)
    case .subscriptionsModify:
      return try subscriptions(
        request(SubscriptionsModify.self).operations.map(\.subscription.subscriptionID))
    case .subscriptionsLookup:
      return try subscriptions(
        request(SubscriptionsLookup.self).subscriptions.map(\.subscriptionID))
    default:
      // `Fault.check` refuses these endpoints.
      return try Wire.encode(response: EmptyBody())
    }
  }
}

extension HTTPContext {
  /// The environment in the path; nil for none.
  fileprivate var environment: ContainerEnvironment? {
    parameters.get("environment").flatMap(ContainerEnvironment.init(rawValue:))
  }
}
