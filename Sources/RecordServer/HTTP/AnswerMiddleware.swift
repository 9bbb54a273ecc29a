import CloudRecords
import HTTPTypes
import Hummingbird
import Logging
import Metrics

/// Stands around every request: whatever becomes of it is an answer of the protocol, with the
/// headers that all answers have; a line in the log and a mark in the metrics.
///
/// What is logged is the template of the path. Queries hold tokens, paths may hold secrets.
struct AnswerMiddleware: RouterMiddleware {
  typealias Context = HTTPContext

  let metrics: MetricsRegistry
  /// A request's own says no more than the libraries do: what is wrong.
  let logger: Logger

  func handle(
    _ request: Request, context: HTTPContext,
    next: (Request, HTTPContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    let answer: Result<Response, any Error>
    do {
      answer = .success(
        request.method == .options ? Self.preflight : try await next(request, context))
    } catch {
      answer = .failure(error)
    }
    return finished(answer, request, context, ContinuousClock.now - start)
  }

  // Apart from the wait, whose frame should hold no more than it needs: there are many at once.
  @inline(never) private func finished(
    _ answer: Result<Response, any Error>, _ request: Request, _ context: HTTPContext,
    _ duration: Duration
  ) -> Response {
    var response: Response
    do {
      response = try answer.get()
    } catch let error as HTTPError where error.status == .notFound {
      response = notFound(request, context)
    } catch let error as ServiceError {
      response = .failure(error, id: context.id)
    } catch let failure as StorageFailure {
      response = .failure(failure.serviceError, id: context.id)
    } catch is CancellationError {
      // The service is told to end.
      response = .failure(StorageFailure.cancelled.serviceError, id: context.id)
    } catch {
      response = failed(error, context)
    }
    response.headers[.requestUUID] = context.id
    response.headers[.protocolVersion] = "1.0"
    if request.headers[.origin] != nil, ServedPath.isProtocol(request.uri.path) {
      // Nothing here depends on what a browser keeps: who may is said by tokens.
      response.headers[.accessControlAllowOrigin] = "*"
      response.headers[.accessControlExposeHeaders] = Self.exposed
    }
    note(request, response, context, duration)
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func notFound(_ request: Request, _ context: HTTPContext) -> Response {
    let methods = ServedPath.methods(at: request.uri.path)
    guard !methods.isEmpty, !methods.contains(request.method) else {
      return .failure(ServiceError(.notFound, reason: Reason.noSuchEndpoint), id: context.id)
    }
    var response = Response.failure(
      ServiceError(.badRequest, reason: Reason.wrongMethod(request.method.rawValue)),
      id: context.id)
    response.status = .methodNotAllowed
    response.headers[.allow] = methods.map(\.rawValue).joined(separator: ", ")
    return response
  }

  private func failed(_ error: any Error, _ context: HTTPContext) -> Response {
    logger.error("request failed", metadata: ["id": "\(context.id)", "error": "\(error.loggable)"])
    return .failure(
      ServiceError(.internalError, reason: Reason.storageFailed), id: context.id)
  }

  /// The metric that counts the answers that told a client of a lost history.
  static let forks = "record_service_forks_total"

  private static let exposed =
    "X-Apple-Request-UUID, X-Apple-CloudKit-Web-Auth-Token, X-Apple-CloudKit-Version, "
    + "Retry-After, \(HistoryReport.header), \(HistoryReport.serviceHeader)"

  /// What a browser asks before it sends a page's request.
  private static var preflight: Response {
    Response(
      status: .noContent,
      headers: [
        .accessControlAllowMethods: "GET, POST",
        .accessControlAllowHeaders: "Content-Type, \(HistoryReport.witnessHeader)",
        .accessControlMaxAge: "86400",
      ])
  }

  private func note(
    _ request: Request, _ response: Response, _ context: HTTPContext, _ duration: Duration
  ) {
    let path = context.endpointPath.map { $0 == "NotFound" ? "none" : $0 } ?? "none"
    let seconds =
      Double(duration.components.attoseconds) / 1e18 + Double(duration.components.seconds)
    // Methods are what anyone likes to send.
    let method =
      request.method == .get || request.method == .post ? request.method.rawValue : "other"
    Counter(
      label: "record_service_requests_total",
      dimensions: [
        ("method", method), ("path", path), ("status", "\(response.status.code)"),
      ], factory: metrics
    ).increment()
    Timer(
      label: "record_service_request_seconds", dimensions: [("path", path)], factory: metrics
    ).recordSeconds(seconds)
    if let report = response.headers[.history].flatMap(HistoryReport.init(header:)), report.isFork {
      Counter(label: Self.forks, factory: metrics).increment()
    }
    logger.info(
      "request",
      metadata: [
        "id": "\(context.id)", "method": "\(method)", "path": "\(path)",
        "status": "\(response.status.code)", "seconds": "\(seconds)",
      ])
  }
}

extension Error {
  /// What a log may say of it. The description of one that is not of here may hold anything;
  /// its kind does not.
  var loggable: String {
    switch self {
    case let failure as StorageFailure: failure.description
    case let error as ServiceError: error.description
    default: "\(type(of: self))"
    }
  }
}

extension ServedPath {
  /// The methods by which a path is served; none for one that is not there.
  fileprivate static func methods(at path: String) -> [HTTPRequest.Method] {
    let words = path.split(separator: "/", omittingEmptySubsequences: false)
    return all.filter { served in
      let template = served.template.split(separator: "/", omittingEmptySubsequences: false)
      return template.count == words.count
        && zip(template, words).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
    }.map(\.method)
  }

  /// Whether programs of any origin may read what a path answers: pages for people, and what
  /// only this machine may know, are not for them.
  fileprivate static func isProtocol(_ path: String) -> Bool {
    ["/database/", "/device/", "/session/", "/courier/"].contains { path.hasPrefix($0) }
  }
}
