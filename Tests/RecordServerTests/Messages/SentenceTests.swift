import CloudRecords
import Glibc
import Testing
import Text

@testable import RecordServer
@testable import RecordServiceSupport

/// The sentences for errors and schema changes, which are typed values.
struct SentenceTests {
  /// Clients compare these strings, so the tests repeat them.
  private static let words: [(ErrorCause, String)] = [
    (.notQueryable("recordName"), "Field 'recordName' is not marked queryable"),
    (.notSortable("_createdTime"), "Field '_createdTime' is not marked sortable"),
    (.notSearchable("X"), "Field 'X' is not marked searchable"),
    (.notIndexable, "Queried type is not marked indexable"),
    (.unknownType("X"), "Did not find record type X"),
    (.unknownField("f", type: "T"), "Did not find field: 'f' in type: 'T'"),
    (
      .wrongType("STRING", field: "f", type: "T", declared: "REFERENCE"),
      """
      invalid attempt to set value type STRING for field 'f' for type 'T', defined to \
      be: REFERENCE
      """
    ),
    (
      .wrongFilterType("STRING", field: "f", declared: "REFERENCE"),
      "Field 'f' has a value type of REFERENCE and cannot be queried using filter value type STRING"
    ),
    (.unknownTypeInProduction("T"), "Cannot create new type T in production schema"),
    (
      .unknownFieldInProduction("f", type: "T"),
      "Cannot create or modify field 'f' in record 'T' in production schema"
    ),
    (.notPermitted(.create), "CREATE operation not permitted"),
    (.notPermitted(.write), "WRITE operation not permitted"),
    (.encryptedInPlainField, "Attempt to save encrypted data in non encrypted field type"),
    (
      .validatingReference(field: "Note", recordName: "a"),
      """
      Field=Note, recordID=a, title=Record delete would violate validating reference, \
      rejecting update
      """
    ),
    (.staleTag, "client oplock error updating record"),
    (.recordExists, "record to insert already exists"), (.atomicFailure, "Atomic failure"),
    (.unknownToken, "Unknown sync continuation type"),
    (.brokenToken, "Invalid continuation format"),
    (.expiredToken, "client knowledge differs from server knowledge"),
    (.authorizationNeeded, "request needs authorization"),
    (
      .tooManyItems(401, limit: 400),
      """
      Your request contains 401 items which is more than the maximum number of items \
      in a single request (400)
      """
    ),
    (
      .invalidPredicate(.tooManyTerms(101, limit: 100)),
      "Invalid predicate: 101 filters and sorts, at most 100"
    ),
    (.invalidName("_u", .underscore), #"the name '_u' must not begin with "_""#),
    (.invalidName("", .empty), "the name '' must not be empty"),
    (.invalidName("é", .notPrintableASCII), "the name 'é' must be printable ASCII"),
    (
      .invalidName("a", .tooLong(limit: 255)),
      "the name 'a' must not be longer than 255 bytes"
    ),
    (.duplicate("a"), "more than one operation for 'a'"), (.text("as received"), "as received"),
  ]

  @Test(arguments: words)
  func causesHaveTheWordsOfCloudKit(_ cause: ErrorCause, _ words: String) throws {
    #expect(cause.sentence == words)
    let error = ServiceError(.badRequest, cause: cause)
    let body = try Wire.encode(response: error)
    let received = try Wire.decode(ServiceError.self, from: body, as: .response)
    #expect(received.reason == String(words.prefix(ServiceError.textLimit)))
    #expect(received.meaning == error.meaning)
  }

  @Test(arguments: [
    (
      BodyDecodingError.shape(path: "operations[3].record", mismatch: .missing),
      "operations[3].record: is missing"
    ),
    (.shape(path: "", mismatch: .expected(.object)), "the body: expected an object"),
    (
      .shape(path: "a", mismatch: .expected(.oneOf(["NONE", "VALIDATE"]))),
      "a: expected one of NONE, VALIDATE"
    ),
    (
      .shape(path: "query.filterBy[1].comparator", mismatch: .expected(.comparator)),
      "Invalid predicate: query.filterBy[1].comparator: expected one of "
        + Filter.Comparator.allCases.map(\.rawValue).joined(separator: ", ")
    ),
    (.json(.syntax(.colon, offset: 4)), "not JSON: expected a colon at byte 4"),
    (.json(.tooDeep(limit: 32, offset: 5)), "nested deeper than 32 at byte 5"),
    (.json(.tooLong(limit: 7)), "the body has more than 7 bytes"),
  ])
  func bodyDecodingErrorsAreDescribed(_ error: BodyDecodingError, _ words: String) {
    #expect(error.serviceError.sentence == words)
  }

  @Test(arguments: [
    ("DEFINE SCHEMA x", "1:15: expected RECORD TYPE or CREATE ROLE"),
    ("DEFINE SCHEMA RECORD TYPE A", #"1:28: expected "(""#),
    ("DEFINE SCHEMA RECORD TYPE A (x INT64", #"1:37: expected "," or ")""#),
    ("DEFINE SCHEMA RECORD TYPE A (x INT)", "1:32: expected a field type"),
    (
      "DEFINE SCHEMA RECORD TYPE A (x ASSET QUERYABLE);",
      "1:38: a field of type ASSET cannot be QUERYABLE"
    ),
    ("DEFINE", "1:7: expected SCHEMA"),
  ])
  func schemaErrorsHaveTheirPosition(_ schema: String, _ words: String) {
    let error = #expect(throws: SchemaSyntaxError.self) { try Schema(parsing: schema) }
    #expect(error?.phrase == words)
  }

  @Test func schemaChangesAreDescribedInLines() {
    let type = "T"
    #expect(SchemaChange.roleAdded("a").line == "+ role 'a'")
    #expect(
      SchemaChange.fieldAdded(type: type, field: "f", FieldDefinition(.string, .queryable)).line
        == "+ field 'f' of 'T': STRING QUERYABLE")
    #expect(
      SchemaChange.indexesChanged(type: type, field: "f", from: [], to: [.queryable, .sortable])
        .line == "~ indexes of 'f' of 'T': none -> QUERYABLE SORTABLE")
    #expect(
      SchemaChange.grantsChanged(type: type, role: .world, from: [.write, .read], to: []).line
        == "~ grants to '_world' of 'T': READ, WRITE -> none")
    #expect(
      SchemaChange.fieldRetyped(type: type, field: "f", from: .string, to: .string.list).refusal
        == "Cannot change field 'f' of type 'T' from STRING to LIST<STRING> in production schema")
    #expect(SchemaChange.roleAdded("a").refusal == nil)
    #expect(
      [true, false].map {
        SchemaChange.requirementChanged(type: type, field: "f", isRequired: $0).line
      } == ["~ field 'f' of 'T': required", "~ field 'f' of 'T': no longer required"])
  }

  @Test(arguments: [
    (
      StorageFailure.failed(.sqlite(code: 1, message: "no such table: job")),
      "The storage failed: 1 (SQL logic error): no such table: job."
    ),
    (
      .failed(.file(.create, path: "/a", code: EEXIST)),
      "The storage failed: cannot create /a: File exists."
    ),
    (.failed(.damaged(.account(7))), "The storage failed: account 7 is damaged."),
    (
      .disconnected(message: "server closed"),
      "The database server cannot be used: server closed."
    ),
    (
      .commitUnanswered, "The database server did not confirm a change; it may or may not be saved."
    ),
    (.unresponsive, "The database server does not answer."),
    (.slow, "The database server took too long for a query."),
    (
      .failed(.postgresql(state: "42P01", message: "no such table")),
      "The storage failed: no such table (42P01)."
    ),
    (.failed(.newerTables), "The storage failed: a newer version has used the database."),
    (
      .failed(.missingPostgreSQLClient),
      "The storage failed: the client library of PostgreSQL, version 14 or later, is missing; install "
        + "the package libpq5."
    ),
    (
      .failed(.damaged(.column("mark"))),
      "The storage failed: a value of the column mark is damaged."
    ),
    (.busy, "The database is in use by another process; try again when that is done."),
  ])
  func storageFailuresAreDescribed(_ failure: StorageFailure, _ sentence: String) {
    #expect(failure.sentence == sentence)
  }

  @Test(arguments: [(0, "0 record types"), (1, "1 record type"), (2, "2 record types")])
  func theDoctorCountsRecordTypes(_ types: Int, _ words: String) {
    let fact = Doctor.Fact.schema(AccountFixture.other, types: types, changes: 0)
    let sentence = Doctor.Finding(check: .schema, fact: fact).sentence
    #expect(sentence == "iCloud.org.example.other has \(words) in production.")
  }
}
