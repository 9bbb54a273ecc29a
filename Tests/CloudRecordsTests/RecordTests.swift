import CloudRecords
import Testing

struct RecordTests {
  @Test func recordsAreDecodedAgain() throws {
    for seed in seeds(300) {
      var arbitrary = Arbitrary(seed: seed)
      let result = arbitrary.result()
      let json = try text(result)
      #expect(try request(RecordResult.self, json) == result, "seed \(seed): \(json)")
      #expect(try answer(RecordResult.self, json) == result, "seed \(seed): \(json)")
      let recordInput = arbitrary.recordInput()
      #expect(try request(RecordInput.self, text(recordInput)) == recordInput, "seed \(seed)")
    }
  }

  @Test func aRecordIsWrittenWithAllThatClientsRead() throws {
    let record = Record(
      "n2", type: "Note", fields: ["text": Field(.string("hi"))], recordChangeTag: "1e",
      created: ModificationInfo(
        timestamp: Timestamp(milliseconds: 1_469_658_474_123), userRecordName: "_u",
        deviceID: "iCloud"), zoneID: ZoneID("Q"))
    #expect(
      try text(record) == #"{"created":{"deviceID":"iCloud","timestamp":1469658474123,"#
        + #""userRecordName":"_u"},"deleted":false,"fields":{"text":{"type":"STRING","#
        + #""value":"hi"}},"pluginFields":{},"recordChangeTag":"1e","recordName":"n2","#
        + #""recordType":"Note","zoneID":{"zoneName":"Q"}}"#)
    #expect(
      try text(Record("a", type: "T"))
        == #"{"deleted":false,"fields":{},"pluginFields":{},"recordName":"a","recordType":"T"}"#)
  }

  @Test func tombstonesAreMarkedAsDeleted() throws {
    try expectBothWays(
      RecordResult.tombstone(Tombstone("a")), #"{"deleted":true,"recordName":"a"}"#)
    #expect(
      try answer(
        RecordResult.self,
        #"{"recordName":"a","deleted":true,"recordType":null,"fields":{},"recordChangeTag":"2"}"#)
        == .tombstone(Tombstone("a", recordChangeTag: "2")))
  }

  @Test func aResultWithAnErrorCodeIsAFailure() throws {
    let result = try answer(
      RecordResult.self,
      #"{"recordName":"a","recordType":"T","deleted":true,"serverErrorCode":"CONFLICT"}"#)
    #expect(result == .failure(ServiceError(.conflict, recordName: "a")))
    #expect(result.recordName == "a")
    #expect(
      try answer(RecordResult.self, #"{"recordName":"a","extensionErrorCode":"X"}"#).error?.code
        == .other("X"))
    #expect(
      try answer(
        RecordResult.self,
        #"{"recordName":"a","recordType":"T","serverErrorCode":null}"#
      ).record?.recordType == "T")
  }

  @Test func fieldsAreReadAndSetByName() {
    var recordInput = RecordInput("r", type: "T")
    recordInput["a"] = .int64(1)
    #expect(recordInput["a"] == .int64(1))
    #expect(recordInput["b"] == nil)
    recordInput["a"] = nil
    #expect(recordInput.fields == ["a": .null])
    var record = Record("r", type: "T")
    record["a"] = .string("x")
    #expect(record["a"] == .string("x"))
    record["a"] = nil
    #expect(record.fields.isEmpty)
  }

  @Test func selectingKeepsOnlyTheDesiredKeys() {
    let record = Record(
      "r", type: "T", fields: ["a": Field(.int64(1)), "b": Field(.int64(2))],
      recordChangeTag: "t")
    #expect(record.selecting(nil) == record)
    #expect(record.selecting(["b", "c"]).fields == ["b": Field(.int64(2))])
    #expect(record.selecting(["b"]).recordChangeTag == "t")
    #expect(record.selecting([]).fields.isEmpty)
  }

  @Test func aResultIsARecordATombstoneOrAnError() {
    let record = RecordResult.record(Record("r", type: "T"))
    #expect(record.record != nil && record.tombstone == nil && record.error == nil)
    let tombstone = RecordResult.tombstone(Tombstone("r"))
    #expect(tombstone.record == nil && tombstone.tombstone != nil && tombstone.error == nil)
    let failure = RecordResult.failure(ServiceError(.exists))
    #expect(failure.record == nil && failure.tombstone == nil && failure.error != nil)
    #expect(failure.recordName == nil && record.recordName == "r")
  }
}
