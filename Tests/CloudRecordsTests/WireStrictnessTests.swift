import CloudRecords
import Foundation
import Testing

struct WireStrictnessTests {
  @Test(arguments: [
    ("{}", "operations", BodyDecodingError.Mismatch.missing),
    ("[]", "", .expected(.object)),
    (#""a""#, "", .expected(.object)),
    (#"{"operations":{}}"#, "operations", .expected(.list)),
    (#"{"operations":null}"#, "operations", .expected(.list)),
    (#"{"operations":[1]}"#, "operations[0]", .expected(.object)),
    (#"{"operations":[{"record":{}}]}"#, "operations[0].operationType", .missing),
    (#"{"operations":[{"operationType":"create"}]}"#, "operations[0].record", .missing),
    (
      #"{"operations":[{"operationType":"create","record":{"recordName":5}}]}"#,
      "operations[0].record.recordName", .expected(.string)
    ),
    (
      #"{"operations":[{"operationType":"create","record":{"fields":[]}}]}"#,
      "operations[0].record.fields", .expected(.object)
    ),
    (#"{"operations":[],"atomic":"yes"}"#, "atomic", .expected(.boolean)),
    (#"{"operations":[],"desiredKeys":["a",1]}"#, "desiredKeys[1]", .expected(.string)),
  ])
  func requestErrorsHaveThePathAndTheMismatch(
    _ json: String, _ path: String, _ mismatch: BodyDecodingError.Mismatch
  ) {
    #expect(
      bodyProblem(RecordsModify.Request.self, json) == .shape(path: path, mismatch: mismatch))
  }

  @Test(arguments: [
    (
      #"{"type":"STRING","value":5}"#, ".value", BodyDecodingError.Mismatch.expected(.string)
    ),
    ("{}", ".value", .missing),
    (#"{"type":5,"value":5}"#, ".type", .expected(.string)),
    ("5", "", .expected(.object)),
    (#"{"type":"INT64","value":5.5}"#, ".value", .expected(.int64)),
    (
      #"{"type":"INT64","value":9223372036854775808}"#, ".value", .expected(.int64)
    ),
    (#"{"type":"INT64","value":true}"#, ".value", .expected(.int64)),
    (#"{"type":"INT64","value":"0x10"}"#, ".value", .expected(.int64)),
    (#"{"type":"INT64","value":""}"#, ".value", .expected(.int64)),
    (#"{"type":"DOUBLE","value":"nan"}"#, ".value", .expected(.number)),
    (#"{"type":"DOUBLE","value":"1e999"}"#, ".value", .expected(.number)),
    (#"{"type":"DOUBLE","value":"0x1p4"}"#, ".value", .expected(.number)),
    (#"{"type":"DOUBLE","value":1e999}"#, ".value", .expected(.number)),
    (#"{"type":"INT64_LIST","value":[1,"a"]}"#, ".value[1]", .expected(.int64)),
    (#"{"type":"STRING_LIST","value":"a"}"#, ".value", .expected(.list)),
    (#"{"type":"STRING_LIST","value":["a",null]}"#, ".value[1]", .expected(.string)),
    (#"{"type":"BYTES","value":"?"}"#, ".value", .expected(.base64)),
    (#"{"type":"BYTES","value":"===="}"#, ".value", .expected(.base64)),
    (#"{"type":"BYTES","value":"AA=A"}"#, ".value", .expected(.base64)),
    (#"{"type":"TIMESTAMP","value":"2016"}"#, ".value", .expected(.number)),
    (#"{"type":"TIMESTAMP","value":1e300}"#, ".value", .expected(.milliseconds)),
    (#"{"type":"LOCATION","value":{"latitude":1}}"#, ".value.longitude", .missing),
    (#"{"type":"REFERENCE","value":"a"}"#, ".value", .expected(.object)),
    (#"{"type":"REFERENCE","value":{"action":"NONE"}}"#, ".value.recordName", .missing),
    (#"{"type":"ASSETID","value":{"fileChecksum":"a"}}"#, ".value.size", .missing),
  ])
  func fieldErrorsHaveThePathAndTheMismatch(
    _ json: String, _ path: String, _ mismatch: BodyDecodingError.Mismatch
  ) {
    let body =
      #"{"operations":[{},{},{},{"operationType":"create","record":{"fields":{"text":\#(json)}}}]}"#
    let fixed = body.replacing(
      "{},", with: #"{"operationType":"delete","record":{"recordName":"a"}},"#)
    #expect(
      bodyProblem(RecordsModify.Request.self, fixed)
        == .shape(path: "operations[3].record.fields.text" + path, mismatch: mismatch))
  }

  /// Some clients omit null values.
  @Test func aTypeWithoutAValueClearsAField() throws {
    let body =
      #"{"operations":[{"operationType":"create","record":{"fields":{"a":{"type":"STRING"}}}}]}"#
    let request = try Wire.decode(
      RecordsModify.Request.self, from: Data(body.utf8), as: .request)
    #expect(request.operations.first?.record.fields["a"] == .null)
  }

  @Test func errorsForUnknownNamesListTheValidNames() {
    #expect(
      bodyProblem(
        RecordsModify.Request.self, #"{"operations":[{"operationType":"upsert","record":{}}]}"#)
        == .shape(
          path: "operations[0].operationType",
          mismatch: .expected(
            .oneOf([
              "create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete",
            ]))))
    #expect(
      bodyProblem(
        ZonesModify.Request.self, #"{"operations":[{"operationType":"update","zone":{}}]}"#)
        == .shape(
          path: "operations[0].operationType", mismatch: .expected(.oneOf(["create", "delete"]))))
    #expect(
      bodyProblem(Reference.self, #"{"recordName":"a","action":"none"}"#)
        == .shape(
          path: "action", mismatch: .expected(.oneOf(["NONE", "DELETE_SELF", "VALIDATE"]))))
    let query =
      #"{"query":{"recordType":"T","filterBy":[{"comparator":"LIKE","fieldName":"a","#
      + #""fieldValue":{"value":1}}]}}"#
    #expect(
      bodyProblem(RecordsQuery.Request.self, query)
        == .shape(path: "query.filterBy[0].comparator", mismatch: .expected(.comparator)))
  }

  @Test(arguments: [
    (#"{"filterBy":[]}"#, "query.recordType", BodyDecodingError.Mismatch.missing),
    (
      #"{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldValue":{"value":1}}]}"#,
      "query.filterBy[0].fieldName", .missing
    ),
    (
      #"{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"a"}]}"#,
      "query.filterBy[0].fieldValue", .missing
    ),
    (
      #"{"recordType":"T","filterBy":[{"comparator":"IN","systemFieldName":"a","fieldValue":{}}]}"#,
      "query.filterBy[0].systemFieldName", .expected(.systemField)
    ),
    (#"{"recordType":"T","sortBy":[{}]}"#, "query.sortBy[0].fieldName", .missing),
    (#"{"recordType":"T","sortBy":{}}"#, "query.sortBy", .expected(.list)),
  ])
  func queryErrorsHaveThePathAndTheMismatch(
    _ query: String, _ path: String, _ mismatch: BodyDecodingError.Mismatch
  ) {
    #expect(
      bodyProblem(RecordsQuery.Request.self, #"{"query":\#(query)}"#)
        == .shape(path: path, mismatch: mismatch))
  }

  /// The decoder does not report where the number is.
  @Test func numbersThatTheirFieldsCannotHoldAreRefused() {
    #expect(
      bodyProblem(ServiceError.self, #"{"serverErrorCode":"A","retryAfter":1e999}"#)
        == .shape(path: "", mismatch: .expected(.representableNumbers)))
    #expect(
      bodyProblem(JSONValue.self, "[1e999]")
        == .shape(path: "", mismatch: .expected(.representableNumbers)))
    for limit in ["1.5", "1e400", "99999999999999999999"] {
      #expect(
        bodyProblem(
          RecordsQuery.Request.self, #"{"query":{"recordType":"A"},"resultsLimit":\#(limit)}"#)
          == .shape(path: "", mismatch: .expected(.representableNumbers)), "\(limit)")
    }
  }

  @Test func unknownKeysAreIgnored() throws {
    let json = #"{"operations":[],"x":{"y":[1,{}]},"pluginFields":{},"getCurrentSyncToken":true}"#
    #expect(try request(RecordsModify.Request.self, json).operations.isEmpty)
  }

  // MARK: The rules of a request

  private func operations(_ names: [String?]) -> [RecordsModify.Operation] {
    names.map { .init(.create, RecordInput($0, type: "T")) }
  }

  @Test func aRequestHasAtMost200Operations() throws {
    let names = (0..<201).map { "r\($0)" }
    try RecordsModify.Request(operations: operations(Array(names.prefix(200)))).check()
    #expect(
      throws: ServiceError(.badRequest, cause: .tooManyItems(201, limit: 200))
    ) { try RecordsModify.Request(operations: operations(names)).check() }
  }

  @Test func duplicateRecordsInARequestAreRefused() throws {
    #expect(throws: ServiceError(.badRequest, cause: .duplicate("a"))) {
      try RecordsModify.Request(operations: operations(["a", "b", "a"])).check()
    }
    try RecordsModify.Request(operations: operations([nil, nil, "a"])).check()
    var inTwoZones = operations(["a", "a"])
    inTwoZones[1].record.zoneID = ZoneID("Q")
    try RecordsModify.Request(operations: inTwoZones).check()
    #expect(throws: ServiceError.self) {
      try RecordsModify.Request(operations: inTwoZones, zoneID: ZoneID("Q")).check()
    }
    inTwoZones[0].record.zoneID = ZoneID("Q", ownerRecordName: "_u")
    try RecordsModify.Request(operations: inTwoZones).check()
    inTwoZones[1].record.zoneID = ZoneID("Q", ownerRecordName: "_u", zoneType: .custom)
    #expect(throws: ServiceError.self) {
      try RecordsModify.Request(operations: inTwoZones).check()
    }
  }

  @Test func aRecordHasAtMostAMegabyte() throws {
    func body(_ count: Int) -> RecordsModify.Request {
      let text = Field(.string(String(repeating: "a", count: count)))
      return RecordsModify.Request(operations: [
        .init(.create, RecordInput("r", type: "T", fields: ["f": text]))
      ])
    }
    try body(Limits.recordBytes - 3).check()
    #expect(
      throws: ServiceError(
        .badRequest, cause: .recordTooLarge(bytes: Limits.recordBytes + 1),
        recordName: "r")
    ) { try body(Limits.recordBytes - 2).check() }
  }

  @Test func onlyCustomZonesAreAtomic() throws {
    func body(_ zone: ZoneID?, _ atomic: Bool?) -> RecordsModify.Request {
      RecordsModify.Request(operations: [], zoneID: zone, atomic: atomic)
    }
    #expect(body(nil, nil).isAtomic(in: ZoneID("Q")))
    #expect(body(nil, true).isAtomic(in: ZoneID("Q")))
    #expect(!body(nil, false).isAtomic(in: ZoneID("Q")))
    #expect(!body(nil, nil).isAtomic(in: .default))
    for zone in [nil, ZoneID.default] {
      try body(zone, nil).check()
      try body(zone, false).check()
      #expect(cause { try body(zone, true).check() } == .atomicInDefaultZone)
    }
    try body(ZoneID("Q"), true).check()
  }

  @Test func anAtomicRequestNeedsACustomZoneForEveryRecord() throws {
    var request = RecordsModify.Request(operations: operations(["a", "b"]), atomic: true)
    #expect(cause { try request.check() } == .atomicInDefaultZone)
    request.operations[0].record.zoneID = ZoneID("Q")
    #expect(cause { try request.check() } == .atomicInDefaultZone)
    request.operations[1].record.zoneID = ZoneID("R")
    try request.check()
    request.zoneID = ZoneID("Q")
    request.operations[1].record.zoneID = .default
    #expect(cause { try request.check() } == .atomicInDefaultZone)
  }

  @Test func operationsNeedTheirNameTypeAndChangeTag() throws {
    func causeOf(
      _ type: RecordsModify.OperationType, _ record: RecordInput, user: String? = nil
    ) -> ErrorCause? {
      cause { try RecordsModify.Operation(type, record).check(user: user) }
    }
    for type in RecordsModify.OperationType.allCases {
      #expect(causeOf(type, RecordInput("a", type: "T", recordChangeTag: "1")) == nil)
      #expect(
        causeOf(type, RecordInput("a", type: "T"))
          == (type.needsChangeTag ? .missingChangeTag : nil))
      #expect(
        causeOf(type, RecordInput(type: "T", recordChangeTag: "1"))
          == (type == .create ? nil : .missingRecordName))
      #expect(
        causeOf(type, RecordInput("_u", type: "T", recordChangeTag: "1"))
          == .invalidName("_u", .underscore))
      #expect(causeOf(type, RecordInput("_u", type: "T", recordChangeTag: "1"), user: "_u") == nil)
    }
    #expect(causeOf(.create, RecordInput("a")) == .missingRecordType)
    #expect(causeOf(.create, RecordInput()) == .missingRecordType)
    #expect(causeOf(.forceDelete, RecordInput("a")) == nil)
  }

  @Test func aPageHas200RecordsAtMost() {
    for (limit, records) in [
      (nil, 200), (0, 200), (-1, 200), (1, 1), (199, 199), (200, 200), (201, 200), (.max, 200),
    ] as [(Int?, Int)] {
      #expect(PageSize.records(limit) == records)
    }
  }
}
