import CloudRecords
import Foundation
import GRDB
import RecordServer
import TestSupport
import Testing

@Suite struct SchemaCommandTests {
  private static let container = "iCloud.org.example.app"

  private static let quran = "\(checkout.path)/Resources/schema/quran-vi.ckdb"
  private static let wholeGrammar =
    "\(checkout.path)/Tests/CloudRecordsTests/Fixtures/whole-grammar.ckdb"

  private static func schema(_ path: String) throws -> Schema {
    try Schema(parsing: String(contentsOfFile: path, encoding: .utf8))
  }

  private func export(
    _ home: TestHome, _ environment: String, of container: String = container
  ) throws -> String {
    let outcome = try home.run(
      "schema", "export", "--environment", environment, "--container", container)
    try #require(outcome.status == 0, "\(outcome)")
    return outcome.output
  }

  // MARK: Import, export, deploy

  @Test func aNewServiceHasTheQuranSchema() throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    let schema = try Self.schema(Self.quran).description
    #expect(try home.run("schema", "export").output == schema)
    for environment in ["development", "production"] {
      #expect(try export(home, environment, of: TestHome.container.name) == schema)
    }
  }

  /// The schemas in `Resources/schema`, and one with everything the language has.
  private static let schemas: [String] = {
    let folder = "\(checkout.path)/Resources/schema"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".ckdb") }.sorted().map { "\(folder)/\($0)" }
      + [wholeGrammar]
  }()

  @Test(arguments: schemas) func anImportedSchemaIsExportedUnchanged(_ path: String) throws {
    let home = try TestHome()
    let outcome = try home.run("schema", "import", path, "--container", Self.container)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.hasPrefix("\(Self.container) is served now."))
    let exported = try export(home, "development")
    #expect(try exported == Self.schema(path).description)

    let again = try home.run(
      "schema", "import", "-", "--container", Self.container, input: exported)
    #expect(again.status == 0, "\(again)")
    #expect(!again.output.contains("is served now"))
    #expect(try export(home, "development") == exported)
  }

  @Test func aNewContainerIsEmptyInProductionUntilDeployed() throws {
    let home = try TestHome()
    _ = try home.run("schema", "import", Self.wholeGrammar, "--container", Self.container)
    #expect(try export(home, "production") == Schema().description)
    let diff = try home.run("schema", "diff", "--container", Self.container)
    #expect(diff.lines.contains("+ type 'Everything'"))
    #expect(diff.status == 0)

    // A deployment cannot be undone, so it has to be confirmed.
    let unasked = try home.run("schema", "deploy", "--container", Self.container)
    #expect(unasked.status == 1)
    #expect(unasked.lines == diff.lines)
    #expect(unasked.errors.contains("--yes"))
    #expect(try export(home, "production") == Schema().description)

    let deployed = try home.run("schema", "deploy", "--yes", "--container", Self.container)
    #expect(deployed.status == 0, "\(deployed)")
    #expect(Array(deployed.lines.dropLast()) == diff.lines)
    #expect(deployed.lines.last == "Deployed \(diff.lines.count) changes.")
    #expect(try export(home, "production") == Self.schema(Self.wholeGrammar).description)

    let again = try home.run("schema", "deploy", "--yes", "--container", Self.container)
    #expect(again.output == "The production schema is already up to date.\n")
    let none = try home.run("schema", "diff", "--container", Self.container)
    #expect(none.output.isEmpty)
    #expect(none.errors == "There are no differences.\n")
  }

  // MARK: Warnings

  private static let partlyUnserved = """
    DEFINE SCHEMA
    CREATE ROLE editor;
    RECORD TYPE Place (
      name STRING QUERYABLE SEARCHABLE, at LOCATION QUERYABLE, picture ASSET,
      GRANT READ TO editor
    );
    """

  @Test func whatHasNoEffectIsAcceptedWithAWarning() throws {
    let home = try TestHome()
    let file = try home.write(Self.partlyUnserved, to: "places.ckdb")
    let warnings = """
      warning: QUERYABLE of field 'at' of type 'Place' has no effect: queries by distance are not \
      served
      warning: SEARCHABLE of field 'name' of type 'Place' has no effect: searches for words are \
      not served
      warning: the permissions of role 'editor' for type 'Place' have no effect: no user can have \
      a custom role

      """
    for arguments in [["validate", file], ["import", file, "--container", Self.container]] {
      let outcome = try home.run(["schema"] + arguments)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errors == warnings)
      #expect(!outcome.output.contains("warning"))
    }
    #expect(try export(home, "development").contains("SEARCHABLE"))
    #expect(try home.run("schema", "validate", Self.quran).errors.isEmpty)
  }

  // MARK: Refusals

  @Test func aNameThatCloudKitDoesNotAllowIsRefused() throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    let file = try home.write(#"DEFINE SCHEMA RECORD TYPE "My Note" (x INT64);"#, to: "1.ckdb")
    let quran = TestHome.container.name
    for arguments in [
      ["validate", file], ["validate", file, "--container", quran], ["import", file],
      ["import", file, "--container", Self.container],
    ] {
      let outcome = try home.run(["schema"] + arguments)
      #expect(outcome.status == 1, "\(outcome)")
    }
    let outcome = try home.run("schema", "validate", file)
    #expect(outcome.errors.contains("'My Note' cannot be the name of a record type"), "\(outcome)")
    // The container was not added.
    #expect(try home.run("schema", "export", "--container", Self.container).status == 1)
  }

  private static let lacking = """
    DEFINE SCHEMA
    RECORD TYPE FavoriteAyah (
      ayahID INT64 QUERYABLE,
      surahNumber INT64 QUERYABLE SORTABLE,
      favoritedAt STRING,
      GRANT READ, CREATE, WRITE TO "_creator"
    );
    """

  private static let reasons = [
    "Cannot remove type 'AppSettings' from production schema",
    "Cannot remove type 'AyahNote' from production schema",
    "Cannot change field 'ayahID' of type 'FavoriteAyah' from STRING to INT64 in production schema",
    "Cannot remove field 'ayahNumber' of type 'FavoriteAyah' from production schema",
    "Cannot change field 'favoritedAt' of type 'FavoriteAyah' from TIMESTAMP to STRING in "
      + "production schema",
    "Cannot remove field 'ownerRecordName' of type 'FavoriteAyah' from production schema",
  ]

  @Test func allRefusedChangesAreReportedAtOnce() throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    let file = try home.write(Self.lacking, to: "lacking.ckdb")
    let name = TestHome.container.name
    for arguments in [["import", file], ["validate", file, "--container", name]] {
      let outcome = try home.run(["schema"] + arguments)
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      for reason in Self.reasons { #expect(outcome.errors.contains("\(reason)\n"), "\(outcome)") }
    }
    #expect(try export(home, "development", of: name) == Self.schema(Self.quran).description)

    let diff = try home.run("schema", "diff", file)
    #expect(diff.status == 0)
    #expect(diff.lines.contains("- type 'AppSettings'"))
    #expect(diff.lines.contains("! field 'ayahID' of 'FavoriteAyah': STRING -> INT64"))
    #expect(diff.errors.hasPrefix("The production schema does not allow this:"))
  }

  @Test func aDeploymentThatProductionRefusesChangesNothing() async throws {
    let home = try TestHome()
    let file = try home.write(
      "DEFINE SCHEMA RECORD TYPE A (a STRING, b STRING); RECORD TYPE B (a STRING);", to: "1.ckdb")
    let container = Self.container
    _ = try home.run("schema", "import", file, "--container", container)
    _ = try home.run("schema", "deploy", "--yes", "--container", container)
    // No command allows this, so the development schema is changed in the database.
    try await home.withService { service in
      try await service.storage.database.write { database in
        try database.execute(
          sql: "UPDATE environment SET schema = ?, version = 1 WHERE environment = 'development' "
            + "AND container = ?",
          arguments: ["DEFINE SCHEMA RECORD TYPE A (a INT64);", container])
      }
    }
    let outcome = try home.run("schema", "deploy", "--yes", "--container", container)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == """
        record-service: The production schema does not allow this; nothing was changed:
        Cannot change field 'a' of type 'A' from STRING to INT64 in production schema
        Cannot remove field 'b' of type 'A' from production schema
        Cannot remove type 'B' from production schema

        """)
    #expect(try export(home, "production").contains("RECORD TYPE B"))
  }

  @Test func invalidSchemasAreNotImported() throws {
    let home = try TestHome()
    let file = try home.write("DEFINE SCHEMA\nRECORD TYPE A (a TEXT);", to: "bad.ckdb")
    for arguments in [["import", file], ["validate", file], ["diff", file]] {
      let outcome = try home.run(["schema"] + arguments)
      #expect(outcome.status == 3)
      #expect(
        outcome.errors
          == "record-service: \(file) is not a valid schema, at 2:18: expected a field type.\n")
    }
    #expect(!FileManager.default.fileExists(atPath: home.data))
    #expect(try home.run("schema", "import", "-", input: "").status == 3)
    let missing = try home.run("schema", "import", "\(home.path)/none.ckdb")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("none.ckdb cannot be read: No such file or directory."))
  }

  /// Only the beginning is read, whose last byte can be within a character.
  @Test func aSchemaOverTheLimitIsTooLarge() throws {
    let home = try TestHome()
    for prefix in ["", " "] {
      let text = prefix + String(repeating: "ế", count: Limits.schemaBytes / 2)
      let file = try home.write(text, to: "large.ckdb")
      let outcome = try home.run("schema", "validate", file)
      #expect(outcome.status == 3)
      #expect(outcome.errors.contains("larger than"), "\(outcome)")
    }
  }

  @Test func validatingNeedsNoService() throws {
    let home = try TestHome()
    let outcome = try home.run("schema", "validate", Self.wholeGrammar)
    #expect(outcome.status == 0)
    #expect(outcome.output == "The schema is valid: 4 record types.\n")
    #expect(!FileManager.default.fileExists(atPath: home.data))
  }

  @Test(arguments: ["export", "deploy", "diff", "reset"])
  func aContainerThatIsNotServedIsNotFound(_ command: String) throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    let outcome = try home.run("schema", command, "--container", Self.container)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("The container \(Self.container) is not served; add it with"))
  }

  // MARK: Reset

  @Test func aResetShowsTheCountAndNeedsConfirmation() async throws {
    let home = try TestHome()
    let file = try home.write("DEFINE SCHEMA RECORD TYPE A (a STRING);", to: "1.ckdb")
    try #require(home.run("schema", "import", file).status == 1)
    _ = try home.run("schema", "import", file, "--container", Self.container)
    try await home.withService { service in
      try await service.save(
        (1...3).map { RecordInput("a\($0)", type: "A") }, of: try await service.account("an"),
        container: ContainerID(Self.container)!, .development)
    }
    let before = try export(home, "development")

    let unasked = try home.run("schema", "reset", "--container", Self.container)
    #expect(unasked.status == 1)
    #expect(unasked.errors.contains("This deletes 3 records of all users in the development"))
    #expect(unasked.errors.contains("--yes"))

    for answer in ["n\n", "\n", "\u{4}"] {
      let terminal = try PseudoTerminal(
        ["schema", "reset", "--container", Self.container], in: home)
      try terminal.read(until: "[y/N]")
      try terminal.type(answer)
      #expect(try terminal.end() == .exited(1))
      #expect(terminal.text.contains("Nothing was changed."))
    }
    let terminal = try PseudoTerminal(["schema", "reset", "--container", Self.container], in: home)
    try terminal.read(until: "[y/N]")
    try terminal.type("\u{3}")
    #expect(try terminal.end() == .killed(signal: SIGINT))
    #expect(try export(home, "development") == before)

    let done = try home.run("schema", "reset", "--yes", "--container", Self.container)
    #expect(done.status == 0)
    #expect(done.output.contains("Deleted 3 records. The development schema of"))
    #expect(try export(home, "development") == export(home, "production"))
  }
}
