import TestSupport
import Testing

/// Typical sessions in a real terminal, wide and narrow.
@Suite(.serialized) struct ReaderSessionTests {
  static let sizes = [Size(80, 24), Size(40, 12)]

  /// Opens the reader at an ayah. Keys that need the library wait until it is open.
  private func reader(at ayah: String, _ size: Size, in home: Home) throws -> Tmux {
    let tmux = try Tmux(reader: [ayah], in: home, size: size)
    let number = try #require(ayah.split(separator: ":").last.flatMap { Int($0) })
    try tmux.wait(for: ayah) { $0.cursorAyah == number }
    return tmux
  }

  @Test(arguments: sizes) func lessonsTeachTheFirstKeysOnce(size: Size) throws {
    let home = try Home()
    do {
      let tmux = try Tmux(reader: [], in: home, size: size)
      // The offer of translations comes first.
      try tmux.wait(for: "8 rồi i")
      try tmux.type("j")
      try tmux.wait(for: "Enter mở chương này")
      try tmux.press("Enter")
      try tmux.wait(for: "f ♥ yêu thích")
      try tmux.type("f")
      try tmux.wait(for: "đã thêm vào yêu thích")
      try tmux.type("j")
      try tmux.wait(for: "the last lesson") {
        $0.contains("g đến câu", "/ tìm", "? mọi phím")
      }
      try tmux.type("/")
      try tmux.wait(for: "Gõ chữ cần tìm")
      try tmux.press("Escape")
      try tmux.wait(for: "no more lessons") {
        $0.contains("? trợ giúp") && !$0.contains("mọi phím")
      }
      try tmux.close()
    }
    let tmux = try Tmux(reader: [], in: home, size: size)
    try tmux.wait(for: "the list") { $0.contains("Al-Fatihah") && $0.contains("Enter đọc") }
    #expect(try !tmux.settled().contains("mở chương này"))
    try tmux.close()
  }

  @Test(arguments: sizes) func leavingAnUnsavedNoteAsksForConfirmation(size: Size) throws {
    let home = try Home()
    let tmux = try reader(at: "2:255", size, in: home)
    try tmux.type("n")
    try tmux.type("đức tin")
    try tmux.press("Escape")
    try tmux.wait(for: "Ghi chú chưa lưu.")
    // Any other key continues the note and is not an answer.
    try tmux.type("y")
    try tmux.wait(for: "đức tiny")
    try tmux.press("BSpace")
    try tmux.press("Escape")
    try tmux.wait(for: "Ghi chú chưa lưu.")
    try tmux.press("C-s")
    try tmux.wait(for: "đã lưu ghi chú")
    // The screen shows the note before it is in the library.
    try tmux.wait(for: "the note in the library") { _ in
      try home.quranVi("note", "list", "2:255").output.shows("đức tin")
    }
    try tmux.type("n")
    try tmux.type("bỏ đi")
    try tmux.press("Escape")
    try tmux.wait(for: "Ghi chú chưa lưu.")
    try tmux.press("C-x")
    try tmux.wait(for: "Đã bỏ ghi chú đang viết")
    #expect(try !home.quranVi("note", "list", "2:255").output.shows("bỏ đi"))
    try tmux.close()
  }

  @Test(arguments: sizes) func numbersRepeatKeys(size: Size) throws {
    let tmux = try reader(at: "2:1", size, in: Home())
    for (keys, name, ayah) in [
      ("5j", "Al-Baqarah", 6), ("2k", "Al-Baqarah", 4), ("255G", "Al-Baqarah", 255),
      ("3]", "Al-Ma'idah", 1), ("g:10", "", 0),
    ] {
      try tmux.type(keys)
      if ayah == 0 {
        try tmux.press("Enter")
        try tmux.wait(for: "5:10") { $0.cursorAyah == 10 }
      } else {
        try tmux.wait(for: keys) { $0.cursorAyah == ayah && $0.contains(name) }
      }
    }
    try tmux.close()
  }

  @Test(arguments: sizes) func aSelectionIsMarkedAnnotatedAndExported(size: Size) throws {
    let home = try Home()
    let tmux = try reader(at: "112:1", size, in: home)
    try tmux.type("V2j")
    try tmux.wait(for: "112:1-3")
    try tmux.type("f")
    try tmux.wait(for: "♥ 112:1-3")
    try tmux.type("g112:1")
    try tmux.press("Enter")
    try tmux.wait(for: "112:1") { $0.cursorAyah == 1 }
    try tmux.type("Vjn")
    try tmux.wait(for: "the note") { $0.contains("Ghi chú mới") && $0.contains("112:1-2") }
    try tmux.type("một")
    try tmux.press("C-s")
    try tmux.wait(for: "đã lưu ghi chú")
    try tmux.type("Vj:export ~/marked.md")
    try tmux.press("Enter")
    try tmux.wait(for: "Đã xuất")
    let text = try home.contents(of: "home/marked.md")
    #expect(text.shows("### 112:1") && text.shows("### 112:2") && !text.shows("### 112:3"))
    #expect(text.shows("112:1-2 một"))
    try tmux.close()
    // The list is read after the end of the reader, which then has stored all favourites.
    #expect(
      try home.quranVi("favorite", "list").output.split(separator: "\n").count == 3)
  }

  @Test func pipedCommandsReadAndChangeTheLibrary() throws {
    let home = try Home()
    let commands = [
      "g 2:255", "r", "w", "n đọc mỗi tối", "n/moi toi", "1", "e mỗi sáng", "n", "d", "u", "p", "q",
    ]
    let outcome = try home.quranVi(
      "--plain", input: .text(commands.joined(separator: "\n") + "\n"))
    #expect(outcome.ending == .exited(0), "\(outcome)")
    for text in [
      "2. Al-Baqarah", "Đã đọc đến 2:255", "juz 3, hizb 5, trang 42, 89 %", "1. 2:255  đọc mỗi tối",
      "Đã xóa ghi chú", "Cả Kinh: 255/6236 câu",
    ] {
      #expect(outcome.output.shows(text), "\(text): \(outcome)")
    }
    #expect(try home.quranVi("note", "list", "2:255").output.shows("mỗi sáng"))
    #expect(try home.quranVi("progress").output.shows("255/6236"))
  }
}
