import Testing

@testable import CloudRecords

struct SchemaWarningTests {
  @Test func whatHasNoEffectIsReportedByTypeAndField() throws {
    let schema = try Schema(
      parsing: """
        DEFINE SCHEMA
        CREATE ROLE editor;
        RECORD TYPE Place (
          "___recordID" REFERENCE QUERYABLE SEARCHABLE,
          text STRING QUERYABLE SORTABLE SEARCHABLE, name STRING SEARCHABLE,
          at LOCATION QUERYABLE SORTABLE, path LIST<LOCATION> QUERYABLE, home LOCATION,
          picture ASSET, GRANT READ TO "_world", GRANT READ, WRITE TO editor
        );
        RECORD TYPE Author (name STRING SEARCHABLE, GRANT CREATE TO "_icloud");
        """)
    #expect(
      schema.warnings == [
        .unusedIndexes(.searchable, type: "Author", field: "name", .tokenSearch),
        .unusedIndexes([.queryable, .sortable], type: "Place", field: "at", .distance),
        .unusedIndexes(.searchable, type: "Place", field: "name", .tokenSearch),
        .unusedIndexes(.queryable, type: "Place", field: "path", .distance),
        .unusedIndexes(.searchable, type: "Place", field: "text", .tokenSearch),
        .unusedIndexes(.searchable, type: "Place", field: "___recordID", .tokenSearch),
        .unusedRole("editor", type: "Place"),
      ])
  }

  @Test func whatIsServedHasNoWarning() throws {
    let schema = try Schema(
      parsing: """
        DEFINE SCHEMA
        RECORD TYPE Note (
          "___recordID" REFERENCE QUERYABLE, text STRING QUERYABLE SORTABLE, at LOCATION,
          file ASSET, tags LIST<STRING> QUERYABLE, GRANT READ, CREATE, WRITE TO "_creator"
        );
        """)
    #expect(schema.warnings.isEmpty)
  }

  @Test(arguments: [
    ("Note", true), ("cloudkit.share", true), ("Grüße_2", true), ("My Type", false),
    ("2Notes", false), ("_Note", false), ("Note-2", false),
  ])
  func namesOfRecordTypesAreThoseOfCloudKit(_ name: String, _ isAllowed: Bool) throws {
    let schema = Schema([RecordType(name)])
    do {
      try schema.checkTypeNames()
      #expect(isAllowed)
    } catch {
      #expect(!isAllowed)
      #expect(error == ServiceError(.badRequest, cause: .unusableName(name)))
    }
    // A type that the schema already has may keep its name.
    try schema.checkTypeNames(except: schema)
  }
}
