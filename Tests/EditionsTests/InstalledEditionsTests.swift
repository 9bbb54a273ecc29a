import Foundation
import Glibc
import Quran
import TestSupport
import Testing

@testable import Editions

struct InstalledEditionsTests {
  private let folder: TemporaryDirectory
  private let directory: String
  private let editions: InstalledEditions

  init() throws {
    folder = try TemporaryDirectory()
    directory = folder.path + "/share/quran-vi/editions"
    editions = InstalledEditions(directory: directory)
  }

  private func parsed(
    _ id: String, language: String = "vi", kind: Edition.Kind = .translation,
    isRecognised: Bool = true, text: String = "text"
  ) throws -> ParsedEdition {
    let fixture = EditionFixture { "\(text) \($0)" }
    var edition = try ParsedEdition.parse(fixture.bytes(.tanzilText))[0]
    edition.info.id = id
    edition.info.language = language
    edition.info.kind = kind
    edition.info.isRecognised = isRecognised
    return edition
  }

  private func failure(_ body: () throws -> Void) -> EditionFileFailure.Reason? {
    do {
      try body()
      return nil
    } catch {
      return (error as? EditionFileFailure)?.reason
    }
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
  }

  @Test func theBundledEditionIsAlwaysAvailable() throws {
    for editions in [editions, InstalledEditions(directory: nil)] {
      #expect(try editions.list().map(\.id) == ["vi.quranvi"])
      #expect(try editions.edition("vi.quranvi").info == Edition.bundled.info)
      #expect(editions.defaultEdition(language: "vi").info.id == "vi.quranvi")
      #expect(failure { _ = try editions.edition("vi.rwwad") } == .notFound)
      #expect(failure { try editions.remove("vi.quranvi") } == .bundled)
      #expect(failure { try editions.install(parsed("vi.quranvi"), at: 0) } == .bundled)
      #expect(failure { try editions.remove("vi.rwwad") } == .notFound)
    }
    #expect(try folder.contents.isEmpty)
  }

  @Test func editionsAreInstalledAndRemoved() throws {
    let installed = try editions.install(parsed("vi.a"), at: 1_700_000_000_000)
    #expect(installed.info.installedAt == 1_700_000_000_000)
    #expect(try names == ["vi.a.edition"])
    #expect(try permissions(of: directory + "/vi.a.edition") == 0o600)
    #expect(try permissions(of: directory) == 0o700)
    #expect(try permissions(of: folder.path + "/share") == 0o700)
    try editions.install(parsed("ar.b", language: "ar", kind: .original), at: 2)
    #expect(try editions.list().map(\.id) == ["vi.quranvi", "ar.b", "vi.a"])
    #expect(try editions.list().map { try $0.info.get().id } == ["vi.quranvi", "ar.b", "vi.a"])
    #expect(try editions.edition("vi.a").text(of: .last) == "text 114:6")

    let before = try editions.edition("vi.a")
    try editions.install(parsed("vi.a", text: "new"), at: 3)
    #expect(try editions.edition("vi.a").text(of: .last) == "new 114:6")
    try editions.remove("vi.a")
    #expect(before.text(of: .last) == "text 114:6")
    #expect(try editions.list().map(\.id) == ["vi.quranvi", "ar.b"])
    #expect(try names == ["ar.b.edition"])
    #expect(failure { try editions.remove("vi.a") } == .notFound)
  }

