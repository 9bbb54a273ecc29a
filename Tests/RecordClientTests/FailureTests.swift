import CCurl
import CloudRecords
import Compression
import Foundation
import NIOHTTP1
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

/// The failures of calls.
struct FailureTests {
  /// The failure of a call whose response is `reply`; nil if it succeeds.
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

  // MARK: Errors of the service

  @Test(arguments: ErrorCode.allCases + [.other("NEW_CODE")])
  func serviceErrorsAreReportedUnchanged(_ code: ErrorCode) async throws {
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
  func retryAfterIsReadFromTheBodyThenTheHeader(
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
  func aProxyMayReportThatTheServiceIsBusy(_ status: Int, _ code: ErrorCode) async throws {
    let reply = FakeService.Reply.answer(
      status: status, headers: ["Content-Type": "text/html", "Retry-After": "9"],
      body: "<html>no</html>")
    #expect(try await failure(reply) == .service(ServiceError(code, retryAfter: 9)))
  }

  // MARK: Responses that violate the protocol

  @Test func aCaptivePortalIsUnexpectedAndNotQuoted() async throws {
    let page = FakeService.Reply.answer(
      status: 200, headers: ["Content-Type": "text/html; charset=utf-8"],
      body: "<html>secret</html>")
    let failure = try await failure(page)
    #expect(
      failure
        == .unexpectedResponse(
          UnexpectedResponse(status: 200, .unreadable, contentType: "text/html")))
    #expect(failure?.isTransient == true)
  }

  @Test(arguments: [400, 401, 403, 404, 413, 500])
  func anErrorStatusWithoutAServiceErrorIsUnexpected(_ status: Int) async throws {
    #expect(
      try await failure(.json(#"{"error":"no"}"#, status: status))
        == .unexpectedResponse(
          UnexpectedResponse(status: status, .undecodableError, contentType: "application/json")))
  }

  @Test func anAnswerOfAnotherShapeIsUnexpected() async throws {
    #expect(
      try await failure(.json(#"{"zones":"none"}"#))
        == .unexpectedResponse(
          UnexpectedResponse(status: 200, .unreadable, contentType: "application/json")))
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func redirectsAreNotFollowed(_ status: Int) async throws {
    let other = FakeService.Reply.answer(
      status: status, headers: ["Location": "/elsewhere"], body: "")
    #expect(
      try await failure(other)
        == .unexpectedResponse(UnexpectedResponse(status: status, .redirect)))
  }

  @Test func theSizeOfABodyIsLimited() async throws {
    let tooLarge = CallFailure.unexpectedResponse(UnexpectedResponse(status: 200, .tooLarge))
    let exact = #"{"zones":[         ]}"#
    #expect(exact.utf8.count == 20 + 1)
    #expect(try await failure(.json(exact)) { $0.responseBytes = 21 } == nil)
    #expect(try await failure(.json(exact)) { $0.responseBytes = 20 } == tooLarge)
    #expect(try await failure(.endless) { $0.responseBytes = 20 } == tooLarge)
    // The head announces the size.
    #expect(
      try await failure(.cut(promised: JSONBounds.response.bytes + 1, body: ""))
        == tooLarge)
  }

  @Test func compressedResponsesAreDecompressedWithinTheLimit() async throws {
    let body = #"{"zones":[],"x":"\#(String(repeating: " ", count: 1_000_000))"}"#
    let gzip = try #require(Deflater.gzip(Array(body.utf8)))
    #expect(gzip.count < 10_000)
    #expect(try await failure(.gzip(gzip)) == nil)
    let tooLarge = CallFailure.unexpectedResponse(UnexpectedResponse(status: 200, .tooLarge))
    #expect(try await failure(.gzip(gzip)) { $0.responseBytes = 10_000 } == tooLarge)
    let unreadable = CallFailure.unexpectedResponse(UnexpectedResponse(status: 200, .unreadable))
    let bodies: [[UInt8]] = [
      Array(gzip.dropLast(100)), Array(body.utf8.prefix(100)), gzip + [1, 2, 3], gzip + gzip,
    ]
    for damaged in bodies { #expect(try await failure(.gzip(damaged)) == unreadable) }
  }

  @Test func aResponseThatIsNotHTTPIsUnexpected() async throws {
    #expect(
      try await failure(.raw("SSH-2.0-OpenSSH_9.2\r\n"))
        == .unexpectedResponse(UnexpectedResponse(status: 0, .notHTTP)))
  }

  @Test func theSizeOfTrailersIsLimited() async throws {
    func answer(trailers count: Int) -> FakeService.Reply {
      .raw(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n{\"zones\":[]}\r\n0\r\n"
          + String(repeating: "Trailer: 0123456789\r\n", count: count) + "\r\n")
    }
    #expect(try await failure(answer(trailers: 10)) == nil)
    #expect(
      try await failure(answer(trailers: 10_000))
        == .unexpectedResponse(UnexpectedResponse(status: 200, .tooLarge)))
  }

  @Test func theSizeOfAHeadIsLimited() async throws {
    func answer(fields count: Int) -> FakeService.Reply {
      .raw(
        "HTTP/1.1 200 OK\r\n" + String(repeating: "Field: 0123456789\r\n", count: count)
          + "Content-Length: 12\r\n\r\n{\"zones\":[]}")
    }
    #expect(try await failure(answer(fields: 1000)) == nil)
    #expect(
      try await failure(answer(fields: 10_000))
        == .unexpectedResponse(UnexpectedResponse(status: 200, .tooLarge)))
  }

  // MARK: The network

  @Test func aTruncatedResponseIsLost() async throws {
    let lost = CallFailure.responseLost(.connectionClosed)
    #expect(try await failure(.cut(promised: 100, body: #"{"zones":"#)) == lost)
    #expect(try await failure(.hangUp) == lost)
    #expect(try await failure(.raw("HTTP/1.1 200 OK\r\nContent-Le")) == lost)
  }

  /// The service may have performed the request.
  @Test func aChangeWithoutAnAnswerIsNotSentAgain() async throws {
    try await withClient(.answering { $0.index == 0 ? .json("{}") : .hangUp }) { client, service in
      #expect(await RecordClientTests.failure(of: client) == nil)
      let failure = await RecordClientTests.failure { () async throws(CallFailure) in
        _ = try await client.call(RecordsModify.self, modification(200))
      }
      #expect(failure == .responseLost(.connectionClosed))
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
      #expect(await task.value == .responseLost(.timedOut))
      #expect(clock.sleeping == 0)
    }
  }

  @Test func aServerThatIsNotThereIsUnreachable() async throws {
    let port = try ReservedPort()
    try await withClient(at: "http://127.0.0.1:\(port.number)", ClientOptions()) { client in
      #expect(
        await RecordClientTests.failure(of: client) == .unreachable(.connectionRefused))
    }
    // This use keeps the port reserved until here.
    _ = port.number
  }

