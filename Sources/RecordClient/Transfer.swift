import FoundationEssentials
import Synchronization

/// One request on its way, and what has come of its answer.
///
/// A session hands over lines and parts of the body; it is waited for by one task.
final class Transfer: Sendable {
  /// The head of the answer as soon as it is there; nil when the transfer ended without one.
  let head = Promise<AnswerHead?>()
  let ending = Promise<Result<Data, CallFailure>>()

  private struct Arrived {
    /// The head that is being read, or was.
    var head: AnswerHead?
    var headBytes = 0
    var isHeadComplete = false
    var body = Data()
    /// Why the transfer was stopped from here.
    var refusal: CallFailure?
  }

  /// The most bytes of a head, those of heads before it and of trailers after it included.
  private static let headBytes = 64 << 10

  private let bodyBytes: Int
  private let arrived = Mutex(Arrived())
  private let cancelled = Atomic(false)

  /// - Parameter bodyBytes: the most bytes of an answer's body.
  init(bodyBytes: Int) {
    self.bodyBytes = bodyBytes
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }

  // MARK: What the session brings

  /// - Returns: whether to go on.
  func take(line bytes: UnsafeRawBufferPointer) -> Bool {
    let (complete, goesOn): (AnswerHead?, Bool) = arrived.withLock { arrived in
      arrived.headBytes += bytes.count
      guard arrived.headBytes <= Self.headBytes else {
        arrived.refusal = .unexpectedAnswer(UnexpectedAnswer(status: 0, .notHTTP))
        return (nil, false)
      }
      // What comes after the body says nothing that is read.
      guard !arrived.isHeadComplete else { return (nil, true) }
      let line = String(decoding: bytes.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
      if let head = AnswerHead(statusLine: line) {
        arrived.head = head
      } else if !line.isEmpty {
        arrived.head?.add(line: line)
      } else if let head = arrived.head, head.status >= 200 {
        // Heads below 200 only announce another one.
        arrived.isHeadComplete = true
        arrived.refusal = refusal(of: head)
        return (head, arrived.refusal == nil)
      }
      return (nil, true)
    }
    if let complete { head.keep(complete) }
    return goesOn
  }

  /// Why the body of an answer is not read.
  private func refusal(of head: AnswerHead) -> CallFailure? {
    if (300..<400).contains(head.status) {
      return .unexpectedAnswer(UnexpectedAnswer(status: head.status, .redirect))
    }
    return (head.contentLength ?? 0) > bodyBytes ? tooLarge(head.status) : nil
  }

  private func tooLarge(_ status: Int) -> CallFailure {
    .unexpectedAnswer(UnexpectedAnswer(status: status, .tooLarge))
  }

  /// - Returns: whether to go on.
  func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    arrived.withLock { arrived in
      guard bytes.count <= bodyBytes - arrived.body.count else {
        arrived.refusal = tooLarge(arrived.head?.status ?? 0)
        return false
      }
      arrived.body.append(contentsOf: bytes)
      return true
    }
  }

  /// The transfer is over.
  ///
  /// - Parameter failure: of the network; nil where all of the answer came.
  func end(_ failure: CallFailure?) {
    head.keep(nil)
    let result: Result<Data, CallFailure> = arrived.withLock { arrived in
      if let refusal = arrived.refusal { return .failure(refusal) }
      if isCancelled { return .failure(.cancelled) }
      guard let failure else {
        // libcurl takes nothing but HTTP for an answer, so there is a head.
        return arrived.isHeadComplete
          ? .success(arrived.body) : .failure(.answerLost(.connectionCut))
      }
      return .failure(arrived.isHeadComplete ? .answerLost(.connectionCut) : failure)
    }
    ending.keep(result)
  }
}
