import CloudRecords
import FoundationEssentials
import Hummingbird

extension APIHandler {
  /// The number of operations that are charged for a query of all zones.
  private static let zoneWideCost = 10

  /// Decodes the body of a request to an endpoint, charges its operations, carries it out and
  /// encodes the response.
  ///
  /// - Parameter complete: makes the response of its body.
  func answer(
    _ route: Route, _ body: Data, at address: DatabaseAddress, _ call: Call, witness: String?,
    _ context: HTTPContext, _ complete: @escaping @Sendable (Data) -> Response
  ) async throws -> Reported<Response> {
    let claim = responses.claim(for: call.requester)
    // A change that was carried out cannot be refused any more.
    let work = RequestWork { bytes throws(ServiceError) in try claim.requireRoom(for: bytes) }
    let channel = context.channel
    defer { limits.charge(work.operations, to: call.requester) }
    func answer<E: Endpoint>(
      _: E.Type, cost: (E.Request) -> Int = { _ in 1 },
      numbersAsStrings: @escaping @Sendable (E.Request) -> Bool = { _ in false },
      as kind: RunningReads.Kind? = nil,
      _ carryOut:
        @escaping @Sendable (
          E.Request, DatabaseAddress, Caller?, _ witness: String?
        ) async -> Reported<E.Response>
    ) async throws -> Reported<Response> {
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
      // The response to a change can have all that the request has.
      if kind == nil { try work.requireRoom(forResponse: body.count) }
      let respond: @Sendable () async throws -> Reported<Response> = {
        let reported = await carryOut(request, address, call.caller, witness)
        switch reported.result {
        case .success(let content):
          let bytes = try Wire.encode(
            response: content, numbersAsStrings: numbersAsStrings(request), base: call.base)
          var response = complete(bytes)
          if let count = response.body.contentLength, count > BodyBudget.smallResponse {
            if kind == nil { claim.add(count) } else { try claim.grow(by: count) }
            response.hold(claim, on: channel.eventLoop)
            claim.allowGivingUp { connections.close(channel) }
          }
          return Reported(.success(response), history: reported.history)
        case .failure(let error): return Reported(.failure(error), history: reported.history)
        }
      }
      guard let kind else { return try await respond() }
      return try await reads.run(
        kind, for: call.requester, on: ObjectIdentifier(context.channel),
        client: connections.client(of: context.channel),
        recheck: { try await self.checkSession(of: call) },
        respond)
    }
    /// Handles an endpoint that is not about the records of one zone, and therefore has no history
    /// to report.
    func answer<E: Endpoint>(
      _ endpoint: E.Type, cost: (E.Request) -> Int = { _ in 1 },
      as kind: RunningReads.Kind? = nil,
      _ carryOut:
        @escaping @Sendable (
          E.Request, DatabaseAddress, Caller?
        ) async throws(ServiceError) -> E.Response
    ) async throws -> Reported<Response> {
      try await answer(endpoint, cost: cost, as: kind) { request, address, caller, _ in
        do throws(ServiceError) {
          return Reported(.success(try await carryOut(request, address, caller)))
        } catch {
          return Reported(.failure(error))
        }
      }
    }
    return switch route {
    case .recordsModify:
      try await answer(
        RecordsModify.self, cost: { min($0.operations.count, Limits.operations) },
        numbersAsStrings: \.wantsNumbersAsStrings,
        { await service.modify($0, at: $1, by: $2, witness: $3, work: work) })
    case .recordsQuery:
      try await answer(
        RecordsQuery.self,
        cost: {
          $0.zoneWide == true && $0.zoneID == nil && address.database != .public
            ? Self.zoneWideCost : 1
        },
        numbersAsStrings: { $0.numbersAsStrings == true }, as: .query,
        { await service.query($0, at: $1, by: $2, witness: $3, work: work) })
    case .recordsLookup:
      try await answer(
        RecordsLookup.self, numbersAsStrings: { $0.numbersAsStrings == true }, as: .page,
        service.lookup)
    case .recordsChanges:
      try await answer(
        RecordsChanges.self, numbersAsStrings: { $0.numbersAsStrings == true }, as: .page,
        service.recordsChanges)
    case .changesZone:
      try await answer(
        ChangesZone.self, numbersAsStrings: \.wantsNumbersAsStrings, as: .page,
        service.changesZone)
    case .changesDatabase:
      try await answer(ChangesDatabase.self, as: .page, service.changesDatabase)
    case .zonesList: try await answer(ZonesList.self, as: .page, service.zonesList)
    case .zonesLookup: try await answer(ZonesLookup.self, as: .page, service.zonesLookup)
    case .zonesModify:
      try await answer(
        ZonesModify.self, cost: { min($0.operations.count, Limits.operations) },
        service.zonesModify)
    case .zonesChanges: try await answer(ZonesChanges.self, as: .page, service.zonesChanges)
    case .subscriptionsList:
      try await answer(SubscriptionsList.self, as: .page, service.subscriptionsList)
    case .subscriptionsLookup:
      try await answer(SubscriptionsLookup.self, as: .page, service.subscriptionsLookup)
    case .subscriptionsModify:
      try await answer(
        SubscriptionsModify.self, cost: { min($0.operations.count, Limits.operations) },
        service.subscriptionsModify)
    case .usersCurrent:
      try await answer(UsersCurrent.self) { _, _, caller throws(ServiceError) in
        guard let caller, let account = call.account else { throw ServiceError.notSignedIn }
        return UsersCurrent.Response(
          userRecordName: caller.userRecordName, firstName: account.name)
      }
    case .usersCaller:
      try await answer(UsersCaller.self) { _, _, caller throws(ServiceError) in
        guard let caller, let account = call.account else { throw ServiceError.notSignedIn }
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
}
