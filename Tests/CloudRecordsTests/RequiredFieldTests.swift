import CloudRecords
import Testing

/// The fields that a schema marks as required.
struct RequiredFieldTests {
  private static func required(_ text: String) throws -> [String] {
    let types = try Schema(parsing: text).recordTypes.values
    return types.flatMap { type in
      type.fields.filter(\.value.isRequired).map { "\(type.name).\($0.key)" }
    }.sorted()
  }

  @Test func aCommentAfterAFieldMarksIt() throws {
    let schema = """
      DEFINE SCHEMA
      // required reading: this is about no field
      RECORD TYPE A (
        "___recordID" REFERENCE QUERYABLE, // required, but not for a system field
        a STRING QUERYABLE, // required
        b INT64, -- required: at least 1
        c DOUBLE /* required */, d DOUBLE,
        e STRING, f STRING /*required*/,
        // required
        g STRING, // not required
        h STRING, // requirement
        i STRING
          QUERYABLE, // required
        j STRING,
        GRANT READ TO "_world" // required
      );
      RECORD TYPE B ( k STRING // required
      );
      """
    #expect(try Self.required(schema) == ["A.a", "A.b", "A.c", "A.f", "B.k"])
  }

  @Test func aSchemaThatIsPrintedAndParsedHasTheSameMarks() throws {
    let schema = try Schema(
      parsing: """
        DEFINE SCHEMA RECORD TYPE T (
          a STRING QUERYABLE, // required
          b LIST<STRING>, /* required */
          c INT64
        );
        """)
    let text = schema.description
    #expect(text.contains(" STRING QUERYABLE /* required */,\n"), "\(text)")
    let parsed = try Schema(parsing: text)
    #expect(parsed == schema)
    #expect(parsed["T"]?.fields["a"] == FieldDefinition(.string, .queryable, isRequired: true))
  }

  @Test func aChangedMarkIsAChangeThatProductionAllows() throws {
    let old = try Schema(
      parsing: "DEFINE SCHEMA RECORD TYPE T (a STRING, b STRING /* required */);")
    let new = try Schema(
      parsing: "DEFINE SCHEMA RECORD TYPE T (a STRING /* required */, b STRING);")
    #expect(
      Schema.changes(from: old, to: new) == [
        .requirementChanged(type: "T", field: "a", isRequired: true),
        .requirementChanged(type: "T", field: "b", isRequired: false),
      ])
    #expect(Schema.refusedChanges(from: old, to: new).isEmpty)
  }
}
