import Editions
import Foundation
import Messages
import Quran
import TestSupport
import Testing
import Text

@testable import Commands

/// `quran-vi text` except `install` and `update`.
struct TextCommandTests {
  private let folder: TemporaryDirectory
  private let editions: InstalledEditions

  init() throws {
    folder = try TemporaryDirectory()
    editions = InstalledEditions(directory: folder.path + "/editions")
  }

  private func context(
    _ language: Language = .english, asJSON: Bool = false, in output: Output,
    warn: @escaping (String) -> Void = { _ in }
  ) -> CommandContext {
    CommandContext(
      console: output.console(), messages: Messages(language), asJSON: asJSON, libraryPath: nil,
      editions: editions, now: { 1 }, warn: warn)
  }

  private func install(
    _ id: String, title: String = "Tựa", language: String = "vi",
    kind: Edition.Kind = .translation, isRecognised: Bool = true, at time: Int64 = 1
  ) throws {
    let lines = (AyahID.first...AyahID.last).map { "\($0.surah)|\($0.ayah)|\(id) \($0)[1]" }
    var parsed = try ParsedEdition.parse(Array(lines.joined(separator: "\n").utf8))[0]
    parsed.info.id = id
    parsed.info.title = title
    parsed.info.language = language
    parsed.info.kind = kind
    parsed.info.isRecognised = isRecognised
    parsed.info.version = "1.0.5"
    parsed.info.publisher = "QuranEnc.com"
    parsed.info.licence = "QuranEnc"
    parsed.info.notes = "Lời một\nLời hai"
    try editions.install(parsed, at: time)
  }

  private func damage(_ id: String) throws {
    try Data("damaged".utf8).write(to: URL(filePath: "\(folder.path)/editions/\(id).edition"))
  }

  // MARK: Listing

  @Test func theBundledTextIsListedAsNotReviewed() throws {
    for (language, title) in [
      (Language.english, "Bundled rendering – not reviewed by scholars"),
      (.vietnamese, "Bản diễn ý kèm theo – chưa được thẩm định"),
    ] {
      let output = Output()
      try context(language, in: output).listTexts()
      #expect(output.lines == ["* vi.quranvi  vi  \(title)  1  Quran-vi  \(bundledSize) KiB"])
    }
  }

  private var bundledSize: Int { (Edition.bundled.fileBytes.count + 1023) / 1024 }

  @Test func columnsAreAlignedAndTheCurrentTextIsMarked() throws {
    try install("vi.rwwad", title: "Rowwad \u{1B}[31m Translation Center")
    try install("ar.hafs", title: "حفص", language: "ar", kind: .original)
    let output = Output()
    try context(in: output).listTexts()
    #expect(output.lines.map { $0.prefix(2) } == ["  ", "  ", "* "])
    #expect(output.lines[1].contains("  Arabic original · Hafs  "))
    #expect(output.lines[2].contains("Rowwad [31m Translation Center"))
    // The version follows the titles, which all have the same width.
    let widths = output.lines.map { line in
      (line.range(of: "  1.0.5  ") ?? line.range(of: "  1      "))
        .map { String(line[..<$0.lowerBound]).columns }
    }
    #expect(Set(widths).count == 1 && widths[0] != nil, "\(output.text)")
    #expect(output.lines.allSatisfy { $0.contains("  QuranEnc.com  ") || $0.contains("Quran-vi") })
  }

  @Test func damagedTextsAreMarkedAndReported() throws {
    try install("vi.rwwad")
    try damage("vi.rwwad")
    let output = Output()
    var warnings: [String] = []
    try context(in: output) { warnings.append($0) }.listTexts()
    #expect(output.lines[1].hasPrefix("! vi.rwwad"))
    #expect(warnings.count == 1 && warnings[0].contains("vi.rwwad"))
    let json = Output()
    try context(asJSON: true, in: json).listTexts()
    struct Entry: Decodable {
      let id: String
      let problem: String?
    }
    #expect(try json.decoded([Entry].self).map(\.problem) == [nil, "notAnEdition"])
  }

  private struct Entry: Decodable, Equatable {
    let id, language, direction, kind, title, translator, publisher, source, version: String
    let licence, notes, checksum: String
    let recognised, bundled, footnotes: Bool
    let size: Int
    let installedAt: Int64?
    let `default`: Bool
  }

