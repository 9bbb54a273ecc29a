import CloudRecords
import HTTPTypes
import Hummingbird
import Metrics

/// The handler of the paths whose responses are plain text: the health check and the metrics for
/// the operator's tools, and the line of text at `/`.
struct OperatorHandler: Sendable {
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
      return .text(PlainText.healthy)
    case .metrics:
      // The metrics are only for programs on this machine.
      guard origin.isLocal(request, context) else {
        throw ServiceError(.notFound, cause: .noSuchEndpoint)
      }
      Gauge(label: "record_service_polls", factory: metrics).record(push.waiting)
      Gauge(label: "record_service_couriers", factory: metrics).record(push.known)
      // Make the counter appear in the metrics while it is still 0.
      Counter(label: CompletingResponder.forks, factory: metrics).increment(by: 0)
      // The content type of the Prometheus text format.
      return .text(metrics.text, contentType: "text/plain; version=0.0.4; charset=utf-8")
    default:
      return .text(PlainText.index)
    }
  }
}
