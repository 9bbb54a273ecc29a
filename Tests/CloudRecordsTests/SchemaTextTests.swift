import CloudRecords
import Testing

struct SchemaTextTests {
  @Test func theWholeGrammarIsRead() throws {
    let schema = try Schema(parsing: try fixture("whole-grammar.ckdb"))
    #expect(schema.roles == ["editor", "test role"])
    #expect(Set(schema.recordTypes.keys) == ["Everything", "Users", "grant", "GrantsOnly"])

    let type = try #require(schema["Everything"])
    let all: Indexes = [.queryable, .searchable, .sortable]
    let expected: [String: FieldDefinition] = [
      "asset": FieldDefinition(.asset), "reference": FieldDefinition(.reference, .queryable),
      "bytes": FieldDefinition(.bytes, .queryable),
      "secretBytes": FieldDefinition(.bytes.encrypted), "string": FieldDefinition(.string, all),
      "secretString": FieldDefinition(.string.encrypted),
      "double": FieldDefinition(.double, .sortable),
      "secretDouble": FieldDefinition(.double.encrypted),
      "int64": FieldDefinition(.int64, [.queryable, .sortable]),
      "secretInt64": FieldDefinition(.int64.encrypted),
      "location": FieldDefinition(.location, .queryable),
      "secretLocation": FieldDefinition(.location.encrypted),
      "timestamp": FieldDefinition(.timestamp, [.queryable, .sortable]),
      "secretTimestamp": FieldDefinition(.timestamp.encrypted), "number": FieldDefinition(.number),
      "wholeNumber": FieldDefinition(FieldType(.number(preferred: .int64)), .queryable),
      "realNumber": FieldDefinition(FieldType(.number(preferred: .double))),
      "assets": FieldDefinition(.asset.list),
      "references": FieldDefinition(.reference.list, .queryable),
      "manyBytes": FieldDefinition(.bytes.list),
      "strings": FieldDefinition(.string.list, .queryable),
      "secretStrings": FieldDefinition(.string.encrypted.list),
      "doubles": FieldDefinition(.double.list), "int64s": FieldDefinition(.int64.list, .queryable),
      "locations": FieldDefinition(.location.list),
      "timestamps": FieldDefinition(.timestamp.list), "numbers": FieldDefinition(.number.list),
      "wholeNumbers": FieldDefinition(FieldType(.number(preferred: .int64), isList: true)),
      "grant": FieldDefinition(.string), "Preferred": FieldDefinition(.string),
      "QUERYABLE": FieldDefinition(.string), "sortable": FieldDefinition(.string),
      "searchable": FieldDefinition(.string), "_private": FieldDefinition(.int64),
      "two words": FieldDefinition(.string), "list": FieldDefinition(.string),
      "STRING": FieldDefinition(.string), "role": FieldDefinition(.string),
      "___unknown": FieldDefinition(.string),
    ]
    for (name, definition) in expected { #expect(type.fields[name] == definition, "\(name)") }
    #expect(type.fields.count == expected.count)
    #expect(
      type.systemIndexes == [
        .createTime: [.queryable, .sortable], .createdBy: .queryable, .modTime: .sortable,
        .recordID: .queryable,
      ])
    #expect(
      type.grants
        == Grants([
          .world: [.read], .icloud: [.create, .read], .creator: [.write, .read],
          .custom("editor"): [.read, .create, .write], .custom("test role"): [.write],
        ]))
    #expect(schema["Users"]?.fields == ["roles": FieldDefinition(.int64.list)])
    #expect(schema["grant"]?.fields == ["only": FieldDefinition(.int64)])
    #expect(schema["GrantsOnly"]?.grants == Grants([.world: [.read]]))
  }

  @Test func aSchemaIsPrintedAsCloudKitExportsIt() {
    let schema = Schema(
      [
        RecordType(
          "Note",
          fields: [
            "text": FieldDefinition(.string, [.queryable, .sortable, .searchable]),
            "grant": FieldDefinition(.string.list), "count": FieldDefinition(.number),
            "secret": FieldDefinition(.bytes.encrypted),
            "preferredCount": FieldDefinition(FieldType(.number(preferred: .int64))),
          ],
          systemIndexes: [.recordID: .queryable],
          grants: Grants([
            .icloud: [.write, .create, .read], .creator: [.write], .custom("test role"): [.read],
          ])),
        RecordType("A"),
      ], roles: ["test role"])
    #expect(
      schema.description == """
        DEFINE SCHEMA

            CREATE ROLE "test role";

            RECORD TYPE A (
                "___createTime" TIMESTAMP,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE
            );

            RECORD TYPE Note (
                "___createTime" TIMESTAMP,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE QUERYABLE,
                count           NUMBER,
                "grant"         LIST<STRING>,
                preferredCount  NUMBER PREFERRED AS INT64,
                secret          ENCRYPTED BYTES,
                text            STRING QUERYABLE SEARCHABLE SORTABLE,
                GRANT WRITE TO "_creator",
                GRANT READ, CREATE, WRITE TO "_icloud",
                GRANT READ TO "test role"
            );

        """)
  }

  @Test func aPrintedSchemaIsParsedAgain() throws {
    for seed in seeds(500) {
      var arbitrary = Arbitrary(seed: seed)
      let schema = arbitrary.schema()
      #expect(try Schema(parsing: schema.description) == schema, "seed \(seed)\n\(schema)")
    }
    let whole = try Schema(parsing: try fixture("whole-grammar.ckdb"))
    #expect(try Schema(parsing: whole.description) == whole)
    #expect(try Schema(parsing: Schema().description) == Schema())
  }

  @Test func theOrderOfDeclarationsIsIgnored() throws {
    let one = "DEFINE SCHEMA RECORD TYPE A (x INT64, y STRING); RECORD TYPE B (z INT64);"
    let other = "DEFINE SCHEMA RECORD TYPE B (z INT64); RECORD TYPE A (y STRING, x INT64);"
    #expect(try Schema(parsing: one) == Schema(parsing: other))
    #expect(try Schema(parsing: one).description == Schema(parsing: other).description)
  }

  @Test func systemFieldsNeedNotBeListed() throws {
    let listed = "DEFINE SCHEMA RECORD TYPE A (\"___recordID\" REFERENCE, x INT64);"
    let unlisted = "DEFINE SCHEMA RECORD TYPE A (x INT64);"
    #expect(try Schema(parsing: listed) == Schema(parsing: unlisted))
    #expect(RecordType("A", systemIndexes: [.etag: []]) == RecordType("A"))
  }

  @Test func equivalentSpellingsAreTheSameSchema() throws {
    let plain = try Schema(parsing: "DEFINE SCHEMA RECORD TYPE A (x INT64);")
    for text in [
      "\u{FEFF}DEFINE SCHEMA RECORD TYPE A (x INT64);",
      "DEFINE\tSCHEMA\r\nRECORD\nTYPE A(x INT64);",
      "//\nDEFINE SCHEMA--x\nRECORD TYPE A/**/(x/*,y*/INT64)/***/;//",
      "// x\rDEFINE SCHEMA\rRECORD TYPE A (x INT64);",
      "define Schema record TYPE A (x Int64);",
      "DEFINE SCHEMA RECORD TYPE \"A\" (\"x\" INT64); -- the end",
    ] {
      #expect(try Schema(parsing: text) == plain, "\(text)")
    }
  }

  @Test(arguments: [
    ("", 1, 1, SchemaSyntaxError.Problem.expected(.keyword("DEFINE"))),
    ("DEFINE", 1, 7, .expected(.keyword("SCHEMA"))),
    ("SCHEMA", 1, 1, .expected(.keyword("DEFINE"))),
    ("DEFINE SCHEMA x", 1, 15, .expected(.recordTypeOrRole)),
    ("DEFINE SCHEMA\n  RECORD A", 2, 10, .expected(.keyword("TYPE"))),
    ("DEFINE SCHEMA RECORD TYPE (", 1, 27, .expected(.recordTypeName)),
    ("DEFINE SCHEMA RECORD TYPE A", 1, 28, .expected(.punctuation("("))),
    ("DEFINE SCHEMA RECORD TYPE A ()", 1, 30, .expected(.fieldOrGrant)),
    ("DEFINE SCHEMA RECORD TYPE A (x)", 1, 31, .expected(.fieldType)),
    ("DEFINE SCHEMA RECORD TYPE A (x INT)", 1, 32, .expected(.fieldType)),
    ("DEFINE SCHEMA RECORD TYPE A (x INT64", 1, 37, .expected(.commaOrParenthesis)),
    ("DEFINE SCHEMA RECORD TYPE A (x INT64,)", 1, 38, .expected(.fieldOrGrant)),
    ("DEFINE SCHEMA RECORD TYPE A (x INT64)", 1, 38, .expected(.punctuation(";"))),
    ("DEFINE SCHEMA RECORD TYPE A (x INT64) RECORD", 1, 39, .expected(.punctuation(";"))),
    ("DEFINE SCHEMA RECORD TYPE A (sortable INT64);", 1, 30, .expected(.fieldOrGrant)),
    ("DEFINE SCHEMA RECORD TYPE Grant (x INT64);", 1, 27, .expected(.recordTypeName)),
    ("DEFINE SCHEMA RECORD TYPE A (_x INT64);", 1, 30, .character),
    ("DEFINE SCHEMA RECORD TYPE A (é INT64);", 1, 30, .character),
    ("DEFINE SCHEMA /* é😀 */ é", 1, 24, .character),
    ("DEFINE SCHEMA RECORD TYPE A (x - INT64);", 1, 32, .character),
    ("DEFINE SCHEMA RECORD TYPE A (x / INT64);", 1, 32, .character),
    ("DEFINE SCHEMA RECORD TYPE A (x LIST INT64);", 1, 37, .expected(.punctuation("<"))),
    ("DEFINE SCHEMA RECORD TYPE A (x LIST<INT64);", 1, 42, .expected(.punctuation(">"))),
    ("DEFINE SCHEMA RECORD TYPE A (x LIST<LIST<INT64>>);", 1, 37, .nestedList),
    ("DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED ASSET);", 1, 42, .notEncryptable(.asset)),
    (
      "DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED REFERENCE);", 1, 42, .notEncryptable(.reference)
    ),
    ("DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED NUMBER);", 1, 42, .notEncryptable(.number)),
    ("DEFINE SCHEMA RECORD TYPE A (x NUMBER PREFERRED INT64);", 1, 49, .expected(.keyword("AS"))),
    (
      "DEFINE SCHEMA RECORD TYPE A (x NUMBER PREFERRED AS STRING);", 1, 52,
      .expected(.numberType)
    ),
    (
      "DEFINE SCHEMA RECORD TYPE A (x ASSET QUERYABLE);", 1, 38,
      .index("QUERYABLE", type: .asset)
    ),
    (
      "DEFINE SCHEMA RECORD TYPE A (x INT64 SEARCHABLE);", 1, 38,
      .index("SEARCHABLE", type: .int64)
    ),
    (
      "DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED STRING QUERYABLE);", 1, 49,
      .index("QUERYABLE", type: .string.encrypted)
    ),
    ("DEFINE SCHEMA RECORD TYPE A (x INT64,\n x STRING);", 2, 2, .duplicate("x")),
    (
      "DEFINE SCHEMA RECORD TYPE A (\"___etag\" STRING, \"___etag\" STRING);", 1, 48,
      .duplicate("___etag")
    ),
    (
      "DEFINE SCHEMA RECORD TYPE A (x INT64);\nRECORD TYPE A (x INT64);", 2, 13,
      .duplicate("A")
    ),
    ("DEFINE SCHEMA CREATE ROLE a; CREATE ROLE a;", 1, 42, .duplicate("a")),
    (
      "DEFINE SCHEMA RECORD TYPE A (\"___etag\" INT64);", 1, 40, .wrongSystemFieldType(.etag)
    ),
    ("DEFINE SCHEMA RECORD TYPE A (GRANT TO x);", 1, 36, .expected(.permission)),
    ("DEFINE SCHEMA RECORD TYPE A (GRANT READ x);", 1, 41, .expected(.keyword("TO"))),
    ("DEFINE SCHEMA RECORD TYPE A (GRANT READ TO);", 1, 43, .expected(.roleName)),
    ("DEFINE SCHEMA RECORD TYPE A (GRANT READ TO nobody);", 1, 44, .unknownRole("nobody")),
    ("DEFINE SCHEMA\n/* x", 2, 1, .unfinishedComment),
    ("DEFINE SCHEMA /*/", 1, 15, .unfinishedComment),
    (
      "DEFINE SCHEMA RECORD TYPE \"A\n\"", 1, 27,
      .unfinishedName
    ),
    ("DEFINE SCHEMA RECORD TYPE \"\" (x INT64);", 1, 27, .emptyName),
  ])
  func errorsHaveAProblemAndAPosition(
    _ text: String, line: Int, column: Int, problem: SchemaSyntaxError.Problem
  ) {
    let error = #expect(throws: SchemaSyntaxError.self) { try Schema(parsing: text) }
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.problem == problem)
  }

  @Test func rolesMayBeCreatedAfterTheyAreUsed() throws {
    let text = "DEFINE SCHEMA RECORD TYPE A (GRANT READ TO later); CREATE ROLE later;"
    #expect(try Schema(parsing: text)["A"]?.grants[.custom("later")] == [.read])
  }

  // MARK: Hostile texts

  @Test func namesAndTextsHaveAMaximumLength() throws {
    let long = String(repeating: "a", count: 255)
    #expect(
      try Schema(parsing: "DEFINE SCHEMA RECORD TYPE \(long) (x INT64);")[long] != nil)
    for name in [long + "a", "\"\(long)a\""] {
      let error = #expect(throws: SchemaSyntaxError.self) {
        try Schema(parsing: "DEFINE SCHEMA RECORD TYPE \(name) (x INT64);")
      }
      #expect(error?.problem == .nameTooLong)
    }
    let error = #expect(throws: SchemaSyntaxError.self) {
      try Schema(parsing: String(repeating: " ", count: Limits.schemaBytes + 1))
    }
    #expect(error?.problem == .tooLarge)
  }

  @Test func repeatedTokensAreRejected() {
    for piece in [
      "(", "LIST<", "RECORD TYPE A (", "/*", "\"", "GRANT ", "--", "x INT64, ", "<", ";",
    ] {
      let text = "DEFINE SCHEMA RECORD TYPE A (x " + String(repeating: piece, count: 100_000)
      #expect(throws: SchemaSyntaxError.self) { try Schema(parsing: text) }
    }
  }

  @Test func mutatedSchemasEndInASchemaOrAnError() throws {
    let whole = Array(try fixture("whole-grammar.ckdb").unicodeScalars)
    var counts = (read: 0, refused: 0)
    for seed in seeds(1500) {
      var arbitrary = Arbitrary(seed: seed)
      var text = whole
      for _ in 0..<arbitrary.int(1...4) {
        let place = arbitrary.int(0...text.count - 1)
        switch arbitrary.int(0...4) {
        case 0: text.remove(at: place)
        case 1:
          text.insert(arbitrary.one(of: Array("(),;<>\"/*-\n \0éa".unicodeScalars)), at: place)
        case 2: text[place] = arbitrary.one(of: Array("(),;<>\"/*-\n x".unicodeScalars))
        case 3: text.swapAt(place, arbitrary.int(0...text.count - 1))
        default:
          let end = min(place + arbitrary.int(0...40), text.count)
          text.removeSubrange(place..<end)
        }
      }
      var string = ""
      string.unicodeScalars.append(contentsOf: text)
      do {
        let schema = try Schema(parsing: string)
        counts.read += 1
        #expect(try Schema(parsing: schema.description) == schema, "seed \(seed)")
      } catch {
        counts.refused += 1
        let lines = string.split(separator: "\n", omittingEmptySubsequences: false)
        #expect((1...lines.count + 1).contains(error.line), "seed \(seed): \(error)")
        #expect(error.column >= 1, "seed \(seed): \(error)")
      }
    }
    #expect(counts.read > 100 && counts.refused > 100, "\(counts)")
  }
}
