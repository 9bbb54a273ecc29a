import Foundation
import TestSupport
import Testing

/// Import of the older app's data inside the reader.
@Suite struct ImportReaderTests {
  private let home: Home
  private let dump = """
    {"favoriteAyahs": ["2:255", "1:1", "2:300"],
     "ayahNotes": {"2:255": ["Câu Ngai Vàng\\nđọc mỗi tối", "a", "a"]},
     "ReadingProgressStore.progress": {"2": {"lastReadAyah": 45, "totalAyahs": 286}}}
    """

  init() throws {
    home = try Home()
  }

  private func writeDump(_ path: String) throws {
    let directory = URL(filePath: "\(home.path)/\(path)").deletingLastPathComponent()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try home.write(dump, to: path)
  }

  @Test func aDumpInDownloadsIsOfferedOnceAndImported() throws {
    try writeDump("home/Downloads/quran.json")
    var tmux = try Tmux(reader: [], in: home)
    try tmux.wait(for: "I rồi Enter: nhập dữ liệu ứng dụng cũ, ~/Downloads/quran.json")
    try tmux.type("I")
    try tmux.wait(for: ":import ~/Downloads/quran.json")
    try tmux.press("Enter")
    try tmux.wait(for: "Đã nhập 2 câu yêu thích, 3 ghi chú, tiến độ 1 chương; bỏ qua 1")
    try tmux.wait(for: "không có câu “2:300”")
    try tmux.type("u")
    try tmux.wait(for: "Đã hoàn tác: 6 thay đổi")
    try tmux.press("C-r")
    try tmux.wait(for: "Đã làm lại")
    try tmux.wait(for: "the marks") { $0.contains("Al-Baqarah", "♥ 1", "✎ 3") }
    try tmux.close()

    tmux = try Tmux(reader: [], in: home)
    try tmux.wait(for: "the place") { $0.contains("Đọc tiếp", "2:45") }
    #expect(try !tmux.settled().contains("quran.json"))
    try tmux.close()
    #expect(try home.quranVi("favorite", "list", "--json").jsonObjects().count == 2)
    let again = try home.quranVi("import", "\(home.path)/home/Downloads/quran.json")
    #expect(again.output.shows("0 mới, 3 đã có"), "\(again)")
    #expect(try home.contents(of: "home/Downloads/quran.json") == dump)
  }

  @Test func fileNamesAreCompleted() throws {
    try writeDump("home/Tài liệu/bản sao.json")
    let tmux = try Tmux(reader: ["1:1"], in: home, size: Size(40, 12))
    try tmux.wait(for: "1:1") { $0.cursorAyah == 1 }
    try tmux.type(":import ~/T")
    try tmux.press("Tab")
    try tmux.wait(for: ":import ~/Tài liệu/")
    try tmux.press("Tab")
    try tmux.wait(for: "the file") { $0.contains("bản sao.json") }
    try tmux.press("Enter")
    try tmux.wait(for: "Đã nhập 2 câu yêu thích")
    try tmux.press("Escape")
    try tmux.wait(for: "the text") { $0.cursorAyah == 1 }
    try tmux.type(":export ~/x.md")
    try tmux.press("Enter")
    try tmux.wait(for: "Đã xuất")
    #expect(try home.contents(of: "home/x.md").contains("Câu Ngai Vàng"))
    try tmux.close()
  }
}
