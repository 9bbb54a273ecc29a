import Foundation
import TestSupport
import Testing

/// Favourites, notes, progress, settings and backups on the command line.
@Suite struct LibraryCommandTests {
  // MARK: Favourites

  @Test func favoritesAreAddedListedAndRemoved() throws {
    let home = try Home()
    let added = try home.quranVi("favorite", "add", "2:255-256", "114:6")
    #expect(added.ending == .exited(0) && added.output.shows("2:255-256, 114:6"), "\(added)")
    let listed = try home.quranVi("favorite", "list", "--json").jsonObjects()
    #expect(listed.map { $0["ayah"] as? String } == ["2:255", "2:256", "114:6"])
    #expect(listed.map { $0["text"] as? String }[0] == Book.text(of: "2:255"))
    let now = Date().timeIntervalSince1970 * 1000
    #expect(listed.allSatisfy { abs(now - ($0["favoritedAt"] as? Double ?? 0)) < 600_000 })
    #expect(
      try home.quranVi("favorite").outputLines == [
        "2:255  \(Book.text(of: "2:255"))", "2:256  \(Book.text(of: "2:256"))",
        "114:6  \(Book.text(of: "114:6"))", "",
      ])
    #expect(try home.quranVi("favorite", "remove", "2:255", "2:256").ending == .exited(0))
    #expect(try home.quranVi("favorite", "remove", "2:255").ending == .exited(1))
    #expect(try home.quranVi("favorite", "list", "2").ending == .exited(1))
    let rest = try home.quranVi("favorite", "list", "--json").jsonObjects()
    #expect(rest.map { $0["ayah"] as? String } == ["114:6"])
  }

  // MARK: Notes

  @Test func notesAreWrittenListedEditedAndRemoved() throws {
    let home = try Home()
    let given = try home.quranVi("note", "add", "2:255", "-m", "- Câu Ngai Vàng", "--json")
    #expect(given.ending == .exited(0), "\(given)")
    let piped = try home.quranVi("note", "add", "2:255", "-", input: .text("đức tin\nhai dòng\n"))
    #expect(piped.ending == .exited(0), "\(piped)")
    let silently = try home.quranVi("note", "add", "1:1", input: .text("\u{1B}[31mđỏ"))
    #expect(silently.ending == .exited(0), "\(silently)")

    let listed = try home.quranVi("note", "list", "--json")
    #expect(!listed.outputBytes.contains(0x1B))
    let notes = try listed.jsonObjects()
    #expect(notes.map { $0["ayah"] as? String } == ["1:1", "2:255", "2:255"])
    #expect(
      notes.map { $0["text"] as? String }
        == ["\u{1B}[31mđỏ", "- Câu Ngai Vàng", "đức tin\nhai dòng"])
    #expect(try !home.quranVi("note", "list").outputBytes.contains(0x1B))

    let id = try #require(notes[1]["id"] as? String)
    #expect(try given.jsonObjects()[0]["id"] as? String == id)
    #expect(try home.quranVi("note", "edit", "2:255", "-m", "x").ending == .exited(2))
    let edited = try home.quranVi("note", "edit", "\(id.prefix(8).lowercased())", "-m", "sửa")
    #expect(edited.ending == .exited(0), "\(edited)")
    #expect(try home.quranVi("note", "remove", id).ending == .exited(0))
    #expect(try home.quranVi("note", "remove", id).ending == .exited(1))
    #expect(try home.quranVi("note", "remove", "2:255").ending == .exited(0))
    #expect(try home.quranVi("note", "list", "--json").jsonObjects().count == 1)
  }

  @Test(arguments: ["--lang=vi", "--lang", "--library=/nowhere", "--library", "--", "-m"])
  func theTextOfANoteMayLookLikeAnOption(_ text: String) throws {
    let home = try Home()
    for option in ["-m", "--message"] {
      let added = try home.quranVi("note", "add", "2:1", option, text, "--lang", "en")
      #expect(added.ending == .exited(0) && added.output.shows("Saved note"), "\(added)")
    }
    let notes = try home.quranVi("note", "list", "--json").jsonObjects()
    #expect(notes.map { $0["text"] as? String } == [text, text])
  }

  @Test func aNoteWithoutTextIsAUsageError() throws {
    let home = try Home()
    for input in [Outcome.Input.nothing, .closed, .text("\n")] {
      let outcome = try home.quranVi(["note", "add", "1:1"], input: input)
      #expect(outcome.ending == .exited(2), "\(outcome)")
      #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome)")
    }
    let both = try home.quranVi("note", "add", "1:1", "-", "-m", "x", input: .text("y"))
    #expect(both.ending == .exited(2), "\(both)")
    #expect(try home.quranVi("note", "list", "--json").jsonObjects().isEmpty)
  }

  // MARK: The editor

  /// Runs a command on a terminal with a shell script as the editor.
  ///
  /// - Returns: how the command ended, and its output.
  private func write(
    _ script: String, in home: Home, _ arguments: [String] = ["note", "add", "2:255"]
  ) throws -> (Ending, String) {
    let editor = try home.program("editor", script)
    let terminal = try PseudoTerminal(
      reader: arguments, in: home, with: ["VISUAL": editor, "TMPDIR": "\(home.path)/runtime"])
    return (try terminal.end(), String(decoding: terminal.output, as: UTF8.self))
  }

  private func texts(in home: Home) throws -> [String?] {
    try home.quranVi("note", "list", "--json").jsonObjects().map { $0["text"] as? String }
  }

  @Test func onATerminalTheEditorWritesTheNote() throws {
    let home = try Home()
    let script = "test -t 0 && test -t 1 && echo 'đức tin' > \"$1\" && stat -c %a \"$1\" > modes"
    let (ending, output) = try write(script, in: home)
    #expect(ending == .exited(0), "\(output)")
    #expect(try texts(in: home) == ["đức tin"])
    #expect(try home.contents(of: "modes") == "600\n")
    #expect(
      try write("sed -i s/tin/hạnh/ \"$1\"", in: home, ["note", "edit", "2:255"]).0 == .exited(0))
    #expect(try texts(in: home) == ["đức hạnh"])
    #expect(try home.files(under: "runtime") == [])
  }

  @Test func theConfiguredEditorOverridesVisual() throws {
    let home = try Home()
    try FileManager.default.createDirectory(
      atPath: "\(home.path)/config/quran-vi", withIntermediateDirectories: false)
    let editor = try home.program("configured", "echo 'đức hạnh' > \"$1\"")
    try home.write("editor = \"\(editor)\"\n", to: "config/quran-vi/config.toml")
    let (ending, output) = try write("echo 'đức tin' > \"$1\"", in: home)
    #expect(ending == .exited(0), "\(output)")
    #expect(try texts(in: home) == ["đức hạnh"])
  }

  @Test func anEditorThatWritesNothingChangesNothing() throws {
    let home = try Home()
    #expect(try home.quranVi("note", "add", "2:255", "-m", "cũ").ending == .exited(0))
    for script in ["true", ": > \"$1\""] {
      for arguments in [["note", "edit", "2:255"], ["note", "add", "2:255"]] {
        let (ending, output) = try write(script, in: home, arguments)
        #expect(ending == .exited(0), "\(output)")
      }
      #expect(try texts(in: home) == ["cũ"])
    }
    #expect(try home.files(under: "runtime") == [])
  }

  @Test func textsOfAFailingEditorBecomeUnfinishedNotes() throws {
    let home = try Home()
    #expect(try home.quranVi("note", "add", "2:255", "-m", "cũ").ending == .exited(0))
    let (ending, output) = try write("exit 1", in: home, ["note", "edit", "2:255"])
    #expect(ending == .exited(3), "\(output)")
    #expect(try home.files(under: "runtime") == [])
    for text in ["x", "y"] {
      let (ending, output) = try write(
        "echo \(text) > \"$1\"; exit 1", in: home, ["note", "edit", "2:255"])
      #expect(ending == .exited(3), "\(output)")
      #expect(try texts(in: home) == ["cũ"])
    }
    #expect(try home.files(under: "runtime") == [])
    let export = try home.quranVi("export", "--format", "json").output
    let document = try JSONSerialization.jsonObject(with: Data(export.utf8)) as? [String: Any]
    let drafts = try #require(document?["drafts"] as? [[String: Any]])
    #expect(Set(drafts.compactMap { $0["text"] as? String }) == ["x", "y"])
  }

  // MARK: Progress and settings

  @Test func progressIsSetAndShown() throws {
    let home = try Home()
    #expect(try home.quranVi("progress", "set", "2:45", "1:7").ending == .exited(0))
    #expect(try home.quranVi("settings", "set", "khatm", "30").ending == .exited(0))
    #expect(try home.quranVi("progress", "reset", "1").ending == .exited(0))
    let shown = try home.quranVi("progress")
    #expect(shown.outputLines.count > 122 && shown.output.shows("45/6236"), "\(shown)")
    let json = try home.quranVi("progress", "--json")
    let page = try #require(
      try JSONSerialization.jsonObject(with: Data(json.outputBytes)) as? [String: Any])
    let surahs = try #require(page["surahs"] as? [[String: Any]])
    #expect(surahs.count == 114 && surahs[1]["lastReadAyah"] as? Int == 45)
    #expect(page["read"] as? Int == 45)
    #expect((page["plan"] as? [String: Any])?["days"] as? Int == 30)
  }

  @Test func settingsAreStoredAndListed() throws {
    let home = try Home()
    let unset = try home.quranVi("settings", "get", "theme")
    #expect(unset.output == "terminal\n" && unset.errors.contains("mặc định"), "\(unset)")
    #expect(try home.quranVi("settings", "set", "theme", "oasis").ending == .exited(0))
    #expect(try home.quranVi("settings", "get", "theme").output == "oasis\n")
    let all = try home.quranVi("settings", "--json").jsonObjects()
    #expect(all.first { $0["key"] as? String == "theme" }?["value"] as? String == "oasis")
    let bad = try home.quranVi("settings", "set", "theme", "x")
    #expect(bad.ending == .exited(2) && bad.errors.contains("sepia"), "\(bad)")
  }

  // MARK: The library's path and permissions

  @Test func optionAndVariableSelectTheLibrary() throws {
    let home = try Home()
    func favorites(_ arguments: [String], with changes: [String: String?] = [:]) throws -> Int {
      try home.quranVi(arguments + ["favorite", "--json"], with: changes).jsonObjects().count
    }
    let elsewhere = ["QURAN_VI_LIBRARY": "\(home.path)/elsewhere/b.sqlite"]
    #expect(try home.quranVi("favorite", "add", "1:1").ending == .exited(0))
    #expect(
      try home.quranVi("favorite", "add", "1:1-2", "--library", "a.sqlite").ending == .exited(0))
    #expect(try home.quranVi(["favorite", "add", "1:1-3"], with: elsewhere).ending == .exited(0))
    #expect(try favorites([]) == 1)
    #expect(try favorites(["--library", "\(home.path)/a.sqlite"]) == 2)
    #expect(try favorites(["--library=a.sqlite"], with: elsewhere) == 2)
    #expect(try favorites([], with: elsewhere) == 3)
    #expect(try favorites([], with: ["QURAN_VI_LIBRARY": ""]) == 1)
    for file in ["data/quran-vi/library.sqlite", "a.sqlite", "elsewhere/b.sqlite"] {
      var status = stat()
      #expect(stat("\(home.path)/\(file)", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func commandsOnTextsDoNotOpenTheLibrary() throws {
    let home = try Home()
    mkdir("\(home.path)/data/quran-vi", 0o700)
    try home.write("no database", to: "data/quran-vi/library.sqlite")
    for arguments in [["read", "1"], ["search", "allah"], ["text", "list"]] {
      #expect(try home.quranVi(arguments).ending == .exited(0))
    }
    #expect(try home.files(under: "data") == ["data/quran-vi/library.sqlite"])
    #expect(try home.contents(of: "data/quran-vi/library.sqlite") == "no database")
    // A command that reads the library reports the damage on standard error and changes nothing.
    let listed = try home.quranVi("favorite", "list", "--json")
    #expect(listed.ending == .exited(3) && listed.output == "", "\(listed)")
    #expect(listed.errors.hasPrefix("quran-vi: ") && listed.errors.shows("để nguyên"), "\(listed)")
    #expect(try home.files(under: "data") == ["data/quran-vi/library.sqlite"])
  }

  @Test func listingCreatesNoLibrary() throws {
    let home = try Home()
    for arguments in [
      ["favorite"], ["note", "list"], ["progress"], ["settings"], ["export"], ["backup", "list"],
    ] {
      let outcome = try home.quranVi(arguments)
      #expect(outcome.ending == .exited(0), "\(outcome)")
    }
    #expect(try home.files(under: "data") == [])
    #expect(try home.quranVi("backup").ending == .exited(1))
  }

  @Test(.enabled(if: Program.canMount, "this place allows no mounts"))
  func aReadOnlyLibraryIsReadAndNotChanged() throws {
    let home = try Home()
    #expect(try home.quranVi("favorite", "add", "2:255").ending == .exited(0))
    #expect(try home.quranVi("note", "add", "2:255", "-m", "một").ending == .exited(0))
    func run(_ arguments: String) throws -> Outcome {
      try Outcome.of(
        "/usr/bin/unshare",
        [
          "-m", "/bin/bash", "-c",
          "mount --bind data data && mount -o remount,ro,bind data && \"$0\" \(arguments)",
          Program.reader(),
        ], environment: home.environment, directory: home.path)
    }
    for arguments in [
      "favorite list", "note list", "progress", "settings", "export", "export --format plist",
      "import --dry-run export.json",
    ] {
      try home.write(home.quranVi("export").output, to: "export.json")
      let outcome = try run(arguments)
      #expect(outcome.ending == .exited(0), "\(outcome)")
      #expect(!outcome.outputBytes.isEmpty, "\(outcome)")
    }
    #expect(try run("favorite list").output.shows(Book.text(of: "2:255")))
    for arguments in [
      "favorite add 1:1", "note remove 2:255", "progress set 1:1", "settings set theme dark",
      "import export.json", "backup",
    ] {
      let outcome = try run(arguments)
      #expect(outcome.ending == .exited(3), "\(outcome)")
      #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome)")
    }
  }

  @Test(.enabled(if: Program.canMount, "this place allows no mounts"))
  func aListOnAFullDiskDoesNotSayThatSomethingWasNotSaved() throws {
    let home = try Home()
    #expect(try home.quranVi("note", "add", "2:255", "-m", "một").ending == .exited(0))
    func run(_ arguments: String) throws -> Outcome {
      let script = """
        cp -a data saved && mount -t tmpfs -o size=600k none data && cp -a saved/. data
        rm -r saved
        cat /dev/zero > data/more 2> /dev/null
        "$0" \(arguments)
        """
      return try Outcome.of(
        "/usr/bin/unshare", ["-m", "/bin/bash", "-c", script, Program.reader()],
        environment: home.environment, directory: home.path)
    }
    let list = try run("note list")
    #expect(list.ending == .exited(0) && list.output.contains("một"), "\(list)")
    #expect(list.errors.isEmpty, "\(list)")
    let change = try run("note add 1:1 -m hai")
    #expect(change.ending == .exited(3) && !change.errors.isEmpty, "\(change)")
  }

  // MARK: Backups

  @Test func restoringABackupRevertsTheLibrary() throws {
    let home = try Home()
    #expect(try home.quranVi("favorite", "add", "1:1").ending == .exited(0))
    let made = try home.quranVi("backup", "--json").jsonObjects()
    let name = try #require(made.first?["name"] as? String)
    #expect(try home.quranVi("favorite", "add", "1:2").ending == .exited(0))
    #expect(try home.quranVi("backup", "list").output.hasPrefix(name))
    #expect(try home.quranVi("backup", "restore").ending == .exited(2))
    let terminal = try PseudoTerminal(reader: ["backup", "restore"], in: home)
    try terminal.read(until: name)
    try terminal.type("n\n")
    #expect(try terminal.end() == .exited(0))
    #expect(try home.quranVi("favorite", "--json").jsonObjects().count == 2)
    #expect(try home.quranVi("backup", "restore", name, "--yes").ending == .exited(0))
    #expect(try home.quranVi("favorite", "--json").jsonObjects().count == 1)
    #expect(try home.quranVi("backup", "restore", "../x", "--yes").ending == .exited(1))
  }
}
