import CCurl
import CloudRecords
import Dispatch
import FoundationEssentials
import Synchronization

/// A reusable HTTP connection: a libcurl session and the queue on which its requests run, one at a
/// time. Responses have any status except redirects, which are failures.
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

  private struct State {
    /// The libcurl session, created for the first request.
    nonisolated(unsafe) var session: OpaquePointer?
    /// The running transfer.
    var current: Transfer?
    var isShutDown = false
  }

  private let options: ClientOptions
  /// The clock of the options. Its times begin with the creation of this object.
  let clock: AnyClock
  private let queue = DispatchQueue(label: "HTTP", qos: .utility)
  private let state = Mutex(State())

  init(_ options: ClientOptions) {
    self.options = options
    clock = AnyClock(options.clock)
  }

  // A running transfer retains this object, so none is running here.
  deinit { free() }

  /// Cancels all requests and closes the connection. Later requests fail with `.cancelled`.
  func shutdown() async {
    let current = state.withLock { state in
      state.isShutDown = true
      return state.current
    }
    if let current { cancel(current) }
    await withCheckedContinuation { continuation in
      queue.async {
        self.free()
        continuation.resume()
      }
    }
  }

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
      queue.async { self.run(request, transfer) }
      let head = await transfer.head.value
      if let head { await onHead(head) }
      let body = await transfer.ending.value
      return body.map { (head, $0) }
    } onCancel: {
      cancel(transfer)
    }
    guard case (let head?, let body) = try result.get() else {
      throw .responseLost(.connectionClosed)
    }
    return Response(head: head, body: body)
  }

  /// Cancels a transfer, even if it has not started yet.
  private func cancel(_ transfer: Transfer) {
    transfer.cancel()
    state.withLock { state in
      if state.current === transfer, let session = state.session { http_session_wake(session) }
    }
  }

  // MARK: On the queue

  private func free() {
    state.withLock { state in
      if let session = state.session { http_session_free(session) }
      state.session = nil
    }
  }

  private func run(_ request: Request, _ transfer: Transfer) {
    let (session, isShutDown): (OpaquePointer?, Bool) = state.withLock { state in
      guard !state.isShutDown else { return (nil, true) }
      if state.session == nil { state.session = http_session_make() }
      state.current = transfer
      return (state.session, false)
    }
    if isShutDown {
      transfer.end(.cancelled)
    } else if let session {
      transfer.end(run(request, transfer, session))
    } else {
      transfer.end(.unreachable(.curlUnavailable))
    }
    state.withLock { $0.current = nil }
  }

  private func run(
    _ request: Request, _ transfer: Transfer, _ session: OpaquePointer
  ) -> CallFailure? {
    let callbacks = TransferCallbacks(
      line: { context, bytes, count in
        Transport.transfer(context)
          .receive(line: UnsafeRawBufferPointer(start: bytes, count: count))
      },
      body: { context, bytes, count in
        Transport.transfer(context)
          .receive(body: UnsafeRawBufferPointer(start: bytes, count: count))
      },
      stop: { Transport.transfer($0).isCancelled },
      context: Unmanaged.passUnretained(transfer).toOpaque())
    let milliseconds = options.connectTimeout / .milliseconds(1)
    let fields = request.fields(options).map { $0 + "\n" }.joined()
    let body = request.body.map { Array($0) }
    let outcome = request.url.withCString { url in
      fields.withCString { fields in
        (body ?? []).withUnsafeBytes { bytes in
          Self.withOptionalCString(options.certificateAuthorities) { certificateAuthorities in
            var prepared = TransferRequest()
            prepared.url = url
            prepared.fields = fields
            // An empty buffer has no address, but NULL would mean a GET request.
            if body != nil { prepared.body = bytes.baseAddress ?? UnsafeRawPointer(url) }
            prepared.body_length = bytes.count
            prepared.connect_timeout = Int(milliseconds)
            prepared.certificate_authorities = certificateAuthorities
            prepared.is_direct = request.isDirect
            return withUnsafePointer(to: prepared) { prepared in
              withUnsafePointer(to: callbacks) { http_session_run(session, prepared, $0) }
            }
          }
        }
      }
    }
    return CallFailure(outcome, isSecure: request.isSecure)
  }

  private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer {
    guard let context else { preconditionFailure("a callback without its context") }
    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  private static func withOptionalCString<Result>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
  ) -> Result {
    guard let text else { return body(nil) }
    return text.withCString(body)
  }
}
