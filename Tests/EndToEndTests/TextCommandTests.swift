import Foundation
import Quran
import TestSupport
import Testing

/// `quran-vi text`, with a local stand-in for QuranEnc.
struct TextCommandTests {
  private let home: Home
  private let server: QuranEncStandIn

  init() throws {
    home = try Home()
    server = try QuranEncStandIn()
  }

  private func text(
    _ arguments: String..., with changes: [String: String?] = [:], input: Outcome.Input = .nothing
  ) throws -> Outcome {
    let variables = ["QURAN_VI_QURANENC_URL": server.origin].merging(changes) { $1 }
    return try home.quranVi(["text"] + arguments, with: variables, input: input)
  }

  private var ids: [String] {
    get throws {
      try text("list", "--json").jsonObjects().compactMap { $0["id"] as? String }
        .filter { $0.hasPrefix("vi.") }
    }
  }

  private func ayah(_ text: String) throws -> AyahID { try #require(AyahID(text)) }

  @Test func theRecognisedTranslationsAreInstalledReadAndRemoved() throws {
    let installed = try text("install")
    #expect(installed.ending == .exited(0), "\(installed)")
    #expect(installed.output.shows("Đã cài vi.rwwad: Rowwad Translation Center, QuranEnc.com"))
    #expect(installed.errorBytes.isEmpty, "\(installed)")
    #expect(try ids == ["vi.quranvi", "vi.hassan", "vi.rwwad"])
    let throne = try ayah("2:255")
    let read = try home.quranVi("read", "2:255", "--plain")
    #expect(read.outputBytes == Array((QuranEncStandIn.text(of: throne) + "\n").utf8))
    let other = try home.quranVi("read", "2:255", "--plain", "--edition", "vi.quranvi")
    #expect(other.output == Book.text(of: "2:255") + "\n")
    let arabic = try home.quranVi("read", "2:255", "--arabic")
    #expect(arabic.outputLines.count == 3 && arabic.ending == .exited(0), "\(arabic)")
    let json = try home.quranVi("read", "2:255", "--json").jsonObjects()
    #expect((json[0]["footnotes"] as? [[String: Any]])?.isEmpty == false)
    let found = try home.quranVi("search", "--edition", "vi.hassan", "vietnamese hassan")
    #expect(found.ending == .exited(0), "\(found)")
    #expect(try text("use", "vi.hassan").ending == .exited(0))
    #expect(try home.quranVi("read", "1:2", "--plain").output.shows("vietnamese_hassan: "))
    #expect(try text("remove", "vi.hassan").ending == .exited(0))
    #expect(try home.quranVi("read", "2:255", "--plain").outputBytes == read.outputBytes)
    #expect(try home.quranVi("favorite", "add", "2:255").ending == .exited(0))
    let export = try home.quranVi("export", "--format", "markdown")
    #expect(export.output.shows("Rowwad Translation Center, QuranEnc.com, bản 1.0.5"), "\(export)")
    #expect(try text("list").output.shows("* vi.rwwad"))
  }

  /// Standard input has no file name from which an ID could be made.
  @Test func aTextFromStandardInputNeedsAnID() throws {
    let lines = (AyahID.first...AyahID.last).map { "\($0.surah)|\($0.ayah)|text \($0)\n" }.joined()
    let refused = try text("install", "-", input: .text(lines))
    #expect(refused.ending == .exited(2) && refused.errors.contains("--id"), "\(refused)")
    #expect(try ids == ["vi.quranvi"])
    let installed = try text("install", "-", "--id", "vi.thu", input: .text(lines))
    #expect(installed.ending == .exited(0), "\(installed)")
  }

  @Test func aKilledDownloadIsResumed() throws {
    server.answer { path, _ in path.hasSuffix("/70") ? .silence : nil }
    let child = try ChildProcess(
      Program.reader(), ["text", "install", "vi.rwwad"],
      environment: home.environment(with: ["QURAN_VI_QURANENC_URL": server.origin]),
      directory: home.path, input: .null, output: .null, errors: .null)
    #expect(server.waitForRequest("translation/sura/vietnamese_rwwad/70"))
    // While the download runs, another process is refused.
    let second = try text("install", "vi.rwwad")
    #expect(second.ending == .exited(4) && second.errors.shows("tiến trình khác"), "\(second)")
    child.send(signal: SIGKILL)
    child.stop()
    #expect(try ids == ["vi.quranvi"])
    server.answer { _, _ in nil }
    server.forgetRequests()
    let continued = try text("install", "vi.rwwad")
    #expect(continued.ending == .exited(0), "\(continued)")
    #expect(server.requestedSurahs == Array(70...114))
    let whole = try home.quranVi("read", "1:1-114:6", "--plain")
    let expected = (AyahID.first...AyahID.last).map { QuranEncStandIn.text(of: $0) + "\n" }.joined()
    #expect(whole.outputBytes == Array(expected.utf8))
    let files = try home.files(under: "data/quran-vi/editions")
    // Nothing of the download is left. The Arabic may have come with the program.
    #expect(files.allSatisfy { $0.hasSuffix(".edition") } && !files.isEmpty, "\(files)")
  }

  @Test func aTextIsInstalledFromStandardInput() throws {
    let lines = Book.ayahs.map { ayah in
      "\(ayah.reference.replacing(":", with: "|"))|\(ayah.text)"
    }
    let input = lines.joined(separator: "\n")
    let installed = try text(
      "install", "-", "--id", "vi.toi", "--title", "Của tôi", input: .text(input))
    #expect(installed.ending == .exited(0), "\(installed)")
    #expect(installed.output.shows("Để đọc bản này: quran-vi text use vi.toi"))
    #expect(
      try home.quranVi("read", "9:1", "--edition", "vi.toi").output.shows(
        Book.text(of: "9:1")))
    let short = lines.dropLast(7).joined(separator: "\n")
    let refused = try text("install", "-", "--id", "vi.toi", input: .text(short))
    #expect(refused.ending == .exited(3), "\(refused)")
    #expect(refused.errors.shows("thiếu 113:5-114:6"), "\(refused)")
    #expect(refused.errors.filter { $0 == "\n" }.count == 1)
    #expect(server.requests == [])
  }