  @Test func anEditionThatIsOpenedAgainTakesNoMoreMemory() throws {
    func mappings() throws -> Int {
      // `stat` returns the size 0 for this file, so it must be read to its end.
      let maps = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/maps")).readToEnd()
      return String(decoding: maps ?? Data(), as: UTF8.self)
        .components(separatedBy: directory + "/vi.a.edition").count - 1
    }
    try editions.install(parsed("vi.a"), at: 1)
    let first = try editions.edition("vi.a")
    let count = try mappings()
    #expect(count > 0)
    for _ in 0..<5 { #expect(try editions.edition("vi.a").text(of: .last) == "text 114:6") }
    #expect(try mappings() == count)
    // A new version of the file does not change the edition that is open already.
    try editions.install(parsed("vi.a", text: "new"), at: 2)
    #expect(try editions.edition("vi.a").text(of: .last) == "new 114:6")
    #expect(first.text(of: .last) == "text 114:6")
  }

  @Test func theNewestRecognisedTranslationIsTheDefault() throws {
    func id(_ language: String) -> String { editions.defaultEdition(language: language).info.id }
    try editions.install(parsed("ar.hafs", language: "ar", kind: .original), at: 90)
    try editions.install(parsed("vi.tafsir", kind: .commentary), at: 91)
    try editions.install(parsed("vi.own", isRecognised: false), at: 92)
    try editions.install(parsed("en.x", language: "en"), at: 93)
    #expect(id("vi") == "vi.quranvi")
    #expect(id("en") == "en.x")
    #expect(id("en-GB") == "en.x")
    try editions.install(parsed("vi.b"), at: 10)
    #expect(id("vi") == "vi.b")
    try editions.install(parsed("vi.a", language: "vi-VN"), at: 11)
    #expect(id("vi") == "vi.a")
    try editions.install(parsed("vi.b"), at: 12)
    #expect(id("vi") == "vi.b")
    // A damaged edition is ignored.
    try Data("damaged".utf8).write(to: URL(filePath: directory + "/vi.b.edition"))
    #expect(id("vi") == "vi.a")
    var file = try Data(contentsOf: URL(filePath: directory + "/vi.a.edition"))
    file[file.count / 2] ^= 1
    try file.write(to: URL(filePath: directory + "/vi.a.edition"))
    #expect(id("vi") == "vi.quranvi")
  }

  @Test func onEqualTimesTheFirstRecognisedIsTheDefault() throws {
    for id in ["vi.a", "vi.hassan", "vi.rwwad"] { try editions.install(parsed(id), at: 5) }
    #expect(editions.defaultEdition(language: "vi").info.id == "vi.rwwad")
    try editions.remove("vi.rwwad")
    #expect(editions.defaultEdition(language: "vi").info.id == "vi.hassan")
    try editions.remove("vi.hassan")
    #expect(editions.defaultEdition(language: "vi").info.id == "vi.a")
  }

  @Test func theChosenEditionIsCurrent() throws {
    func current() -> String { editions.current().edition.info.id }
    #expect(current() == "vi.quranvi" && editions.chosenID == nil)
    try editions.install(parsed("vi.a"), at: 1)
    try editions.install(parsed("en.b", language: "en"), at: 2)
    #expect(current() == "vi.a")
    for id in ["en.b", "vi.quranvi", "en.b"] {
      #expect(try editions.choose(id).info.id == id)
      #expect(current() == id && editions.chosenID == id)
    }
    #expect(failure { try editions.choose("vi.c") } == .notFound)
    #expect(failure { try editions.choose("../x") } == .invalidID)
    #expect(current() == "en.b")
    // A choice that cannot be read is reported.
    try Data("damaged".utf8).write(to: URL(filePath: directory + "/en.b.edition"))
    #expect(current() == "vi.a")
    #expect(editions.current().problem == EditionFileFailure(file: "en.b.edition", .notAnEdition))
    try FileManager.default.removeItem(atPath: directory + "/en.b.edition")
    #expect(current() == "vi.a")
    #expect(editions.current().problem == EditionFileFailure(file: "en.b.edition", .notFound))
    try editions.choose("vi.a")
    try editions.remove("vi.a")
    #expect(editions.chosenID == nil)
    #expect(try names == [])
    for text in ["", "\n", "Bad\n", String(repeating: "a", count: 200), "\u{0}"] {
      try Data(text.utf8).write(to: URL(filePath: directory + "/default"))
      #expect(editions.chosenID == nil)
    }
    #expect(failure { try InstalledEditions(directory: nil).choose("vi.quranvi") } == .noDirectory)
  }

  @Test func sharedEditionsAreReadAndNotChanged() throws {
    let shared = InstalledEditions(directory: folder.path + "/shared")
    try shared.install(parsed("ar.hafs", language: "ar", kind: .original, text: "shared"), at: 1)
    try shared.install(parsed("vi.a", text: "shared"), at: 2)
    let editions = InstalledEditions(directory: directory, sharedDirectory: shared.directory)
    #expect(try editions.list().map(\.id) == ["vi.quranvi", "ar.hafs", "vi.a"])
    #expect(editions.current().edition.info.id == "vi.a")
    #expect(editions.arabicEdition()?.text(of: .first) == "shared 1:1")
    #expect(failure { try editions.remove("vi.a") } == .shared)
    // The user's own edition takes precedence, and can be removed.
    try editions.install(parsed("vi.a", text: "own"), at: 3)
    #expect(try editions.list().map(\.id) == ["vi.quranvi", "ar.hafs", "vi.a"])
    #expect(try editions.edition("vi.a").text(of: .first) == "own 1:1")
    try editions.choose("vi.a")
    try editions.remove("vi.a")
    #expect(editions.chosenID == "vi.a")
    #expect(try editions.edition("vi.a").text(of: .first) == "shared 1:1")
    let none = InstalledEditions(directory: nil, sharedDirectory: shared.directory)
    #expect(none.current().edition.info.id == "vi.a")
    #expect(failure { try none.remove("vi.a") } == .shared)
    #expect(failure { try none.install(parsed("vi.b"), at: 1) } == .noDirectory)
    // A file in the place of the user's directory cannot be read as a directory.
    let unreadable = InstalledEditions(
      directory: directory + "/vi.a.edition", sharedDirectory: shared.directory)
    try Data().write(to: URL(filePath: directory + "/vi.a.edition"))
    #expect(failure { _ = try unreadable.list() } == .system(code: ENOTDIR))
    #expect(unreadable.current().edition.info.id == "vi.a")
    #expect(unreadable.others(than: "ar.hafs").map(\.info.id) == ["vi.a", "vi.quranvi"])
  }

  @Test func theArabicEditionIsHafsOrTheNewest() throws {
    #expect(editions.arabicEdition() == nil)
    try editions.install(parsed("ar.warsh", language: "ar", kind: .original), at: 1)
    #expect(editions.arabicEdition()?.info.id == "ar.warsh")
    try editions.install(parsed("ar.hafs", language: "ar", kind: .original), at: 0)
    #expect(editions.arabicEdition()?.info.id == "ar.hafs")
    try Data("damaged".utf8).write(to: URL(filePath: directory + "/ar.hafs.edition"))
    #expect(editions.arabicEdition()?.info.id == "ar.warsh")
  }

  @Test func sizesAndFootnotesAreListed() throws {
    var fixture = EditionFixture.short
    fixture.footnotes = [.first: "[1] x"]
    var edition = try ParsedEdition.parse(fixture.bytes(.quranEncCSV))[0]
    edition.info.id = "vi.a"
    try editions.install(edition, at: 1)
    let items = try editions.list()
    #expect(items.map(\.hasFootnotes) == [false, true])
    let size = try FileManager.default.attributesOfItem(atPath: directory + "/vi.a.edition")[.size]
    #expect(items.map(\.size) == [Edition.bundled.fileBytes.count, size as? Int])
  }

  @Test func damagedFilesAreListedWithTheReason() throws {
    try editions.install(parsed("vi.a"), at: 1)
    let good = try Data(contentsOf: URL(filePath: directory + "/vi.a.edition"))
    func write(_ name: String, _ data: Data) throws {
      try data.write(to: URL(filePath: "\(directory)/\(name)"))
    }
    try write("empty.edition", Data())
    try write("moved.edition", good)
    var older = good
    older[8] = 0
    try write("older.edition", older)
    try write("Wrong Name.edition", good)
    try write("vi.quranvi.edition", good)
    try write("readme.txt", good)
    try write(".hidden.edition", good)
    mkfifo(directory + "/fifo.edition", 0o600)
    try FileManager.default.createDirectory(
      atPath: directory + "/folder.edition", withIntermediateDirectories: false)
    symlink("nowhere", directory + "/link.edition")
    let reasons = try editions.list().map { item -> String in
      guard case .failure(let failure) = item.info else { return "\(item.id): ok" }
      #expect(failure.file == item.id + ".edition")
      return "\(item.id): \(failure.reason)"
    }
    #expect(
      reasons == [
        "vi.quranvi: ok", "Wrong Name: invalidID", "empty: notAnEdition", "fifo: notRegularFile",
        "folder: notRegularFile", "link: notFound", "moved: otherID(\"vi.a\")",
        "older: otherVersion(0, supported: 1)", "vi.a: ok",
      ])
    #expect(editions.defaultEdition(language: "vi").info.id == "vi.a")
    // Damaged files can be removed and replaced.
    try editions.remove("older")
    try editions.install(parsed("empty"), at: 2)
    #expect(try editions.edition("empty").text(of: .first) == "text 1:1")
  }

