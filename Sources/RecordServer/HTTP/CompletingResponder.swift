import CloudRecords
import HTTPTypes
import Hummingbird
import Logging
import Metrics

/// Completes the response of every request. It converts errors to responses of the protocol, adds
/// the headers that all responses have, writes a log line and updates the metrics.
///
/// A middleware of the router could do the same, but the closures through which Hummingbird calls
/// middleware would take memory in each waiting long poll.
///
/// The log contains the path's template and not the path: queries contain tokens, and paths can
/// contain secrets.
struct CompletingResponder: HTTPResponder {
  let routes: RouterResponder<HTTPContext>
  let metrics: MetricsRegistry
  /// The logger for requests. It is used instead of the request's own logger, which only logs
  /// warnings and errors.
  let logger: Logger
  let origin: RequestOrigin

  func respond(to request: Request, context: HTTPContext) async throws -> Response {
    // Lets other tasks run first. Otherwise a connection that has sent many requests could get all
    // its responses before any other connection gets one.
    await Task.yield()
    let start = ContinuousClock.now
    let result: Result<Response, any Error>
    if let direct = directResponse(to: request) {
      result = direct
    } else {
      do {
        result = .success(try await routes.respond(to: request, context: context))
      } catch {
        result = .failure(error)
      }
    }
    return finished(result, request, context, ContinuousClock.now - start)
  }

  // The following functions are not inlined into `respond`, whose async frame stays allocated
  // during a long poll: thousands of polls can wait at the same time.

  /// The response to a request that does not reach the router; nil for all other requests.
  @inline(never) private func directResponse(to request: Request) -> Result<Response, any Error>? {
    guard origin.isAddressed(request.head.authority) else {
      return .failure(ServiceError(.badRequest, cause: .foreignHost))
    }
    guard request.uri.path.utf8.count <= Self.longestPath else {
      return .failure(ServiceError(.notFound, cause: .noSuchEndpoint))
    }
    return request.method == .options ? .success(Self.preflight) : nil
  }

  @inline(never) private func finished(
    _ result: Result<Response, any Error>, _ request: Request, _ context: HTTPContext,
    _ duration: Duration
  ) -> Response {
    var response: Response
    do {
      response = try result.get()
      if context.endpointPath == Self.noRoute {
        response = notFound(request, context)
      }
    } catch let error as ServiceError {
      response = .failure(error, id: context.id)
    } catch let failure as StorageFailure {
      response = .failure(failure.serviceError, id: context.id)
    } catch is CancellationError {
      // The server is shutting down.
      response = .failure(StorageFailure.cancelled.serviceError, id: context.id)
    } catch {
      response = failed(error, context)
    }
    response.headers[.requestUUID] = context.id
    response.headers[.protocolVersion] = "1.0"
    // A year (RFC 6797, 6.1). Browsers ignore it where it comes without TLS.
    if origin.options.usesTLS { response.headers[.strictTransportSecurity] = "max-age=31536000" }
    if request.headers[.origin] != nil, ServedPath.isProtocol(request.uri.path) {
      // Any origin is allowed: requests are authorized by tokens in the URL, never by cookies or
      // other credentials that a browser adds by itself.
      response.headers[.accessControlAllowOrigin] = "*"
      response.headers[.accessControlExposeHeaders] = Self.exposed
    }
    measureAndLog(request, response, context, duration)
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func notFound(_ request: Request, _ context: HTTPContext) -> Response {
    let methods = ServedPath.methods(at: request.uri.path)
    guard !methods.isEmpty, !methods.contains(request.method) else {
      return .failure(ServiceError(.notFound, cause: .noSuchEndpoint), id: context.id)
    }
    var response = Response.failure(
      ServiceError(.badRequest, cause: .wrongMethod(request.method.rawValue)),
      id: context.id)
    response.status = .methodNotAllowed
    response.headers[.allow] = methods.map(\.rawValue).joined(separator: ", ")
    return response
  }

  private func failed(_ error: any Error, _ context: HTTPContext) -> Response {
    logger.error(
      LogMessage.requestFailed,
      metadata: ["id": "\(context.id)", "error": "\(LogMessage.sentence(error))"])
    return .failure(
      ServiceError(.internalError, cause: .internalFailure), id: context.id)
  }

  /// The maximum length of a path in bytes; a longer one is not found. Served paths are much
  /// shorter.
  private static let longestPath = 2048

  /// The metric that counts the responses whose history report says that the service lost changes.
  static let forks = "record_service_forks_total"

  /// The endpoint of requests for which the router has no route.
  private static let noRoute = "NotFound"

  private static let exposed =
    "X-Apple-Request-UUID, X-Apple-CloudKit-Web-Auth-Token, X-Apple-CloudKit-Version, "
    + "Retry-After, \(HistoryReport.header), \(HistoryReport.serviceHeader)"

  /// The response to a browser's CORS preflight request.
  private static var preflight: Response {
    Response(
      status: .noContent,
      headers: [
        .accessControlAllowMethods: "GET, POST",
        .accessControlAllowHeaders: "Content-Type, \(HistoryReport.witnessHeader)",
        .accessControlMaxAge: "86400",
      ])
  }

  private func measureAndLog(
    _ request: Request, _ response: Response, _ context: HTTPContext, _ duration: Duration
  ) {
    let path = context.endpointPath.map { $0 == Self.noRoute ? "none" : $0 } ?? "none"
    let seconds =
      Double(duration.components.attoseconds) / 1e18 + Double(duration.components.seconds)
    // Clients can send any method, so all other methods share one label.
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
      LogMessage.request,
      metadata: [
        "id": "\(context.id)", "method": "\(method)", "path": "\(path)",
        "status": "\(response.status.code)", "seconds": "\(seconds)",
      ])
  }
}

extension ServedPath {
  /// The methods with which a path is served; empty if the path is not served.
  fileprivate static func methods(at path: String) -> [HTTPRequest.Method] {
    // The router ignores empty parts, too.
    let words = path.split(separator: "/")
    return all.filter { served in
      let template = served.template.split(separator: "/")
      return template.count == words.count
        && zip(template, words).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
    }.map(\.method)
  }

  /// Whether web pages of any origin can read the responses of a path. They cannot read the sign-in
  /// pages, the metrics and the health check.
  fileprivate static func isProtocol(_ path: String) -> Bool {
    let first = path.split(separator: "/", maxSplits: 1).first ?? ""
    return ["database", "device", "session", "courier", "assets"].contains(first)
  }
}
