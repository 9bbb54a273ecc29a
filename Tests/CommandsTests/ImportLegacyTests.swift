import Editions
import Foundation
import Library
import Messages
import Quran
import TestSupport
import Testing
import Text

@testable import Commands

/// Imports of data of the older app with the `import` command.
struct ImportLegacyTests {
  private let fixture: CommandFixture
  private let dump = """
    {"favoriteAyahs": ["2:255", "1:1", "2:300"],
     "ayahNotes": {"2:255": ["một\\nhai", "a", "a"], "115:1": ["x", "y"]},
     "ReadingProgressStore.progress": {"2": {"lastReadAyah": 45, "totalAyahs": 1}},
     "AppleLanguages": ["vi"]}
    """

  init() throws {
    fixture = try CommandFixture()
  }

  private struct Entry: Decodable {
    struct Count: Decodable, Equatable {
      let found: Int
      let imported: Int
      let alreadyThere: Int
      let skipped: Int
    }
    struct Skip: Decodable {
      let list: String
      let place: String
      let code: String
      let number: Int?
    }
    let format: String
    let lists: [String: Count]
    let shapes: [String: String]
    let skipped: [Skip]
    let unknownKeys: [String]
    let archive: String?
  }

  private func entry(_ path: String) throws -> Entry {
    try #require(try fixture.load(path, asJSON: true).decoded([Entry].self).first)
  }

  @Test func legacyDataIsMergedAndReported() throws {
    let path = try fixture.file("x.json", dump)
    let lines = try fixture.load(path).lines
    #expect(
      lines == [
        "\(path): data of the older app (JSON)", "  favourites (plain value): 2 new, 1 left out",
        "  notes (plain value): 3 new, 2 left out", "  progress (plain value): 1 new",
        "  left out favoriteAyahs[3]: there is no ayah “2:300”",
        "  left out ayahNotes[115:1][1]: there is no ayah “115:1”",
        "  left out ayahNotes[115:1][2]: there is no ayah “115:1”",
        "  not known, left out: AppleLanguages",
      ])
    let snapshot = try fixture.snapshot()
    #expect(snapshot.favorites.map(\.ayah.description) == ["1:1", "2:255"])
    #expect(snapshot.lastReadAyah(of: try #require(SurahNumber(2))) == 45)
    #expect(try fixture.notes().map(\.text.text) == ["một\nhai", "a", "a"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == dump)

