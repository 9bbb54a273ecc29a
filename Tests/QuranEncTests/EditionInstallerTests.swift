import Editions
import Foundation
import Quran
import RecordClient
import Synchronization
import TestSupport
import Testing

@testable import QuranEnc

struct EditionInstallerTests {
  private let folder: TemporaryDirectory
  private let server: QuranEncStandIn
  private let editions: InstalledEditions

  private static let rwwad = "vietnamese_rwwad"
  private static let hassan = "vietnamese_hassan"

  init() throws {
    folder = try TemporaryDirectory()
    server = try QuranEncStandIn()
    editions = InstalledEditions(directory: folder.path + "/editions")
  }

  private final class Log: Sendable {
    let outcomes = Mutex<[EditionInstaller.Outcome]>([])
    let progress = Mutex<[EditionInstaller.Progress]>([])

    var ids: [String] { outcomes.withLock { $0.map(\.info.id) } }
  }

  private func installer(at time: Int64 = 7) throws -> (EditionInstaller, QuranEncClient) {
    var options = ClientOptions()
    // On a busy computer, a request can take longer than the default.
    options.requestTimeout = .seconds(600)
    let service = try QuranEncClient(
      origin: server.origin, options: options, backoff: Backoff(base: 0, maximum: 0))
    return (EditionInstaller(editions, service, now: { time }), service)
  }

  @discardableResult
  private func install(
    _ keys: String..., at time: Int64 = 7, log: Log = Log()
  ) async throws -> Log {
    let (installer, service) = try installer(at: time)
    do {
      try await installer.install(
        keys, finished: { outcome in log.outcomes.withLock { $0.append(outcome) } },
        progress: { progress in log.progress.withLock { $0.append(progress) } })
    } catch {
      await service.shutdown()
      throw error
    }
    await service.shutdown()
    return log
  }

  private func update(at time: Int64 = 8) async throws -> Log {
    let log = Log()
    let (installer, service) = try installer(at: time)
    let installed = try editions.list().compactMap { try? $0.info.get() }
    try await installer.update(
      installed, finished: { outcome in log.outcomes.withLock { $0.append(outcome) } },
      progress: { progress in log.progress.withLock { $0.append(progress) } })
    await service.shutdown()
    return log
  }

