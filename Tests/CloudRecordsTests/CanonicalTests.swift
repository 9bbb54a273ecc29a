import CloudRecords
import Foundation
import Testing

struct CanonicalTests {
  @Test func fieldsAreDecodedAgain() throws {
    for seed in seeds(1000) {
      var arbitrary = Arbitrary(seed: seed)
      let fields = arbitrary.fields()
      let stored = try CanonicalJSON.encode(fields)
      let read = try CanonicalJSON.decode(stored)
      #expect(read == fields, "seed \(seed)")
      // Strings that differ in their normal form only are equal; their bytes are not.
      #expect(try CanonicalJSON.encode(read) == stored, "seed \(seed)")
    }
  }

  @Test func keysAreInOrder() throws {
    let fields: [String: Field] = [
      "b": Field(.int64(.max)), "a": Field(.string("\u{0}/")), "B": Field(.doubles([])),
      "a1": Field(.double(5)), "a10": .null, "a2": Field(.bytes(Data([0xFF]))),
    ]
    #expect(
      String(decoding: try CanonicalJSON.encode(fields), as: UTF8.self)
        == #"{"B":{"type":"DOUBLE_LIST","value":[]},"a":{"type":"STRING","value":"\u0000/"},"#
        + #""a1":{"type":"DOUBLE","value":5},"a10":{"value":null},"a2":{"type":"BYTES","#
        + #""value":"/w=="},"b":{"type":"INT64","value":9223372036854775807}}"#)
    #expect(try CanonicalJSON.decode(CanonicalJSON.encode(fields)) == fields)
  }

  @Test func theFormIsThatOfTheEncoder() throws {
    for seed in seeds(1000) {
      var arbitrary = Arbitrary(seed: seed)
      let fields = arbitrary.fields()
      #expect(try CanonicalJSON.encode(fields) == Wire.encode(fields), "seed \(seed)")
    }
    for text in [
      "", "é😀\u{2028}\u{202E}\u{7F}/", #"a "b""#, #"\"#,
      String(String.UnicodeScalarView((0..<0x20).map { Unicode.Scalar(UInt8($0)) })),
    ] {
      let fields = ["f": Field(.string(text)), "g": Field(.string(text), isEncrypted: true)]
      #expect(try CanonicalJSON.encode(fields) == Wire.encode(fields))
    }
  }

  @Test func theOrderOfInsertionIsIgnored() throws {
    for seed in seeds(50) {
      var arbitrary = Arbitrary(seed: seed)
      let names = (0..<20).map { "f\($0)" }
      var one: [String: Field] = [:]
      var other: [String: Field] = [:]
      for name in names.shuffled(using: &arbitrary.generator) { one[name] = Field(.string(name)) }
      for name in names.shuffled(using: &arbitrary.generator) { other[name] = Field(.string(name)) }
      #expect(try CanonicalJSON.encode(one) == CanonicalJSON.encode(other), "seed \(seed)")
    }
  }

  @Test func aRecordOfTheMaximumSizeIsDecodedAgain() throws {
    for value in [
      FieldValue.string(String(repeating: "\u{0}", count: Limits.recordBytes - 10)),
      .int64s(Array(repeating: .min, count: Limits.recordBytes / 9 - 10)),
      .references(Array(repeating: Reference("", action: .deleteSelf), count: 100_000)),
    ] {
      let fields = ["f": Field(value)]
      #expect(RecordSize.bytes(of: fields) <= Limits.recordBytes)
      #expect(try CanonicalJSON.decode(CanonicalJSON.encode(fields)) == fields)
    }
  }

  @Test func invalidDataIsRejected() {
    for text in ["", "[]", "{", #"{"a":5}"#, #"{"a":{"type":"INT64","value":"x"}}"#] {
      #expect(throws: BodyDecodingError.self) { try CanonicalJSON.decode(Data(text.utf8)) }
    }
  }
}
