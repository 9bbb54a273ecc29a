import CloudRecords
import Library
import RecordClient
import Synchronization

@testable import Sync

/// A service whose responses to some requests are replaced by a test.
final class LyingService: RecordAPI {
  private let link: Link
  private let lie: @Sendable (any Sendable) throws(ServiceError) -> (any Sendable)?
  private let counts = Mutex<[Route: Int]>([:])

  /// - Parameter lie: Returns the response to a request, or throws its error; returns nil for the
  ///   service's own response.
  init(
    _ world: World,
    _ lie: @escaping @Sendable (any Sendable) throws(ServiceError) -> (any Sendable)?
  ) {
    link = Link(world: world)
    self.lie = lie
  }

  /// The number of requests to a route.
  func count(_ route: Route) -> Int { counts.withLock { $0[route, default: 0] } }

  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> ServiceResponse<E.Response> {
    counts.withLock { $0[E.route, default: 0] += 1 }
    do throws(ServiceError) {
      if let answer = try lie(request) as? E.Response { return ServiceResponse(answer) }
    } catch {
      throw .service(error)
    }
    return try await link.call(endpoint, request, witness: witness)
  }

  func notification(at url: String) async throws(CallFailure) -> PushNotification? { nil }
}

extension Device {
  /// An engine of this device with another service.
  func engine(
    _ service: any RecordAPI, now: (@Sendable () -> Int64)? = nil
  ) -> SyncEngine {
    SyncEngine(
      library: library, service: service, now: now ?? { [world, ahead] in world.now + ahead },
      random: { 1 << 63 })
  }
}
