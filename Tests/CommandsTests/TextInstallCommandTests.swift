import Editions
import Foundation
import Messages
import Quran
import TestSupport
import Testing
import Text

@testable import Commands

/// `quran-vi text install` and `update`, with a local stand-in for QuranEnc.
struct TextInstallCommandTests {
  private let folder: TemporaryDirectory
  private let editions: InstalledEditions
  private let server: QuranEncStandIn

  init() throws {
    folder = try TemporaryDirectory()
    editions = InstalledEditions(directory: folder.path + "/editions")
    server = try QuranEncStandIn()
  }

  private func context(asJSON: Bool = false, in output: Output = Output()) -> CommandContext {
    CommandContext(
      console: output.console(), messages: Messages(.english), asJSON: asJSON, libraryPath: nil,
      editions: editions, environment: ["QURAN_VI_QURANENC_URL": server.origin], now: { 5 },
      warn: { _ in })
  }

  @discardableResult
  private func install(
    _ names: String..., id: String? = nil, title: String? = nil, language: String? = nil,
    asJSON: Bool = false, in output: Output = Output()
  ) async throws -> Output {
    try await context(asJSON: asJSON, in: output).installTexts(
      names, EditionSource.Description(id: id, title: title, language: language))
    return output
  }

  private func failure(_ body: () async throws -> Output) async throws -> CommandFailure {
    do {
      _ = try await body()
      throw CocoaError(.featureUnsupported)
    } catch {
      return try #require(error as? CommandFailure)
    }
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  /// A text in Tanzil's format.
  private func lines(_ header: String = "", _ text: (AyahID) -> String? = { "text \($0)" })
    -> String
  {
    header
      + (AyahID.first...AyahID.last).compactMap { ayah in
        text(ayah).map { "\(ayah.surah)|\(ayah.ayah)|\($0)" }
      }.joined(separator: "\n")
  }

  // MARK: Downloads

  @Test func withoutNamesTheRecognisedTranslationsAreInstalled() async throws {
    let output = try await install()
    #expect(
      output.lines == [
        "Installed ar.hafs: Arabic original · Hafs, King Fahd Glorious Quran Printing Complex",
        "Installed vi.rwwad: Rowwad Translation Center, QuranEnc.com, version 1.0.5",
        "Installed vi.hassan: Hassan Abdul-Karim, QuranEnc.com, version 1.0.5",
        "Terms: QuranEnc.com: the text is not changed; the publisher and the source QuranEnc.com"
          + " are named; the version is stated; the accompanying information is kept; the latest"
          + " version is used; QuranEnc.com is told of mistakes; no inappropriate advertisements.",
        "Now reading: Rowwad Translation Center",
      ])
    let again = try await install(asJSON: true)
    struct Entry: Decodable, Equatable {
      let id, title, version, outcome: String
      let previousVersion: String?
    }
    #expect(
      try again.decoded([Entry].self).map { [$0.id, $0.version, $0.outcome] } == [
        ["vi.rwwad", "1.0.5", "unchanged"], ["vi.hassan", "1.0.5", "unchanged"],
      ])
    server.change("vietnamese_hassan") { $0.version = "1.0.6" }
    let updated = Output()
    try await context(in: updated).updateTexts([])
    #expect(
      updated.lines.prefix(2) == [
        "vi.rwwad is the latest version: Rowwad Translation Center, QuranEnc.com, version 1.0.5",
        "Replaced vi.hassan: Hassan Abdul-Karim, QuranEnc.com, version 1.0.6 (before: 1.0.5)",
      ])
    #expect(!updated.text.contains("Now reading"))
  }

  @Test(arguments: ["vi.hassan", "vietnamese_hassan"])
  func oneTranslationIsInstalled(_ name: String) async throws {
    try await install(name)
    #expect(try editions.list().map(\.id) == ["vi.quranvi", "ar.hafs", "vi.hassan"])
    #expect(server.requestedSurahs.count == 114)
  }

  @Test func failuresHaveTheirStatus() async throws {
    func status(
      _ fault: @escaping @Sendable (String, Int) -> QuranEncStandIn.Fault?
    ) async throws -> Commands.ExitStatus {
      server.answer(fault)
      return try await failure { try await install("vi.rwwad") }.status
    }
    #expect(try await status { _, _ in .status(404) } == .service)
    #expect(try await status { path, _ in path.hasSuffix("/2") ? .status(404) : nil } == .service)
    #expect(try await status { path, _ in path.hasSuffix("/2") ? .body("{}") : nil } == .badData)
    #expect(try await status { _, _ in .body("{}") } == .badData)
    server.answer { _, _ in nil }
    #expect(try await failure { try await install("french_nobody") }.status == .notFound)
    var context = context()
    context.environment["QURAN_VI_QURANENC_URL"] = "http://example.org"
    let plain = try await failure {
      try await context.installTexts([])
      return Output()
    }
    #expect(plain.status == .usage && plain.message == "The address must begin with https://.")
    context.environment = ["QURAN_VI_QURANENC_URL": "http://127.0.0.1:1"]
    let refused = try await failure {
      try await context.updateTexts([])
      try await context.installTexts([])
      return Output()
    }
    #expect(refused.status == .service && refused.message.contains("connection refused"))
  }

  @Test func textsInstalledBeforeAFailureAreReported() async throws {
    server.answer { path, _ in
      path.hasPrefix("translation/sura/vietnamese_hassan") ? .status(404) : nil
    }
    for asJSON in [false, true] {
      let output = Output()
      let failure = try await failure { try await install(asJSON: asJSON, in: output) }
      #expect(failure.message.contains("404") && !failure.message.contains("is kept"))
      #expect(output.text.contains("vi.rwwad"))
      if asJSON { _ = try JSONSerialization.jsonObject(with: Data(output.text.utf8)) }
    }
  }

  @Test func jsonThatCannotBeWrittenIsAFailure() async throws {
    let full = CommandFailure(.badData, Messages(.english).notWritten(ENOSPC))
    var context = context(asJSON: true)
    context.console = Console(isTerminal: false) { _ throws(CommandFailure) in throw full }
    let path = try file("x.txt", lines("# ID: vi.thu\n"))
    let failure = try await failure {
      try await context.installTexts([path])
      return Output()
    }
    #expect(failure == full)
  }

  @Test func withoutTextsThereIsNothingToUpdate() async throws {
    let output = Output()
    try await context(in: output).updateTexts([])
    #expect(output.lines == [Messages(.english).noTextToUpdate])
    #expect(server.requests == [])
    #expect(
      try await failure {
        try await context().updateTexts(["vi.nobody"])
        return output
      }.status == .notFound)
  }

  // MARK: Files

  @Test func aFileIsInstalledByteForByte() async throws {
    let text = lines("# Name: Thử\n# Translator: An\n# ID: vi.thu\n# Language: Vietnamese\n") {
      $0 == .first ? "e\u{302}\u{301} \u{A0}x" : "text \($0)"
    }
    let path = try file("x.txt", text)
    let output = try await install(path)
    #expect(output.lines == ["Installed vi.thu: Thử", "To read it: quran-vi text use vi.thu"])
    let edition = try editions.edition("vi.thu")
    #expect(Array(edition.bytes(of: .first)) == Array("e\u{302}\u{301} \u{A0}x".utf8))
    #expect(edition.info.notes.contains("Translator: An"))
    #expect(editions.current().edition.info.id == "vi.quranvi")
    #expect(server.requests == [])
  }

  @Test func theIDIsFromTheFileTheOptionOrTheFileName() async throws {
    let path = try file("Bản của tôi 2.txt", lines())
    try await install(path)
    #expect(try editions.list().map(\.id).contains("ban-cua-toi-2"))
    // An installed text with the same ID is not replaced.
    let taken = try await failure { try await install(path) }
    #expect(taken.status == .usage && taken.message.contains("--id ban-cua-toi-2 replaces it"))
    let bundled = try file("vi.quranvi.txt", lines())
    #expect(
      try await failure { try await install(bundled) }.message
        == failure { try await install(bundled, id: "vi.quranvi") }.message)
    try await install(path, id: "vi.toi", title: "Của tôi", language: "vi")
    let info = try editions.edition("vi.toi").info
    #expect(info.title == "Của tôi" && info.language == "vi" && !info.isRecognised)
    let unnamed = try file("日本.txt", lines())
    let failure = try await failure { try await install(unnamed) }
    #expect(failure.status == .usage && failure.message.contains("--id"))
    #expect(
      try await self.failure { try await install(path, id: "Bad ID") }.status == .usage)
    #expect(
      try await self.failure { try await install(path, id: "vi.quranvi") }.status == .usage)
    #expect(try await self.failure { try await install(id: "vi.x") }.status == .usage)
    #expect(try await self.failure { try await install("vi.rwwad", id: "vi.x") }.status == .usage)
    for (name, language, id) in [
      ("/a/Foo bar.csv.gz", "en", "en.foo-bar"), ("/a/en.own.txt", "", "en.own"),
      ("vi.quranvi.txt", "vi", "vi.quranvi"), ("v1.2 (new).json", "en", "en.v1-2-new"),
      ("đ", "vi", "vi.d"), ("日", "vi", nil), (".txt", "vi", nil), ("", "", nil),
    ] {
      #expect(EditionSource.id(fileName: name, language: language) == id, "\(name)")
    }
  }

  @Test func aGivenTitleIsKeptUntilAnotherOneIsGiven() async throws {
    for header in ["# ID: vi.toi\n", "# Name: Khác\n# ID: vi.toi\n"] {
      let path = try file("x.txt", lines(header))
      try await install(path, title: "Của tôi")
      try await install(path)
      #expect(try editions.edition("vi.toi").info.title == "Của tôi")
      try await install(path, title: "Mới")
      #expect(try editions.edition("vi.toi").info.title == "Mới")
      try editions.remove("vi.toi")
    }
    // A title of the file follows the file.
    for title in ["Một", "Hai"] {
      try await install(try file("x.txt", lines("# Name: \(title)\n# ID: vi.toi\n")))
      #expect(try editions.edition("vi.toi").info.title == title)
    }
  }

  @Test func missingExtraAndRepeatedAyahsAreListed() async throws {
    let text =
      lines { ["2:255", "2:256", "3:1"].contains($0.description) ? nil : "text \($0)" }
      + "\n1:8|x".replacing(":", with: "|") + "\n114|6|again\n115|1|y\n"
    let path = try file("x.txt", text.replacing("text 7:5\n", with: " \n"))
    let failure = try await failure { try await install(path, id: "vi.x") }
    #expect(failure.status == .badData)
    #expect(
      failure.message.hasSuffix(
        "missing 2:255-256, 3:1; extra 1:8, 115:1; repeated 114:6; empty 7:5."), "\(failure)")
    #expect(try editions.list().count == 1)
  }

  @Test func invalidOrMissingFilesAreRefused() async throws {
    let path = try file("x.txt", "hello\n")
    let refused = try await failure { try await install(path) }
    #expect(refused.status == .badData && refused.message.contains("not a text of the Quran"))
    #expect(try await failure { try await install("/nonexistent/x") }.status == .notFound)
    let nobody = try await failure { try await install("vi.nobody\u{1B}") }
    #expect(nobody.status == .notFound && nobody.message.contains("vi.rwwad, vi.hassan"))
    #expect(try await failure { try await install(folder.path) }.status == .badData)
    #expect(try await failure { try await install("-", "-") }.status == .usage)
  }

  /// The file of the phone app has the marks of footnotes, but no footnotes.
  @Test func aTextWithFootnotesIsNotReplacedByOneWithout() async throws {
    try await install("vi.rwwad")
    let path = try file("rwwad.txt", lines("# ID: vi.rwwad\n"))
    let kept = try await install(path)
    #expect(kept.lines[0].hasPrefix("The installed vi.rwwad ("))
    #expect(try editions.edition("vi.rwwad").hasFootnotes)
    try await install(path, id: "vi.rwwad")
    #expect(try !editions.edition("vi.rwwad").hasFootnotes)
    #expect(try editions.edition("vi.rwwad").info.isRecognised)
    // The text with footnotes is downloaded, because the file's version is not the listed one.
    try await install("vi.rwwad")
    #expect(try editions.edition("vi.rwwad").hasFootnotes)
  }

  @Test(
    .enabled(if: PublishedFiles.phoneApp != nil, "the phone app's file is not at hand"))
  func bothTextsOfThePhoneAppAreInstalled() async throws {
    let path = try #require(PublishedFiles.phoneApp).path()
    let output = try await install(path)
    #expect(output.lines[0].hasPrefix("Installed vi.rwwad"))
    #expect(output.lines[1].hasPrefix("Installed ar.hafs"))
    #expect(output.lines.last == "Now reading: Rowwad Translation Center")
    #expect(try await failure { try await install(path, id: "vi.x") }.status == .usage)
    let arabic = try #require(editions.arabicEdition())
    #expect(arabic.text(of: .last) == (try PublishedArabic.ayahs().last))
    // The text of the phone app has no footnotes, but that of QuranEnc has.
    let output2 = Output()
    try await context(in: output2).updateTexts([])
    #expect(output2.lines[0].hasPrefix("Replaced vi.rwwad"))
    #expect(try editions.edition("vi.rwwad").hasFootnotes)
  }
}