    let entry = try entry(path)
    #expect(entry.format == "legacy" && entry.unknownKeys == ["AppleLanguages"])
    #expect(
      entry.lists["favorites"] == Entry.Count(found: 3, imported: 0, alreadyThere: 2, skipped: 1))
    #expect(
      entry.lists["notes"] == Entry.Count(found: 5, imported: 0, alreadyThere: 3, skipped: 2))
    #expect(entry.shapes == ["favorites": "native", "notes": "native", "progress": "native"])
    #expect(
      entry.skipped.map(\.place) == [
        "favoriteAyahs[3]", "ayahNotes[115:1][1]", "ayahNotes[115:1][2]",
      ])
    #expect(entry.skipped.allSatisfy { $0.code == "no-such-ayah" && $0.number == nil })
  }

  @Test func importedDataGetsTheModificationTimeOfTheFile() throws {
    let path = try fixture.file("x.json", dump)
    for (seconds, kept) in [(1_700_000_000, 1_700_000_000_000), (4_000_000_000, fixture.now)] {
      var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
      try #require(utimes(path, &times) == 0)
      let other = try CommandFixture()
      try other.load(path)
      #expect(try other.notes().allSatisfy { $0.modifiedAt == kept })
      #expect(try other.snapshot().favorites.allSatisfy { $0.favoritedAt == kept })
    }
  }

  @Test func aDryRunPrintsTheReportAndMakesNoLibrary() throws {
    let path = try fixture.file("x.json", dump)
    let lines = try fixture.load(path, isDryRun: true).lines
    #expect(lines[0] == "\(path): data of the older app (JSON) – dry run, nothing is written")
    #expect(lines.contains("  notes (plain value): 3 new, 2 left out"))
    #expect(try fixture.directory.contents == ["x.json"])
  }

  @Test func deletedNotesAreRestoredOnRequest() throws {
    let path = try fixture.file("x.json", dump)
    try fixture.load(path)
    let note = try #require(try fixture.notes().first)
    try fixture.commit(.deleteNote(note.id, note.ayah))
    #expect(try fixture.load(path).lines.contains { $0.contains("0 new, 3 there already") })
    #expect(try fixture.load(path, again: true).lines.contains { $0.contains("1 new, 2 there") })
    #expect(try fixture.notes().contains { $0.id == note.id && $0.text == note.text })
  }

  // MARK: The archive

  @Test func anImportedFileIsMovedToTheArchive() throws {
    let archive = fixture.directory.path + "/imported"
    for name in ["x.json", "2-x.json"] {
      let path = try fixture.file("x.json", dump)
      let lines = try fixture.load(path, archive: archive).lines
      #expect(lines.last == "  the file is now \(archive)/\(name)")
      #expect(try String(contentsOfFile: "\(archive)/\(name)", encoding: .utf8) == dump)
      #expect(access(path, F_OK) != 0)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: archive).sorted() == [
        "2-x.json", "x.json",
      ])
    #expect(try fixture.snapshot().noteCount == 3)
  }

  @Test func theArchiveMayBeOnAnotherFileSystem() throws {
    let path = try fixture.file("x.json", dump)
    var (here, there) = (stat(), stat())
    try #require(stat(path, &here) == 0)
    guard stat("/dev/shm", &there) == 0, here.st_dev != there.st_dev else {
      print("skipped: /dev/shm is no other file system than \(path)")
      return
    }
    let archive = "/dev/shm/quran-vi-test-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: archive) }
    var times = [
      timeval(tv_sec: 1_500_000_000, tv_usec: 0), timeval(tv_sec: 1_500_000_000, tv_usec: 0),
    ]
    try #require(utimes(path, &times) == 0)
    try fixture.load(path, archive: archive)
    try #require(stat(archive + "/x.json", &there) == 0)
    #expect(there.st_mtim.tv_sec == 1_500_000_000)
    #expect(try String(contentsOfFile: archive + "/x.json", encoding: .utf8) == dump)
    #expect(access(path, F_OK) != 0)
  }

  @Test func anUnusableArchiveLeavesTheFileInPlace() throws {
    let path = try fixture.file("x.json", dump)
    let file = try fixture.file("imported", "")
    let output = Output()
    let failure = try failure {
      try fixture.context(in: output).importFiles([path], ImportOptions(archive: file))
    }
    #expect(failure.status == .badData)
    #expect(failure.message.contains("The file was imported, but could not be moved to"))
    #expect(failure.message.contains("(not a directory)"))
    #expect(output.lines.contains("  notes (plain value): 3 new, 2 left out"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == dump)
    #expect(try fixture.snapshot().noteCount == 3)
  }

  @Test func theTargetOfASymbolicLinkIsArchived() throws {
    let path = try fixture.file("real.json", dump)
    let link = fixture.directory.path + "/link.json"
    try #require(symlink(path, link) == 0)
    let archive = fixture.directory.path + "/imported"
    try fixture.load(link, archive: archive)
    #expect(try String(contentsOfFile: archive + "/link.json", encoding: .utf8) == dump)
    #expect(access(path, F_OK) != 0)
  }

  @Test func archivingTheSameFileTwiceIsAUsageError() throws {
    let path = try fixture.file("x.json", dump)
    let imported = try #require(FileState(of: path))
    try FileManager.default.removeItem(atPath: path)
    try fixture.file("x.json", dump + " ")
    #expect(try #require(FileState(of: path)) != imported)
    let link = fixture.directory.path + "/y.json"
    try #require(symlink(path, link) == 0)
    #expect(try failure { try fixture.load(path, link, archive: "/x") }.status == .usage)
  }

  @Test func standardInputAndDryRunsCannotBeArchived() throws {
    #expect(try failure { try fixture.load("-", archive: "/x") }.status == .usage)
    let path = try fixture.file("x.json", dump)
    #expect(
      try failure { try fixture.load(path, isDryRun: true, archive: "/x") }.status == .usage)
  }

  // MARK: Finding dumps

  @Test func theNewestDumpInTheUsualDirectoriesIsFound() throws {
    let home = fixture.directory.path
    let manager = FileManager.default
    let directories = [home + "/here", home + "/Downloads", home + "/nowhere"]
    for directory in directories.prefix(2) {
      try manager.createDirectory(atPath: directory, withIntermediateDirectories: false)
    }
    let finder = DumpFinder(directories: directories, home: home)
    #expect(finder.find() == nil)
    func put(_ name: String, _ text: String, at seconds: Int) throws {
      let path = try fixture.file(name, text)
      var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
      try #require(utimes(path, &times) == 0)
    }
    try put("Downloads/other.json", "{\"a\": 1}", at: 9)
    try put("Downloads/broken.plist", "<plist>", at: 9)
    try put("Downloads/photo.jpg", dump, at: 9)
    try put("Downloads/empty.json", "", at: 9)
    try manager.createDirectory(
      atPath: home + "/Downloads/x.plist", withIntermediateDirectories: false)
    try #require(mkfifo(home + "/Downloads/pipe.json", 0o600) == 0)
    #expect(finder.find() == nil)
    try put("Downloads/old.JSON", dump, at: 5)
    #expect(finder.find() == "~/Downloads/old.JSON")
    try put("here/new.plist", dump, at: 6)
    #expect(finder.find() == "~/here/new.plist")
    // The app's preferences have this name in a backup of a phone.
    let name = "43c10190e8d4e8ee1677ffda029655ace9398775"
    try put("here/\(name)", dump, at: 7)
    #expect(finder.find() == "~/here/\(name)")
  }
}