  @Test func everyFailureHasItsExitStatus() throws {
    let nothing = "http://127.0.0.1:1"
    #expect(try text("install", "vi.nobody").ending == .exited(1))
    #expect(try text("install", "no_such_text").ending == .exited(1))
    #expect(try text("install", "/nowhere/x.txt").ending == .exited(1))
    #expect(try text("use", "vi.nobody").ending == .exited(1))
    #expect(try text("remove", "vi.quranvi").ending == .exited(2))
    #expect(try text("install", "--frobnicate").ending == .exited(2))
    #expect(
      try text("install", with: ["QURAN_VI_QURANENC_URL": "ftp://x"]).ending == .exited(2))
    #expect(try text("install", input: .closed).ending == .exited(0))
    let offline = try text(
      "install", "english_saheeh", with: ["QURAN_VI_QURANENC_URL": nothing])
    #expect(offline.ending == .exited(4) && offline.errors.shows("từ chối"), "\(offline)")
    server.answer { _, _ in .body("{}") }
    #expect(try text("update").ending == .exited(3))
  }

  @Test(.enabled(if: Program.canMount, "this place allows no mounts"))
  func withoutLibcurlThePackageIsNamed() throws {
    let outcome = try home.quranViWithoutLibcurl(
      "text install", with: ["QURAN_VI_QURANENC_URL": server.origin])
    #expect(outcome.ending == .exited(4), "\(outcome)")
    #expect(outcome.errors.contains("sudo apt-get install libcurl4"), "\(outcome)")
    #expect(server.requests == [])
  }

  @Test func aTerminalShowsTheDownloadProgress() throws {
    let gate = DispatchSemaphore(value: 0)
    server.answer { path, _ in
      // A slow service: the bar appears with the first answer after half a second.
      usleep(20_000)
      if path.hasSuffix("/100") { gate.wait() }
      return nil
    }
    let tmux = try Tmux(
      "exec \(Program.reader().quoted) text install vi.rwwad", in: home,
      with: ["QURAN_VI_QURANENC_URL": server.origin])
    try tmux.wait(for: "the bar") { $0.contains("▓", "░", "%") }
    gate.signal()
    try tmux.wait(for: "Từ nay đọc: Rowwad Translation Center")
    try tmux.expectEnd()
    #expect(try !tmux.screen().contains("▓"))
  }
}
