import CloudRecords
import HTTPTypes
import Hummingbird
import Metrics

/// Answers what keeps the service running: whether it is well, and how much it does.
struct OperationHandler: Sendable {
  let service: RecordService
  let push: LongPollHub
  let metrics: MetricsRegistry
  let origin: RequestOrigin

  func respond(
    to purpose: ServedPath.Purpose, _ request: Request, _ context: HTTPContext
  ) async throws -> Response {
    switch purpose {
    case .health:
      _ = try await service.containers()
      return .text("ok\n")
    case .metrics:
      // How much is done here is nobody's business elsewhere.
      guard origin.isLocal(request, context) else {
        throw ServiceError(.notFound, reason: Reason.noSuchEndpoint)
      }
      Gauge(label: "record_service_polls", factory: metrics).record(push.waiting)
      Gauge(label: "record_service_couriers", factory: metrics).record(push.known)
      // Shown before the first one, too.
      Counter(label: AnswerMiddleware.forks, factory: metrics).increment(by: 0)
      return .text(metrics.text)
    default:
      return .text("record-service: CloudKit Web Services for your own records\n")
    }
  }
}