/// The import and export of files with `:import` and `:export` of the reader.
struct FileTransferTests {
  private let place: TemporaryDirectory
  private let library: Library
  private let dump = "{\"favoriteAyahs\": [\"2:255\"]}"

  init() throws {
    place = try TemporaryDirectory()
    library = try Library.inMemory()
  }

  private var files: FileTransfer { FileTransfer(home: place.path, now: { 9 }) }

  @discardableResult
  private func load(_ path: String) throws(CommandFailure) -> FileImport {
    try files.importFile(path, into: .success(library), messages: Messages(.english))
  }

  @discardableResult
  private func save(_ path: String) throws(CommandFailure) -> String {
    try files.exportFile(path, .success(library), messages: Messages(.english))
  }

  private func put(_ name: String, _ text: String) throws {
    try text.write(toFile: "\(place.path)/\(name)", atomically: false, encoding: .utf8)
  }

  @Test func ayahsAreExportedWithTheirNotes() throws {
    let range = try ayah("2:255")...(try ayah("2:257"))
    try library.commit(
      [
        .setFavorite(try ayah("2:256"), true), .setFavorite(try ayah("2:258"), true),
        .addNote(UUID(), try ayah("2:256"), try NoteText("ghi chú")),
      ], at: 1)
    _ = try files.exportFile(
      "~/a.md", ayahs: range, .success(library), messages: Messages(.english))
    let text = try String(contentsOfFile: place.path + "/a.md", encoding: .utf8)
    #expect(text.contains("\nAyahs, exported on "))
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(
      headings.dropFirst() == [
        "## 2. Al-Baqarah · Con Bò Cái", "### 2:255", "### 2:256 ♥", "### 2:257",
      ])
    let last = Edition.bundled.text(of: try ayah("2:257"))
    #expect(text.contains("ghi chú") && text.contains("> \(last)"))
  }

  @Test(arguments: ["dữ liệu.plist", "a  b .json "])
  func fileNamesMatchInEveryNormalizationForm(name: String) throws {
    // Decomposed, as macOS writes file names.
    try put(name.decomposedStringWithCanonicalMapping, dump)
    let file = try load("~/" + name.precomposedStringWithCanonicalMapping)
    #expect(file.commit.edits.count == 1 && file.snapshot.favoriteCount == 1)
    let completed = FileCompletion(home: place.path).paths(beginningWith: "~/\(name.first!)")
    #expect(completed.map { Array($0.unicodeScalars) } == [Array("~/\(name)".unicodeScalars)])
  }

