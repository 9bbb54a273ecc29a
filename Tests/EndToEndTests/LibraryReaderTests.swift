import Foundation
import TestSupport
import Testing

/// The reader with its library: marks and notes are kept across restarts and failures.
@Suite(.serialized) struct LibraryReaderTests {
  private let home: Home

  init() throws {
    home = try Home()
  }

  private func open(_ arguments: [String] = ["2:255"], size: Size = .standard) throws -> Tmux {
    let tmux = try Tmux(reader: arguments, in: home, size: size)
    if arguments == ["2:255"] { try tmux.wait(for: "2:255") { $0.cursorAyah == 255 } }
    return tmux
  }

  private var libraryFile: String { "data/quran-vi/library.sqlite" }

  private func bytes(of name: String) throws -> Data {
    try Data(contentsOf: URL(filePath: "\(home.path)/\(name)"))
  }

  // MARK: Restarts

  @Test func favoriteNoteAndPlaceAreKeptAcrossARestart() throws {
    var tmux = try open()
    try tmux.type("f")
    try tmux.wait(for: "the heart") { $0.contains("255 ♥") }
    try tmux.type("n")
    try tmux.wait(for: "Ghi chú mới · 2:255")
    try tmux.type("Câu Ngai Vàng: đọc mỗi tối")
    try tmux.press("Enter")
    try tmux.paste("dòng dán một\ndòng dán hai")
    try tmux.wait(for: "dòng dán hai")
    try tmux.press("C-s")
    try tmux.wait(for: "the pen") { $0.contains("255 ♥ ✎") }
    try tmux.close()

    tmux = try open([])
    try tmux.wait(for: "the place") { $0.contains("Đọc tiếp", "2:255") }
    try tmux.wait(for: "the counts") { $0.contains("Al-Baqarah", "♥ 1", "✎ 1") }
    try tmux.press("Enter")
    try tmux.wait(for: "the marks") { $0.cursorAyah == 255 && $0.contains("255 ♥ ✎") }
    try tmux.press("Tab")
    try tmux.wait(for: "Ghi chú 1/1 · 2:255")
    let screen = try tmux.settled()
    for line in ["Câu Ngai Vàng: đọc mỗi tối", "dòng dán một", "dòng dán hai"] {
      #expect(screen.contains(line), "\(screen)")
    }
    try tmux.press("Escape")
    // Esc directly followed by a key is Alt and that key.
    try tmux.wait(for: "the closed note") { !$0.contains("Ghi chú 1/1") }
    try tmux.press("M-3")
    try tmux.wait(for: "the favourite") { $0.contains("2:255", "Allah, không có") }
    try tmux.type("4")
    try tmux.wait(for: "the note") { $0.contains("2:255", "Câu Ngai Vàng") }
    try tmux.press("Enter")
    try tmux.wait(for: "2:255") { $0.cursorAyah == 255 }
    try tmux.close()
  }

  @Test func undoRevertsNotesAndFavorites() throws {
    let tmux = try open()
    try tmux.type("fnabc")
    try tmux.press("C-s")
    try tmux.wait(for: "the marks") { $0.contains("255 ♥ ✎") }
    try tmux.type("u")
    try tmux.wait(for: "Đã hoàn tác: ghi chú của 2:255 được bỏ đi")
    try tmux.wait(for: "no pen") { screen in
      screen.rows.contains { $0.contains("255 ♥") && !$0.contains("✎") }
    }
    try tmux.type("u")
    try tmux.wait(for: "Đã hoàn tác: 2:255 không còn là câu yêu thích")
    #expect(try !tmux.settled().contains("255 ♥"))
    try tmux.close()
  }

  @Test func twoReadersSeeEachOthersFavorites() throws {
    let one = try open()
    let other = try open()
    try one.type("f")
    try other.wait(for: "the heart, without a key") { $0.contains("255 ♥") }
    try other.type("f")
    try one.wait(for: "no heart") { !$0.contains("255 ♥") }
    try one.close()
    try other.close()
  }

