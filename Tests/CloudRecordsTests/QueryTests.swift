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

  @Test func theChangeTagHasNoQueryName() throws {
    #expect(SystemField.etag.queryName == nil)
    try expectBothWays(Sort(.system(.etag)), #"{"ascending":true,"fieldName":"___etag"}"#)
  }

  @Test func queriesAreDecodedAgain() throws {
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
    #expect(throws: ServiceError(.notFound, cause: .unknownType("X"))) {
      try schemaOfEverything.check(Query("X"))
    }
  }

  @Test func theErrorNamesAnUnknownField() {
    #expect(cause("nope", .equals, .string("a")) == .unknownField("nope", type: "T"))
    #expect(
      cause([Filter("stringQ", .equals, .string("a"))], [Sort("nope")])
        == .unknownField("nope", type: "T"))
  }

  @Test func aQueryWithoutFiltersNeedsAQueryableRecordName() throws {
    try schemaOfEverything.check(Query("T"))
    #expect(
      throws: ServiceError(.badRequest, cause: .notQueryable("recordName"))
    ) { try Schema([RecordType("T")]).check(Query("T")) }
  }

  @Test(arguments: [
    Filter.Comparator.equals, .notEquals, .beginsWith, .notBeginsWith,
  ])
  func equalityNeedsQueryable(_ comparator: Filter.Comparator) {
    #expect(cause("stringQ", comparator, .string("a")) == nil)
    #expect(cause("stringQS", comparator, .string("a")) == nil)
    for field in ["string", "stringS", "stringT"] {
      #expect(
        cause(field, comparator, .string("a")) == .notQueryable(field))
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
      #expect(cause(kind + "S", comparator, value) == nil)
      #expect(cause(kind + "QS", comparator, value) == nil)
      #expect(
        cause(kind + "Q", comparator, value) == .notSortable(kind + "Q"))
      #expect(cause(kind, comparator, value) == .notQueryable(kind))
    }
  }

  @Test(arguments: [Filter.Comparator.containsAllTokens, .containsAnyTokens])
  func tokenSearchNeedsSearchable(_ comparator: Filter.Comparator) {
    #expect(cause("stringT", comparator, .string("a b")) == nil)
    #expect(
      cause("stringQS", comparator, .string("a b"))
        == .notSearchable("stringQS"))
    let anywhere = Filter(nil, comparator, Field(.string("a")))
    #expect(cause([anywhere]) == nil)
    #expect(
      cause { try Schema([RecordType("T")]).check(Query("T", filters: [anywhere])) }
        == .notIndexable)
  }

  @Test func sortingNeedsSortable() {
    let filter = Filter("stringQ", .equals, .string("a"))
    for kind in ["string", "int64", "double", "timestamp", "number", "bytes", "reference"] {
      #expect(cause([filter], [Sort(kind + "S")]) == nil)
      #expect(cause([filter], [Sort(kind + "QS", ascending: false)]) == nil)
      #expect(cause([filter], [Sort(kind + "Q")]) == .notSortable(kind + "Q"))
      #expect(cause([filter], [Sort(kind)]) == .notQueryable(kind))
    }
    #expect(
      cause([filter], [Sort(.system(.createTime))])
        == .notQueryable("_createdTime"))
  }

  @Test func fieldsOfUnorderedTypesCannotBeSortedBy() {
    let filter = Filter("stringQ", .equals, .string("a"))
    for field in ["assetQS", "locationQS", "stringsQS"] {
      guard case .invalidPredicate(.unsortable(let unsortable, _)) = cause([filter], [Sort(field)])
      else {
        Issue.record("\(field) is sorted by")
        continue
      }
      #expect(unsortable == field)
    }
  }

  @Test func distancesNeedALocationField() {
    let here = Location(latitude: 1, longitude: 2)
    let near = Filter(.named("locationQ"), .near, Field(.location(here)), distance: 10)
    #expect(cause([near]) == nil)
    #expect(cause([near], [Sort(.named("locationQ"), relativeLocation: here)]) == nil)
    #expect(
      cause([near], [Sort(.named("stringQS"), relativeLocation: here)])
        == .invalidPredicate(.unsortable(field: "stringQS", type: "STRING")))
    #expect(
      cause([Filter(.named("locationQ"), .near, Field(.location(here)), distance: -1)])
        == .invalidPredicate(.negativeDistance))
    #expect(
      cause("stringQ", .near, .location(here))
        == .invalidPredicate(.comparator(.near, field: "stringQ", type: "STRING")))
  }

  @Test func systemFieldsNeedIndexesToo() throws {
    let user = Field(.reference(Reference("_u", action: nil)))
    #expect(
      cause([Filter(.system(.createdBy), .equals, user)])
        == .notQueryable("_createdBy"))
    let schema = Schema([
      RecordType("T", systemIndexes: [.createdBy: .queryable, .modTime: .sortable])
    ])
    try schema.check(
      Query(
        "T", filters: [Filter(.system(.createdBy), .equals, user)],
        sorts: [Sort(.system(.modTime), ascending: false)]))
    #expect(
      cause {
        try schema.check(
          Query("T", filters: [Filter("___createdBy", .equals, .string("_u"))]))
      }
        == .wrongFilterType("STRING", field: "_createdBy", declared: "REFERENCE"))
  }

  @Test func aQueryHasAtMost100Terms() {
    let filter = Filter("stringQ", .equals, .string("a"))
    #expect(cause(Array(repeating: filter, count: 100)) == nil)
    #expect(
      cause(Array(repeating: filter, count: 100), [Sort("stringS")])
        == .invalidPredicate(.tooManyTerms(101, limit: 100)))
  }

  /// Errors of queries on the schema of an app, and the indexes that prevent them.
  @Test func addingIndexesResolvesTheErrorsOfFameFit() throws {
    var schema = try Schema(parsing: try fixture("famefit.ckdb"))
    func causeOf(_ query: Query) -> ErrorCause? { cause { try schema.check(query) } }

    #expect(causeOf(Query("User")) == .notQueryable("recordName"))
    schema["User"]?[.recordID] = .queryable
    #expect(causeOf(Query("User")) == nil)

    let recent = Query(
      "WorkoutHistory",
      filters: [
        Filter("___createTime", .greaterThan, .timestamp(Timestamp(milliseconds: 1)))
      ], sorts: [Sort("endDate", ascending: false)])
    #expect(causeOf(recent) == .notQueryable("endDate"))
    schema["WorkoutHistory"]?.fields["endDate"]?.indexes = .queryable
    #expect(causeOf(recent) == .notSortable("endDate"))
    schema["WorkoutHistory"]?.fields["endDate"]?.indexes = .sortable
    #expect(causeOf(recent) == nil)

    #expect(causeOf(Query("Workout")) == .unknownType("Workout"))
    let invalid = Query("User", filters: [Filter("___createTime", .beginsWith, .string("2"))])
    #expect(
      causeOf(invalid)
        == .invalidPredicate(.comparator(.beginsWith, field: "_createdTime", type: "TIMESTAMP")))
  }
}
