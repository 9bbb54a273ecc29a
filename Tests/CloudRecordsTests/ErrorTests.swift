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
  func publishedCodesHaveTheirStatus(_ name: String, _ code: ErrorCode, status: Int) {
    #expect(ErrorCode(rawValue: name) == code)
    #expect(code.rawValue == name)
    #expect(ErrorCode(rawValue: name).httpStatus == status)
    #expect(code.httpStatus == status)
  }

  @Test func everyNamedCodeComesBack() throws {
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
  @Test func aTextOfAServiceIsShortAndHarmless() throws {
    let long = String(repeating: "lỗi ", count: 25_000)
    let error = try answer(
      ServiceError.self, #"{"serverErrorCode":"\#(long)","reason":"\#(long)"}"#)
    #expect(error.reason == String(long.prefix(200)))
    #expect(error.code.rawValue == String(long.prefix(200)))
    // One character as it is counted on a screen may be of any number of scalars.
    let marks = "a" + String(repeating: "\u{301}", count: 100_000)
    let marked = try answer(
      ServiceError.self, #"{"serverErrorCode":"THROTTLED","reason":"\#(marks)"}"#)
    #expect(marked.reason?.unicodeScalars.count == 200)
    let hostile = try answer(
      ServiceError.self,
      #"{"serverErrorCode":"THROTTLED","reason":"a\u001b[2Jb\nc\u202ed\u2028e\u0000f"}"#)
    #expect(hostile.reason == "a [2Jb c d e f")
  }

  @Test func onlySomeErrorsPass() {
    let transient: Set<ErrorCode> = [
      .internalError, .throttled, .tryAgainLater, .zoneBusy, .serviceUnavailable,
    ]
    #expect(Set(ErrorCode.allCases.filter(\.isTransient)) == transient)
  }

  @Test func anErrorComesBackWithAllItSays() throws {
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
    (Reason.tooManyItems(201, limit: 200), .tooManyItems), (Reason.resetToken, nil), ("no", nil),
  ])
  func reasonsHaveMeanings(_ reason: String, _ meaning: ErrorMeaning?) throws {
    #expect(ServiceError(.badRequest, reason: reason).meaning == meaning)
    let json = #"{"serverErrorCode":"BAD_REQUEST","reason":"\#(reason)"}"#
    #expect(try answer(ServiceError.self, json).meaning == meaning)
    #expect(ServiceError(.badRequest).meaning == nil)
  }

  @Test func anErrorIsOfWhatFailed() {
    let error = ServiceError(.notFound, reason: Reason.recordNotFound)
    #expect(
      error.with(recordName: "r")
        == ServiceError(.notFound, reason: Reason.recordNotFound, recordName: "r"))
    #expect(error.with(zoneID: .default).zoneID == .default)
    #expect(error.with(subscriptionID: "s").subscriptionID == "s")
    #expect("\(error)" == "NOT_FOUND: record not found")
    #expect("\(ServiceError(.conflict))" == "CONFLICT")
  }

  /// Clients compare these strings, so the tests repeat them.
  @Test func reasonsAreCloudKitsWords() {
    #expect(Reason.notQueryable("recordName") == "Field 'recordName' is not marked queryable")
    #expect(Reason.notSortable("_createdTime") == "Field '_createdTime' is not marked sortable")
    #expect(Reason.notSearchable("X") == "Field 'X' is not marked searchable")
    #expect(Reason.notIndexable == "Queried type is not marked indexable")
    #expect(Reason.unknownType("X") == "Did not find record type X")
    #expect(
      Reason.wrongType("STRING", field: "f", type: "T", defined: "REFERENCE")
        == "invalid attempt to set value type STRING for field 'f' for type 'T', "
        + "defined to be: REFERENCE")
    #expect(
      Reason.wrongFilterType("STRING", field: "f", defined: "REFERENCE")
        == "Field 'f' has a value type of REFERENCE and cannot be queried using filter value "
        + "type STRING")
    #expect(
      Reason.unknownTypeInProduction("T") == "Cannot create new type T in production schema")
    #expect(
      Reason.unknownFieldInProduction("f", type: "T")
        == "Cannot create or modify field 'f' in record 'T' in production schema")
    #expect(Reason.notPermitted(.create) == "CREATE operation not permitted")
    #expect(Reason.notPermitted(.write) == "WRITE operation not permitted")
    #expect(
      Reason.encryptedInPlainField == "Attempt to save encrypted data in non encrypted field type")
    #expect(
      Reason.validatingReference(field: "Note", recordName: "a")
        == "Field=Note, recordID=a, title=Record delete would violate validating reference, "
        + "rejecting update")
    #expect(Reason.staleTag == "client oplock error updating record")
    #expect(Reason.recordExists == "record to insert already exists")
    #expect(Reason.atomicFailure == "Atomic failure")
    #expect(Reason.unknownToken == "Unknown sync continuation type")
    #expect(Reason.brokenToken == "Invalid continuation format")
    #expect(Reason.expiredToken == "client knowledge differs from server knowledge")
    #expect(Reason.authorizationNeeded == "request needs authorization")
    #expect(
      Reason.tooManyItems(401, limit: 400)
        == "Your request contains 401 items which is more than the maximum number of items in a "
        + "single request (400)")
  }
}
