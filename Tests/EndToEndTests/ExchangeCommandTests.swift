import Foundation
import TestSupport
import Testing

/// Export and import on the command line.
@Suite struct ExchangeCommandTests {
  /// A home whose library has contents, among them unusual characters and a long note.
  private func filledHome() throws -> Home {
    let home = try Home()
    for arguments in [
      ["favorite", "add", "2:255", "36", "114:6"], ["note", "add", "2:255", "-m", "Câu Ngai Vàng"],
      ["note", "add", "2:255", "-m", "\u{1B}[31m\u{202E}\u{200F}\"\\\n👩‍👩‍👧 \u{9B}"],
      ["note", "add", "1:1", "-m", String(repeating: "dòng\n", count: 10_000)],
      ["progress", "set", "2:45", "112:4"], ["settings", "set", "theme", "sepia"],
      ["settings", "set", "khatm", "30"],
    ] {
      let outcome = try home.quranVi(arguments)
      #expect(outcome.ending == .exited(0), "\(outcome)")
    }
    return home
  }

  /// The lines of an export, without the time of the export.
  private func lines(_ outcome: Outcome) -> [Substring] {
    outcome.outputLines.filter { !$0.contains("exportedAt") }
  }

  @Test func importingAnExportReproducesTheLibrary() throws {
    let home = try filledHome()
    let exported = try home.quranVi("export", "--format", "json")
    #expect(exported.ending == .exited(0))
    #expect(exported.errors == "")
    #expect(!exported.outputBytes.contains { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F })
    let other = try Home()
    let report = try other.quranVi(["import", "-", "--json"], input: .text(exported.output))
    #expect(report.ending == .exited(0), "\(report)")
    let entry = try #require(try report.jsonObjects().first)
    #expect(entry["format"] as? String == "quran-vi")
    let lists = try #require(entry["lists"] as? [String: [String: Int]])
    #expect(
      lists["favorites"] == [
        "found": 85, "imported": 85, "new": 85, "replaced": 0, "merged": 0, "keptBoth": 0,
        "alreadyThere": 0, "skipped": 0,
      ])
    #expect(try lines(other.quranVi("export")) == lines(exported))
    let again = try other.quranVi(["import", "-"], input: .text(exported.output))
    #expect(again.output.shows("85 đã có"), "\(again)")
    #expect(try lines(other.quranVi("export")) == lines(exported))
  }

  @Test func exportCanBePipedIntoImport() throws {
    let home = try filledHome()
    let outcome = try Outcome.of(
      "/bin/bash",
      [
        "-c", "set -o pipefail; \"$0\" export --format json | \"$0\" --library b.sqlite import -",
        Program.reader(),
      ], environment: home.environment, directory: home.path)
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(
      try lines(home.quranVi("--library", "b.sqlite", "export")) == lines(home.quranVi("export")))
  }

  @Test func aDryRunChangesNothing() throws {
    let home = try filledHome()
    try home.write(home.quranVi("export").output, to: "x.json")
    let other = try Home()
    let tried = try other.quranVi("import", "--dry-run", "\(home.path)/x.json")
    #expect(tried.ending == .exited(0) && tried.output.shows("85 mới"), "\(tried)")
    #expect(try other.files(under: "data") == [])
  }

  @Test func anExportedFileIsReadableByItsOwnerOnly() throws {
    let home = try filledHome()
    let written = try home.quranVi("export", "--format", "markdown", "-o", "x.md")
    #expect(written.ending == .exited(0), "\(written)")
    var status = stat()
    #expect(stat("\(home.path)/x.md", &status) == 0 && status.st_mode & 0o777 == 0o600)
    let text = try home.contents(of: "x.md")
    #expect(text.shows("### 2:255 ♥\n\n> \(Book.text(of: "2:255"))\n"))
    #expect(text.shows("Câu Ngai Vàng") && !text.contains("\u{1B}"))
    for path in ["/nowhere/x", "/dev/full", "."] {
      let outcome = try home.quranVi("export", "-o", path)
      #expect(outcome.ending == .exited(3), "\(outcome)")
    }
    #expect(try home.quranVi("export", "-o", "-").output.hasPrefix("{"))
  }

  private static let python = try? Program.installed("python3")

  @Test(.enabled(if: python != nil, "Python is not installed"))
  func thePropertyListIsReadableByPython() throws {
    let home = try filledHome()
    #expect(try home.quranVi("export", "--format", "plist", "-o", "x.plist").ending == .exited(0))
    let script = """
      import json, plistlib
      keys = plistlib.load(open("x.plist", "rb"))
      assert all(type(value) is bytes for value in keys.values()), keys
      print(json.dumps({key: json.loads(value) for key, value in keys.items()}))
      """
    let outcome = try Outcome.of(
      try #require(Self.python), ["-c", script],
      environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""],
      directory: home.path)
    #expect(outcome.ending == .exited(0), "\(outcome)")
    let keys = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.outputBytes)) as? [String: Any])
    #expect(Set(keys.keys) == ["favoriteAyahs", "ayahNotes", "ReadingProgressStore.progress"])
    let favorites = try #require(keys["favoriteAyahs"] as? [String])
    #expect(favorites.count == 85 && favorites.contains("2:255"))
    let notes = try #require(keys["ayahNotes"] as? [String: [String]])
    #expect(notes["2:255"]?[0] == "Câu Ngai Vàng" && notes["1:1"]?.count == 1)
    let progress = try #require(keys["ReadingProgressStore.progress"] as? [String: [String: Int]])
    #expect(progress["2"] == ["lastReadAyah": 45, "totalAyahs": 286])
    #expect(progress["112"] == ["lastReadAyah": 4, "totalAyahs": 4])
  }

  @Test func invalidImportsExitWithStatus3() throws {
    let home = try Home()
    for text in ["", "x", "[]", "{}", "{\"format\":\"quran-vi\"", "bplist00", "{\"a\":\u{0}}"] {
      let outcome = try home.quranVi(["import", "-"], input: .text(text))
      #expect(outcome.ending == .exited(3), "\(outcome)")
      #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome)")
      #expect(outcome.outputBytes.isEmpty)
    }
    let deep = try home.quranVi(
      ["import", "-"], input: .text(String(repeating: "{\"a\":", count: 100_000)))
    #expect(deep.ending == .exited(3), "\(deep)")
    #expect(try home.quranVi("import", "nowhere.json").ending == .exited(1))
    #expect(try home.quranVi("import", ".").ending == .exited(3))
    for arguments in [["import"], ["import", "-", "-"], ["export", "--format", "xml"]] {
      #expect(try home.quranVi(arguments).ending == .exited(2))
    }
    #expect(try home.files(under: "data") == [])
  }

  @Test func aMissingTemporaryFolderIsNamed() throws {
    let home = try Home()
    let missing = "\(home.path)/missing"
    let outcome = try home.quranVi(["import", "-"], with: ["TMPDIR": missing], input: .text("{}"))
    #expect(outcome.ending == .exited(3), "\(outcome)")
    #expect(outcome.errors.shows("“\(missing)/quran-vi-…”"), "\(outcome)")
  }

  /// All of a file is imported, or nothing.
  @Test func aKilledImportLeavesTheLibraryUnchanged() throws {
    let home = try Home()
    let notes = (0..<20_000).map {
      """
      {"id":"\(UUID().uuidString)","ayah":"1:1","text":"\($0)\(String(repeating: " đức tin", count: 50))",\
      "createdAt":1,"modifiedAt":2}
      """
    }
    try home.write(
      #"{"format":"quran-vi","version":1,"notes":[\#(notes.joined(separator: ",\n"))]}"#,
      to: "x.json")
    #expect(try home.quranVi("favorite", "add", "1:1").ending == .exited(0))
    let child = try ChildProcess(
      Program.reader(), ["import", "x.json"], environment: home.environment, directory: home.path,
      input: .null, output: .null, errors: .null)
    // The transaction outgrows the page cache, so SQLite begins to write it to the WAL.
    var status = stat()
    let wal = "\(home.path)/data/quran-vi/library.sqlite-wal"
    while child.poll() == nil, stat(wal, &status) != 0 || status.st_size < 1 << 20 {
      sched_yield()
    }
    child.send(signal: SIGKILL)
    while child.poll() == nil { waitForEvents([(child.watch, POLLIN)], milliseconds: 1000) }
    let count = try home.quranVi("note", "list", "--json").jsonObjects().count
    // The import may be killed after its commit.
    #expect(count == 20_000 || count == 0 && child.ending != .exited(0), "\(count)")
    let finished = try home.quranVi("import", "x.json")
    #expect(finished.ending == .exited(0), "\(finished)")
    #expect(try home.quranVi("note", "list", "--json").jsonObjects().count == 20_000)
  }
}