  @Test(arguments: [
    "", ".", "..", "../x", "a/b", "/etc/x", ".x", "-x", "A", "á", "a b", "a\0b",
    String(repeating: "a", count: 65),
  ])
  func anIDThatIsNoFileNameIsRefused(_ id: String) throws {
    #expect(failure { try editions.install(parsed(id), at: 0) } == .invalidID)
    #expect(failure { try editions.remove(id) } == .invalidID)
    #expect(failure { _ = try editions.edition(id) } == .invalidID)
    #expect(try folder.contents.isEmpty)
  }

  @Test func aFailedInstallationLeavesTheOldEdition() throws {
    try editions.install(parsed("vi.a"), at: 1)
    var large = try parsed("vi.a", text: "new")
    large.info.title = String(repeating: "x", count: EditionFile.metadataLimit)
    #expect(failure { try editions.install(large, at: 2) } == .wrongMetadata)
    // A directory in the place of the file cannot be replaced.
    try FileManager.default.createDirectory(
      atPath: directory + "/vi.b.edition/x", withIntermediateDirectories: true)
    #expect(failure { try editions.install(parsed("vi.b"), at: 2) } == .system(code: EISDIR))
    #expect(try names == ["vi.a.edition", "vi.b.edition"])
    #expect(try editions.edition("vi.a").text(of: .first) == "text 1:1")
    let blocked = InstalledEditions(directory: directory + "/vi.a.edition/editions")
    #expect(failure { try blocked.install(parsed("vi.a"), at: 2) } == .system(code: ENOTDIR))
  }

  @Test func leftoverFilesOfAnInstallationAreReplaced() throws {
    try editions.install(parsed("vi.a"), at: 1)
    try Data("half".utf8).write(to: URL(filePath: directory + "/.installing"))
    #expect(try editions.list().map(\.id) == ["vi.quranvi", "vi.a"])
    try editions.install(parsed("vi.b"), at: 2)
    #expect(try names == ["vi.a.edition", "vi.b.edition"])
  }

  @Test func concurrentInstallationsDoNotMix() async throws {
    let sources = try (0..<8).map { try parsed("vi.a", text: "text\($0)") }
    await withTaskGroup { group in
      for source in sources {
        group.addTask { [editions] in
          for round in 0..<4 { _ = try? editions.install(source, at: Int64(round)) }
        }
      }
    }
    let edition = try editions.edition("vi.a")
    let word = edition.text(of: .first).split(separator: " ")[0]
    for ayah in AyahID.first...AyahID.last { #expect(edition.text(of: ayah) == "\(word) \(ayah)") }
    #expect(try names == ["vi.a.edition"])
  }
}
