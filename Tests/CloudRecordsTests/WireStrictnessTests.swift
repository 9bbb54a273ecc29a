import CloudRecords
import Foundation
import Testing

struct WireStrictnessTests {
  @Test(arguments: [
    ("{}", "operations: is missing"),
    ("[]", "the body: expected an object"),
    (#""a""#, "the body: expected an object"),
    (#"{"operations":{}}"#, "operations: expected a list"),
    (#"{"operations":null}"#, "operations: expected a list"),
    (#"{"operations":[1]}"#, "operations[0]: expected an object"),
    (#"{"operations":[{"record":{}}]}"#, "operations[0].operationType: is missing"),
    (#"{"operations":[{"operationType":"create"}]}"#, "operations[0].record: is missing"),
    (
      #"{"operations":[{"operationType":"create","record":{"recordName":5}}]}"#,
      "operations[0].record.recordName: expected a string"
    ),
    (
      #"{"operations":[{"operationType":"create","record":{"fields":[]}}]}"#,
      "operations[0].record.fields: expected an object"
    ),
    (#"{"operations":[],"atomic":"yes"}"#, "atomic: expected true or false"),
    (#"{"operations":[],"desiredKeys":["a",1]}"#, "desiredKeys[1]: expected a string"),
  ])
  func aRequestSaysWhereItIsWrong(_ json: String, _ expected: String) {
    #expect(complaint(RecordsModify.Request.self, json) == expected)
  }

  @Test(arguments: [
    (#"{"type":"STRING","value":5}"#, ".value: expected a string"),
    ("{}", ".value: is missing"),
    (#"{"type":5,"value":5}"#, ".type: expected a string"),
    ("5", ": expected an object"),
    (#"{"type":"INT64","value":5.5}"#, ".value: expected a whole number of 64 bits"),
    (
      #"{"type":"INT64","value":9223372036854775808}"#, ".value: expected a whole number of 64 bits"
    ),
    (#"{"type":"INT64","value":true}"#, ".value: expected a whole number of 64 bits"),
    (#"{"type":"INT64","value":"0x10"}"#, ".value: expected a whole number of 64 bits"),
    (#"{"type":"INT64","value":""}"#, ".value: expected a whole number of 64 bits"),
    (#"{"type":"DOUBLE","value":"nan"}"#, ".value: expected a number"),
    (#"{"type":"DOUBLE","value":"1e999"}"#, ".value: expected a number"),
    (#"{"type":"DOUBLE","value":"0x1p4"}"#, ".value: expected a number"),
    (#"{"type":"DOUBLE","value":1e999}"#, ".value: expected a number"),
    (#"{"type":"INT64_LIST","value":[1,"a"]}"#, ".value[1]: expected a whole number of 64 bits"),
    (#"{"type":"STRING_LIST","value":"a"}"#, ".value: expected a list"),
    (#"{"type":"STRING_LIST","value":["a",null]}"#, ".value[1]: expected a string"),
    (#"{"type":"BYTES","value":"?"}"#, ".value: expected base64"),
    (#"{"type":"TIMESTAMP","value":"2016"}"#, ".value: expected a number"),
    (#"{"type":"TIMESTAMP","value":1e300}"#, ".value: expected milliseconds since 1970"),
    (#"{"type":"LOCATION","value":{"latitude":1}}"#, ".value.longitude: is missing"),
    (#"{"type":"REFERENCE","value":"a"}"#, ".value: expected an object"),
    (#"{"type":"REFERENCE","value":{"action":"NONE"}}"#, ".value.recordName: is missing"),
    (#"{"type":"ASSETID","value":{"fileChecksum":"a"}}"#, ".value.size: is missing"),
  ])
  func aFieldSaysWhereItIsWrong(_ json: String, _ expected: String) {
    let body =
      #"{"operations":[{},{},{},{"operationType":"create","record":{"fields":{"text":\#(json)}}}]}"#
    let fixed = body.replacing(
      "{},", with: #"{"operationType":"delete","record":{"recordName":"a"}},"#)
    #expect(
      complaint(RecordsModify.Request.self, fixed)
        == "operations[3].record.fields.text" + expected)
  }

  /// Some clients omit null values.
  @Test func aTypeWithoutAValueClearsAField() throws {
    let body =
      #"{"operations":[{"operationType":"create","record":{"fields":{"a":{"type":"STRING"}}}}]}"#
    let request = try Wire.decode(
      RecordsModify.Request.self, from: Data(body.utf8), as: .request)
    #expect(request.operations.first?.record.fields["a"] == .null)
  }

  @Test func aNameThatIsNoneOfTheListIsAnsweredWithTheList() {
    #expect(
      complaint(
        RecordsModify.Request.self, #"{"operations":[{"operationType":"upsert","record":{}}]}"#)
        == "operations[0].operationType: expected one of create, update, forceUpdate, replace, "
        + "forceReplace, delete, forceDelete")
    #expect(
      complaint(ZonesModify.Request.self, #"{"operations":[{"operationType":"update","zone":{}}]}"#)
        == "operations[0].operationType: expected one of create, delete")
    #expect(
      complaint(Reference.self, #"{"recordName":"a","action":"none"}"#)
        == "action: expected one of NONE, DELETE_SELF, VALIDATE")
    let query =
      #"{"query":{"recordType":"T","filterBy":[{"comparator":"LIKE","fieldName":"a","#
      + #""fieldValue":{"value":1}}]}}"#
    #expect(
      complaint(RecordsQuery.Request.self, query)?
        .hasPrefix("query.filterBy[0].comparator: expected one of EQUALS, NOT_EQUALS, ") == true)
  }

  @Test(arguments: [
    (#"{"filterBy":[]}"#, "query.recordType: is missing"),
    (
      #"{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldValue":{"value":1}}]}"#,
      "query.filterBy[0].fieldName: is missing"
    ),
    (
      #"{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"a"}]}"#,
      "query.filterBy[0].fieldValue: is missing"
    ),
    (
      #"{"recordType":"T","filterBy":[{"comparator":"IN","systemFieldName":"a","fieldValue":{}}]}"#,
      "query.filterBy[0].systemFieldName: expected the name of a system field"
    ),
    (#"{"recordType":"T","sortBy":[{}]}"#, "query.sortBy[0].fieldName: is missing"),
    (#"{"recordType":"T","sortBy":{}}"#, "query.sortBy: expected a list"),
  ])
  func aQuerySaysWhereItIsWrong(_ query: String, _ expected: String) {
    #expect(complaint(RecordsQuery.Request.self, #"{"query":\#(query)}"#) == expected)
  }

  @Test func aNumberBeyondAllIsRefused() {
    #expect(
      complaint(ServiceError.self, #"{"serverErrorCode":"A","retryAfter":1e999}"#)
        == "the body: expected numbers of 64 bits")
    #expect(complaint(JSONValue.self, "[1e999]") == "the body: expected numbers of 64 bits")
  }

  @Test func unknownKeysAreNoMatter() throws {
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
      throws: ServiceError(.badRequest, reason: Reason.tooManyItems(201, limit: 200))
    ) { try RecordsModify.Request(operations: operations(names)).check() }
  }

  @Test func aRecordIsNamedOnce() throws {
    #expect(throws: ServiceError(.badRequest, reason: "more than one operation for 'a'")) {
      try RecordsModify.Request(operations: operations(["a", "b", "a"])).check()
    }
    try RecordsModify.Request(operations: operations([nil, nil, "a"])).check()
    var elsewhere = operations(["a", "a"])
    elsewhere[1].record.zoneID = ZoneID("Q")
    try RecordsModify.Request(operations: elsewhere).check()
    #expect(throws: ServiceError.self) {
      try RecordsModify.Request(operations: elsewhere, zoneID: ZoneID("Q")).check()
    }
    elsewhere[0].record.zoneID = ZoneID("Q", ownerRecordName: "_u")
    try RecordsModify.Request(operations: elsewhere).check()
    elsewhere[1].record.zoneID = ZoneID("Q", ownerRecordName: "_u", zoneType: .custom)
    #expect(throws: ServiceError.self) {
      try RecordsModify.Request(operations: elsewhere).check()
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
        .badRequest, reason: Reason.recordTooLarge(bytes: Limits.recordBytes + 1),
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
      #expect(reason { try body(zone, true).check() } == Reason.atomicInDefaultZone)
    }
    try body(ZoneID("Q"), true).check()
  }

  @Test func theZonesOfTheRecordsDecideWhetherARequestCanBeAtomic() throws {
    var request = RecordsModify.Request(operations: operations(["a", "b"]), atomic: true)
    #expect(reason { try request.check() } == Reason.atomicInDefaultZone)
    request.operations[0].record.zoneID = ZoneID("Q")
    #expect(reason { try request.check() } == Reason.atomicInDefaultZone)
    request.operations[1].record.zoneID = ZoneID("R")
    try request.check()
    request.zoneID = ZoneID("Q")
    request.operations[1].record.zoneID = .default
    #expect(reason { try request.check() } == Reason.atomicInDefaultZone)
  }

  @Test func anOperationIsCheckedByItself() throws {
    func said(
      _ type: RecordsModify.OperationType, _ record: RecordInput, user: String? = nil
    ) -> String? {
      reason { try RecordsModify.Operation(type, record).check(user: user) }
    }
    for type in RecordsModify.OperationType.allCases {
      #expect(said(type, RecordInput("a", type: "T", recordChangeTag: "1")) == nil)
      #expect(
        said(type, RecordInput("a", type: "T"))
          == (type.needsChangeTag ? Reason.missingChangeTag : nil))
      #expect(
        said(type, RecordInput(type: "T", recordChangeTag: "1"))
          == (type == .create ? nil : Reason.missingRecordName))
      #expect(
        said(type, RecordInput("_u", type: "T", recordChangeTag: "1"))
          == #"the name '_u' must not begin with "_""#)
      #expect(said(type, RecordInput("_u", type: "T", recordChangeTag: "1"), user: "_u") == nil)
    }
    #expect(said(.create, RecordInput("a")) == Reason.missingRecordType)
    #expect(said(.create, RecordInput()) == Reason.missingRecordType)
    #expect(said(.forceDelete, RecordInput("a")) == nil)
  }

  @Test func aPageHas200RecordsAtMost() {
    for (limit, records) in [
      (nil, 200), (0, 200), (-1, 200), (1, 1), (199, 199), (200, 200), (201, 200), (.max, 200),
    ] as [(Int?, Int)] {
      #expect(PageSize.records(limit) == records)
    }
  }
}
