import CloudRecords
import Foundation
import Testing

/// The bodies of record and change feed endpoints, as Apple documents them and as known clients
/// send them.
struct RecordsWireTests {
  @Test func aRequestToModifyIsRead() throws {
    let body = try request(
      RecordsModify.Request.self,
      """
      {"operations":[
        {"operationType":"create","record":{"recordType":"Note","recordName":"r1",
         "fields":{"text":{"type":"STRING","value":"hi"},"n":{"value":5}},"pluginFields":{},
         "createShortGUID":false,"desiredKeys":["text"]}},
        {"operationType":"update","record":{"recordName":"r2","recordChangeTag":"1e",
         "fields":{"text":{"value":null}},"parent":{"recordName":"p"},"zoneID":{"zoneName":"Z"}},
         "desiredKeys":["text"],"numbersAsStrings":true},
        {"operationType":"forceDelete","record":{"recordName":"r3"}}],
       "zoneID":{"zoneName":"Q"},"atomic":false,"desiredKeys":[],"numbersAsStrings":false,
       "clientId":"x"}
      """)
    var update = RecordsModify.Operation(
      .update,
      RecordInput(
        "r2", fields: ["text": .null], recordChangeTag: "1e", zoneID: ZoneID("Z"),
        parent: Parent("p")), desiredKeys: ["text"])
    update.numbersAsStrings = true
    #expect(
      body
        == RecordsModify.Request(
          operations: [
            .init(
              .create,
              RecordInput(
                "r1", type: "Note",
                fields: [
                  "text": Field(.string("hi")), "n": Field(.raw(.integer(5), type: nil)),
                ])),
            update, .init(.forceDelete, RecordInput("r3")),
          ],
          zoneID: ZoneID("Q"), atomic: false, desiredKeys: [], numbersAsStrings: false))
    #expect(body.wantsNumbersAsStrings)
    #expect(!body.isAtomic(in: ZoneID("Q")))
  }

  @Test func aRequestToModifyIsWritten() throws {
    try expectBothWays(
      RecordsModify.Request(
        operations: [
          .init(.create, RecordInput("n1", type: "Note", fields: ["a": Field(.int64(1))])),
          .init(.delete, RecordInput("n2", recordChangeTag: "2")),
        ], zoneID: ZoneID("Q")),
      #"{"operations":[{"operationType":"create","record":{"fields":{"a":{"type":"INT64","#
        + #""value":1}},"recordName":"n1","recordType":"Note"}},{"operationType":"delete","#
        + #""record":{"recordChangeTag":"2","recordName":"n2"}}],"zoneID":{"zoneName":"Q"}}"#)
  }

  @Test func operationTypesHaveNamesAndProperties() throws {
    let names = [
      "create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete",
    ]
    #expect(RecordsModify.OperationType.allCases.map(\.rawValue) == names)
    let types = RecordsModify.OperationType.allCases
    #expect(types.filter(\.needsChangeTag) == [.update, .replace, .delete])
    #expect(types.filter(\.isDeletion) == [.delete, .forceDelete])
  }

  @Test func anAnswerToModifyHasRecordsTombstonesAndErrors() throws {
    let body = try answer(
      RecordsModify.Response.self,
      """
      {"records":[
        {"recordName":"a","recordType":"Note","fields":{"text":{"value":"hi","type":"STRING"}},
         "pluginFields":{},"recordChangeTag":"e","created":{"timestamp":1,"userRecordName":"_u",
         "deviceID":"iCloud"},"modified":{"timestamp":2,"userRecordName":"_u","deviceID":"D"},
         "deleted":false,"zoneID":{"zoneName":"Q","ownerRecordName":"_u"}},
        {"recordName":"b","deleted":true},
        {"recordName":"c","reason":"client oplock error updating record",
         "serverErrorCode":"CONFLICT"},
        {"recordName":"d","reason":"Atomic failure","serverErrorCode":"ATOMIC_ERROR","uuid":"u"}],
       "syncToken":"t"}
      """)
    #expect(
      body
        == RecordsModify.Response(
          records: [
            .record(
              Record(
                "a", type: "Note", fields: ["text": Field(.string("hi"))], recordChangeTag: "e",
                created: ModificationInfo(
                  timestamp: Timestamp(milliseconds: 1), userRecordName: "_u", deviceID: "iCloud"),
                modified: ModificationInfo(
                  timestamp: Timestamp(milliseconds: 2), userRecordName: "_u", deviceID: "D"),
                zoneID: ZoneID("Q", ownerRecordName: "_u"))),
            .tombstone(Tombstone("b")),
            .failure(
              ServiceError(
                .conflict, reason: "client oplock error updating record", recordName: "c")),
            .failure(
              ServiceError(
                .atomicError, reason: "Atomic failure", uuid: "u", recordName: "d")),
          ], syncToken: "t"))
    #expect(try answer(RecordsModify.Response.self, "{}").records.isEmpty)
  }

  @Test func aQueryIsReadAndWritten() throws {
    try expectBothWays(
      RecordsQuery.Request(
        Query(
          "Note",
          filters: [
            Filter("owner", .equals, .string("_u")),
            Filter(
              .system(.createdBy), .equals, Field(.reference(Reference("_u", action: nil)))),
            Filter(
              .named("place"), .near, Field(.location(Location(latitude: 1, longitude: 2))),
              distance: 10),
            Filter(nil, .containsAllTokens, Field(.string("a b"))),
          ], sorts: [Sort(.system(.modTime), ascending: false), Sort("text")]),
        zoneID: .default, resultsLimit: 200, continuationMarker: "m", desiredKeys: ["text"]),
      #"{"continuationMarker":"m","desiredKeys":["text"],"query":{"filterBy":["#
        + #"{"comparator":"EQUALS","fieldName":"owner","fieldValue":{"type":"STRING","#
        + #""value":"_u"}},"#
        + #"{"comparator":"EQUALS","fieldValue":{"type":"REFERENCE","value":{"recordName":"_u"}},"#
        + #""systemFieldName":"createdUserRecordName"},{"comparator":"NEAR","distance":10,"#
        + #""fieldName":"place","fieldValue":{"type":"LOCATION","value":{"latitude":1,"#
        + #""longitude":2}}},{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"type":"STRING","#
        + #""value":"a b"}}],"recordType":"Note","sortBy":[{"ascending":false,"#
        + #""systemFieldName":"modifiedTimestamp"},{"ascending":true,"fieldName":"text"}]},"#
        + #""resultsLimit":200,"zoneID":{"zoneName":"_defaultZone"}}"#)
    let short = try request(
      RecordsQuery.Request.self,
      #"{"query":{"recordType":"Note","sortBy":[{"fieldName":"a"}]},"resultsLimit":200,"#
        + #""zoneWide":true}"#)
    #expect(
      short
        == RecordsQuery.Request(
          Query("Note", sorts: [Sort("a")]), zoneWide: true, resultsLimit: 200))
  }

  @Test func anAnswerToAQueryHasAMarkerWhileThereIsMore() throws {
    let body = try answer(
      RecordsQuery.Response.self, #"{"records":[],"continuationMarker":"m","syncToken":"s"}"#)
    #expect(body == RecordsQuery.Response(records: [], continuationMarker: "m", syncToken: "s"))
    #expect(
      try answer(RecordsQuery.Response.self, #"{"records":[],"continuationMarker":null}"#)
        == RecordsQuery.Response(records: []))
    // An answer to another request must not look like the end of a query.
    #expect(throws: BodyDecodingError.shape(path: "records", mismatch: .missing)) {
      try answer(RecordsQuery.Response.self, "{}")
    }
  }

  @Test func lookupRequestsAreReadAndWritten() throws {
    try expectBothWays(
      RecordsLookup.Request(
        records: [.init("n2"), .init("n3", desiredKeys: ["a"])], zoneID: ZoneID("Q"),
        desiredKeys: ["text"], numbersAsStrings: true),
      #"{"desiredKeys":["text"],"numbersAsStrings":true,"records":[{"recordName":"n2"},"#
        + #"{"desiredKeys":["a"],"recordName":"n3"}],"zoneID":{"zoneName":"Q"}}"#)
  }

  @Test func numbersAreWrittenAsStringsWhenAskedFor() throws {
    let record = Record(
      "a", type: "T", fields: ["i": Field(.int64(.max)), "d": Field(.doubles([0.5]))],
      created: ModificationInfo(timestamp: Timestamp(milliseconds: 7)))
    let body = RecordsLookup.Response(records: [.record(record)])
    let json = try text(body, numbersAsStrings: true)
    #expect(json.contains(#""i":{"type":"INT64","value":"9223372036854775807"}"#))
    #expect(json.contains(#""d":{"type":"DOUBLE_LIST","value":["0.5"]}"#))
    #expect(json.contains(#""timestamp":7"#))
    #expect(try answer(RecordsLookup.Response.self, json) == body)
  }

  // MARK: changes

  @Test func zonesInheritTheOptionsOfTheChangesRequest() throws {
    let body = try request(
      ChangesZone.Request.self,
      #"{"zones":[{"zoneID":{"zoneName":"Q"}},{"zoneID":{"zoneName":"R"},"syncToken":"t","#
        + #""resultsLimit":1,"reverse":true,"desiredKeys":["b"]}],"resultsLimit":50,"#
        + #""desiredKeys":["a"],"desiredRecordTypes":["T"],"reverse":false,"numbersAsStrings":true}"#
    )
    #expect(body.wantsNumbersAsStrings)
    #expect(
      body.resolvedZones == [
        ChangesZone.ZoneRequest(
          ZoneID("Q"), resultsLimit: 50, desiredKeys: ["a"], desiredRecordTypes: ["T"],
          reverse: false, numbersAsStrings: true),
        ChangesZone.ZoneRequest(
          ZoneID("R"), syncToken: "t", resultsLimit: 1, desiredKeys: ["b"],
          desiredRecordTypes: ["T"], reverse: true, numbersAsStrings: true),
      ])
    try expectBothWays(
      ChangesZone.Request(zones: [.init(ZoneID("Q"), syncToken: "t")]),
      #"{"zones":[{"syncToken":"t","zoneID":{"zoneName":"Q"}}]}"#)
  }

  @Test func zoneChangesAreReadWithNullsAndErrors() throws {
    let body = try answer(
      ChangesZone.Response.self,
      #"{"zones":[{"zoneID":{"zoneName":"Q"},"records":[{"recordName":"a","deleted":true,"#
        + #""recordType":null,"recordChangeTag":"3"}],"syncToken":"s","moreComing":true},"#
        + #"{"zoneID":{"zoneName":"R"},"syncToken":"s","moreComing":null},"#
        + #"{"zoneID":{"zoneName":"N"},"serverErrorCode":"ZONE_NOT_FOUND","reason":"no"},"#
        + #"{"zoneID":{"zoneName":"B"},"serverErrorCode":"BAD_REQUEST","#
        + #""reason":"Unknown sync continuation type"}]}"#)
    #expect(
      body
        == ChangesZone.Response(zones: [
          .success(
            ChangesZone.Page(
              ZoneID("Q"), records: [.tombstone(Tombstone("a", recordChangeTag: "3"))],
              syncToken: "s", moreComing: true)),
          .success(ChangesZone.Page(ZoneID("R"), records: [], syncToken: "s", moreComing: false)),
          .failure(ServiceError(.zoneNotFound, reason: "no", zoneID: ZoneID("N"))),
          .failure(
            ServiceError(.badRequest, reason: "Unknown sync continuation type", zoneID: ZoneID("B"))
          ),
        ]))
    #expect(try answer(ChangesZone.Response.self, text(body)) == body)
    #expect(try answer(ChangesZone.Response.self, "{}").zones.isEmpty)
  }

  @Test func recordsChangesHasOneZone() throws {
    #expect(
      try request(RecordsChanges.Request.self, #"{"zoneID":{"zoneName":"Q"},"resultsLimit":2}"#)
        == ChangesZone.ZoneRequest(ZoneID("Q"), resultsLimit: 2))
    try expectBothWays(
      RecordsChanges.Response(records: [], syncToken: "s", moreComing: false),
      #"{"moreComing":false,"records":[],"syncToken":"s"}"#)
    #expect(try answer(RecordsChanges.Response.self, #"{"moreComing":null}"#).moreComing == false)
  }

  @Test func databaseChangesAreListsOfZones() throws {
    try expectBothWays(ChangesDatabase.Request(), "{}")
    try expectBothWays(ChangesDatabase.Request(syncToken: "t"), #"{"syncToken":"t"}"#)
    try expectBothWays(
      ChangesDatabase.Response(
        zones: [
          .success(Zone(ZoneID("Q"), syncToken: "z")), .success(Zone(ZoneID("R"), deleted: true)),
        ], syncToken: "s", moreComing: false),
      #"{"moreComing":false,"syncToken":"s","zones":[{"syncToken":"z","zoneID":{"zoneName":"Q"}},"#
        + #"{"deleted":true,"zoneID":{"zoneName":"R"}}]}"#)
  }

  @Test func zonesChangesHasAMetaSyncToken() throws {
    let body = try answer(
      ZonesChanges.Response.self,
      #"{"moreComing":false,"metaSyncToken":"AQAAAaBJidqD","zones":[{"zoneID":{"zoneName":"Q","#
        + #""ownerRecordName":"_u","zoneType":"REGULAR_CUSTOM_ZONE"},"deleted":true}]}"#)
    #expect(
      body
        == ZonesChanges.Response(
          zones: [
            .success(
              Zone(ZoneID("Q", ownerRecordName: "_u", zoneType: .custom), deleted: true))
          ], metaSyncToken: "AQAAAaBJidqD", moreComing: false))
    try expectBothWays(ZonesChanges.Request(metaSyncToken: "t"), #"{"metaSyncToken":"t"}"#)
  }
}
