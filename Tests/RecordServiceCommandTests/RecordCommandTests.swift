import CloudRecords
import Foundation
import GRDB
import RecordServer
import TestSupport
import Testing

@Suite struct RecordCommandTests {
  /// A home with an account `an`, which has favourites and a note, and an empty account `binh`.
  private func home() async throws -> TestHome {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    try await home.withService { service in
      let account = try await service.account("an")
      let favorites = [(1, 1), (2, 255), (2, 286), (36, 1)].map { surah, ayah in
        RecordInput(
          "fav-\(surah)-\(ayah)", type: "FavoriteAyah",
          fields: [
            "ayahID": Field(.string("\(surah):\(ayah)")),
            "surahNumber": Field(.int64(Int64(surah))),
            "favoritedAt": Field(.timestamp(Timestamp(milliseconds: Int64(surah) * 86_400_000))),
          ])
      }
      let note = RecordInput(
        "note", type: "AyahNote",
        fields: ["noteText": Field(.string("\u{1B}[31mred\u{9B}2J\u{202E}\nnext"))])
      try await service.save(favorites + [note], of: account)
      _ = try await service.account("binh")
    }
    return home
  }

  private func names(_ outcome: Outcome) -> [String?] {
    outcome.objects.map { $0["recordName"] as? String }
  }

  // MARK: Lists

