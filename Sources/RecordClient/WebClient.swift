import CloudRecords

/// Fetches documents of a web service that needs no sign-in, by GET requests, one at a time.
///
///     let client = try WebClient("https://quranenc.com")
///     let response = try await client.get("/api/v1/translations/list")
///     await client.shutdown()
public final class WebClient: Sendable {
  /// A response of any status except redirects, which are failures.
  public struct Response: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The bytes of the body.
    public let body: [UInt8]
    /// The number of seconds to wait before the request is sent again, if the service sent it.
    public let retryAfter: Double?

    /// Whether the status is 2xx.
    public var isSuccess: Bool { (200..<300).contains(status) }
  }

  private let url: WebURL
  private let options: ClientOptions
  private let transport: Transport

  /// Creates a client. It connects when the first request is sent.
  ///
  /// - Parameters:
  ///   - origin: An https URL, or an http URL of a loopback address. It may not have a path other
  ///     than `/`, a query, a fragment or user information.
  ///   - options: The configuration of the client, of which `pollTimeout`, `assetTimeout`,
  ///     `endTimeout` and `operationsPerSecond` are not used.
  /// - Throws: The reason why the URL is rejected.
  public init(
    _ origin: String, options: ClientOptions = ClientOptions()
  ) throws(AddressProblem) {
    url = try WebURL(origin: origin)
    self.options = options
    transport = Transport(options)
  }

  /// Cancels all requests. Later requests fail with `.cancelled`.
  public func shutdown() async { await transport.shutdown() }

  /// Fetches a document.
  ///
  /// - Parameter path: The path and the query of the document, percent-encoded.
  /// - Throws: The reason why there is no complete response.
  public func get(_ path: String) async throws(CallFailure) -> Response {
    guard !Task.isCancelled else { throw .cancelled }
    let request = Transport.Request(url.origin + path, server: url)
    guard let response = try await transport.send(request, within: options.requestTimeout)
    else { throw .responseLost(.timedOut) }
    return Response(
      status: response.head.status, body: Array(response.body),
      retryAfter: response.head.retryAfter)
  }

  /// Waits before a request is sent again.
  ///
  /// - Parameter seconds: The time to wait in seconds.
  /// - Throws: `.cancelled` if the task is cancelled.
  public func wait(seconds: Double) async throws(CallFailure) {
    do {
      try await transport.clock.sleep(until: transport.clock.now + .seconds(seconds))
    } catch {
      throw .cancelled
    }
  }
}
