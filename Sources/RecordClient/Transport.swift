import CloudRecords
import FoundationEssentials

/// Sends requests one at a time, and receives responses of any status except redirects, which are
/// failures.
///
/// It does not use cookies, and does not retry POST requests with a body. libcurl retries other
/// requests if a reused connection is closed before the first byte of a response, and decompresses
/// responses.
final class Transport: Sendable {
  /// A request.
  struct Request: Sendable {
    /// The URL, which may contain tokens.
    var url: String
    /// The body that is sent by POST; nil for a GET request.
    var body: Data?
    /// The media type of the body.
    var contentType = "application/json"
    /// The value of the `Record-Service-Witness` header field; nil for none.
    var witness: String?
    /// Whether proxies are bypassed, which is the case for loopback addresses.
    var isDirect: Bool
    /// Whether the connection uses TLS.
    var isSecure: Bool

    init(_ url: String, server: WebURL, body: Data? = nil, witness: String? = nil) {
      self.url = url
      self.body = body
      self.witness = witness
      isDirect = server.isLoopback
      isSecure = server.scheme == .https
    }

    /// Returns the header fields as lines.
    func fields(_ options: ClientOptions) -> [String] {
      var fields = ["Accept: application/json", "User-Agent: \(options.userAgent)"]
      if let witness { fields.append("\(HistoryReport.witnessHeader): \(witness)") }
      // An empty `Expect` prevents libcurl from waiting for "100 Continue" before it sends the
      // body.
      if body != nil { fields += ["Content-Type: \(contentType)", "Expect:"] }
      return fields
    }
  }

  /// A response.
  struct Response: Sendable {
    var head: ResponseHead
    var body: Data
  }

  private let options: ClientOptions
  private let clock: AnyClock
  private let connection = CurlConnection()

  init(_ options: ClientOptions) {
    self.options = options
    clock = AnyClock(options.clock)
  }

  /// Cancels all requests. Later requests fail with `.cancelled`.
  func shutdown() async { await connection.shutdown() }

  /// Sends a request and receives its response.
  ///
  /// - Parameters:
  ///   - limit: The maximum time, which includes the wait for earlier requests.
  ///   - onHead: A closure that runs when the head of the response has been received, before its
  ///     body.
  /// - Returns: The response; nil if the time limit is exceeded.
  func send(
    _ request: Request, within limit: Duration,
    onHead: @escaping @Sendable (ResponseHead) async -> Void = { _ in }
  ) async throws(CallFailure) -> Response? {
    let (result, isTimedOut) = await clock.within(limit) { [self] () async in
      do throws(CallFailure) {
        return Result<Response, CallFailure>.success(try await send(request, onHead: onHead))
      } catch {
        return .failure(error)
      }
    }
    if isTimedOut, case .failure(.cancelled) = result { return nil }
    return try result.get()
  }

  private func send(
    _ request: Request, onHead: (ResponseHead) async -> Void
  ) async throws(CallFailure) -> Response {
    let transfer = Transfer(bodyBytes: options.responseBytes)
    let result = await withTaskCancellationHandler {
      connection.start(request, options, transfer)
      let head = await transfer.head.value
      if let head { await onHead(head) }
      let body = await transfer.ending.value
      return body.map { (head, $0) }
    } onCancel: {
      connection.cancel(transfer)
    }
    guard case (let head?, let body) = try result.get() else {
      throw .responseLost(.connectionClosed)
    }
    return Response(head: head, body: body)
  }
}