  @Test func recordsAreListedInTheOrderOfChanges() async throws {
    let home = try await home()
    let list = try home.run("record", "list", "--user", "An")
    #expect(list.status == 0, "\(list)")
    #expect(
      list.lines.map { $0.prefix { $0 != " " } } == [
        "NAME", "fav-1-1", "fav-2-255", "fav-2-286", "fav-36-1", "note",
      ])
    #expect(
      list.lines[2] == "fav-2-255  FavoriteAyah  2023-11-14T22:13:20Z  "
        + "ayahID=\"2:255\" favoritedAt=1970-01-03T00:00:00Z surahNumber=2")
    let json = try home.run("record", "list", "--user", "an", "--type", "FavoriteAyah", "--json")
    let record = try #require(json.objects.first)
    #expect(record["recordName"] as? String == "fav-1-1")
    let tag = try #require(record["recordChangeTag"] as? String)
    #expect(tag.wholeMatch(of: #/1-[0-9a-f]{16}/#) != nil, "\(tag)")
    let fields = try #require(record["fields"] as? [String: [String: Any]])
    #expect(fields["surahNumber"]?["value"] as? Int == 1)
    #expect(fields["surahNumber"]?["type"] as? String == "INT64")
  }

  @Test func controlCharactersDoNotReachTheTerminal() async throws {
    let home = try await home()
    for arguments in [[], ["--json"]] {
      let outcome = try home.run(
        ["record", "list", "--user", "an", "--type", "AyahNote"] + arguments)
      #expect(outcome.output.contains("red"))
      let harmless = outcome.output.unicodeScalars.allSatisfy {
        $0 == "\n"
          || !(0...0x1F).contains($0.value) && !(0x7F...0x9F).contains($0.value)
            && $0.value != 0x202E
      }
      #expect(harmless, "\(outcome.output.debugDescription)")
    }
  }

  @Test func aLimitReportsThatThereAreMoreRecords() async throws {
    let home = try await home()
    let cut = try home.run("record", "list", "--user", "an", "--limit", "2", "--json")
    #expect(names(cut) == ["fav-1-1", "fav-2-255"])
    #expect(cut.errors == "There are more than 2 records; use --limit to show more.\n")
    let whole = try home.run("record", "list", "--user", "an", "--limit", "5")
    #expect(whole.errors.isEmpty)
  }

  @Test func listsOfMoreThanAPageAreWhole() async throws {
    let home = try await home()
    try await home.withService { service in
      let account = try #require(try await service.accountService.account(named: "binh"))
      for page in 0..<3 {
        try await service.save(
          (0..<150).map { RecordInput("r\(1000 + page * 150 + $0)", type: "ReadingProgress") },
          of: account)
      }
    }
    for arguments in [[], ["--type", "ReadingProgress"]] {
      let outcome = try home.run(
        ["record", "list", "--user", "binh", "--limit", "1000", "--json"] + arguments)
      #expect(names(outcome) == (0..<450).map { "r\(1000 + $0)" })
    }
  }

  @Test func emptyResultsShowAndCreateNothing() async throws {
    let home = try await home()
    for arguments in [
      ["list", "--user", "binh"], ["list", "--public"],
      ["list", "--user", "an", "--environment", "development"],
      ["list", "--user", "an", "--type", "AppSettings"],
      ["query", "AyahNote", "ayahID == x", "--user", "binh"],
    ] {
      let outcome = try home.run(["record"] + arguments)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors == "No records were found.\n")
      #expect(try home.run(["record"] + arguments + ["--json"]).output == "[]\n")
    }
    let owners = try await home.withService { service in
      try await service.storage.database.read { database in
        try Int.fetchOne(database, sql: "SELECT count(*) FROM owner")
      }
    }
    #expect(owners == 1)
  }

  @Test(
    arguments: [
      ["list", "--user", "nobody"], ["list", "--user", "an", "--type", "Bogus"],
      ["list", "--user", "an", "--zone", "Bogus"], ["list", "--user", "binh", "--zone", "Bogus"],
      ["list", "--user", "an", "--container", "iCloud.none"],
    ]) func missingUsersTypesAndZonesAreNotFound(_ arguments: [String]) async throws
  {
    let outcome = try await home().run(["record"] + arguments)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.isEmpty)
  }

  // MARK: Queries

  @Test func queriesTakeTheGrammarOfCktool() async throws {
    let home = try await home()
    func found(_ arguments: String...) throws -> [String?] {
      let outcome = try home.run(
        ["record", "query", "FavoriteAyah"] + arguments + ["--user", "an", "--json"])
      #expect(outcome.status == 0, "\(outcome)")
      return names(outcome)
    }
    #expect(try found("ayahID == \"2:255\"") == ["fav-2-255"])
    #expect(try found("ayahID == '2:255'") == ["fav-2-255"])
    #expect(try found("ayahID==2:255") == ["fav-2-255"])
    #expect(try found("surahNumber != 2", "--sort", "surahNumber:desc") == ["fav-36-1", "fav-1-1"])
    #expect(try found("surahNumber > 1", "surahNumber <= 35").count == 2)
    #expect(try found("surahNumber >= 36") == ["fav-36-1"])
    #expect(try found("surahNumber < 2", "--sort", "surahNumber") == ["fav-1-1"])
    #expect(try found("favoritedAt > 1970-01-04") == ["fav-36-1"])
    #expect(try found("favoritedAt == 172800000").count == 2)
    #expect(try found("favoritedAt == 1970-01-03T00:00:00Z", "--limit", "1").count == 1)
  }

  @Test func queriesWithoutAnIndexAreRefused() async throws {
    let home = try await home()
    func refusal(_ arguments: String...) throws -> String {
      let outcome = try home.run(["record", "query"] + arguments + ["--user", "an"])
      #expect(outcome.status == 1, "\(outcome)")
      return outcome.errors
    }
    #expect(try refusal("FavoriteAyah").contains("Field 'recordName' is not marked queryable."))
    #expect(try refusal("Bogus").contains("Did not find record type Bogus."))
    #expect(
      try refusal("AyahNote", "noteText == x").contains(
        "Field 'noteText' is not marked queryable."))
    #expect(
      try refusal("FavoriteAyah", "surahNumber == x").contains("cannot be queried using filter"))
  }

  @Test(
    arguments: [
      ["surahNumber"], ["surahNumber = 2"], ["== 2"], ["surahNumber =="], ["a CONTAINS x"],
      ["ayahID == \"2"], ["ayahID == '2"], ["a LIST_CONTAINS_ANY [1"], ["a LIST_CONTAINS_ANYx 1"],
      ["a == 1", "--sort", ":desc"], ["a == 1", "--sort", "a:down"],
    ]) func invalidConditionsAreWrongUsage(_ arguments: [String]) async throws
  {
    let outcome = try await home().run(
      ["record", "query", "FavoriteAyah"] + arguments + ["--user", "an"])
    #expect(outcome.status == 2, "\(outcome)")
  }

  // MARK: Lists, references, encrypted fields

  private static let container = "iCloud.org.example.app"

  @Test func listsAndReferencesCanBeQueried() async throws {
    let (home, _) = try await homeWithEncryptedField()
    func found(_ filter: String) throws -> [String?] {
      let outcome = try home.run(
        "record", "query", "Note", filter, "--user", "an", "--environment", "development",
        "--container", Self.container, "--json")
      #expect(outcome.status == 0, "\(outcome)")
      return names(outcome)
    }
    #expect(try found("tags LIST_CONTAINS_ANY [\"hope\", \"x\"]") == ["a"])
    #expect(try found("tags LIST_CONTAINS_ANY hope") == ["a"])
    #expect(try found("tags LIST_NOT_CONTAINS_ANY [\"hope\"]") == ["b"])
    #expect(try found("of == a") == ["b"])
    #expect(try found("recordName == b") == ["b"])
    #expect(try found("___recordID == b") == ["b"])
    #expect(try found("modifiedTimestamp > 2001-01-01").count == 2)
    #expect(try found("modifiedTimestamp > 978307200000").count == 2)
  }

  @Test(arguments: ["list", "query"])
  func encryptedFieldsAreShownOnlyOnRequest(_ command: String) async throws {
    let (home, secret) = try await homeWithEncryptedField()
    let arguments =
      (command == "list" ? ["record", "list"] : ["record", "query", "Note", "recordName == a"])
      + [
        "--user", "an", "--environment", "development", "--container", Self.container,
      ]
    let table = try home.run(arguments)
    #expect(table.status == 0, "\(table)")
    #expect(table.output.contains("secret=(encrypted)"))
    let json = try home.run(arguments + ["--json"])
    let fields = try #require(json.objects.first?["fields"] as? [String: [String: Any]])
    #expect(fields["secret"]?["isEncrypted"] as? Bool == true)
    #expect(fields["secret"]?["value"] is NSNull)
    for outcome in [table, json] { #expect(!outcome.output.contains(secret)) }
    for form in [[], ["--json"]] {
      let open = try home.run(arguments + ["--show-encrypted"] + form)
      #expect(open.output.contains(secret), "\(open)")
    }
  }

  private func homeWithEncryptedField() async throws -> (TestHome, secret: String) {
    let home = try TestHome()
    let schema = try home.write(
      """
      DEFINE SCHEMA
      RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE SORTABLE,
        tags LIST<STRING> QUERYABLE, of REFERENCE QUERYABLE, secret ENCRYPTED STRING
      );
      """, to: "app.ckdb")
    try #require(home.run("schema", "import", schema, "--container", Self.container).status == 0)
    let secret = "the treasure is under the palm"
    try await home.withService { service in
      try await service.save(
        [
          RecordInput(
            "a", type: "Note",
            fields: [
              "tags": Field(.strings(["hope", "faith"])), "secret": Field(.string(secret)),
            ]),
          RecordInput(
            "b", type: "Note",
            fields: ["tags": Field(.strings(["love"])), "of": Field(.reference(Reference("a")))]),
        ], of: try await service.account("an"), container: ContainerID(Self.container)!,
        .development)
    }
    return (home, secret)
  }
}
