import CloudRecords
import Foundation
import RecordServer
import TestSupport
import Testing

@testable import RecordServiceSupport

/// `schema check`: the declarations that a production schema lacks.
struct SchemaCheckTests {
  /// An app with a development schema, and a production schema to which it was deployed.
  struct Project: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var development = SchemaCheckTests.development
    var production: String
    /// The lines about the development schema; nil if that is not checked.
    var declared: [String]?
    /// The requests of the app in development, and the lines about the schema that they use; nil
    /// for no requests.
    var uses: (@Sendable (EphemeralFixture) async throws -> Void)?
    var used: [String] = []
  }

  private static let development = """
    DEFINE SCHEMA
    CREATE ROLE "editor";
    RECORD TYPE Folder (
        name          STRING,
        GRANT READ, WRITE TO "_creator"
    );
    RECORD TYPE Label (
        name          STRING
    );
    RECORD TYPE Note (
        "___modTime"  TIMESTAMP SORTABLE,
        "___recordID" REFERENCE QUERYABLE,
        createdAt     TIMESTAMP QUERYABLE SORTABLE,
        folder        REFERENCE QUERYABLE,
        pinned        INT64 QUERYABLE,
        tags          LIST<STRING> QUERYABLE,
        text          STRING QUERYABLE SEARCHABLE,
        title         STRING,
        GRANT READ TO "_world",
        GRANT CREATE TO "_icloud",
        GRANT WRITE TO "_creator",
        GRANT WRITE TO "editor"
    );
    """

  /// The development schema with another text in one place.
  private static func deployed(_ text: String, as other: String) -> String {
    let parts = development.components(separatedBy: text)
    precondition(parts.count == 2, "\(text) is there \(parts.count - 1) times")
    return parts.joined(separator: other)
  }

  // MARK: What an app does

  private static func save(
    _ cloud: EphemeralFixture, _ records: [RecordInput], in database: DatabaseScope = .private
  ) async throws {
    let request = RecordsModify.Request(operations: records.map { .init(.create, $0) })
    let answer = try await cloud.call(
      RecordsModify.self, request, as: nil, .development, database)
    for error in answer.records.compactMap(\.error) { throw error }
  }

  private static func query(_ cloud: EphemeralFixture, _ query: Query) async throws {
    _ = try await cloud.call(RecordsQuery.self, .init(query))
  }

  private static func note(_ name: String, _ fields: [String: FieldValue] = [:]) -> RecordInput {
    RecordInput(name, type: "Note", fields: fields.mapValues { Field($0) })
  }

  // MARK: One thing was never deployed

  private static let undeployedType = Project(
    testDescription: "type",
    production: deployed(
      "RECORD TYPE Label (\n    name          STRING\n);\n", as: ""),
    declared: ["type 'Label' is missing"],
    uses: { try await Self.save($0, [RecordInput("l", type: "Label")]) },
    used: ["type 'Label' is missing"])

  private static let undeployedField = Project(
    testDescription: "field", production: deployed("    pinned        INT64 QUERYABLE,\n", as: ""),
    declared: ["field 'pinned' of 'Note' is missing: INT64 QUERYABLE"],
    uses: { try await Self.save($0, [Self.note("a", ["pinned": .int64(1)])]) },
    used: ["field 'pinned' of 'Note' is missing: INT64"])

  private static let undeployedIndex = Project(
    testDescription: "index",
    production: deployed("STRING QUERYABLE SEARCHABLE", as: "STRING SEARCHABLE"),
    declared: ["index QUERYABLE of 'text' of 'Note' is missing"],
    uses: {
      try await Self.query($0, Query("Note", filters: [Filter("text", .equals, .string("a"))]))
    },
    used: ["index QUERYABLE of 'text' of 'Note' is missing"])

  private static let undeployedSort = Project(
    testDescription: "sort",
    production: deployed("TIMESTAMP QUERYABLE SORTABLE", as: "TIMESTAMP QUERYABLE"),
    declared: ["index SORTABLE of 'createdAt' of 'Note' is missing"],
    uses: { try await Self.query($0, Query("Note", sorts: [Sort("createdAt", ascending: false)])) },
    used: ["index SORTABLE of 'createdAt' of 'Note' is missing"])

  private static let undeployedSubscription = Project(
    testDescription: "subscription", production: deployed("INT64 QUERYABLE", as: "INT64"),
    declared: ["index QUERYABLE of 'pinned' of 'Note' is missing"],
    uses: { cloud in
      let subscription = Subscription(
        "pinned", .query,
        query: Query("Note", filters: [Filter("pinned", .equals, .int64(1))]),
        firesOn: [.create])
      let answer = try await cloud.call(
        SubscriptionsModify.self, .init(operations: [.init(.create, subscription)]))
      for error in answer.subscriptions.compactMap(\.error) { throw error }
    },
    used: ["index QUERYABLE of 'pinned' of 'Note' is missing"])

  private static let undeployedRole = Project(
    testDescription: "role",
    production: deployed("    GRANT CREATE TO \"_icloud\",\n", as: ""),
    declared: ["grant of CREATE to '_icloud' of 'Note' is missing"],
    uses: { try await Self.save($0, [Self.note("a", ["text": .string("a")])], in: .public) },
    used: ["grant of CREATE to '_icloud' of 'Note' is missing"])

  private static let undeployedCustomRole = Project(
    testDescription: "custom role, with its grant",
    production: deployed("CREATE ROLE \"editor\";\n", as: "").replacing(
      ",\n    GRANT WRITE TO \"editor\"", with: ""),
    declared: [
      "role 'editor' is missing", "grant of WRITE to 'editor' of 'Note' is missing",
    ])

  private static let otherElementType = Project(
    testDescription: "list element type",
    production: deployed("LIST<STRING>", as: "LIST<INT64>"),
    declared: ["field 'tags' of 'Note' is LIST<INT64> instead of LIST<STRING>"],
    uses: { try await Self.save($0, [Self.note("a", ["tags": .strings(["a"])])]) },
    used: ["field 'tags' of 'Note' is LIST<INT64> instead of LIST<STRING>"])

  private static let renamedField = Project(
    testDescription: "renamed field",
    production: deployed("title         STRING", as: "heading       STRING"),
    declared: [
      "field 'title' of 'Note' is missing: STRING; it may have been renamed from 'heading'"
    ],
    uses: {
      try await Self.save($0, [Self.note("a", ["title": .string("a"), "text": .string("b")])])
    },
    used: [
      "field 'title' of 'Note' is missing: STRING; it may have been renamed from 'heading'"
    ])

  private static let undeployedTarget = Project(
    testDescription: "reference target",
    production: deployed(
      "RECORD TYPE Folder (\n    name          STRING,\n    "
        + "GRANT READ, WRITE TO \"_creator\"\n);\n", as: ""),
    declared: ["type 'Folder' is missing"],
    uses: {
      let folder = FieldValue.reference(Reference("f", action: .validate))
      try await Self.save(
        $0, [RecordInput("f", type: "Folder"), Self.note("a", ["folder": folder])])
    },
    used: ["type 'Folder' is missing"])

  private static let undeployedSystemField = Project(
    testDescription: "system field",
    production: deployed("\"___recordID\" REFERENCE QUERYABLE", as: "\"___recordID\" REFERENCE"),
    declared: ["index QUERYABLE of '___recordID' of 'Note' is missing"],
    uses: { try await Self.query($0, Query("Note")) },
    used: ["index QUERYABLE of '___recordID' of 'Note' is missing"])

  private static let projects = [
    undeployedType, undeployedField, undeployedIndex, undeployedSort, undeployedSubscription,
    undeployedRole, undeployedCustomRole, otherElementType, renamedField, undeployedTarget,
    undeployedSystemField,
  ]

  // MARK: Everything was deployed

  private static let moreInProduction = Project(
    testDescription: "production has more of everything",
    production: deployed("STRING QUERYABLE SEARCHABLE", as: "STRING QUERYABLE SEARCHABLE SORTABLE")
      .replacing("CREATE ROLE", with: "CREATE ROLE \"reader\"; CREATE ROLE")
      .replacing("TIMESTAMP SORTABLE", with: "TIMESTAMP QUERYABLE SORTABLE")
      .replacing("title ", with: "subtitle STRING, title ")
      .replacing("GRANT WRITE TO \"_creator\"", with: "GRANT READ, WRITE TO \"_creator\"")
      + "RECORD TYPE More (a STRING);",
    declared: [], uses: useAll)

  private static let otherOrder = Project(
    testDescription: "another order and case, and comments",
    production: """
      define schema -- of production
      record type Note ( title string, /* the text */ text string searchable queryable,
        tags list<string> queryable, pinned int64 queryable, folder reference queryable,
        createdAt timestamp sortable queryable, grant write to "editor",
        grant write to "_creator", grant create to "_icloud", grant read to "_world",
        "___recordID" reference queryable, "___modTime" timestamp sortable );
      record type Label ( name string );
      record type "Folder" ( grant write, read to "_creator", name string );
      create role editor;
      """,
    declared: [], uses: useAll)

  private static let sortableOnly = Project(
    testDescription: "SORTABLE suffices for sorts and ranges",
    production: deployed("TIMESTAMP QUERYABLE SORTABLE", as: "TIMESTAMP SORTABLE"),
    uses: { cloud in
      let past = Filter(
        "createdAt", .lessThan, .timestamp(Timestamp(milliseconds: 0)))
      try await Self.query(cloud, Query("Note", filters: [past], sorts: [Sort("createdAt")]))
    })

  private static let widerGrants = Project(
    testDescription: "wider grants in production",
    production: deployed("GRANT CREATE TO \"_icloud\"", as: "GRANT READ, CREATE TO \"_world\"")
      .replacing("GRANT READ, WRITE TO \"_creator\"", with: "GRANT READ, WRITE TO \"_icloud\"")
      .replacing("GRANT WRITE TO \"_creator\"", with: "GRANT CREATE, WRITE TO \"_icloud\""),
    declared: [], uses: useAll)

  private static let requiredMarks = Project(
    testDescription: "marks of required fields",
    development: deployed("title         STRING,", as: "title STRING, // required"),
    production: development, declared: [], uses: useAll)

  private static let cleanProjects = [
    moreInProduction, otherOrder, sortableOnly, widerGrants, requiredMarks,
  ]

  /// Uses all of the development schema that a client can use.
  @Sendable private static func useAll(_ cloud: EphemeralFixture) async throws {
    let fields: [String: FieldValue] = [
      "createdAt": .timestamp(Timestamp(milliseconds: 0)), "pinned": .int64(1),
      "folder": .reference(Reference("f")), "tags": .strings(["a"]), "text": .string("a"),
      "title": .string("a"),
    ]
    let records = [
      RecordInput("f", type: "Folder", fields: ["name": Field(.string("f"))]),
      RecordInput("l", type: "Label", fields: ["name": Field(.string("l"))]),
      Self.note("a", fields),
    ]
    try await Self.save(cloud, records)
    try await Self.save(cloud, [records[2]], in: .public)
    let filters = [
      Filter("text", .equals, .string("a")), Filter("tags", .listContains, .string("a")),
      Filter("pinned", .equals, .int64(1)),
    ]
    try await Self.query(
      cloud, Query("Note", filters: filters, sorts: [Sort("createdAt"), Sort("___modTime")]))
    try await Self.query(cloud, Query("Note"))
  }

  // MARK: Tests

  @Test(arguments: (projects + cleanProjects).filter { $0.declared != nil })
  func theDevelopmentSchemaIsCompared(_ project: Project) throws {
    let lines = try #require(project.declared)
    let home = try TestHome()
    try Self.check(home, project.development, against: project.production, prints: lines)
    // A schema lacks nothing of itself.
    try Self.check(home, project.production, against: project.production, prints: [])
  }

  @Test(arguments: (projects + cleanProjects).filter { $0.uses != nil })
  func whatTestsUsedIsCompared(_ project: Project) async throws {
    let uses = try #require(project.uses)
    let schema = try Schema(parsing: project.development)
    try await EphemeralFixture.run {
      $0.schema = schema
    } _: { cloud in
      try await uses(cloud)
      let used = try await cloud.control("GET", "usage").text
      #expect(try !Schema(parsing: used).recordTypes.isEmpty)
      let home = try TestHome()
      try Self.check(home, used, against: project.production, prints: project.used)
      try Self.check(home, used, against: project.development, prints: [])
    }
  }

  /// Checks a schema with the program, which fails if it prints a line.
  private static func check(
    _ home: TestHome, _ schema: String, against production: String, prints lines: [String]
  ) throws {
    let outcome = try home.run(
      "schema", "check", home.write(schema, to: "app.ckdb"), "--production",
      home.write(production, to: "production.ckdb"))
    #expect(outcome.lines == lines, "\(outcome)")
    #expect(outcome.status == (lines.isEmpty ? 0 : 1), "\(outcome)")
    let noun = lines.count == 1 ? "declaration" : "declarations"
    let summary =
      lines.isEmpty
      ? "The production schema has all that is needed: "
      : "record-service: The production schema lacks \(lines.count) \(noun).\n"
    #expect(outcome.errors.hasPrefix(summary), "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: home.data))
  }

  @Test func severalThingsAreAllPrinted() throws {
    let home = try TestHome()
    try Self.check(
      home, Self.development,
      against: "DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE Note ("
        + "heading STRING, body STRING, tags STRING);",
      prints: [
        "type 'Folder' is missing", "type 'Label' is missing",
        "field 'createdAt' of 'Note' is missing: TIMESTAMP QUERYABLE SORTABLE",
        "field 'folder' of 'Note' is missing: REFERENCE QUERYABLE",
        "field 'pinned' of 'Note' is missing: INT64 QUERYABLE",
        "field 'tags' of 'Note' is STRING instead of LIST<STRING>",
        "index QUERYABLE of 'tags' of 'Note' is missing",
        "field 'text' of 'Note' is missing: STRING QUERYABLE SEARCHABLE; it may have been renamed "
          + "from 'body' or 'heading'",
        "field 'title' of 'Note' is missing: STRING; it may have been renamed from 'body' or "
          + "'heading'",
        "index SORTABLE of '___modTime' of 'Note' is missing",
        "index QUERYABLE of '___recordID' of 'Note' is missing",
        "grant of WRITE to '_creator' of 'Note' is missing",
        "grant of CREATE to '_icloud' of 'Note' is missing",
        "grant of READ to '_world' of 'Note' is missing",
        "grant of WRITE to 'editor' of 'Note' is missing",
      ])
  }

  @Test func eitherSchemaCanBeStandardInput() throws {
    let home = try TestHome()
    let file = try home.write("DEFINE SCHEMA RECORD TYPE A (a STRING);", to: "a.ckdb")
    let empty = "DEFINE SCHEMA"
    let lacking = try home.run("schema", "check", file, "--production", "-", input: empty)
    #expect(lacking.status == 1)
    #expect(lacking.output == "type 'A' is missing\n")
    let clean = try home.run(
      "schema", "check", "-", "--production", file, input: "DEFINE SCHEMA RECORD TYPE A (a STRING);"
    )
    #expect(clean.status == 0)
    #expect(clean.output.isEmpty)
    #expect(clean.errors == "The production schema has all that is needed: 1 record type.\n")
    let unused = try home.run("schema", "check", "-", "--production", file, input: empty)
    #expect(unused.status == 1 && unused.output.isEmpty)
    #expect(unused.errors.contains("there is nothing to check"))
    let both = try home.run("schema", "check", "-", "--production", "-", input: empty)
    #expect(both.status == 2)
    #expect(both.errors.contains("Only one of the schemas can be standard input."))
  }

  @Test func schemasThatCannotBeReadAreNamed() throws {
    let home = try TestHome()
    let good = try home.write("DEFINE SCHEMA", to: "good.ckdb")
    let bad = try home.write("DEFINE SCHEMA\nRECORD TYPE A (a TEXT);", to: "bad.ckdb")
    for (file, production) in [(bad, good), (good, bad)] {
      let outcome = try home.run("schema", "check", file, "--production", production)
      #expect(outcome.status == 3)
      #expect(outcome.output.isEmpty)
      #expect(
        outcome.errors
          == "record-service: \(bad) is not a valid schema, at 2:18: expected a field type.\n")
    }
    let none = "\(home.path)/none.ckdb"
    for (file, production) in [(none, good), (good, none)] {
      let outcome = try home.run("schema", "check", file, "--production", production)
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains("\(none) cannot be read: No such file or directory."))
    }
  }

  @Test func theProductionSchemaHasToBeGiven() throws {
    let home = try TestHome()
    let file = try home.write("DEFINE SCHEMA", to: "good.ckdb")
    let outcome = try home.run("schema", "check", file)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--production"))
    #expect(try home.run("schema", "check", "--production", file).status == 2)
  }

  @Test func namesCannotControlTheTerminal() throws {
    let home = try TestHome()
    let file = try home.write("DEFINE SCHEMA RECORD TYPE \"a\u{9b}31m\" (a STRING);", to: "a.ckdb")
    let empty = try home.write("DEFINE SCHEMA", to: "b.ckdb")
    let outcome = try home.run("schema", "check", file, "--production", empty)
    #expect(outcome.status == 1)
    #expect(outcome.lines.count == 1)
    #expect(!outcome.output.unicodeScalars.contains("\u{9b}"))
  }
}
