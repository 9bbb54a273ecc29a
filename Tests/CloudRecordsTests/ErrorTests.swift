import CloudRecords
import Testing

struct ErrorTests {
  @Test(arguments: [
    ("ACCESS_DENIED", ErrorCode.accessDenied, 403), ("ATOMIC_ERROR", .atomicError, 400),
    ("AUTHENTICATION_FAILED", .authenticationFailed, 401),
    ("AUTHENTICATION_REQUIRED", .authenticationRequired, 421),
    ("BAD_REQUEST", .badRequest, 400), ("CONFLICT", .conflict, 409), ("EXISTS", .exists, 409),
    ("INTERNAL_ERROR", .internalError, 500), ("NOT_FOUND", .notFound, 404),
    ("QUOTA_EXCEEDED", .quotaExceeded, 413), ("THROTTLED", .throttled, 429),
    ("TRY_AGAIN_LATER", .tryAgainLater, 503),
    ("VALIDATING_REFERENCE_ERROR", .validatingReferenceError, 412),
    ("ZONE_NOT_FOUND", .zoneNotFound, 404),
  ])
  func publishedCodesHaveTheirHTTPStatus(_ name: String, _ code: ErrorCode, status: Int) {
    #expect(ErrorCode(rawValue: name) == code)
    #expect(code.rawValue == name)
    #expect(ErrorCode(rawValue: name).httpStatus == status)
    #expect(code.httpStatus == status)
  }

  @Test func everyCodeIsReadFromItsName() throws {
    for code in ErrorCode.allCases {
      #expect(ErrorCode(rawValue: code.rawValue) == code)
      #expect((400...599).contains(code.httpStatus))
    }
    #expect(Set(ErrorCode.allCases.map(\.rawValue)).count == 24)
    #expect(ErrorCode.limitExceeded.httpStatus == 413)
  }

  @Test func unknownCodesAreKept() throws {
    let code = ErrorCode(rawValue: "SOMETHING_NEW")
    #expect(code == .other("SOMETHING_NEW"))
    try expectBothWays(ServiceError(code), #"{"serverErrorCode":"SOMETHING_NEW"}"#)
    #expect(code.httpStatus == 500)
    #expect(ErrorCode.other("CONFLICT") == .conflict)
    #expect(Set([ErrorCode.other("CONFLICT"), .conflict]).count == 1)
  }

  /// Strings of a service are displayed on a terminal and stored.
  @Test func textOfAServiceIsShortenedAndSanitized() throws {
    let long = String(repeating: "lỗi ", count: 25_000)
    let error = try answer(
      ServiceError.self, #"{"serverErrorCode":"\#(long)","reason":"\#(long)"}"#)
    #expect(error.reason == String(long.prefix(200)))
    #expect(error.code.rawValue == String(long.prefix(200)))
    // A single character may consist of any number of scalars.
    let marks = "a" + String(repeating: "\u{301}", count: 100_000)
    let marked = try answer(
      ServiceError.self, #"{"serverErrorCode":"THROTTLED","reason":"\#(marks)"}"#)
    #expect(marked.reason?.unicodeScalars.count == 200)
    let hostile = try answer(
      ServiceError.self,
      #"{"serverErrorCode":"THROTTLED","reason":"a\u001b[2Jb\nc\u202ed\u2028e\u0000f"}"#)
    #expect(hostile.reason == "a [2Jb c d e f")
  }

  @Test func transientErrorCodes() {
    let transient: Set<ErrorCode> = [
      .internalError, .throttled, .tryAgainLater, .zoneBusy, .serviceUnavailable,
    ]
    #expect(Set(ErrorCode.allCases.filter(\.isTransient)) == transient)
  }

  @Test func errorsAreDecodedAgainWithAllProperties() throws {
    try expectBothWays(
      ServiceError(
        .throttled, reason: "slow down", retryAfter: 11, redirectURL: "https://a/b", uuid: "u",
        recordName: "r", zoneID: ZoneID("Q"), subscriptionID: "s"),
      #"{"reason":"slow down","recordName":"r","redirectURL":"https://a/b","retryAfter":11,"#
        + #""serverErrorCode":"THROTTLED","subscriptionID":"s","uuid":"u","#
        + #""zoneID":{"zoneName":"Q"}}"#)
    for seed in seeds(200) {
      var arbitrary = Arbitrary(seed: seed)
      let error = arbitrary.error()
      #expect(try answer(ServiceError.self, text(error)) == error, "seed \(seed)")
    }
  }

  @Test(arguments: [
    ("client knowledge differs from server knowledge", ErrorMeaning.expiredSyncToken),
    ("Did not find record type AyahNote", .unknownRecordType),
    ("Unknown Item: AyahNote", .unknownRecordType),
    ("a request contains more than the maximum number of items", .tooManyItems), ("no", nil),
  ])
  func reasonsHaveMeanings(_ reason: String, _ meaning: ErrorMeaning?) throws {
    #expect(ServiceError(.badRequest, reason: reason).meaning == meaning)
    let json = #"{"serverErrorCode":"BAD_REQUEST","reason":"\#(reason)"}"#
    #expect(try answer(ServiceError.self, json).meaning == meaning)
    #expect(ServiceError(.badRequest).meaning == nil)
  }

  @Test(
    arguments: [
      (.expiredToken, .expiredSyncToken), (.unknownType("T"), .unknownRecordType),
      (.tooManyItems(2, limit: 1), .tooManyItems), (.resetToken, nil), (.text("no"), nil),
    ] as [(ErrorCause, ErrorMeaning?)])
  func causesHaveMeanings(_ cause: ErrorCause, _ meaning: ErrorMeaning?) {
    #expect(ServiceError(.badRequest, cause: cause).meaning == meaning)
  }

  @Test func causesAreEncodedWithTheGivenWording() throws {
    let error = ServiceError(.conflict, cause: .staleTag, recordName: "r")
    #expect(error.reason == nil)
    let bytes = try Wire.encode(error, wording: { cause in "the words of \(cause)" })
    #expect(
      try Wire.decode(ServiceError.self, from: bytes, as: .response)
        == ServiceError(.conflict, reason: "the words of staleTag", recordName: "r"))
    // A received reason is sent on unchanged.
    let received = ServiceError(.conflict, reason: "no")
    #expect(try Wire.encode(received, wording: { _ in "yes" }) == Wire.encode(received))
    #expect(throws: EncodingError.self) { try Wire.encode(error) }
  }

  @Test func errorsCanNameTheRecordZoneOrSubscription() {
    let error = ServiceError(.notFound, cause: .recordNotFound)
    #expect(
      error.with(recordName: "r")
        == ServiceError(.notFound, cause: .recordNotFound, recordName: "r"))
    #expect(error.with(zoneID: .default).zoneID == .default)
    #expect(error.with(subscriptionID: "s").subscriptionID == "s")
  }
}
