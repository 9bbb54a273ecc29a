import Foundation
import Quran
import TestSupport
import Testing

/// The screen of texts in a real terminal, with a local stand-in for QuranEnc.
struct TextsReaderTests {
  private let home: Home
  private let server: QuranEncStandIn

  init() throws {
    home = try Home()
    server = try QuranEncStandIn()
  }

  private func reader(_ arguments: [String] = [], size: Size = .standard) throws -> Tmux {
    try Tmux(
      reader: arguments, in: home, with: ["QURAN_VI_QURANENC_URL": server.origin], size: size)
  }

  /// The first words of an ayah as the page shows them.
  private func start(_ ayah: String, key: String = "vietnamese_rwwad") throws -> String {
    let text = QuranEncStandIn.text(of: try #require(AyahID(ayah)), key: key)
    return text.split(separator: " ").prefix(3).joined(separator: " ")
  }

  @Test func theTranslationsAreOfferedInstalledAndRead() throws {
    var tmux = try reader()
    try tmux.wait(for: "8 rồi i: cài bản dịch được công nhận")
    try tmux.type("8")
    try tmux.wait(for: "the rows") { $0.contains("Rowwad Translation Center", "chưa cài") }
    try tmux.type("i")
    try tmux.wait(for: "Từ nay đọc: Rowwad Translation Center")
    try tmux.type("g")
    try tmux.type("2:255")
    try tmux.press("Enter")
    try tmux.wait(for: "2:255") { $0.cursorAyah == 255 }
    #expect(try tmux.screen().contains(start("2:255")))
    #expect(try tmux.screen().contains("Rowwad Translation Center"))
    try tmux.type("o")
    try tmux.wait(for: "Chú thích thử")
    try tmux.press("Escape")
    try tmux.wait(for: "the text") { !$0.contains("Chú thích thử") }
    try tmux.press("M-8")
    try tmux.wait(for: "the rows") { $0.contains("● Rowwad Translation Center") }
    try tmux.type("Gk")
    try tmux.press("Enter")
    try tmux.wait(for: "Từ nay đọc: Hassan Abdul-Karim")
    try tmux.close()

    tmux = try reader(["2:255"], size: Size(40, 12))
    try tmux.wait(for: "the chosen text") {
      try $0.contains(start("2:255", key: "vietnamese_hassan"))
    }
    #expect(try !tmux.settled().contains("8 rồi i"))
    try tmux.close()
  }

  @Test func keysWorkWhileADownloadRunsAndAKillLosesNothing() throws {
    server.answer { path, _ in path.hasSuffix("/70") ? .silence : nil }
    var tmux = try reader()
    try tmux.type("8")
    try tmux.wait(for: "the rows") { $0.contains("Rowwad Translation Center", "chưa cài") }
    try tmux.type("i")
    #expect(server.waitForRequest("translation/sura/vietnamese_rwwad/70"))
    try tmux.type("g")
    try tmux.type("2:255")
    try tmux.press("Enter")
    try tmux.wait(for: "2:255 and the progress") { $0.cursorAyah == 255 && $0.contains("⇣ ") }
    try tmux.type("f")
    try tmux.wait(for: "♥")
    kill(try tmux.foregroundProcess(), SIGKILL)
    try tmux.wait(for: "the end") { _ in try tmux.exitStatus != nil }

    server.answer { _, _ in nil }
    server.forgetRequests()
    tmux = try reader()
    try tmux.type("8")
    try tmux.wait(for: "the rows") { $0.contains("Rowwad Translation Center", "chưa cài") }
    try tmux.type("Gki")
    try tmux.wait(for: "Từ nay đọc: Rowwad Translation Center")
    #expect(server.requestedSurahs == Array(70...114))
    try tmux.close()
  }

  @Test func aStoppedDownloadIsResumed() throws {
    server.answer { path, _ in path.hasSuffix("/30") ? .silence : nil }
    let tmux = try reader()
    try tmux.type("8")
    try tmux.wait(for: "the rows") { $0.contains("Rowwad Translation Center", "chưa cài") }
    try tmux.type("Gki")
    #expect(server.waitForRequest("translation/sura/vietnamese_rwwad/30"))
    try tmux.type("d")
    try tmux.wait(for: "Đã dừng tải.")
    server.answer { _, _ in nil }
    server.forgetRequests()
    try tmux.type("i")
    try tmux.wait(for: "Từ nay đọc: Rowwad Translation Center")
    #expect(server.requestedSurahs == Array(30...114))
    try tmux.type("d")
    try tmux.wait(for: "Gỡ “Rowwad Translation Center” khỏi máy này?")
    try tmux.type("c")
    try tmux.wait(for: "Đã gỡ vi.rwwad")
    try tmux.wait(for: "the bundled text") { $0.contains("● Bản diễn ý kèm theo") }
    try tmux.close()
  }

  @Test func anUnreachableServiceIsReported() throws {
    let tmux = try Tmux(reader: [], in: home)
    try tmux.type("8")
    try tmux.wait(for: "the rows") { $0.contains("Rowwad Translation Center", "chưa cài") }
    try tmux.type("i")
    try tmux.wait(for: "Không đến được QuranEnc.com (kết nối bị từ chối)")
    try tmux.type("1")
    try tmux.wait(for: "Al-Fatihah")
    try tmux.close()
  }
}
