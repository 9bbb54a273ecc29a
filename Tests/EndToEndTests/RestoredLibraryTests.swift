import Foundation
import TestSupport
import Testing

/// A connected library that is put back to an earlier state: by `backup restore`, or by hand.
@Suite(.serialized) struct RestoredLibraryTests {
  private let service: Service
  private let homes: [Home]

  init() throws {
    service = try Service()
    homes = try [Home(), Home()]
    for home in homes { try service.connect(home) }
  }

  private struct Listed: Decodable {
    let id: String
    let text: String
  }

  private var library: String { "\(homes[0].path)/data/quran-vi/library.sqlite" }

  /// Runs a command that has to succeed.
  @discardableResult
  private func run(_ index: Int, _ words: String...) throws -> Outcome {
    let outcome = try homes[index].quranVi(words)
    #expect(outcome.ending == .exited(0), "\(words): \(outcome)")
    return outcome
  }

  private func notes(_ index: Int) throws -> [Listed] {
    let outcome = try run(index, "note", "list", "--json")
    return try JSONDecoder().decode([Listed].self, from: Data(outcome.outputBytes))
  }

  private func texts(_ index: Int) throws -> [String] { try notes(index).map(\.text).sorted() }

  private func favorites(_ index: Int) throws -> [String] {
    let outcome = try run(index, "favorite", "list")
    return outcome.output.split(separator: "\n").compactMap { line in
      line.split(separator: " ").first { $0.contains(":") }.map(String.init)
    }
  }

  /// Fills the library and syncs, calls `copy`, then changes everything and syncs again.
  private func change(_ copy: () throws -> Void) throws {
    try run(0, "note", "add", "2:255", "-m", "bản đầu")
    try run(0, "note", "add", "1:3", "-m", "sẽ bị xóa")
    try run(0, "favorite", "add", "1:1")
    try run(0, "sync", "now")
    try copy()
    let notes = try notes(0)
    let first = try #require(notes.first { $0.text == "bản đầu" })
    let second = try #require(notes.first { $0.text == "sẽ bị xóa" })
    try run(0, "note", "edit", first.id, "-m", "bản sau")
    try run(0, "note", "remove", second.id)
    try run(0, "note", "add", "1:2", "-m", "mới")
    try run(0, "favorite", "remove", "1:1")
    try run(0, "favorite", "add", "114:6")
    try run(0, "sync", "now")
  }

  /// Expects that nothing is sent or fetched, and that every command reports the question.
  private func expectQuestion() throws {
    for words in [["sync", "now"], ["sync", "now", "--json"]] {
      let outcome = try homes[0].quranVi(words)
      #expect(outcome.ending == .exited(4), "\(outcome)")
      #expect(outcome.errors.contains("--keep-restored"), "\(outcome)")
      #expect(outcome.errors.contains("--keep-service"), "\(outcome)")
    }
    let status = try run(0, "sync", "status")
    #expect(status.output.contains("--keep-restored"), "\(status)")
    #expect(try run(0, "sync", "status", "--json").output.contains(#""restoration" : "asked""#))
    try run(1, "sync", "now")
    #expect(try texts(1) == ["bản sau", "mới"])
    #expect(try texts(0) == ["bản đầu", "sẽ bị xóa"])
  }

  /// Expects that both devices have the restored state, and the entries added after the backup.
  private func expectRestored() throws {
    try run(1, "sync", "now")
    for index in 0...1 {
      #expect(try texts(index) == ["bản đầu", "mới", "sẽ bị xóa"])
      #expect(try favorites(index) == ["1:1", "114:6"])
    }
    #expect(try run(0, "note", "restore").output.contains("bản sau"))
    #expect(try run(0, "sync", "status").output.contains("--keep-restored") == false)
  }

  @Test func syncAsksAfterARestoreAndMayKeepTheBackup() throws {
    try change { try run(0, "backup") }
    let restored = try run(0, "backup", "restore", "--yes")
    #expect(restored.output.contains("--keep-restored"), "\(restored)")
    try expectQuestion()
    try run(0, "sync", "now", "--keep-restored")
    try expectRestored()
  }

  @Test func syncAfterARestoreMayKeepTheService() throws {
    try run(0, "note", "add", "2:286", "-m", "chưa bao giờ gửi")
    let unsent = try #require(try notes(0).first?.id)
    try run(0, "backup")
    try run(0, "note", "remove", unsent)
    try change {}
    try run(0, "backup", "restore", "--yes")
    try run(0, "sync", "now", "--keep-service")
    try run(1, "sync", "now")
    for index in 0...1 {
      #expect(try texts(index) == ["bản sau", "mới"])
      #expect(try favorites(index) == ["114:6"])
    }
    #expect(try run(0, "note", "restore").output.contains("chưa bao giờ gửi"))
  }

  @Test func theAnswerMayBeAnOptionOfTheRestore() throws {
    try change { try run(0, "backup") }
    let restored = try run(0, "backup", "restore", "--yes", "--keep-restored")
    #expect(!restored.output.contains("--keep-service"), "\(restored)")
    try run(0, "sync", "now")
    try expectRestored()
  }

  @Test func anOlderCopyOfTheLibraryFileIsDetected() throws {
    let copy = "\(homes[0].path)/copy.sqlite"
    try change { try FileManager.default.copyItem(atPath: library, toPath: copy) }
    try FileManager.default.removeItem(atPath: library)
    try FileManager.default.copyItem(atPath: copy, toPath: library)
    try expectQuestion()
    try run(0, "sync", "now", "--keep-restored")
    try expectRestored()
    // If the same file is restored again, sync asks again.
    try FileManager.default.removeItem(atPath: library)
    try FileManager.default.copyItem(atPath: copy, toPath: library)
    #expect(try homes[0].quranVi("sync", "now").ending == .exited(4))
  }

  @Test func theReaderShowsTheQuestionAndTakesTheAnswer() throws {
    try change { try run(0, "backup") }
    try run(0, "backup", "restore", "--yes")
    let reader = try Tmux(reader: ["2:255"], in: homes[0], size: .standard)
    try reader.wait(for: "the question") { $0.rows.last?.shows("! khôi phục?") == true }
    try reader.type("S")
    try reader.wait(for: "the keys") { $0.contains("V  lấy bản trên dịch vụ") }
    try reader.type("Rc")
    try reader.wait(for: "the corner") { screen in
      screen.rows.last { !$0.isEmpty }?.contains("✓") == true
    }
    try reader.type("q")
    try reader.close()
    try expectRestored()
  }
}