  @Test func aDraftSurvivesAKilledReader() throws {
    let terminal = try PseudoTerminal(reader: ["2:255"], in: home)
    try terminal.read(until: "Hằng Sống")
    try terminal.type("nviết dở dang")
    // The screen does not show that a draft is saved; an export contains it.
    let deadline = Deadline()
    while try !home.quranVi("export").output.shows("viết dở dang") {
      guard !deadline.hasPassed else { throw Failure("the draft is not kept") }
    }
    terminal.send(signal: SIGKILL)
    _ = try? terminal.end()

    let tmux = try open([])
    try tmux.wait(for: "Ghi chú đang viết dở ở 2:255")
    try tmux.type("e")
    try tmux.wait(for: "viết dở dang")
    try tmux.type(", xong")
    try tmux.press("C-s")
    try tmux.wait(for: "✎ đã lưu ghi chú")
    try tmux.close()
    #expect(try home.quranVi("note", "list", "--json").output.shows("viết dở dang, xong"))
  }

  @Test func whatWasSavedInAnExternalEditorSurvivesAKilledReader() throws {
    #expect(try home.quranVi("note", "add", "2:255", "-m", "một").ending == .exited(0))
    let editor = try home.program(
      "editor", #"printf ' hai\n' >>"$1"; touch "$HOME/saved"; exec sleep 600"#)
    let terminal = try PseudoTerminal(reader: ["2:255"], in: home, with: ["VISUAL": editor])
    try terminal.read(until: "Hằng Sống")
    try terminal.type("E")
    let deadline = Deadline()
    while (try? home.contents(of: "home/saved")) == nil {
      guard !deadline.hasPassed else { throw Failure("the editor did not save") }
      waitForEvents([], milliseconds: 10)
    }
    terminal.send(signal: SIGKILL)
    _ = try? terminal.end()

    let tmux = try open([])
    try tmux.wait(for: "Ghi chú đang viết dở ở 2:255")
    try tmux.type("e")
    try tmux.wait(for: "một hai")
    try tmux.press("C-s")
    try tmux.wait(for: "✎ đã lưu ghi chú")
    try tmux.close()
    let notes = try home.quranVi("note", "list", "--json").jsonObjects()
    #expect(notes.map { $0["text"] as? String } == ["một hai"])
  }

  @Test func aDiscardedNoteIsRestoredByUndo() throws {
    let tmux = try open()
    try tmux.type("nđã lưu")
    try tmux.press("C-s")
    try tmux.wait(for: "✎ đã lưu ghi chú")
    try tmux.type("nviết dở")
    try tmux.press("Escape")
    try tmux.wait(for: "Ghi chú chưa lưu")
    try tmux.press("C-x")
    try tmux.wait(for: "Đã bỏ ghi chú đang viết")
    try tmux.type("u")
    try tmux.wait(for: "đã lấy lại ghi chú viết dở ở 2:255")
    #expect(try home.quranVi("note", "list", "--json").output.shows("đã lưu"))
    try tmux.press("C-r")
    try tmux.wait(for: "ghi chú đang viết dở ở 2:255 được bỏ đi")
    try tmux.type("u")
    try tmux.wait(for: "đã lấy lại")
    try tmux.type("e")
    try tmux.wait(for: "viết dở")
    try tmux.press("C-s")
    try tmux.wait(for: "✎ đã lưu ghi chú")
    try tmux.close()
    let notes = try home.quranVi("note", "list", "--json").jsonObjects()
    #expect(notes.map { $0["text"] as? String } == ["đã lưu", "viết dở"])
  }

  @Test func theExternalEditorRunsOnTheTerminal() throws {
    let editor = try home.program(
      "editor",
      """
      stty -a | grep -q -- '-echo ' && exit 9
      stat -c %a "$1" >"$HOME/mode"
      printf 'Sáng danh Allah' >>"$1"
      """)
    let tmux = try Tmux(reader: ["1:1"], in: home, with: ["VISUAL": editor])
    try tmux.wait(for: "1:1") { $0.cursorAyah == 1 }
    try tmux.type("E")
    try tmux.wait(for: "✎ đã lưu ghi chú")
    #expect(try home.contents(of: "home/mode") == "600\n")
    try tmux.press("Tab")
    try tmux.wait(for: "Sáng danh Allah")
    try tmux.press("Escape")
    try tmux.wait(for: "the closed note") { !$0.contains("Sáng danh Allah") }
    try tmux.close()
  }

  // MARK: Damaged, newer and read-only libraries

  @Test(arguments: ["random", "empty"])
  func damagedLibraryIsSetAsideUnchanged(_ kind: String) throws {
    if kind == "empty" {
      mkdir("\(home.path)/data/quran-vi", 0o700)
    } else {
      #expect(try home.quranVi("favorite", "add", "1:1").ending == .exited(0))
    }
    let found =
      kind == "empty"
      ? Data() : Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) })
    try found.write(to: URL(filePath: "\(home.path)/\(libraryFile)"))
    let tmux = try open([])
    try tmux.wait(for: "Thư viện bị hỏng, được giữ nguyên ở")
    try tmux.type("g2:255")
    try tmux.press("Enter")
    try tmux.wait(for: "2:255") { $0.cursorAyah == 255 }
    try tmux.type("f")
    try tmux.wait(for: "the heart") { $0.contains("255 ♥") }
    try tmux.close()
    let aside = try #require(
      try home.files(under: "data").first { $0.contains("set-aside") && $0.hasSuffix(".sqlite") })
    #expect(try bytes(of: aside) == found)
  }

  @Test func libraryOfANewerVersionIsNotChanged() throws {
    #expect(try home.quranVi("favorite", "add", "1:1").ending == .exited(0))
    var newer = try bytes(of: libraryFile)
    // The header's user_version, big-endian.
    newer.replaceSubrange(60..<64, with: [0, 0, 0x27, 0x0F])
    try newer.write(to: URL(filePath: "\(home.path)/\(libraryFile)"))
    let tmux = try open([])
    try tmux.wait(for: "mới hơn; tệp được để nguyên")
    try tmux.press("Enter")
    try tmux.wait(for: "Nhân danh Allah")
    try tmux.type("f")
    try tmux.wait(for: "mới hơn; tệp được để nguyên")
    try tmux.close()
    #expect(try bytes(of: libraryFile) == newer)
    #expect(try home.files(under: "data").allSatisfy { !$0.contains("set-aside") })
  }

  @Test(.enabled(if: Program.canMount, "this place allows no mounts"))
  func readOnlyLibraryIsShownAndChangesAreRefused() throws {
    #expect(try home.quranVi("favorite", "add", "1:2").ending == .exited(0))
    let before = try bytes(of: libraryFile)
    let mount = #"mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$1""#
    let words = try [mount, "\(home.path)/data", Program.reader()].map(\.quoted)
    let tmux = try Tmux("exec unshare -m sh -c \(words.joined(separator: " "))", in: home)
    try tmux.wait(for: "what is there") { $0.contains("Al-Fatihah", "♥ 1") }
    try tmux.wait(for: "chỉ đọc")
    try tmux.press("Enter")
    try tmux.wait(for: "Nhân danh Allah")
    try tmux.type("f")
    try tmux.wait(for: "chỉ đọc")
    #expect(try tmux.settled().contains("2 ♥"))
    try tmux.close()
    #expect(try bytes(of: libraryFile) == before)
  }

  @Test func fullDiskRefusesChangesAndLosesNothing() throws {
    #expect(try home.quranVi("favorite", "add", "1:2").ending == .exited(0))
    let tmux = try Tmux("ulimit -f 4; exec \(try Program.reader().quoted) 1:1", in: home)
    try tmux.wait(for: "what is there") { $0.contains("2 ♥") }
    try tmux.type("f")
    try tmux.wait(for: "Đĩa đã đầy")
    #expect(try !tmux.settled().contains("1 ♥"))
    try tmux.type("q")
    try tmux.wait(for: "the end") { _ in try tmux.value(of: "#{pane_dead}") == "1" }
    let list = try home.quranVi("favorite", "list", "--json")
    #expect(list.output.shows("1:2") && !list.output.shows("\"1:1\""), "\(list)")
  }

  // MARK: The configuration file

  @Test func configurationRemapsKeysAndErrorsInItAreReported() throws {
    mkdir("\(home.path)/config/quran-vi", 0o700)
    try home.write(
      "colour = 1\n[keys]\nfavorite = \"F5\"\n", to: "config/quran-vi/config.toml")
    var tmux = try open([])
    try tmux.wait(for: "không có cài đặt “colour”")
    try tmux.press("Enter")
    try tmux.wait(for: "Nhân danh Allah")
    try tmux.press("F5")
    try tmux.wait(for: "the heart") { $0.contains("1 ♥") }
    try tmux.type("f")
    try tmux.wait(for: "f: phím này chưa gán lệnh")
    try tmux.close()

    let broken = "mouse = true\nkeys = [\n\n= 2\n"
    try home.write(broken, to: "config/quran-vi/config.toml")
    tmux = try open([])
    try tmux.wait(for: "config.toml, dòng")
    try tmux.close()
    #expect(try home.contents(of: "config/quran-vi/config.toml") == broken)
  }
}
