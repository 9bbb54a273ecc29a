import CloudRecords
import Foundation
import Testing

/// Responses with records, which are written without an encoder where possible.
struct RecordPageTests {
  /// A wrapper of a body that makes `Wire` use the encoder alone.
  private struct Encoded<Body: Encodable>: Encodable {
    let body: Body

    func encode(to encoder: any Encoder) throws { try body.encode(to: encoder) }
  }

  /// The result with fields as the record service stores them.
  private func stored(_ result: RecordResult, _ keys: Set<String>?) throws -> RecordResult {
    guard case .record(let record) = result else { return result }
    return .record(
      try Record(
        record.recordName, type: record.recordType,
        canonicalFields: CanonicalJSON.encode(record.fields),
        recordChangeTag: record.recordChangeTag, created: record.created,
        modified: record.modified, zoneID: record.zoneID, parent: record.parent
      ).selecting(keys))
  }

  /// Expects that the JSON of a body with stored fields is decoded to the same value as the JSON
  /// that the encoder writes for the body with values.
  private func expectEqual<Body: Codable & Equatable>(
    _ stored: Body, _ plain: Body, numbersAsStrings: Bool, _ seed: UInt64
  ) throws {
    let written = try text(stored, numbersAsStrings: numbersAsStrings)
    let expected = try text(Encoded(body: plain), numbersAsStrings: numbersAsStrings)
    #expect(
      try answer(Body.self, written) == answer(Body.self, expected), "seed \(seed): \(written)")
    #expect(stored == plain, "seed \(seed)")
    // The encoder itself writes stored fields in the same way.
    #expect(
      try text(Encoded(body: stored), numbersAsStrings: numbersAsStrings) == expected,
      "seed \(seed)")
  }

  @Test func pagesAreReadAsTheEncoderWritesThem() throws {
    for seed in seeds(400) {
      var arbitrary = Arbitrary(seed: seed)
      let results = arbitrary.list(5) { $0.result() }
      let names = Set(results.flatMap { Array(($0.record?.fields ?? [:]).keys) })
      let keys = arbitrary.maybe { arbitrary in
        names.filter { _ in arbitrary.bool() }.union(["missing"])
      }
      let plain = results.map { result in
        result.record.map { RecordResult.record($0.selecting(keys)) } ?? result
      }
      let stored = try results.map { try self.stored($0, keys) }
      let (token, zoneID) = (arbitrary.maybe { $0.string() }, arbitrary.zoneID())
      let (flag, asStrings) = (arbitrary.bool(), arbitrary.bool())
      let failure = ItemResult<ChangesZone.Page>.failure(arbitrary.error())

      func expect<Body: Codable & Equatable>(_ body: ([RecordResult]) -> Body) throws {
        try expectEqual(body(stored), body(plain), numbersAsStrings: asStrings, seed)
      }
      try expect { RecordsModify.Response(records: $0, syncToken: token) }
      try expect { RecordsQuery.Response(records: $0, continuationMarker: token) }
      try expect { RecordsChanges.Response(records: $0, syncToken: token, moreComing: flag) }
      try expect { records in
        let page = ChangesZone.Page(zoneID, records: records, syncToken: token, moreComing: flag)
        return ChangesZone.Response(zones: [.success(page), failure, .success(page)])
      }
    }
  }

  @Test func storedFieldsAreWrittenUnchanged() throws {
    let fields = #"{"b":{"type":"DOUBLE","value":1e2},"a":{"type":"STRING","value":"\u0041"}}"#
    let record = try Record("n", type: "T", canonicalFields: data(fields), zoneID: ZoneID("Z"))
    let page = RecordsQuery.Response(records: [.record(record)])
    #expect(
      try text(page)
        == #"{"records":[{"deleted":false,"fields":\#(fields),"pluginFields":{},"#
        + #""recordName":"n","recordType":"T","zoneID":{"zoneName":"Z"}}]}"#)
    #expect(
      try text(RecordsQuery.Response(records: [.record(record.selecting(["a"]))]))
        .contains(#""fields":{"a":{"type":"STRING","value":"\u0041"}},"#))
    #expect(record["b"] == .double(100))
  }

  /// In stored fields, the numbers of the JSON get quotation marks. Fields with values are written
  /// with them.
  @Test func numbersBecomeStringsAsTheEncoderWritesThem() throws {
    for seed in seeds(400) {
      var arbitrary = Arbitrary(seed: seed)
      var fields = arbitrary.fields()
      for type in Arbitrary.types {
        fields["f" + type.name] = Field(arbitrary.value(type), isEncrypted: arbitrary.bool())
      }
      fields["text"] = Field(.string(#"INT64",5,"type":"DOUBLE","value":5"#))
      let stored = try Record(
        "n", type: "T", canonicalFields: CanonicalJSON.encode(fields))
      for record in [stored, Record("n", type: "T", fields: fields)] {
        for asStrings in [false, true] {
          #expect(
            try text(
              RecordsQuery.Response(records: [.record(record)]), numbersAsStrings: asStrings)
              == #"{"records":[{"deleted":false,"fields":"#
              + text(fields, numbersAsStrings: asStrings)
              + #","pluginFields":{},"recordName":"n","recordType":"T"}]}"#, "seed \(seed)")
        }
      }
    }
  }

  @Test func numbersOfEveryFormBecomeStrings() throws {
    let fields: [String: Field] = [
      "d": Field(.doubles([5, -0.0, 1e22, 0.1, 1e16, -1.5e-9, 123_456_789_012])),
      "i": Field(.int64s([.min, -1, 0, .max])),
      "l": Field(.location(Location(latitude: 1, longitude: 2))),
      "t": Field(.timestamp(Timestamp(milliseconds: 7))),
    ]
    let record = try Record("n", type: "T", canonicalFields: CanonicalJSON.encode(fields))
    #expect(
      try text(RecordsQuery.Response(records: [.record(record)]), numbersAsStrings: true).contains(
        #""fields":{"d":{"type":"DOUBLE_LIST","value":["5.0","-0.0","1e+22","0.1","1e+16","-1.5e-09","#
          + #""123456789012.0"]},"i":{"type":"INT64_LIST","value":["-9223372036854775808","-1","0","#
          + #""9223372036854775807"]},"l":{"type":"LOCATION","value":{"latitude":1,"longitude":2}},"#
          + #""t":{"type":"TIMESTAMP","value":7}}"#))
  }

  @Test func changedFieldsReplaceStoredOnes() throws {
    var record = try Record(
      "n", type: "T", canonicalFields: data(#"{"a":{"type":"INT64","value":1}}"#))
    record["b"] = .int64(2)
    #expect(record.fields == ["a": Field(.int64(1)), "b": Field(.int64(2))])
    #expect(try text(RecordsQuery.Response(records: [.record(record)])).contains(#""b":"#))
  }

  @Test func damagedFieldsAreRefused() {
    for text in ["", "{", "\u{0}", #"{"a":}"#, "{}{}"] {
      #expect(throws: BodyDecodingError.self, "\(text)") {
        try Record("n", type: "T", canonicalFields: data(text))
      }
    }
  }

  @Test func noAssetIsOverlooked() throws {
    for seed in seeds(400) {
      var arbitrary = Arbitrary(seed: seed)
      let fields = arbitrary.fields()
      if fields.values.contains(where: { !($0.value?.assets ?? []).isEmpty }) {
        #expect(CanonicalJSON.mayHaveAssets(try CanonicalJSON.encode(fields)), "seed \(seed)")
      }
    }
    for type in ["ASSETID", "ASSETID_LIST"] {
      #expect(CanonicalJSON.mayHaveAssets(data(#"{"type":"\#(type)"}"#)))
    }
    for text in ["", "{}", #"{"type":"STRING","value":"an ASSETID"}"#, #""ASSETI"#] {
      #expect(!CanonicalJSON.mayHaveAssets(data(text)), "\(text)")
    }
  }
}
