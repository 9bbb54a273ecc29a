import CloudRecords
import FoundationEssentials
import Hummingbird

extension APIHandler {
  /// The number of operations that are charged for a query of all zones.
  private static let zoneWideCost = 10

  /// Decodes the body of a request to an endpoint, charges its operations, carries it out and encodes
  /// the response.
  func answer(
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
}
