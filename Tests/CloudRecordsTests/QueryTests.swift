import CloudRecords
import Foundation
import Testing

struct QueryTests {
  // MARK: Names

  @Test(arguments: [
    ("recordName", "___recordID"), ("share", "___share"), ("parent", "___parent"),
    ("createdUserRecordName", "___createdBy"), ("createdTimestamp", "___createTime"),
    ("modifiedTimestamp", "___modTime"), ("modifiedUserRecordName", "___modifiedBy"),
  ])
  func systemFieldsHaveTwoNames(_ queryName: String, schemaName: String) throws {
    let field = try #require(SystemField(queryName: queryName))
    #expect(field.rawValue == schemaName)
    #expect(field.queryName == queryName)
    #expect(QueryField(fieldName: schemaName) == .system(field))
    let value = #""comparator":"EQUALS","fieldValue":{"value":1}"#
    for json in [
      #"{"systemFieldName":"\#(queryName)",\#(value)}"#,
      #"{"systemFieldName":"\#(schemaName)",\#(value)}"#,
      #"{"fieldName":"\#(schemaName)",\#(value)}"#,
    ] {
      #expect(try request(Filter.self, json).field == .system(field))
    }
    let named = try request(Filter.self, #"{"fieldName":"\#(queryName)",\#(value)}"#)
    #expect(named.field == .named(queryName))
    #expect(try text(Sort(.system(field))).contains(#""systemFieldName":"\#(queryName)""#))
  }

  @Test func theTagHasOnlyItsSchemaName() throws {
    #expect(SystemField.etag.queryName == nil)
    try expectBothWays(Sort(.system(.etag)), #"{"ascending":true,"fieldName":"___etag"}"#)
  }

  @Test func everyQueryComesBack() throws {
    for seed in seeds(200) {
      var arbitrary = Arbitrary(seed: seed)
      let query = arbitrary.query()
      #expect(try request(Query.self, text(query)) == query, "seed \(seed)")
    }
  }

  @Test func comparatorsAreThoseOfTheProtocol() {
    let names = """
      EQUALS NOT_EQUALS LESS_THAN LESS_THAN_OR_EQUALS GREATER_THAN GREATER_THAN_OR_EQUALS NEAR \
      IN NOT_IN BEGINS_WITH NOT_BEGINS_WITH CONTAINS_ALL_TOKENS CONTAINS_ANY_TOKENS \
      LIST_CONTAINS NOT_LIST_CONTAINS LIST_CONTAINS_ANY NOT_LIST_CONTAINS_ANY \
      LIST_CONTAINS_ALL NOT_LIST_CONTAINS_ALL LIST_MEMBER_BEGINS_WITH \
      NOT_LIST_MEMBER_BEGINS_WITH
      """
    #expect(Filter.Comparator.allCases.map(\.rawValue).joined(separator: " ") == names)
  }

  // MARK: Indexes

  @Test func anUnknownTypeIsNotFound() {
    #expect(throws: ServiceError(.notFound, reason: "Did not find record type X")) {
      try schemaOfEverything.check(Query("X"))
    }
  }

  @Test func anUnknownFieldIsNamed() {
    #expect(complaint("nope", .equals, .string("a")) == "Did not find field: 'nope' in type: 'T'")
    #expect(
      complaint([Filter("stringQ", .equals, .string("a"))], [Sort("nope")])
        == "Did not find field: 'nope' in type: 'T'")
  }

