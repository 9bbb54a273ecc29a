import CloudRecords
import Foundation
import Testing

struct FieldValueTests {
  @Test(arguments: Arbitrary.types)
  func valuesOfEveryTypeSurviveARoundTrip(_ type: ValueType) throws {
    for seed in seeds(100) {
      var arbitrary = Arbitrary(seed: seed)
      let value = arbitrary.value(type)
      #expect(value.type == type)
      for isEncrypted in [false, true] {
        let field = Field(value, isEncrypted: isEncrypted)
        for numbersAsStrings in [false, true] {
          let json = try text(field, numbersAsStrings: numbersAsStrings)
          #expect(try request(Field.self, json) == field, "seed \(seed): \(json)")
        }
      }
    }
  }

  @Test func typeNamesAreThoseOfTheProtocol() throws {
    let names = [
      "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "LOCATION", "REFERENCE", "ASSETID",
    ]
    #expect(ValueType.Kind.allCases.map(\.rawValue) == names)
    for type in Arbitrary.types { #expect(ValueType(name: type.name) == type) }
    #expect(ValueType(name: "ASSET") == ValueType(.asset))
    #expect(ValueType(name: "ASSET_LIST") == ValueType(.asset, isList: true))
    for name in ["", "_LIST", "LIST", "UNKNOWN_LIST", "string", "STRING_LIST_LIST", "NUMBER"] {
      #expect(ValueType(name: name) == nil)
    }
  }

  @Test func anEmptyListKeepsItsType() throws {
    try expectBothWays(Field(.strings([])), #"{"type":"STRING_LIST","value":[]}"#)
    try expectBothWays(Field(.assets([])), #"{"type":"ASSETID_LIST","value":[]}"#)
  }

  @Test(arguments: [
    9_007_199_254_740_993, -9_007_199_254_740_993, Int64.max, .min, 0, -1,
  ])
  func anInt64IsExact(_ number: Int64) throws {
    try expectBothWays(Field(.int64(number)), #"{"type":"INT64","value":\#(number)}"#)
    let string = #"{"type":"INT64","value":"\#(number)"}"#
    #expect(try text(Field(.int64(number)), numbersAsStrings: true) == string)
    #expect(try request(Field.self, string) == Field(.int64(number)))
  }

  @Test(arguments: [
    ("5", 5), ("-0", -0.0), ("0.1", 0.1), ("1e22", 1e22), ("\"2.5\"", 2.5),
    ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
    ("5e-324", Double.leastNonzeroMagnitude),
  ])
  func doublesAreReadInEveryNotation(_ json: String, _ number: Double) throws {
    let field = try request(Field.self, #"{"type":"DOUBLE","value":\#(json)}"#)
    guard case .double(let read)? = field.value else {
      Issue.record("\(field)")
      return
    }
    #expect(read.bitPattern == number.bitPattern)
  }

  @Test func doublesAreDecodedBitForBit() throws {
    for seed in seeds(2000) {
      var arbitrary = Arbitrary(seed: seed)
      let number = arbitrary.double()
      let field = try request(Field.self, try text(Field(.double(number))))
      guard case .double(let read)? = field.value else {
        Issue.record("seed \(seed)")
        return
      }
      #expect(read.bitPattern == number.bitPattern, "seed \(seed)")
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func nonFiniteNumbersAreNotEncoded(_ number: Double) {
    #expect(throws: EncodingError.self) { try Wire.encode(Field(.double(number))) }
  }

  @Test func controlAndUnicodeCharactersAreKept() throws {
    let special = "\u{0}\u{1}\"\\/\u{2028}\u{7F}e\u{301}é😀\u{10FFFF}"
    let json = try text(Field(.string(special)))
    #expect(json.contains(#"\u0000\u0001\"\\/"#))
    let read = try request(Field.self, json)
    // Bytes are compared, since for Swift é equals e with a combining accent.
    guard case .string(let string)? = read.value else {
      Issue.record("\(read)")
      return
    }
    #expect(Array(string.utf8) == Array(special.utf8))
  }

  @Test func aTimestampWithAFractionIsRounded() throws {
    for (json, milliseconds) in [
      ("1469658474123", 1_469_658_474_123), ("1469658474123.4", 1_469_658_474_123),
      ("1469658474123.5", 1_469_658_474_124), ("-1.2", -1), ("1.4e12", 1_400_000_000_000),
    ] as [(String, Int64)] {
      #expect(
        try request(Field.self, #"{"type":"TIMESTAMP","value":\#(json)}"#)
          == Field(.timestamp(Timestamp(milliseconds: milliseconds))))
    }
  }

  @Test func aNullValueClearsAField() throws {
    #expect(try request(Field.self, "null") == .null)
    #expect(try request(Field.self, #"{"value":null}"#) == .null)
    #expect(try request(Field.self, #"{"value":null,"type":"STRING"}"#) == .null)
    #expect(try text(Field.null) == #"{"value":null}"#)
    let recordInput = try request(RecordInput.self, #"{"fields":{"a":null,"b":{"value":null}}}"#)
    #expect(recordInput.fields == ["a": .null, "b": .null])
  }

  @Test func encryptedFormsAreReadAndWritten() throws {
    try expectBothWays(
      Field(.bytes(Data([1, 2])), isEncrypted: true),
      #"{"type":"ENCRYPTED_BYTES","value":"AQI="}"#)
    try expectBothWays(
      Field(.string("x"), isEncrypted: true),
      #"{"isEncrypted":true,"type":"STRING","value":"x"}"#)
    #expect(
      try request(Field.self, #"{"type":"ENCRYPTED_STRING","value":"x"}"#)
        == Field(.string("x"), isEncrypted: true))
    #expect(
      try request(Field.self, #"{"type":"STRING","value":"x","isEncrypted":false}"#)
        == Field(.string("x")))
  }

  @Test func untypedValuesAreKeptAsRawJSON() throws {
    for (json, value) in [
      (#""a""#, JSONValue.string("a")), ("5", .integer(5)), ("5.0", .integer(5)),
      ("5.5", .number(5.5)), ("true", .bool(true)), ("[]", .array([])),
      ("9223372036854775808", .number(9_223_372_036_854_775_808)),
      (#"{"recordName":"a"}"#, .object(["recordName": .string("a")])),
      ("[1,[null]]", .array([.integer(1), .array([.null])])),
    ] as [(String, JSONValue)] {
      #expect(try request(Field.self, #"{"value":\#(json)}"#) == Field(.raw(value, type: nil)))
    }
    #expect(
      try request(Field.self, #"{"value":[],"type":"UNKNOWN_LIST"}"#)
        == Field(.raw(.array([]), type: nil)))
    #expect(
      try request(Field.self, #"{"value":["a"],"type":"LIST"}"#)
        == Field(.raw(.array([.string("a")]), type: nil)))
    try expectBothWays(
      Field(.raw(.integer(1), type: "NEW_TYPE")), #"{"type":"NEW_TYPE","value":1}"#)
  }

  @Test func mistypedValuesAreRefusedInRequestsAndKeptInResponses() throws {
    let json = #"{"fields":{"a":{"type":"INT64","value":"x"}},"recordName":"r","recordType":"T"}"#
    #expect(
      bodyProblem(Record.self, json) == .shape(path: "fields.a.value", mismatch: .expected(.int64)))
    let record = try answer(Record.self, json)
    #expect(record.fields["a"] == Field(.raw(.string("x"), type: "INT64")))
    #expect(record["a"] == nil)
    #expect(try answer(Field.self, #"{"type":"STRING"}"#) == .null)
  }

  @Test func singleValuesAndListsGiveTheirElementsReferencesAndAssets() {
    let reference = Reference("r")
    #expect(FieldValue.reference(reference).references == [reference])
    #expect(FieldValue.references([reference, reference]).references.count == 2)
    #expect(FieldValue.string("r").references.isEmpty)
    #expect(FieldValue.int64s([1, 2]).elements == [.int64(1), .int64(2)])
    #expect(FieldValue.int64(1).elements == [.int64(1)])
    let asset = Asset(fileChecksum: "c", size: 1)
    #expect(FieldValue.asset(asset).assets == [asset])
    #expect(FieldValue.assets([asset]).assets == [asset])
    #expect(FieldValue.strings([]).assets.isEmpty)
  }
}