  @Test func importInTheReaderRefusesPipesAndDevices() throws {
    try #require(mkfifo(place.path + "/pipe", 0o600) == 0)
    for (path, message) in [
      ("~/pipe", "is not a regular file"), ("/dev/zero", "is not a regular file"),
      ("-", "There is no file “-”."), ("~/", "is a directory"),
    ] {
      let failure = #expect(throws: CommandFailure.self) { try load(path) }
      #expect(failure?.message.contains(message) == true, "\(path): \(failure?.message ?? "")")
    }
  }

  /// Closing a file of the open library would release the locks that SQLite holds on it.
  @Test(arguments: ["", "-wal", "-shm"])
  func filesOfTheLibraryAreNotImported(suffix: String) throws {
    let path = place.path + "/library.sqlite"
    let library = try Library.open(path, at: 1).library
    defer { library.close() }
    try library.commit([.setFavorite(.first, true)], at: 1)
    let files = FileTransfer(home: place.path, library: path, now: { 9 })
    for name in ["~/library.sqlite\(suffix)", "\(path)\(suffix)"] {
      let failure = #expect(throws: CommandFailure.self) {
        try files.importFile(name, into: .success(library), messages: Messages(.english))
      }
      #expect(failure?.status == .usage)
      #expect(failure?.message.contains("belongs to the library") == true)
    }
  }

  @Test func exportInTheReaderDoesNotOverwriteFiles() throws {
    try put("quran.json", dump)
    let failure = #expect(throws: CommandFailure.self) { try save("~/quran.json") }
    #expect(failure?.message.contains("exists already") == true)
    #expect(try String(contentsOfFile: place.path + "/quran.json", encoding: .utf8) == dump)
    try save("~/new.md")
    #expect(access(place.path + "/new.md", F_OK) == 0)
  }

  @Test(arguments: ["", "-wal", ".new"])
  func filesOfTheLibraryAreNotWritten(suffix: String) throws {
    let path = place.path + "/library.sqlite"
    try Library.open(path, at: 1).library.close()
    let contents = try place.contents
    let files = FileTransfer(home: place.path, library: path, now: { 9 })
    let failure = #expect(throws: CommandFailure.self) {
      try files.exportFile(
        "~/library.sqlite\(suffix)", .success(library), messages: Messages(.english))
    }
    #expect(failure?.status == .usage)
    #expect(try place.contents == contents)
  }

  @Test func anExportInAnotherEncodingIsReported() throws {
    let export = "{\"format\": \"quran-vi\", \"version\": 1, \"favorites\": []}"
    try #require(export.data(using: .utf16LittleEndian)).write(
      to: URL(filePath: place.path + "/x.json"))
    let failure = #expect(throws: CommandFailure.self) { try load("~/x.json") }
    #expect(failure?.message.contains("is an export of quran-vi, but") == true)
  }
}

/// Completion of file names.
struct FileCompletionTests {
  @Test func fileNamesAreCompletedLikeInAShell() throws {
    let place = try TemporaryDirectory()
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: place.path + "/Tài liệu", withIntermediateDirectories: false)
    for name in ["a b.json", "ab.plist", ".hidden", "Tài liệu/x"] {
      try #require(manager.createFile(atPath: "\(place.path)/\(name)", contents: nil))
    }
    let completion = FileCompletion(home: place.path)
    #expect(completion.paths(beginningWith: "~") == ["~/"])
    #expect(completion.paths(beginningWith: "~/") == ["~/Tài liệu/", "~/a b.json", "~/ab.plist"])
    #expect(completion.paths(beginningWith: "~/a") == ["~/a b.json", "~/ab.plist"])
    #expect(completion.paths(beginningWith: "~/.") == ["~/.hidden"])
    #expect(completion.paths(beginningWith: "~/Tài liệu/") == ["~/Tài liệu/x"])
    #expect(
      completion.paths(beginningWith: place.path + "/T") == [place.path + "/Tài liệu/"])
    #expect(completion.paths(beginningWith: "~/nothing/") == [])
  }
}