  @Test func aQueryWithoutFiltersNeedsRecordNames() throws {
    try schemaOfEverything.check(Query("T"))
    #expect(
      throws: ServiceError(.badRequest, reason: "Field 'recordName' is not marked queryable")
    ) { try Schema([RecordType("T")]).check(Query("T")) }
  }

  @Test(arguments: [
    Filter.Comparator.equals, .notEquals, .beginsWith, .notBeginsWith,
  ])
  func equalityNeedsQueryable(_ comparator: Filter.Comparator) {
    #expect(complaint("stringQ", comparator, .string("a")) == nil)
    #expect(complaint("stringQS", comparator, .string("a")) == nil)
    for field in ["string", "stringS", "stringT"] {
      #expect(
        complaint(field, comparator, .string("a")) == "Field '\(field)' is not marked queryable")
    }
  }

  @Test(arguments: [
    Filter.Comparator.lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals,
  ])
  func rangesNeedSortable(_ comparator: Filter.Comparator) {
    for (kind, value) in [
      ("string", FieldValue.string("a")), ("int64", .int64(1)), ("double", .double(1)),
      ("timestamp", .timestamp(Timestamp(milliseconds: 1))), ("number", .int64(1)),
      ("bytes", .bytes(Data())), ("reference", .reference(Reference("a", action: nil))),
    ] {
      #expect(complaint(kind + "S", comparator, value) == nil)
      #expect(complaint(kind + "QS", comparator, value) == nil)
      #expect(
        complaint(kind + "Q", comparator, value) == "Field '\(kind)Q' is not marked sortable")
      #expect(complaint(kind, comparator, value) == "Field '\(kind)' is not marked queryable")
    }
  }

  @Test(arguments: [Filter.Comparator.containsAllTokens, .containsAnyTokens])
  func tokensNeedSearchable(_ comparator: Filter.Comparator) {
    #expect(complaint("stringT", comparator, .string("a b")) == nil)
    #expect(
      complaint("stringQS", comparator, .string("a b"))
        == "Field 'stringQS' is not marked searchable")
    let anywhere = Filter(nil, comparator, Field(.string("a")))
    #expect(complaint([anywhere]) == nil)
    #expect(
      reason { try Schema([RecordType("T")]).check(Query("T", filters: [anywhere])) }
        == "Queried type is not marked indexable")
  }

  @Test func sortingNeedsSortable() {
    let filter = Filter("stringQ", .equals, .string("a"))
    for kind in ["string", "int64", "double", "timestamp", "number", "bytes", "reference"] {
      #expect(complaint([filter], [Sort(kind + "S")]) == nil)
      #expect(complaint([filter], [Sort(kind + "QS", ascending: false)]) == nil)
      #expect(complaint([filter], [Sort(kind + "Q")]) == "Field '\(kind)Q' is not marked sortable")
      #expect(complaint([filter], [Sort(kind)]) == "Field '\(kind)' is not marked queryable")
    }
    #expect(
      complaint([filter], [Sort(.system(.createTime))])
        == "Field '_createdTime' is not marked queryable")
  }

  @Test func aTypeWithoutOrderIsNotSorted() {
    let filter = Filter("stringQ", .equals, .string("a"))
    for field in ["assetQS", "locationQS", "stringsQS"] {
      let said = complaint([filter], [Sort(field)])
      #expect(said?.hasPrefix("Invalid predicate: cannot sort by field '\(field)'") == true)
    }
  }

  @Test func distancesNeedAPlace() {
    let here = Location(latitude: 1, longitude: 2)
    let near = Filter(.named("locationQ"), .near, Field(.location(here)), distance: 10)
    #expect(complaint([near]) == nil)
    #expect(complaint([near], [Sort(.named("locationQ"), relativeLocation: here)]) == nil)
    #expect(
      complaint([near], [Sort(.named("stringQS"), relativeLocation: here)])?
        .hasPrefix("Invalid predicate") == true)
    #expect(
      complaint([Filter(.named("locationQ"), .near, Field(.location(here)), distance: -1)])
        == "Invalid predicate: a distance below 0")
    #expect(
      complaint("stringQ", .near, .location(here))
        == "Invalid predicate: NEAR does not apply to field 'stringQ' of type STRING")
  }

  @Test func systemFieldsHaveIndexesToo() throws {
    let user = Field(.reference(Reference("_u", action: nil)))
    #expect(
      complaint([Filter(.system(.createdBy), .equals, user)])
        == "Field '_createdBy' is not marked queryable")
    let schema = Schema([
      RecordType("T", systemIndexes: [.createdBy: .queryable, .modTime: .sortable])
    ])
    try schema.check(
      Query(
        "T", filters: [Filter(.system(.createdBy), .equals, user)],
        sorts: [Sort(.system(.modTime), ascending: false)]))
    #expect(
      reason {
        try schema.check(
          Query("T", filters: [Filter("___createdBy", .equals, .string("_u"))]))
      }
        == "Field '_createdBy' has a value type of REFERENCE and cannot be queried using filter "
        + "value type STRING")
  }

  @Test func aQueryHasAtMostSoManyTerms() {
    let filter = Filter("stringQ", .equals, .string("a"))
    #expect(complaint(Array(repeating: filter, count: 100)) == nil)
    #expect(
      complaint(Array(repeating: filter, count: 100), [Sort("stringS")])
        == "Invalid predicate: 101 filters and sorts, at most 100")
  }

  /// The wordings of the errors, and the indexes that prevent them.
  @Test func fameFitsErrorsAreReproducedAndCured() throws {
    var schema = try Schema(parsing: try fixture("famefit.ckdb"))
    func said(_ query: Query) -> String? { reason { try schema.check(query) } }

    #expect(said(Query("User")) == "Field 'recordName' is not marked queryable")
    schema["User"]?[.recordID] = .queryable
    #expect(said(Query("User")) == nil)

    let recent = Query(
      "WorkoutHistory",
      filters: [
        Filter("___createTime", .greaterThan, .timestamp(Timestamp(milliseconds: 1)))
      ], sorts: [Sort("endDate", ascending: false)])
    #expect(said(recent) == "Field 'endDate' is not marked queryable")
    schema["WorkoutHistory"]?.fields["endDate"]?.indexes = .queryable
    #expect(said(recent) == "Field 'endDate' is not marked sortable")
    schema["WorkoutHistory"]?.fields["endDate"]?.indexes = .sortable
    #expect(said(recent) == nil)

    #expect(said(Query("Workout")) == "Did not find record type Workout")
    let invalid = Query("User", filters: [Filter("___createTime", .beginsWith, .string("2"))])
    #expect(said(invalid)?.hasPrefix("Invalid predicate") == true)
  }
}
