import CloudRecords
import FoundationEssentials

/// Sends requests one after the other and reads answers, whatever they say.
///
/// No redirects, no cookies, no compression, and no second try of what may change something:
/// whoever calls decides. A GET is sent again by libcurl when a connection that was kept ends
/// before the first byte of an answer.
final class Transport: Sendable {
  struct Request: Sendable {
    /// It may have tokens in it.
    var url: String
    /// JSON, sent by POST; nil for GET.
    var body: Data?
    /// Sent as `Record-Service-Witness`; nil for none.
    var witness: String?
    /// Whether proxies are passed by: so for this machine.
    var isDirect: Bool
    var isSecure: Bool

    init(_ url: String, at place: WebURL, body: Data? = nil, witness: String? = nil) {
      self.url = url
      self.body = body
      self.witness = witness
      isDirect = place.isLoopback
      isSecure = place.scheme == .https
    }

    /// The lines of the head that say more than the URL.
    func fields(_ options: ClientOptions) -> [String] {
      var fields = ["Accept: application/json", "User-Agent: \(options.userAgent)"]
      if let witness { fields.append("\(HistoryReport.witnessHeader): \(witness)") }
      // Without a value: the body is not held back until the server says that it may come.
      if body != nil { fields += ["Content-Type: application/json", "Expect:"] }
      return fields
    }
  }

  struct Answer: Sendable {
    var head: AnswerHead
    var body: Data
  }

  private let options: ClientOptions
  private let connection = CurlConnection()

  init(_ options: ClientOptions) {
    self.options = options
  }

  /// Ends what is under way; every request from now on is `.cancelled`.
  func shutdown() async { await connection.shutdown() }

  /// - Parameter onHead: runs when the head of the answer is there, before its body is.
  func send(
    _ request: Request, onHead: (AnswerHead) async -> Void
  ) async throws(CallFailure) -> Answer {
    let transfer = Transfer(bodyBytes: options.answerBytes)
    let result = await withTaskCancellationHandler {
      connection.start(request, options, transfer)
      let head = await transfer.head.value
      if let head { await onHead(head) }
      let body = await transfer.ending.value
      return body.map { (head, $0) }
    } onCancel: {
      connection.cancel(transfer)
    }
    guard case (let head?, let body) = try result.get() else { throw .answerLost(.connectionCut) }
    return Answer(head: head, body: body)
  }
}
