import CloudRecords
import Foundation
import Testing

struct FilterValueTests {
  @Test(arguments: [
    ("stringQ", Filter.Comparator.equals, FieldValue.string("a")), ("int64Q", .equals, .int64(1)),
    ("doubleQ", .notEquals, .double(1)), ("numberQ", .equals, .int64(1)),
    ("numberQ", .equals, .double(1)), ("stringQ", .isIn, .strings(["a"])),
    ("stringQ", .notIn, .strings([])), ("int64Q", .isIn, .int64s([1])),
    ("referenceQ", .isIn, .references([Reference("a", action: nil)])),
    ("referenceQ", .equals, .reference(Reference("a", action: nil))),
    ("stringsQ", .listContains, .string("a")), ("int64sQ", .notListContains, .int64(1)),
    ("stringsQ", .listContainsAny, .strings(["a"])),
    ("stringsQ", .notListContainsAny, .strings([])),
    ("stringsQ", .listContainsAll, .strings(["a"])),
    ("stringsQ", .notListContainsAll, .strings([])),
    ("stringsQ", .listMemberBeginsWith, .string("a")),
    ("stringsQ", .notListMemberBeginsWith, .string("a")),
    ("referencesQ", .listContains, .reference(Reference("a", action: nil))),
    ("bytesQ", .equals, .bytes(Data())), ("stringQ", .beginsWith, .string("")),
  ])
  func valuesOfTheFieldTypeAreAccepted(
    _ field: String, _ comparator: Filter.Comparator, _ value: FieldValue
  ) {
    #expect(cause(field, comparator, value) == nil)
  }

  @Test(arguments: [
    ("referenceQ", Filter.Comparator.equals, FieldValue.string("a"), "REFERENCE", "STRING"),
    ("int64Q", .equals, .double(1), "INT64", "DOUBLE"),
    ("stringQ", .isIn, .string("a"), "STRING_LIST", "STRING"),
    ("stringQ", .equals, .strings(["a"]), "STRING", "STRING_LIST"),
    ("stringsQ", .listContains, .strings(["a"]), "STRING", "STRING_LIST"),
    ("stringsQ", .equals, .strings(["a"]), "STRING_LIST", "STRING_LIST"),
    ("stringsQ", .isIn, .strings(["a"]), "STRING_LIST", "STRING_LIST"),
    ("int64sQ", .listContainsAny, .int64(1), "INT64_LIST", "INT64"),
  ])
  func valuesOfAnotherTypeAreRefused(
    _ field: String, _ comparator: Filter.Comparator, _ value: FieldValue, declared: String,
    found: String
  ) {
    #expect(
      cause(field, comparator, value)
        == .wrongFilterType(found, field: field, declared: declared))
  }

  @Test(arguments: [
    ("stringQ", Filter.Comparator.listContains, FieldValue.string("a"), "STRING"),
    ("int64Q", .beginsWith, .string("a"), "INT64"),
    ("int64sQ", .listMemberBeginsWith, .string("a"), "INT64_LIST"),
    ("assetQ", .equals, .asset(Asset(fileChecksum: "", size: 0)), "ASSETID"),
    ("locationQ", .equals, .location(Location(latitude: 0, longitude: 0)), "LOCATION"),
    ("locationS", .lessThan, .location(Location(latitude: 0, longitude: 0)), "LOCATION"),
  ])
  func comparatorsThatDoNotApplyAreInvalid(
    _ field: String, _ comparator: Filter.Comparator, _ value: FieldValue, type: String
  ) {
    #expect(
      cause(field, comparator, value)
        == .invalidPredicate(.comparator(comparator, field: field, type: type)))
  }

  @Test func untypedValuesGetTheFieldsType() throws {
    func checked(_ field: String, _ comparator: Filter.Comparator, _ json: JSONValue) throws
      -> FieldValue?
    {
      let filter = Filter(.named(field), comparator, Field(.raw(json, type: nil)))
      return try schemaOfEverything.check(Query("T", filters: [filter])).filters.first?.fieldValue
        .value
    }
    #expect(try checked("doubleQ", .equals, .integer(5)) == .double(5))
    #expect(try checked("int64Q", .equals, .integer(5)) == .int64(5))
    #expect(
      try checked("timestampS", .lessThan, .integer(5)) == .timestamp(Timestamp(milliseconds: 5)))
    #expect(try checked("stringQ", .isIn, .array([.string("a")])) == .strings(["a"]))
    #expect(try checked("int64Q", .isIn, .array([])) == .int64s([]))
    #expect(
      try checked("referenceQ", .equals, .object(["recordName": .string("a")]))
        == .reference(Reference("a", action: nil)))
    #expect(
      cause { _ = try checked("referenceQ", .equals, .string("a")) }
        == .wrongFilterType("STRING", field: "referenceQ", declared: "REFERENCE"))
    #expect(
      cause { _ = try checked("int64Q", .equals, .number(0.5)) }
        == .wrongFilterType("DOUBLE", field: "int64Q", declared: "INT64"))
  }

  @Test func aFilterNeedsAValue() {
    #expect(
      cause([Filter(.named("stringQ"), .equals, .null)])
        == .invalidPredicate(.missingValue(field: "stringQ")))
  }
}
