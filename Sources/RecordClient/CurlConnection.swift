import CCurl
import Dispatch
import FoundationEssentials
import Synchronization

/// A reusable HTTP connection: a libcurl session and the queue on which its transfers run, one at a
/// time.
final class CurlConnection: Sendable {
  private struct State {
    /// The libcurl session, created for the first request.
    nonisolated(unsafe) var session: OpaquePointer?
    /// The running transfer.
    var current: Transfer?
    var isShutDown = false
  }

  private let queue = DispatchQueue(label: "HTTP", qos: .utility)
  private let state = Mutex(State())

  // A running transfer retains the connection, so none is running here.
  deinit { free() }

  /// Queues a request. The transfer receives the response and the end of the request.
  func start(_ request: Transport.Request, _ options: ClientOptions, _ transfer: Transfer) {
    queue.async { self.run(request, options, transfer) }
  }

  /// Cancels a transfer, even if it has not started yet.
  func cancel(_ transfer: Transfer) {
    transfer.cancel()
    state.withLock { state in
      if state.current === transfer, let session = state.session { http_session_wake(session) }
    }
  }

  /// Cancels the running transfer and closes the connection. Requests that wait for their turn and
  /// later requests are cancelled.
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

  // MARK: On the queue

  private func free() {
    state.withLock { state in
      if let session = state.session { http_session_free(session) }
      state.session = nil
    }
  }

  private func run(_ request: Transport.Request, _ options: ClientOptions, _ transfer: Transfer) {
    let (session, isShutDown): (OpaquePointer?, Bool) = state.withLock { state in
      guard !state.isShutDown else { return (nil, true) }
      if state.session == nil { state.session = http_session_make() }
      state.current = transfer
      return (state.session, false)
    }
    if isShutDown {
      transfer.end(.cancelled)
    } else if let session {
      transfer.end(Self.run(request, options, transfer, session))
    } else {
      transfer.end(.unreachable(.curlUnavailable))
    }
    state.withLock { $0.current = nil }
  }

  private static func run(
    _ request: Transport.Request, _ options: ClientOptions, _ transfer: Transfer,
    _ session: OpaquePointer
  ) -> CallFailure? {
    let callbacks = TransferCallbacks(
      line: { context, bytes, count in
        CurlConnection.transfer(context)
          .receive(line: UnsafeRawBufferPointer(start: bytes, count: count))
      },
      body: { context, bytes, count in
        CurlConnection.transfer(context)
          .receive(body: UnsafeRawBufferPointer(start: bytes, count: count))
      },
      stop: { CurlConnection.transfer($0).isCancelled },
      context: Unmanaged.passUnretained(transfer).toOpaque())
    let milliseconds = options.connectTimeout / .milliseconds(1)
    let fields = request.fields(options).map { $0 + "\n" }.joined()
    let body = request.body.map { Array($0) }
    let outcome = request.url.withCString { url in
      fields.withCString { fields in
        (body ?? []).withUnsafeBytes { bytes in
          withOptionalCString(options.certificateAuthorities) { certificateAuthorities in
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