  @Test func jsonHoldsEverythingAboutAText() throws {
    try install("vi.rwwad", at: 9)
    let output = Output()
    try context(asJSON: true, in: output).listTexts()
    let entries = try output.decoded([Entry].self)
    #expect(
      entries[0]
        == Entry(
          id: "vi.quranvi", language: "vi", direction: "ltr", kind: "translation",
          title: "Bản diễn ý kèm theo", translator: "Quran-vi", publisher: "Quran-vi",
          source: "Quran-vi", version: "1", licence: "CC0-1.0", notes: "", checksum: "",
          recognised: false, bundled: true, footnotes: false,
          size: Edition.bundled.fileBytes.count,
          installedAt: nil, default: false))
    #expect(entries[1].default && entries[1].installedAt == 9 && entries[1].size > 100_000)
    #expect(entries[1].notes == "Lời một\nLời hai" && entries[1].checksum.count == 64)
  }

  @Test func provenanceIsShown() throws {
    try install("vi.rwwad")
    let output = Output()
    try context(in: output).showText("vi.rwwad")
    let text = output.text
    for fact in [
      "Text", "Tựa", "vi.rwwad", "QuranEnc.com", "1.0.5", "the publisher and the source",
      "SHA-256", "Lời một", "Lời hai", "Installed", "Footnotes  none",
    ] {
      #expect(text.contains(fact), "\(fact)")
    }
    #expect(
      try failure { try context(in: Output()).showText("vi.nobody") }.status == .notFound)
  }

  // MARK: Choosing

  @Test func anEditionIsFoundByItsID() throws {
    let context = context(in: Output())
    #expect(try context.edition("vi.quranvi").info.id == "vi.quranvi")
    #expect(try context.edition(nil).info.id == "vi.quranvi")
    try install("vi.rwwad")
    #expect(try context.edition("vi.rwwad").info.id == "vi.rwwad")
    #expect(try context.edition(nil).info.id == "vi.rwwad")
    for id in ["vi.nobody\u{1B}", "", "../x"] {
      let failure = try failure { try context.edition(id) }
      #expect(failure.status == .notFound)
      #expect(failure.message.hasSuffix("there are: vi.quranvi, vi.rwwad."), "\(failure)")
    }
    try damage("vi.rwwad")
    #expect(try failure { try context.edition("vi.rwwad") }.status == .badData)
  }

  @Test func theChosenTextIsReadUntilItIsRemoved() throws {
    try install("vi.rwwad")
    try install("en.own", language: "en", isRecognised: false)
    let output = Output()
    try context(in: output).useText("en.own")
    #expect(output.lines == ["Now reading: Tựa"])
    #expect(editions.current().edition.info.id == "en.own")
    try context(in: output).useText("vi.quranvi")
    #expect(editions.current().edition.info.id == "vi.quranvi")
    try context(in: output).useText("en.own")
    try context(in: output).removeText("en.own")
    #expect(output.lines.last == "Removed en.own. Now reading: Tựa")
    #expect(editions.current().edition.info.id == "vi.rwwad")
    #expect(try failure { try context(in: output).useText("en.own") }.status == .notFound)
  }

  @Test func ifTheChosenTextIsDamagedTheDefaultIsRead() throws {
    try install("vi.rwwad")
    try install("vi.own", isRecognised: false)
    try editions.choose("vi.own")
    try damage("vi.own")
    var warnings: [String] = []
    let context = context(in: Output()) { warnings.append($0) }
    #expect(try context.edition(nil).info.id == "vi.rwwad")
    #expect(warnings.count == 1 && warnings[0].contains("vi.own"))
  }

  @Test func removingABundledOrUnknownTextFails() throws {
    let context = context(in: Output())
    #expect(try failure { try context.removeText("vi.quranvi") }.status == .usage)
    #expect(try failure { try context.removeText("vi.nobody") }.status == .notFound)
    #expect(try failure { try context.removeText("../../x") }.status == .usage)
  }

  // MARK: Reading

  @Test func theArabicIsPrintedBeforeTheText() throws {
    try install("vi.rwwad")
    let output = Output()
    let context = context(in: output)
    #expect(try failure { try context.arabicEdition() }.status == .notFound)
    try install("ar.hafs", language: "ar", kind: .original)
    try context.read(
      context.ayahs(["1:1-2"]), editions: [context.edition(nil)], arabic: context.arabicEdition())
    try context.read(
      context.ayahs(["1:1"]), editions: [context.edition(nil)], arabic: context.arabicEdition(),
      isPlain: true)
    #expect(
      output.lines == [
        "1:1  ar.hafs 1:1[1]", "1:1  vi.rwwad 1:1[1]", "1:2  ar.hafs 1:2[1]",
        "1:2  vi.rwwad 1:2[1]", "ar.hafs 1:1[1]", "vi.rwwad 1:1[1]",
      ])
    struct Row: Decodable {
      let text, arabic, edition: String
    }
    let json = Output()
    let other = self.context(asJSON: true, in: json)
    try other.read(
      other.ayahs(["1:1"]), editions: [other.edition(nil)], arabic: other.arabicEdition())
    let row = try #require(try json.decoded([Row].self).first)
    #expect(row.text == "vi.rwwad 1:1[1]" && row.arabic == "ar.hafs 1:1[1]")
    #expect(row.edition == "vi.rwwad")
  }

  @Test func theDoctorReportsDamagedTexts() throws {
    try install("vi.rwwad")
    try install("vi.own")
    try damage("vi.own")
    let output = Output()
    let failure = try failure {
      let context = context(in: output)
      try context.checkInstallation(
        version: "1",
        terminal: TerminalFacts(name: "xterm", canDraw: true, colors: 8, arabic: .shaped),
        configuration: ConfigurationFacts(path: nil, problems: []),
        texts: context.readableTexts)
    }
    #expect(failure.status == .badData && failure.message.contains("vi.own"))
    #expect(output.text.contains("✓ Text vi.rwwad: 6236 ayahs"))
    #expect(output.text.contains("✗ Text vi.own: "))
  }
}
