import Foundation
import TestSupport
import Testing

/// A library whose file is replaced or removed while a reader has it open and a note is written.
@Suite(.serialized) struct ReplacedLibraryTests {
  private let home: Home

  init() throws {
    home = try Home()
  }

  private var library: String { "\(home.path)/data/quran-vi/library.sqlite" }

  private func list(_ kind: String) throws -> String {
    let outcome = try home.quranVi([kind, "list"])
    #expect(outcome.ending == .exited(0), "\(outcome)")
    return outcome.output
  }

  @Test(arguments: ["removed", "moved", "overwritten"])
  func aNoteBeingWrittenIsKept(change: String) throws {
    let older = "\(home.path)/older.sqlite"
    #expect(try home.quranVi("favorite", "add", "1:1").ending == .exited(0))
    try FileManager.default.copyItem(atPath: library, toPath: older)
    #expect(try home.quranVi("favorite", "add", "1:7").ending == .exited(0))
    let reader = try Tmux(reader: ["2:255"], in: home, size: .standard)
    try reader.wait(for: "2:255") { $0.cursorAyah == 255 }
    try reader.type("f")
    // The heart is shown before the favourite is in the library.
    try reader.wait(for: "the heart, and the favourite in the library") {
      try $0.contains("255 ♥") && list("favorite").contains("2:255")
    }
    try reader.type("n")
    try reader.wait(for: "Ghi chú mới · 2:255")
    try reader.type("Đang viết dở")
    switch change {
    case "removed": try FileManager.default.removeItem(atPath: library)
    case "moved": #expect(rename(older, library) == 0)
    default:
      try Data(contentsOf: URL(filePath: older)).write(to: URL(filePath: library))
    }
    try reader.type(", và viết tiếp")
    try reader.press("C-s")
    try reader.wait(for: "the pen") { $0.contains("✎") && !$0.contains("Ghi chú mới") }
    try reader.close()
    #expect(try list("note").contains("Đang viết dở, và viết tiếp"))
    let favorites = try list("favorite")
    #expect(favorites.contains("1:1 "))
    // A removed file is written again with all its contents; a replacement is used as it is.
    #expect(favorites.contains("1:7 ") == (change == "removed"))
    #expect(favorites.contains("2:255") == (change == "removed"))
  }

  /// Both readers detect the copy at the same time, and one repairs the file that the other finds
  /// damaged.
  @Test func twoReadersContinueAfterAnOlderCopyIsWritten() throws {
    let older = "\(home.path)/older.sqlite"
    #expect(try home.quranVi("note", "add", "1:1", "-m", "Bản đầu").ending == .exited(0))
    try FileManager.default.copyItem(atPath: library, toPath: older)
    #expect(try home.quranVi("note", "add", "1:7", "-m", "Bản sau").ending == .exited(0))
    let readers = try (0..<2).map { _ in try Tmux(reader: ["2:255"], in: home) }
    for reader in readers { try reader.wait(for: "2:255") { $0.cursorAyah == 255 } }
    try readers[0].type("nTrong bản cũ")
    try readers[0].press("C-s")
    for reader in readers { try reader.wait(for: "the pen") { $0.contains("✎") } }
    try Data(contentsOf: URL(filePath: older)).write(to: URL(filePath: library))
    for reader in readers { try reader.wait(for: "bị thay") }
    for (number, reader) in readers.enumerated() {
      try reader.type("nViết ở máy \(number)")
      try reader.press("C-s")
      try reader.type("q")
    }
    for reader in readers { try reader.expectEnd() }
    let notes = try list("note")
    #expect(notes.contains("Bản đầu"))
    for number in 0..<2 { #expect(notes.contains("Viết ở máy \(number)")) }
  }
}
