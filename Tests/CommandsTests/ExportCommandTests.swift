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
  private let desktop: LibraryDesktop

  init() throws {
    desktop = try LibraryDesktop()
  }

  private func fill() throws {
    try desktop.commit(
      .setFavorite(try ayah("2:255"), true), .setFavorite(.last, true),
      .addNote(UUID(), try ayah("2:255"), try NoteText("một\u{1B}[31m\n# hai\n")))
    desktop.now += 60_000
    try desktop.commit(.addNote(UUID(), try ayah("2:256"), try NoteText("ba")))
    desktop.now += 60_000
  }

  // MARK: To a file

  @Test func aFileHoldsWhatWouldBePrinted() throws {
    try fill()
    for format in ExportFormat.allCases {
      let path = desktop.directory.path + "/x.\(format.rawValue)"
      let output = try desktop.export(format, to: path)
      #expect(output.lines == ["Exported 2 favourites, 2 notes to \(path)"])
      #expect(
        try String(contentsOfFile: path, encoding: .utf8) == desktop.export(format).text)
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
    #expect(try desktop.directory.contents == ["data", "x.json", "x.markdown", "x.plist"])
  }

  @Test func scriptsAreToldOfTheFile() throws {
    struct Written: Decodable {
      let file: String
      let format: String
      let elements: [String: Int]
    }
    try fill()
    let path = desktop.directory.path + "/x"
    let written = try desktop.export(to: path, asJSON: true).decoded([Written].self)
    #expect(written.map(\.file) == [path])
    #expect(written[0].format == "json")
    #expect(written[0].elements["favorites"] == 2 && written[0].elements["drafts"] == 0)
  }

  @Test func aFileIsReplacedWholeOrNotAtAll() throws {
    try fill()
    let path = try desktop.file("x.json", "old")
    chmod(path, 0o644)
    let link = desktop.directory.path + "/link"
    symlink("x.json", link)
    try desktop.export(to: link)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == desktop.export().text)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "x.json")
    for (bad, code) in [
      ("/dev/null/x", ENOTDIR), ("/nowhere/x", ENOENT), (desktop.directory.path, EISDIR),
      ("/dev/full", ENOSPC),
    ] {
      #expect(
        try failure { try desktop.export(to: bad) }
          == CommandFailure(.badData, desktop.messages.fileNotWritten(bad, code)), "\(bad)")
    }
    #expect(try desktop.directory.contents == ["data", "link", "x.json"])
  }

  @Test func theLibraryIsNotReplacedByItsExport() throws {
    try fill()
    let library = try Data(contentsOf: URL(filePath: desktop.path))
    let link = desktop.directory.path + "/link"
    symlink("data/library.sqlite", link)
    let folder = desktop.directory.path + "/folder"
    symlink("data", folder)
    for path in [
      desktop.path, link, "\(folder)/library.sqlite", desktop.path + "-wal", desktop.path + "-shm",
      desktop.path + ".new", "\(folder)/library.sqlite.damaged",
    ] {
      #expect(
        try failure { try desktop.export(to: path) }
          == CommandFailure(.usage, desktop.messages.isTheLibrary(path)), "\(path)")
    }
    #expect(try Data(contentsOf: URL(filePath: desktop.path)) == library)
    #expect(try desktop.notes().count == 2)
  }

  @Test func aMissingLibraryDoesNotReplaceAnExport() throws {
    try fill()
    let path = try desktop.file("x.json", "old")
    // The disk with the library is not mounted.
    let link = desktop.directory.path + "/link"
    symlink("nowhere/library.sqlite", link)
    #expect(
      try failure { try desktop.context(path: link).export(.json, to: path, edition: .bundled) }
        .status == .badData)
    #expect(try failure { try desktop.context(path: link).listNotes("") }.status == .badData)
    // The file is gone, and its backups are not.
    try desktop.backup(.make)
    for suffix in ["", "-wal", "-shm"] { unlink(desktop.path + suffix) }
    #expect(
      try failure { try desktop.export(to: path) }
        == CommandFailure(.badData, desktop.messages.libraryIsGone))
    #expect(try desktop.note(.list).text.isEmpty)
    #expect(desktop.warnings.contains(desktop.messages.libraryIsGone))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
  }

  @Test func whatIsNoRegularFileIsWrittenAsItComes() throws {
    try fill()
    let path = desktop.directory.path + "/fifo"
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    try desktop.export(to: path)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(reader, &buffer, buffer.count)
    let found = String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    #expect(try found == desktop.export().text)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func whatIsNotFinishedLeavesNothing() throws {
    let path = try desktop.file("x.json", "old")
    do {
      let file = try OutputFile(path, messages: desktop.messages)
      try file.write("half of")
      #expect(try desktop.directory.contents.count == 2)
    }
    #expect(try desktop.directory.contents == ["x.json"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
  }

  // MARK: Markdown

  @Test func markdownIsForPeople() throws {
    try fill()
    let text = Edition.bundled.text(of:)
    let (two, three) = (try ayah("2:255"), try ayah("2:256"))
    #expect(
      try desktop.export(.markdown).text == """
        # Quran-vi

        Favourites and notes, exported on \(LocalTime(desktop.now)). Text: Bundled rendering – not \
        reviewed by scholars.

        ## 2. Al-Baqarah · Con Bò Cái

        ### 2:255 ♥

        > \(text(two))

        *\(LocalTime(desktop.now - 120_000))*

        một[31m
        # hai

        ### 2:256

        > \(text(three))

        *\(LocalTime(desktop.now - 60_000))*

        ba

        ## 114. An-Nas · \(AyahID.last.surah.surah.vietnameseName)

        ### 114:6 ♥

        > \(text(.last))

        """)
  }

  @Test func anEmptyLibraryIsSaidToBeEmpty() throws {
    #expect(
      try desktop.export(.markdown).lines.last == desktop.messages.nothingToExport)
    #expect(try desktop.export(.json).text.hasPrefix("{\n  \"format\": \"quran-vi\",\n"))
    #expect(try desktop.isEmpty)
  }

  @Test func whatAPublisherWroteCannotReachTheTerminal() throws {
    try desktop.commit(.setFavorite(.first, true))
    let edition = try Edition(oddText: "a\u{1B}]0;x\u{7}b\u{85}c")
    let text = try desktop.export(.markdown, edition: edition).text
    #expect(text.hasSuffix("### 1:1 ♥\n\n> a]0;xb\n> c\n"))
  }

  @Test func nothingInAnyFormatDoesAnythingToATerminal() throws {
    try fill()
    for format in ExportFormat.allCases {
      let bad = try desktop.export(format).text.unicodeScalars.first {
        !["\n", "\t"].contains($0) && $0.properties.generalCategory == .control
      }
      #expect(bad == nil, "\(format)")
    }
  }
}