  @Test(arguments: [
    (TransferOutcome(status: TRANSFER_STOPPED), CallFailure.cancelled),
    (TransferOutcome(status: TRANSFER_INVALID_URL), .unreachable(.invalidURL)),
    (TransferOutcome(status: TRANSFER_PROXY_NOT_FOUND), .unreachable(.proxyNotFound)),
    (TransferOutcome(status: TRANSFER_HOST_NOT_FOUND), .unreachable(.hostNotFound)),
    (TransferOutcome(status: TRANSFER_CONNECTION_FAILED), .unreachable(.connectionFailed)),
    (
      TransferOutcome(status: TRANSFER_CONNECTION_FAILED, errorNumber: ECONNREFUSED),
      .unreachable(.connectionRefused)
    ),
    (
      TransferOutcome(status: TRANSFER_CONNECTION_FAILED, errorNumber: ENETUNREACH),
      .unreachable(.networkUnreachable)
    ),
    (
      TransferOutcome(status: TRANSFER_CONNECTION_FAILED, errorNumber: ETIMEDOUT),
      .unreachable(.timedOut)
    ),
    (
      TransferOutcome(status: TRANSFER_PROXY_REFUSED, proxyStatus: 407),
      .unreachable(.proxyAuthenticationRequired)
    ),
    (
      TransferOutcome(status: TRANSFER_PROXY_REFUSED, proxyStatus: 403), .unreachable(.proxyRefused)
    ),
    (TransferOutcome(status: TRANSFER_PROXY_REFUSED), .unreachable(.proxyRefused)),
    (TransferOutcome(status: TRANSFER_TIMED_OUT), .unreachable(.timedOut)),
    (TransferOutcome(status: TRANSFER_TIMED_OUT, isConnected: true), .unreachable(.tlsTimedOut)),
    (TransferOutcome(status: TRANSFER_TLS_FAILED), .unreachable(.tlsFailed)),
    (TransferOutcome(status: TRANSFER_CERTIFICATE_UNTRUSTED), .unreachable(.certificateUntrusted)),
    (
      TransferOutcome(status: TRANSFER_CERTIFICATE_HOST_MISMATCH),
      .unreachable(.certificateHostMismatch)
    ),
    (
      TransferOutcome(status: TRANSFER_NOT_HTTP),
      .unexpectedResponse(UnexpectedResponse(status: 0, .notHTTP))
    ),
    (
      TransferOutcome(status: TRANSFER_NOT_DECOMPRESSED),
      .unexpectedResponse(UnexpectedResponse(status: 0, .unreadable))
    ),
    (TransferOutcome(status: TRANSFER_CONNECTION_CLOSED), .responseLost(.connectionClosed)),
    (TransferOutcome(status: TRANSFER_COMPLETED), nil),
  ])
  func transferOutcomesAreMappedToFailures(_ outcome: TransferOutcome, _ failure: CallFailure?) {
    #expect(CallFailure(outcome, isSecure: true) == failure)
  }

  // MARK: Reactions to failures

  @Test func failuresAreTransientOrLasting() {
    let transient: [CallFailure] = [
      .service(ServiceError(.throttled)), .service(ServiceError(.zoneBusy)),
      .unreachable(.connectionClosed),
      .responseLost(.connectionClosed),
      .unexpectedResponse(UnexpectedResponse(status: 200, .redirect)),
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
    (.service(ServiceError(.other("X"), cause: .tooManyItems(500, limit: 200))), true),
    (.service(ServiceError(.quotaExceeded, reason: "more than the maximum number")), false),
    (.service(ServiceError(.accessDenied, reason: "no")), false),
    (.service(ServiceError(.internalError)), false),
    (.unexpectedResponse(UnexpectedResponse(status: 413, .undecodableError)), true),
    (.unexpectedResponse(UnexpectedResponse(status: 400, .undecodableError)), false),
    (.responseLost(.connectionClosed), false), (.unreachable(.connectionClosed), false),
    (.cancelled, false),
  ])
  func someFailuresRequireSmallerBatches(_ failure: CallFailure, _ smaller: Bool) {
    #expect(failure.shouldSplitBatch == smaller)
  }
}

extension TransferOutcome {
  fileprivate init(
    status: TransferStatus, errorNumber: Int32 = 0, proxyStatus: Int = 0, isConnected: Bool = false
  ) {
    self.init(
      status: status, error_number: errorNumber, proxy_status: proxyStatus,
      is_connected: isConnected)
  }
}
