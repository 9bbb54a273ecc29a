import FoundationEssentials
import Synchronization

/// A request that is being sent, and the response received so far.
///
/// The libcurl session passes lines of the head and parts of the body to it. One task waits for it.
final class Transfer: Sendable {
  /// The head of the response, set as soon as it is complete; nil if the transfer ended without
  /// one.
  let head = Promise<ResponseHead?>()
  /// The body of the response, or the reason why there is none.
  let ending = Promise<Result<Data, CallFailure>>()

  /// The part of the response that has been received.
  private struct Arrived {
    /// The head, which may still be incomplete.
    var head: ResponseHead?
    var headBytes = 0
    var isHeadComplete = false
    var body = Data()
    /// The reason why this client stopped the transfer.
    var refusal: CallFailure?
  }

  /// The maximum size of a head in bytes, including preceding informational responses and trailers.
  private static let headBytes = 64 << 10

  private let bodyBytes: Int
  private let arrived = Mutex(Arrived())
  private let cancelled = Atomic(false)

  /// Creates the transfer of a request that has not been sent.
  ///
  /// - Parameter bodyBytes: The maximum size of the decompressed response body in bytes.
  init(bodyBytes: Int) {
    self.bodyBytes = bodyBytes
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }

  // MARK: Callbacks of the session

  /// Receives a line of the head or of the trailers.
  ///
  /// - Returns: Whether the transfer continues.
  func receive(line bytes: UnsafeRawBufferPointer) -> Bool {
    let (complete, continues): (ResponseHead?, Bool) = arrived.withLock { arrived in
      arrived.headBytes += bytes.count
      guard arrived.headBytes <= Self.headBytes else {
        arrived.refusal = tooLarge(arrived.head?.status ?? 0)
        return (nil, false)
      }
      // Trailers are ignored.
      guard !arrived.isHeadComplete else { return (nil, true) }
      let line = String(decoding: bytes.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
      if let head = ResponseHead(statusLine: line) {
        arrived.head = head
      } else if !line.isEmpty {
        arrived.head?.add(line: line)
      } else if let head = arrived.head, head.status >= 200 {
        // An informational response (1xx) is followed by another head.
        arrived.isHeadComplete = true
        arrived.refusal = refusal(of: head)
        return (head, arrived.refusal == nil)
      }
      return (nil, true)
    }
    if let complete { head.fulfill(complete) }
    return continues
  }

  /// The reason for stopping the transfer before its body; nil if the body is to be received.
  private func refusal(of head: ResponseHead) -> CallFailure? {
    if (300..<400).contains(head.status) {
      return .unexpectedResponse(UnexpectedResponse(status: head.status, .redirect))
    }
    return (head.contentLength ?? 0) > bodyBytes ? tooLarge(head.status) : nil
  }

  private func tooLarge(_ status: Int) -> CallFailure {
    .unexpectedResponse(UnexpectedResponse(status: status, .tooLarge))
  }

  /// Receives a part of the decompressed body.
  ///
  /// - Returns: Whether the transfer continues.
  func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
    arrived.withLock { arrived in
      guard bytes.count <= bodyBytes - arrived.body.count else {
        arrived.refusal = tooLarge(arrived.head?.status ?? 0)
        return false
      }
      arrived.body.append(contentsOf: bytes)
      return true
    }
  }

  /// Receives the end of the transfer.
  ///
  /// - Parameter failure: The failure of the network; nil if the whole response was received.
  func end(_ failure: CallFailure?) {
    head.fulfill(nil)
    let result: Result<Data, CallFailure> = arrived.withLock { arrived in
      if let refusal = arrived.refusal { return .failure(refusal) }
      if isCancelled { return .failure(.cancelled) }
      guard let failure else {
        // libcurl only succeeds with an HTTP response, so the head should be complete.
        return arrived.isHeadComplete
          ? .success(arrived.body) : .failure(.responseLost(.connectionClosed))
      }
      guard arrived.isHeadComplete, let head = arrived.head else { return .failure(failure) }
      switch failure {
      // The body cannot be decompressed. If bytes follow its end, libcurl has the same result as if
      // this client had stopped the transfer.
      case .cancelled, .unexpectedResponse:
        return .failure(.unexpectedResponse(UnexpectedResponse(status: head.status, .unreadable)))
      default:
        return .failure(.responseLost(.connectionClosed))
      }
    }
    ending.fulfill(result)
  }
}