  private func failure(_ body: () async throws -> Void) async -> EditionInstallFailure? {
    do {
      try await body()
      return nil
    } catch {
      return error as? EditionInstallFailure
    }
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path + "/editions") }
  }

  private func expectText(
    _ id: String, _ key: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let edition = try editions.edition(id)
    for ayah in AyahID.first...AyahID.last {
      #expect(
        edition.bytes(of: ayah).elementsEqual(QuranEncStandIn.text(of: ayah, key: key).utf8),
        "\(ayah)", sourceLocation: sourceLocation)
    }
  }

  // MARK: Installing

  @Test func bothTranslationsAndTheArabicAreInstalled() async throws {
    let log = try await install(Self.rwwad, Self.hassan)
    #expect(log.ids == ["ar.hafs", "vi.rwwad", "vi.hassan"])
    #expect(
      log.progress.withLock { $0.map(\.done) } == Array(0...114) + Array(114...228))
    #expect(log.progress.withLock { $0.allSatisfy { $0.total == 228 } })
    try expectText("vi.rwwad", Self.rwwad)
    try expectText("vi.hassan", Self.hassan)
    let rwwad = try editions.edition("vi.rwwad")
    for ayah in AyahID.first...AyahID.last {
      #expect(rwwad.footnoteText(of: ayah) ?? "" == QuranEncStandIn.footnotes(of: ayah))
    }
    #expect(try editions.edition("vi.hassan").hasFootnotes == false)
    #expect(rwwad.hasFootnotes)
    #expect(rwwad.info.version == "1.0.5")
    #expect(rwwad.info.publisher == "QuranEnc.com")
    #expect(rwwad.info.licence == "QuranEnc")
    #expect(rwwad.info.notes == "Translated by a team of Rowwad.\nDeveloped by QuranEnc.com.")
    #expect(rwwad.info.installedAt == 7)
    #expect(rwwad.info.sourceChecksum.count == 64)
    // Of editions that are installed together, the first is the default.
    #expect(editions.current().edition.info.id == "vi.rwwad")
    let arabic = try #require(editions.arabicEdition())
    #expect(arabic.text(of: AyahID("2:255")!) == "عربي 2 255")
    #expect(try Set(names) == ["vi.rwwad.edition", "vi.hassan.edition", "ar.hafs.edition"])
    // The list, then each surah once, and the list again after each translation.
    #expect(server.requests.count { $0 == "translations/list" } == 3)
    #expect(server.requestedSurahs == Array(1...114) + Array(1...114))
  }

  @Test func theNewestVersionIsNotDownloadedAgain() async throws {
    try await install(Self.rwwad)
    server.forgetRequests()
    let log = try await install(Self.rwwad)
    #expect(server.requests == ["translations/list"])
    let info = try editions.edition("vi.rwwad").info
    #expect(log.outcomes.withLock { $0 } == [.unchanged(info)])
  }

  @Test func aTranslationIsDownloadedOnceForOneRequest() async throws {
    #expect(try await install(Self.rwwad, Self.rwwad).ids == ["ar.hafs", "vi.rwwad"])
    #expect(server.requestedSurahs == Array(1...114))
    #expect(try await install(Self.rwwad, Self.rwwad).ids == ["vi.rwwad"])
  }

  /// A file of QuranEnc that was installed under another ID is neither updated nor a reason not to
  /// install the translation.
  @Test(arguments: ["1.0.5", "1.0.4"])
  func aFileUnderAnotherIDIsNotTheTranslation(_ version: String) async throws {
    let lines = (AyahID.first...AyahID.last).map { "\($0.surah)|\($0.ayah)|text \($0.index)" }
    var parsed = try ParsedEdition.parse(Array(lines.joined(separator: "\n").utf8))[0]
    parsed.info = RecognisedTranslation.all[0].info
    parsed.info.id = "vi.old"
    parsed.info.isRecognised = false
    parsed.info.version = version
    try editions.install(parsed, at: 1)
    #expect(try await update().ids == [])
    #expect(server.requests == [])
    #expect(try await install(Self.rwwad).ids == ["ar.hafs", "vi.rwwad"])
    #expect(try editions.edition("vi.old").text(of: .first) == "text 1")
  }

  @Test func anArabicTextOfAnotherSourceIsKept() async throws {
    let lines = (AyahID.first...AyahID.last).map { "\($0.surah)|\($0.ayah)|نص \($0.index)" }
    var parsed = try ParsedEdition.parse(Array(lines.joined(separator: "\n").utf8))[0]
    parsed.info.id = "ar.hafs"
    try editions.install(parsed, at: 1)
    let log = try await install(Self.rwwad)
    #expect(log.ids == ["vi.rwwad"])
    #expect(try editions.edition("ar.hafs").text(of: .first) == "نص 1")
  }

  @Test(arguments: [("ar.hafs", []), ("vi.rwwad", ["ar.hafs"])] as [(String, [String])])
  func anInstallationThatFailsIsCompletedWithoutAnotherDownload(
    _ id: String, _ installed: [String]
  ) async throws {
    // A directory in the place of a file cannot be replaced.
    let path = folder.path + "/editions/\(id).edition"
    try FileManager.default.createDirectory(
      atPath: path + "/x", withIntermediateDirectories: true)
    let log = Log()
    let failure = await failure { try await install(Self.rwwad, log: log) }
    #expect(failure == .file(EditionFileFailure(file: "\(id).edition", .system(code: EISDIR))))
    #expect(log.ids == installed)
    try FileManager.default.removeItem(atPath: path)
    server.forgetRequests()
    let rest = try await install(Self.rwwad).ids
    #expect(installed + rest == ["ar.hafs", "vi.rwwad"])
    #expect(server.requestedSurahs == [])
    #expect(try Set(names) == ["vi.rwwad.edition", "ar.hafs.edition"])
  }

  @Test func anUnknownTranslationIsNotFound() async throws {
    let failure = await failure { try await install(Self.rwwad, "klingon_someone") }
    #expect(failure == .download(.notListed(key: "klingon_someone")))
    #expect(server.requests == ["translations/list"])
  }

  @Test(arguments: [
    "", "[]", "<html>", "{\"translations\": 5}", "{\"translations\": [1, {\"key\": 1}, {}]}",
    "{\"translations\": [{\"key\": \"../x_y\", \"version\": \"1\"}]}",
    "{\"translations\": [{\"key\": \"vietnamese_rwwad\", \"version\": \"\"}]}",
  ])
  func anUnreadableListIsRefused(_ body: String) async throws {
    server.answer { _, _ in .body(body) }
    let failure = await failure { try await install(Self.rwwad) }
    #expect(
      failure == .download(.unreadableCatalog)
        || failure == .download(.notListed(key: Self.rwwad)))
    #expect(throws: (any Error).self) { try names }
  }

  // MARK: Interruptions

  @Test func failedRequestsAreRetried() async throws {
    server.answer { path, count in
      switch (path, count) {
      case ("translation/sura/vietnamese_rwwad/3", 1): .hangUp
      case ("translation/sura/vietnamese_rwwad/3", 2): .cut
      case ("translation/sura/vietnamese_rwwad/7", 1): .status(503)
      case ("translation/sura/vietnamese_rwwad/7", 2): .status(429, retryAfter: 0)
      default: nil
      }
    }
    try await install(Self.rwwad)
    try expectText("vi.rwwad", Self.rwwad)
  }

  @Test(arguments: [
    (QuranEncStandIn.Fault.hangUp, DownloadFailure.interrupted(.connectionClosed)),
    (.cut, .interrupted(.connectionClosed)), (.status(500), .status(500)),
    (.status(404), .status(404)), (.status(429, retryAfter: 3600), .status(429)),
    (.status(302), .unexpectedResponse),
  ])
  func anInterruptedDownloadIsContinued(
    _ fault: QuranEncStandIn.Fault, _ expected: DownloadFailure
  ) async throws {
    server.answer { path, _ in path.hasSuffix("/50") ? fault : nil }
    #expect(
      await failure { try await install(Self.rwwad) } == .download(expected, isPartKept: true))
    #expect(throws: EditionFileFailure.self) { try editions.edition("vi.rwwad") }
    #expect(try names == [".vietnamese_rwwad.download"])
    server.answer { _, _ in nil }
    server.forgetRequests()
    let log = try await install(Self.rwwad)
    #expect(server.requestedSurahs == Array(50...114))
    #expect(log.progress.withLock { $0.first?.done } == 49)
    try expectText("vi.rwwad", Self.rwwad)
    #expect(try Set(names) == ["vi.rwwad.edition", "ar.hafs.edition"])
  }

  @Test(arguments: ["translations/list", "translation/sura/vietnamese_rwwad/1"])
  func nothingIsKeptBeforeTheFirstResponse(_ refused: String) async throws {
    server.answer { path, _ in path == refused ? .status(404) : nil }
    #expect(
      await failure { try await install(Self.rwwad) }
        == .download(.status(404), isPartKept: false))
  }

  @Test func aCancelledDownloadIsContinued() async throws {
    server.answer { path, _ in path.hasSuffix("/20") ? .silence : nil }
    let (installer, service) = try installer()
    let task = Task { () -> EditionInstallFailure? in
      do throws(EditionInstallFailure) {
        try await installer.install([Self.rwwad], finished: { _ in }, progress: { _ in })
        return nil
      } catch {
        return error
      }
    }
    #expect(await server.waitForRequest("translation/sura/vietnamese_rwwad/20"))
    task.cancel()
    #expect(await task.value == .download(.cancelled, isPartKept: true))
    await service.shutdown()
    server.answer { _, _ in nil }
    server.forgetRequests()
    try await install(Self.rwwad)
    #expect(server.requestedSurahs == Array(20...114))
  }

  @Test func aSurahWithWrongAyahsIsRefusedAndFetchedAgainLater() async throws {
    try await install(Self.rwwad)
    server.change(Self.rwwad) { $0.version = "2" }
    let short =
      #"{"result":[{"sura":"9","aya":"1","translation":"x"},"#
      + #"{"sura":"9","aya":"1","translation":"y"},{"sura":"9","aya":"130","translation":"z"}]}"#
    server.answer { path, _ in path.hasSuffix("/9") ? .body(short) : nil }
    let refused = await failure { try await install(Self.rwwad) }
    guard case .download(.unusableResponse(let surah, .faults(let faults)), _) = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(surah.rawValue == 9)
    #expect(faults.missing == Array(AyahID("9:2")!...AyahID("9:129")!))
    #expect(faults.repeated == [AyahID("9:1")!])
    #expect(faults.extra.map(\.description) == ["9:130"])
    // The installed version is still there.
    try expectText("vi.rwwad", Self.rwwad)
    #expect(try editions.edition("vi.rwwad").info.version == "1.0.5")
    server.answer { _, _ in nil }
    server.forgetRequests()
    try await install(Self.rwwad)
    #expect(server.requestedSurahs == Array(9...114))
    #expect(try editions.edition("vi.rwwad").info.version == "2")
  }

  @Test func aNewVersionDuringTheDownloadDiscardsIt() async throws {
    let server = server
    server.answer { path, _ in
      if path.hasSuffix("/60") { server.change(Self.rwwad) { $0.version = "1.0.6" } }
      return nil
    }
    #expect(await failure { try await install(Self.rwwad) } == .download(.changed))
    #expect(try names == [])
    server.answer { _, _ in nil }
    server.forgetRequests()
    try await install(Self.rwwad)
    #expect(server.requestedSurahs == Array(1...114))
    #expect(try editions.edition("vi.rwwad").info.version == "1.0.6")
  }

  @Test func partsOfAnotherVersionAreNotUsed() async throws {
    server.answer { path, _ in path.hasSuffix("/50") ? .status(500) : nil }
    _ = await failure { try await install(Self.rwwad) }
    server.answer { _, _ in nil }
    server.change(Self.rwwad) { $0.version = "1.0.6" }
    server.forgetRequests()
    try await install(Self.rwwad)
    #expect(server.requestedSurahs == Array(1...114))
  }

  @Test func oneProcessDownloadsATextAtATime() async throws {
    try editions.createDirectory()
    let entry = CatalogEntry(key: Self.rwwad, version: "1.0.5")
    let other = try PartialDownload(
      path: folder.path + "/editions/.vietnamese_rwwad.download", entry: entry)
    #expect(await failure { try await install(Self.rwwad) } == .download(.busy))
    try await install(Self.hassan)
    other.delete()
    try await install(Self.rwwad)
  }

  // MARK: Updates

  @Test func onlyNewVersionsAreDownloaded() async throws {
    try await install(Self.rwwad, at: 1)
    try await install(Self.hassan, at: 2)
    #expect(editions.current().edition.info.id == "vi.hassan")
    server.change(Self.rwwad) { $0.version = "1.1" }
    server.forgetRequests()
    let log = try await update(at: 9)
    #expect(log.ids == ["vi.hassan", "vi.rwwad"])
    let rwwad = try editions.edition("vi.rwwad").info
    #expect(rwwad.version == "1.1" && rwwad.installedAt == 9)
    #expect(
      log.outcomes.withLock { $0.last } == .updated(rwwad, previous: "1.0.5"))
    #expect(server.requestedSurahs == Array(1...114))
    // The current edition does not change.
    #expect(editions.current().edition.info.id == "vi.hassan")
    server.forgetRequests()
    #expect(try await update().ids == ["vi.hassan", "vi.rwwad"])
    #expect(server.requests == ["translations/list"])
  }

  @Test func versionsOfFilesAndOfTheListAreCompared() {
    #expect(CatalogEntry.areSame("v1.0.5-csv.1", "1.0.5"))
    #expect(CatalogEntry.areSame("1.0.5", "v1.0.5-xml.2"))
    #expect(!CatalogEntry.areSame("1.0.50", "1.0.5"))
    #expect(!CatalogEntry.areSame("2025-10-31", "1.0.5"))
  }

  @Test func withoutTextsOfQuranEncNothingIsRequested() async throws {
    #expect(try await update().ids == [])
    #expect(server.requests == [])
  }

  // MARK: The service

  @Test func invalidAddressesAreRefused() {
    #expect(throws: DownloadFailure.address(.notSecure)) {
      try QuranEncClient(origin: "http://quranenc.com")
    }
    #expect(throws: DownloadFailure.address(.path)) {
      try QuranEncClient(origin: "https://quranenc.com/api")
    }
  }

  @Test func aRefusedConnectionFailsAtOnce() async throws {
    let service = try QuranEncClient(
      origin: "http://127.0.0.1:1", backoff: Backoff(base: 3600, maximum: 3600))
    await #expect(throws: DownloadFailure.unreachable(.connectionRefused)) {
      try await service.catalog()
    }
    await service.shutdown()
  }

  @Test func withoutADirectoryNothingIsDownloaded() async throws {
    let service = try QuranEncClient(origin: server.origin)
    let installer = EditionInstaller(InstalledEditions(directory: nil), service, now: { 1 })
    let failure = await failure {
      try await installer.install([Self.rwwad], finished: { _ in }, progress: { _ in })
    }
    #expect(failure == .file(EditionFileFailure(file: "", .noDirectory)))
    await service.shutdown()
  }
}
