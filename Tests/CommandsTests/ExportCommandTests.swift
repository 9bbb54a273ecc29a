import Editions
import Foundation
import Library
import Messages
import Quran
import TestSupport
import Testing
import Text

@testable import Commands

struct ExportCommandTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
  }

  private func fill() throws {
    try fixture.commit(
      .setFavorite(try ayah("2:255"), true), .setFavorite(.last, true),
      .addNote(UUID(), try ayah("2:255"), try NoteText("một\u{1B}[31m\n# hai\n")))
    fixture.now += 60_000
    try fixture.commit(.addNote(UUID(), try ayah("2:256"), try NoteText("ba")))
    fixture.now += 60_000
  }

  // MARK: To a file

  @Test func anExportedFileEqualsThePrintedExport() throws {
    try fill()
    for format in ExportFormat.allCases {
      let path = fixture.directory.path + "/x.\(format.rawValue)"
      let output = try fixture.export(format, to: path)
      #expect(output.lines == ["Exported 2 favourites, 2 notes to \(path)"])
      #expect(
        try String(contentsOfFile: path, encoding: .utf8) == fixture.export(format).text)
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
    #expect(try fixture.directory.contents == ["data", "x.json", "x.markdown", "x.plist"])
  }

  @Test func unfinishedNotesAreCountedOrReportedAsLeftOut() throws {
    try fill()
    let library = try fixture.library()
    try library.save(
      Draft(id: UUID(), noteID: UUID(), ayah: .first, base: nil, text: "dở", changedAt: 1))
    library.close()
    let path = fixture.directory.path + "/x"
    let json = try fixture.export(.json, to: path)
    #expect(json.lines == ["Exported 2 favourites, 2 notes, 1 unfinished note to \(path)"])
    _ = try fixture.export(.json)
    #expect(fixture.warnings.isEmpty)
    for format in [ExportFormat.plist, .markdown] {
      for path in [path, nil] {
        let output = try fixture.export(format, to: path)
        #expect(!output.text.contains("unfinished"))
        #expect(fixture.warnings.removeLast() == fixture.messages.unfinishedNotesLeftOut(1))
      }
      // Nothing was exported.
      _ = try failure { try fixture.export(format, to: fixture.directory.path + "/missing/x") }
    }
    #expect(fixture.warnings.isEmpty)
  }

  @Test func jsonOutputHasTheFileAndTheCounts() throws {
    struct Written: Decodable {
      let file: String
      let format: String
      let elements: [String: Int]
    }
    try fill()
    let path = fixture.directory.path + "/x"
    let written = try fixture.export(to: path, asJSON: true).decoded([Written].self)
    #expect(written.map(\.file) == [path])
    #expect(written[0].format == "json")
    #expect(written[0].elements["favorites"] == 2 && written[0].elements["drafts"] == 0)
  }

  @Test func aFileIsReplacedAtomically() throws {
    try fill()
    let path = try fixture.file("x.json", "old")
    chmod(path, 0o644)
    let link = fixture.directory.path + "/link"
    symlink("x.json", link)
    try fixture.export(to: link)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == fixture.export().text)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "x.json")
    for (bad, code) in [
      ("/dev/null/x", ENOTDIR), ("/nowhere/x", ENOENT), (fixture.directory.path, EISDIR),
      ("/dev/full", ENOSPC),
    ] {
      #expect(
        try failure { try fixture.export(to: bad) }
          == CommandFailure(.badData, fixture.messages.fileNotWritten(bad, code)), "\(bad)")
    }
    #expect(try fixture.directory.contents == ["data", "link", "x.json"])
  }

  @Test func theLibraryIsNotReplacedByItsExport() throws {
    try fill()
    let library = try Data(contentsOf: URL(filePath: fixture.path))
    let link = fixture.directory.path + "/link"
    symlink("data/library.sqlite", link)
    let folder = fixture.directory.path + "/folder"
    symlink("data", folder)
    for path in [
      fixture.path, link, "\(folder)/library.sqlite", fixture.path + "-wal", fixture.path + "-shm",
      fixture.path + ".new", "\(folder)/library.sqlite.damaged", fixture.path + ".generation",
      fixture.path + ".credentials",
    ] {
      #expect(
        try failure { try fixture.export(to: path) }
          == CommandFailure(.usage, fixture.messages.isTheLibrary(path)), "\(path)")
    }
    #expect(try Data(contentsOf: URL(filePath: fixture.path)) == library)
    #expect(try fixture.notes().count == 2)
  }

  @Test func aMissingLibraryDoesNotReplaceAnExport() throws {
    try fill()
    let path = try fixture.file("x.json", "old")
    // The disk with the library is not mounted.
    let link = fixture.directory.path + "/link"
    symlink("nowhere/library.sqlite", link)
    #expect(
      try failure { try fixture.context(path: link).export(.json, to: path, edition: .bundled) }
        .status == .badData)
    #expect(try failure { try fixture.context(path: link).listNotes("") }.status == .badData)
    // The file is missing, but its backups exist.
    try fixture.backup(.make)
    for suffix in ["", "-wal", "-shm"] { unlink(fixture.path + suffix) }
    #expect(
      try failure { try fixture.export(to: path) }
        == CommandFailure(.badData, fixture.messages.libraryIsGone))
    #expect(try fixture.note(.list).text.isEmpty)
    #expect(fixture.warnings.contains(fixture.messages.libraryIsGone))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
  }

  @Test func aNamedPipeIsWrittenDirectly() throws {
    try fill()
    let path = fixture.directory.path + "/fifo"
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    try fixture.export(to: path)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(reader, &buffer, buffer.count)
    let found = String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    #expect(try found == fixture.export().text)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func anUnfinishedExportLeavesNoFile() throws {
    let path = try fixture.file("x.json", "old")
    do {
      let file = try OutputFile(path, messages: fixture.messages)
      defer { withExtendedLifetime(file) {} }
      try file.write("half of")
      #expect(try fixture.directory.contents.count == 2)
    }
    #expect(try fixture.directory.contents == ["x.json"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
  }

  // MARK: Markdown

  @Test func markdownHasHeadingsAyahsAndNotes() throws {
    try fill()
    let text = Edition.bundled.text(of:)
    let (two, three) = (try ayah("2:255"), try ayah("2:256"))
    #expect(
      try fixture.export(.markdown).text == """
        # Quran-vi

        Favourites and notes, exported on \(LocalTime(fixture.now)). Text: Bundled rendering – not \
        reviewed by scholars.

        ## 2. Al-Baqarah · Con Bò Cái

        ### 2:255 ♥

        > \(text(two))

        *\(LocalTime(fixture.now - 120_000))*

        một[31m
        # hai

        ### 2:256

        > \(text(three))

        *\(LocalTime(fixture.now - 60_000))*

        ba

        ## 114. An-Nas · \(AyahID.last.surah.surah.vietnameseName)

        ### 114:6 ♥

        > \(text(.last))

        """)
  }

  @Test func anEmptyLibraryIsReportedAsEmpty() throws {
    #expect(
      try fixture.export(.markdown).lines.last == fixture.messages.nothingToExport)
    #expect(try fixture.export(.json).text.hasPrefix("{\n  \"format\": \"quran-vi\",\n"))
    #expect(try fixture.isEmpty)
  }

  @Test func controlCharactersOfAnEditionAreRemoved() throws {
    try fixture.commit(.setFavorite(.first, true))
    let edition = try Edition(oddText: "a\u{1B}]0;x\u{7}b\u{85}c")
    let text = try fixture.export(.markdown, edition: edition).text
    #expect(text.hasSuffix("### 1:1 ♥\n\n> a]0;xb\n> c\n"))
  }

  @Test func noFormatContainsControlCharacters() throws {
    try fill()
    for format in ExportFormat.allCases {
      let bad = try fixture.export(format).text.unicodeScalars.first {
        !["\n", "\t"].contains($0) && $0.properties.generalCategory == .control
      }
      #expect(bad == nil, "\(format)")
    }
  }
}
