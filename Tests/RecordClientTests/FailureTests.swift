import CCurl
import CloudRecords
import Foundation
import NIOHTTP1
import Testing

@testable import RecordClient

/// Whatever comes instead of an answer.
struct FailureTests {
  /// What a call makes of a reply.
  private func failure(
    _ reply: FakeService.Reply, _ change: (inout ClientOptions) -> Void = { _ in }
  ) async throws -> CallFailure? {
    var result: CallFailure?
    try await withClient(.answering { _ in reply }, .with(change)) { client, service in
      result = await RecordClientTests.failure(of: client)
      #expect(service.requests.count == 1)
    }
    return result
  }

  private static func body(_ code: ErrorCode) -> String {
    #"{"uuid":"u","serverErrorCode":"\#(code.rawValue)","reason":"r"}"#
  }

  // MARK: The service's own

  @Test(arguments: ErrorCode.allCases + [.other("NEW_CODE")])
  func anErrorIsAsTheServiceSaidIt(_ code: ErrorCode) async throws {
    #expect(
      try await failure(.json(Self.body(code), status: code.httpStatus))
        == .service(ServiceError(code, reason: "r", uuid: "u")))
  }

  @Test func anErrorMayComeWithAStatusOfSuccess() async throws {
    #expect(
      try await failure(.json(Self.body(.throttled), ["Retry-After": "3"]))
        == .service(ServiceError(.throttled, reason: "r", retryAfter: 3, uuid: "u")))
  }

  @Test(arguments: [
    (#""retryAfter":7,"#, "3", 7.0), (#""retryAfter":0.5,"#, nil, 0.5), ("", "3", 3),
    (#""retryAfter":null,"#, "3", 3), ("", nil, nil), ("", "", nil), ("", "-3", nil),
    ("", "Wed, 21 Oct 2026 07:28:00 GMT", nil), ("", "9999999999", nil), ("", "1.5", nil),
  ])
  func theBodyThenTheHeaderSayHowLongToWait(
    _ inBody: String, _ header: String?, _ seconds: Double?
  ) async throws {
    let body = #"{\#(inBody)"serverErrorCode":"TRY_AGAIN_LATER"}"#
    let headers = header.map { HTTPHeaders([("Retry-After", $0)]) } ?? [:]
    let failure = try await failure(.json(body, status: 503, headers))
    #expect(failure == .service(ServiceError(.tryAgainLater, retryAfter: seconds)))
    #expect(failure?.retryAfter == seconds)
  }

  @Test(arguments: [
    (429, ErrorCode.throttled), (502, .serviceUnavailable), (503, .serviceUnavailable),
    (504, .serviceUnavailable),
  ])
  func whatStandsBeforeAServiceMaySayThatItIsBusy(_ status: Int, _ code: ErrorCode) async throws {
    let reply = FakeService.Reply.answer(
      status: status, headers: ["Content-Type": "text/html", "Retry-After": "9"],
      body: "<html>no</html>")
    #expect(try await failure(reply) == .service(ServiceError(code, retryAfter: 9)))
  }

  // MARK: Not the protocol

  @Test func aCaptivePortalIsNoAnswerAndIsNotQuoted() async throws {
    let page = FakeService.Reply.answer(
      status: 200, headers: ["Content-Type": "text/html; charset=utf-8"],
      body: "<html>secret</html>")
    let failure = try await failure(page)
    #expect(
      failure
        == .unexpectedAnswer(
          UnexpectedAnswer(status: 200, .unreadable, contentType: "text/html")))
    #expect(failure?.isTransient == true)
  }

  @Test(arguments: [400, 401, 403, 404, 413, 500])
  func anErrorWithoutItsBodyIsUnexpected(_ status: Int) async throws {
    #expect(
      try await failure(.json(#"{"error":"no"}"#, status: status))
        == .unexpectedAnswer(
          UnexpectedAnswer(status: status, .noServiceError, contentType: "application/json")))
  }

  @Test func anAnswerOfAnotherShapeIsUnexpected() async throws {
    #expect(
      try await failure(.json(#"{"zones":"none"}"#))
        == .unexpectedAnswer(
          UnexpectedAnswer(status: 200, .unreadable, contentType: "application/json")))
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func redirectsAreNotFollowed(_ status: Int) async throws {
    let other = FakeService.Reply.answer(
      status: status, headers: ["Location": "/elsewhere"], body: "")
    #expect(
      try await failure(other)
        == .unexpectedAnswer(UnexpectedAnswer(status: status, .redirect)))
  }

  @Test func aBodyMayOnlyBeSoLarge() async throws {
    let tooLarge = CallFailure.unexpectedAnswer(UnexpectedAnswer(status: 200, .tooLarge))
    let exact = #"{"zones":[         ]}"#
    #expect(exact.utf8.count == 20 + 1)
    #expect(try await failure(.json(exact)) { $0.answerBytes = 21 } == nil)
    #expect(try await failure(.json(exact)) { $0.answerBytes = 20 } == tooLarge)
    #expect(try await failure(.endless) { $0.answerBytes = 20 } == tooLarge)
    // Told by the head already.
    #expect(
      try await failure(.cut(promised: JSONBounds.answer.bytes + 1, body: ""))
        == tooLarge)
  }

  @Test func whatIsNotHTTPIsUnexpected() async throws {
    #expect(
      try await failure(.raw("SSH-2.0-OpenSSH_9.2\r\n"))
        == .unexpectedAnswer(UnexpectedAnswer(status: 0, .notHTTP)))
  }

  @Test func trailersMayOnlyBeSoLong() async throws {
    func answer(trailers count: Int) -> FakeService.Reply {
      .raw(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n{\"zones\":[]}\r\n0\r\n"
          + String(repeating: "Trailer: 0123456789\r\n", count: count) + "\r\n")
    }
    #expect(try await failure(answer(trailers: 10)) == nil)
    #expect(
      try await failure(answer(trailers: 10_000))
        == .unexpectedAnswer(UnexpectedAnswer(status: 0, .notHTTP)))
  }

  // MARK: The network

  @Test func anAnswerThatIsCutIsLost() async throws {
    let lost = CallFailure.answerLost(.connectionCut)
    #expect(try await failure(.cut(promised: 100, body: #"{"zones":"#)) == lost)
    #expect(try await failure(.hangUp) == lost)
    #expect(try await failure(.raw("HTTP/1.1 200 OK\r\nContent-Le")) == lost)
  }

  /// It may have been carried out.
  @Test func aChangeWithoutAnAnswerIsNotSentAgain() async throws {
    try await withClient(.answering { $0.index == 0 ? .json("{}") : .hangUp }) { client, service in
      #expect(await RecordClientTests.failure(of: client) == nil)
      let failure = await RecordClientTests.failure { () async throws(CallFailure) in
        _ = try await client.call(RecordsModify.self, modification(200))
      }
      #expect(failure == .answerLost(.connectionCut))
      #expect(service.requests.map(\.method) == ["GET", "POST"])
    }
  }

  @Test(arguments: [FakeService.Reply.silence, .onlyHead([:])])
  func anAnswerThatTakesTooLongIsLost(_ reply: FakeService.Reply) async throws {
    let clock = ManualClock()
    let options = ClientOptions.with {
      $0.clock = clock
      $0.requestTimeout = ClientOptions().requestTimeout
    }
    try await withClient(.answering { _ in reply }, options) { client, service in
      let task = Task { await RecordClientTests.failure(of: client) }
      _ = await service.arrival()
      await clock.waits(for: 1)
      clock.advance(by: .seconds(59))
      #expect(clock.sleeping == 1)
      clock.advance(by: .seconds(1))
      #expect(await task.value == .answerLost(.tooSlow))
      #expect(clock.sleeping == 0)
    }
  }

  @Test func aServerThatIsNotThereIsUnreachable() async throws {
    let port = try ReservedPort()
    try await withClient(at: "http://127.0.0.1:\(port.number)", ClientOptions()) { client in
      #expect(
        await RecordClientTests.failure(of: client) == .unreachable(.connectionRefused))
    }
    // Reserved until here.
    _ = port.number
  }

  @Test(arguments: [
    (TransferOutcome(ending: TRANSFER_STOPPED), CallFailure.cancelled),
    (TransferOutcome(ending: TRANSFER_URL_UNUSABLE), .unreachable(.addressUnusable)),
    (TransferOutcome(ending: TRANSFER_PROXY_UNKNOWN), .unreachable(.proxyUnknown)),
    (TransferOutcome(ending: TRANSFER_NAME_UNKNOWN), .unreachable(.nameUnknown)),
    (TransferOutcome(ending: TRANSFER_NOT_CONNECTED), .unreachable(.noConnection)),
    (
      TransferOutcome(ending: TRANSFER_NOT_CONNECTED, errorNumber: ECONNREFUSED),
      .unreachable(.connectionRefused)
    ),
    (
      TransferOutcome(ending: TRANSFER_NOT_CONNECTED, errorNumber: ENETUNREACH),
      .unreachable(.noNetwork)
    ),
    (
      TransferOutcome(ending: TRANSFER_NOT_CONNECTED, errorNumber: ETIMEDOUT),
      .unreachable(.tooSlow)
    ),
    (
      TransferOutcome(ending: TRANSFER_PROXY_REFUSED, proxyStatus: 407),
      .unreachable(.proxyPasswordAsked)
    ),
    (
      TransferOutcome(ending: TRANSFER_PROXY_REFUSED, proxyStatus: 403), .unreachable(.proxyRefused)
    ),
    (TransferOutcome(ending: TRANSFER_PROXY_REFUSED), .unreachable(.proxyRefused)),
    (TransferOutcome(ending: TRANSFER_TOO_SLOW), .unreachable(.tooSlow)),
    (TransferOutcome(ending: TRANSFER_TOO_SLOW, isConnected: true), .unreachable(.tlsTooSlow)),
    (TransferOutcome(ending: TRANSFER_TLS_FAILED), .unreachable(.tlsFailed)),
    (TransferOutcome(ending: TRANSFER_CERTIFICATE_UNTRUSTED), .unreachable(.certificateUntrusted)),
    (TransferOutcome(ending: TRANSFER_CERTIFICATE_OF_ANOTHER), .unreachable(.certificateOfAnother)),
    (
      TransferOutcome(ending: TRANSFER_NOT_HTTP),
      .unexpectedAnswer(UnexpectedAnswer(status: 0, .notHTTP))
    ),
    (TransferOutcome(ending: TRANSFER_CUT), .answerLost(.connectionCut)),
    (TransferOutcome(ending: TRANSFER_ENDED), nil),
  ])
  func endsOfATransferAreToldInShort(_ outcome: TransferOutcome, _ failure: CallFailure?) {
    #expect(CallFailure(outcome, isSecure: true) == failure)
  }

  // MARK: What to do about it

  @Test func whatMaySucceedLaterIsTransient() {
    let transient: [CallFailure] = [
      .service(ServiceError(.throttled)), .service(ServiceError(.zoneBusy)),
      .unreachable(.connectionCut),
      .answerLost(.connectionCut), .unexpectedAnswer(UnexpectedAnswer(status: 200, .redirect)),
    ]
    let lasting: [CallFailure] = [
      .service(ServiceError(.badRequest)), .service(ServiceError(.authenticationRequired)),
      .untrustedURL(.scheme), .credentials(.unreadable), .cancelled,
    ]
    #expect(!transient.contains { !$0.isTransient })
    #expect(!lasting.contains { $0.isTransient })
  }

  @Test(arguments: [
    (CallFailure.service(ServiceError(.badRequest)), true),
    (.service(ServiceError(.limitExceeded)), true),
    (.service(ServiceError(.other("X"), reason: Reason.tooManyItems(500, limit: 200))), true),
    (.service(ServiceError(.quotaExceeded, reason: "more than the maximum number")), false),
    (.service(ServiceError(.accessDenied, reason: "no")), false),
    (.service(ServiceError(.internalError)), false),
    (.unexpectedAnswer(UnexpectedAnswer(status: 413, .noServiceError)), true),
    (.unexpectedAnswer(UnexpectedAnswer(status: 400, .noServiceError)), false),
    (.answerLost(.connectionCut), false), (.unreachable(.connectionCut), false),
    (.cancelled, false),
  ])
  func someRefusalsAskForSmallerRequests(_ failure: CallFailure, _ smaller: Bool) {
    #expect(failure.asksForSmallerRequests == smaller)
  }
}

extension TransferOutcome {
  fileprivate init(
    ending: TransferEnding, errorNumber: Int32 = 0, proxyStatus: Int = 0, isConnected: Bool = false
  ) {
    self.init(
      ending: ending, error_number: errorNumber, proxy_status: proxyStatus,
      is_connected: isConnected)
  }
}
