import Foundation
import Glibc
import TestSupport
import Testing

/// Two readers in terminals of their own, and one service between them.
@Suite(.serialized) struct SyncedReaderTests {
  private let service: Service
  private let homes: [Home]

  init() throws {
    service = try Service()
    homes = try [Home(), Home()]
    for home in homes { try service.connect(home) }
  }

  private func open(_ index: Int, _ arguments: String..., size: Size = .standard) throws -> Tmux {
    let tmux = try Tmux(reader: arguments, in: homes[index], size: size)
    try tmux.wait(for: "the time of the last sync") { $0.isSynced }
    return tmux
  }

  /// Requests a sync until it has happened: on a busy machine another process may need some time to
  /// release the lease.
  private func sync(_ reader: Tmux) throws {
    try reader.type("s")
    try reader.wait(for: "Đã đồng bộ lúc") { screen in
      if screen.contains("Một tiến trình khác đang đồng bộ") { try reader.type("s") }
      return screen.contains("Đã đồng bộ lúc")
    }
  }

  @Test func changesOfOneReaderAppearOnTheOther() throws {
    let one = try open(0, "2:255")
    let other = try open(1, "2:255")
    // In each direction, the service notifies the other reader.
    try one.type("f")
    try other.wait(for: "the heart") { $0.contains("255 ♥") }
    try other.type("n")
    try other.wait(for: "Ghi chú mới · 2:255")
    try other.type("đức tin vững vàng — nghìn năm")
    try other.press("C-s")
    try one.wait(for: "the pen") { $0.contains("255 ♥ ✎") }
    try one.press("Tab")
    try one.wait(for: "đức tin vững vàng — nghìn năm")
    try one.press("Escape")
    try one.wait(for: "the closed note") { !$0.contains("Ghi chú 1/1") }
    // The layout and the progress are synced, too.
    try one.type("m")
    try other.wait(for: "flow layout") { screen in
      screen.rows.contains { $0.shows("255♥✎") || ($0.shows("254 ") && $0.shows("255")) }
        || !screen.rows.contains { $0.hasPrefix("▌ 255") }
    }
    try one.type("mr")
    try other.press("M-1")
    try other.wait(for: "the progress") { $0.contains("Al-Baqarah", "89 %") }
    for reader in [one, other] { try reader.close() }
  }

  @Test func aNoteDeletedOnOneDeviceIsInTheTrashOfTheOther() throws {
    let one = try open(0, "1:5")
    let other = try open(1)
    try one.type("n")
    try one.wait(for: "Ghi chú mới · 1:5")
    try one.type("sẽ bị xóa")
    try one.press("C-s")
    try other.type("4")
    try other.wait(for: "sẽ bị xóa")
    try one.press("Tab")
    try one.wait(for: "Ghi chú 1/1")
    try one.type("d")
    try other.wait(for: "the trash") { $0.contains("1:5", "⌫ sẽ bị xóa") }
    try other.press("Enter")
    try other.wait(for: "Khôi phục ghi chú 1:5?")
    try other.type("c")
    try other.wait(for: "the note") { $0.contains("sẽ bị xóa") && !$0.contains("⌫") }
    try one.wait(for: "the pen") { screen in
      screen.rows.contains { $0.shows("✎") && $0.shows("5") }
    }
    for reader in [one, other] { try reader.close() }
  }

  @Test func aSyncRoundKeepsTheTextInAnOpenEditor() throws {
    let one = try open(0, "1:5")
    try one.type("n")
    try one.wait(for: "Ghi chú mới · 1:5")
    try one.type("một")
    try one.press("Enter")
    try one.press("Enter")
    try one.type("hai")
    try one.press("C-s")
    try one.wait(for: "đã lưu ghi chú")
    try sync(one)
    #expect(try homes[1].quranVi("sync", "now").ending == .exited(0))
    // The editor is open, and the other device changes the first line.
    try one.type("e")
    try one.wait(for: "Sửa ghi chú · 1:5")
    let other = try homes[1].quranVi("note", "edit", "1:5", "-m", "MỘT\n\nhai")
    #expect(other.ending == .exited(0), "\(other)")
    #expect(try homes[1].quranVi("sync", "now").ending == .exited(0))
    let deadline = Deadline()
    while try !homes[0].quranVi("note", "list").output.contains("MỘT"), !deadline.hasPassed {}
    try one.type(" ba")
    try one.press("C-s")
    try one.wait(for: "được ghép lại ở 1:5")
    try sync(one)
    try one.close()
    let notes = try homes[0].quranVi("note", "list").output
    #expect(notes.contains("MỘT") && notes.contains("hai ba"), "\(notes)")
    #expect(try homes[1].quranVi("sync", "now").ending == .exited(0))
    let others = try homes[1].quranVi("note", "list").output
    #expect(others.contains("MỘT") && others.contains("hai ba"), "\(others)")
  }

  /// Except the directory of its own file, on which it holds a lock.
  @Test func theEditorInheritsNoOpenFiles() throws {
    let home = homes[0]
    let editor = try home.program("editor", "exec ls -l /proc/self/fd >'\(home.path)/open'")
    let reader = try Tmux(reader: ["2:255"], in: home, with: ["EDITOR": editor, "VISUAL": editor])
    try reader.wait(for: "the time of the last sync") { $0.isSynced }
    try reader.type("E")
    try reader.wait(for: "the editor's end") { screen in
      access("\(home.path)/open", F_OK) == 0 && screen.contains("Kursi")
        && screen.contains("Ghi chú không đổi")
    }
    let lines = try home.contents(of: "open").split(separator: "\n").filter { $0.contains(" -> ") }
    let others = lines.filter { line in
      !["0", "1", "2"].contains { line.contains(" \($0) -> ") } && !line.contains("/proc/")
        && !line.contains("library.sqlite.editing/")
    }
    #expect(lines.count > 2 && others.isEmpty, "\(lines)")
    try reader.close()
  }

  @Test func changesWithoutTheServiceAreSyncedLater() throws {
    let one = try open(0, "2:255")
    let other = try open(1, "2:255")
    try service.stop()
    try one.type("f")
    try one.wait(for: "↑1") { $0.rows.last?.hasSuffix("↑1") == true }
    try other.type("j")
    try other.type("f")
    try other.wait(for: "↑1") { $0.rows.last?.hasSuffix("↑1") == true }
    try service.start()
    // The readers would try again by themselves; the test does not wait for that.
    try one.type("s")
    try other.type("s")
    for reader in [one, other] {
      try reader.wait(for: "both hearts") {
        $0.isSynced && $0.contains("255 ♥") && $0.contains("256 ♥")
      }
    }
    for reader in [one, other] { try reader.close() }
  }

  @Test func theLastChangeIsSentWhenQuitting() throws {
    let one = try open(0, "2:255")
    let before = try service.recordCount()
    try one.type("f")
    try one.wait(for: "the heart") { $0.contains("255 ♥") }
    let start = ContinuousClock.now
    try one.close()
    let leaving = ContinuousClock.now - start
    guard try service.recordCount() <= before else { return }
    // Quitting waits for at most two seconds; after that, the change is sent at the next sync.
    #expect(leaving >= .seconds(2))
    let status = try homes[0].quranVi("sync", "status", "--json")
    let said = try JSONSerialization.jsonObject(with: Data(status.outputBytes)) as? [String: Any]
    #expect(said?["pending"] as? Int == 1, "\(status)")
  }

  @Test func theReaderReleasesTheLeaseForACommand() throws {
    let one = try open(0)
    let outcome = try homes[0].quranVi("sync", "now", "--json")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    try sync(one)
    #expect(try homes[0].quranVi("sync", "logout").ending == .exited(0))
    try one.wait(for: "no corner") { !$0.isSynced }
    try one.type("s")
    // The reader says what the command says.
    let state = "Đã đăng xuất; đăng nhập bằng: quran-vi sync login"
    try one.wait(for: state)
    #expect(try homes[0].quranVi("sync", "status").output.contains(state))
    #expect(try homes[0].quranVi("sync", "now").errors.contains(state))
    try service.connect(homes[0])
    try one.wait(for: "the corner") { $0.isSynced }
    try one.close()
  }

  /// Fills the account, opens a reader, and empties the account from the other device.
  private func readerOfAnEmptiedAccount() throws -> Tmux {
    for surah in [100, 101, 102, 103] {
      for ayah in 1...8 where ayah <= [11, 11, 8, 3][surah - 100] {
        _ = try homes[0].quranVi("favorite", "add", "\(surah):\(ayah)")
      }
    }
    #expect(try homes[0].quranVi("sync", "now").ending == .exited(0))
    let one = try open(0, "100:1")
    try one.wait(for: "the heart") { $0.contains("1 ♥") }
    #expect(try homes[1].quranVi("sync", "now").ending == .exited(0))
    let gone = try homes[1].quranVi("sync", "delete-account", "--yes")
    #expect(gone.ending == .exited(0), "\(gone)")
    #expect(try service.recordCount() == 0)
    // The device that deletes the account is signed out; this reader still has everything.
    try one.wait(for: "the question") { $0.rows.last?.shows("! xóa nhiều?") == true }
    #expect(try one.screen().contains("1 ♥"))
    return one
  }

  @Test func aMassDeletionNeedsConfirmation() throws {
    let one = try readerOfAnEmptiedAccount()
    try one.type("S")
    try one.wait(for: "K  giữ tất cả")
    try one.type("K")
    try one.wait(for: "the corner") { $0.isSynced }
    #expect(try service.recordCount() >= 27)
    try one.close()
  }

  @Test func aCommandMayAcceptTheMassDeletion() throws {
    let one = try readerOfAnEmptiedAccount()
    let answer = try homes[0].quranVi("sync", "now", "--accept-deletions")
    #expect(answer.ending == .exited(0), "\(answer)")
    try one.wait(for: "no heart") { $0.isSynced && !$0.contains("1 ♥") }
    try one.close()
  }

  @Test func acceptingOnceDoesNotAcceptFurtherDeletions() throws {
    for ayah in 1...40 { _ = try homes[0].quranVi("favorite", "add", "2:\(ayah)") }
    for home in homes { #expect(try home.quranVi("sync", "now").ending == .exited(0)) }
    func remove(_ ayahs: ClosedRange<Int>) throws {
      for ayah in ayahs { _ = try homes[1].quranVi("favorite", "remove", "2:\(ayah)") }
      #expect(try homes[1].quranVi("sync", "now").ending == .exited(0))
    }
    try remove(1...25)
    #expect(try homes[0].quranVi("sync", "now").ending == .exited(4))
    try remove(26...35)
    let refused = try homes[0].quranVi("sync", "now", "--accept-deletions")
    #expect(refused.ending == .exited(4), "\(refused)")
    #expect(refused.errors.contains("35"), "\(refused)")
    let accepted = try homes[0].quranVi("sync", "now", "--accept-deletions")
    #expect(accepted.ending == .exited(0), "\(accepted)")
  }

  /// One of them syncs for both: the one in which the user last asked for a sync.
  @Test func twoReadersOfOneLibraryTakeTurnsToSync() throws {
    let one = try open(0, "2:255")
    let other = try open(0, "2:255")
    for reader in [other, one] {
      try sync(reader)
      try reader.type("f")
      let heart = reader === other
      for shown in [one, other] {
        try shown.wait(for: "the same") { $0.contains("255 ♥") == heart }
      }
    }
    for reader in [one, other] { try reader.close() }
  }

  @Test func plainModeSendsChanges() throws {
    let other = try open(1, "2:255")
    let reader = try PseudoTerminal(reader: ["--plain", "2:255"], in: homes[0])
    try reader.read(until: "\n> ")
    try reader.type("f\n")
    try other.wait(for: "the heart") { $0.contains("255 ♥") }
    try reader.quitPlain()
    try other.close()
  }

  /// A process that is stopped while it holds the lease would keep all others from syncing.
  @Test func plainModeReleasesTheLeaseBeforeItStops() throws {
    let tmux = try Tmux(
      "exec sh -i", in: homes[0], with: ["PS1": "ready$ "], size: Size(80, 60))
    try tmux.wait(for: "ready$")
    try tmux.type("\(Program.reader().quoted) --plain")
    try tmux.press("Enter")
    try tmux.wait(for: "the prompt") { $0.rows.contains { $0.hasPrefix(">") } }
    var outcomes: [Outcome] = []
    var synced: Int { outcomes.count { $0.ending == .exited(0) } }
    // The reader stops after at most a second, even if it still holds the lease.
    for number in 1...4 where synced < 2 {
      try tmux.press("C-z")
      try tmux.wait(for: "the shell") { screen in
        screen.rows.count { $0.contains("Stopped") } == number
      }
      outcomes.append(try homes[0].quranVi("sync", "now"))
      try tmux.type("fg")
      try tmux.press("Enter")
      try tmux.type("112:\(number)")
      try tmux.press("Enter")
      try tmux.wait(for: Book.text(of: "112:\(number)"))
    }
    #expect(synced == 2, "\(outcomes)")
    try tmux.type("q")
    try tmux.press("Enter")
    // The prompt of the shell may follow the last prompt of the reader on the same row.
    try tmux.wait(for: "the shell") { $0.rows.last { !$0.isEmpty }?.hasSuffix("ready$") == true }
  }

  /// SQLite puts its files beside the target of a link; sync does the same.
  @Test func aLibraryBehindASymbolicLinkIsSynced() throws {
    let directory = "\(homes[0].path)/data/quran-vi"
    let library = "\(directory)/library.sqlite"
    let elsewhere = "\(homes[0].path)/elsewhere.sqlite"
    for suffix in ["", "-wal", "-shm", ".credentials"]
    where FileManager.default.fileExists(atPath: library + suffix) {
      try FileManager.default.moveItem(atPath: library + suffix, toPath: elsewhere + suffix)
    }
    try FileManager.default.createSymbolicLink(atPath: library, withDestinationPath: elsewhere)
    let one = try open(0, "2:255")
    let outcome = try homes[0].quranVi("sync", "now")
    #expect(outcome.ending == .exited(0), "the reader steps aside: \(outcome)")
    let before = try service.recordCount()
    try one.type("f")
    try one.wait(for: "the heart") { $0.contains("255 ♥") && $0.isSynced }
    let deadline = Deadline()
    while try service.recordCount() == before, !deadline.hasPassed {}
    #expect(try service.recordCount() == before + 1)
    try one.close()
  }

  @Test func credentialsReadableByOthersAreNotUsed() throws {
    let one = try open(0)
    let file = "\(homes[0].path)/data/quran-vi/library.sqlite.credentials"
    for (mode, isUsed) in [(0o644, false), (0o600, true)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
      try one.wait(for: isUsed ? "the corner" : "what is wrong") { $0.isSynced == isUsed }
    }
    try one.close()
  }

  /// A round can fail before the reader notices a change of the file. When the reader notices it,
  /// the file may have its former state again. Here the reader does not notice the first two
  /// changes, which are made through another name of the file.
  @Test func aRoundThatFailedForTheCredentialsIsRepeatedWhenTheirFileChanges() throws {
    let one = try open(0)
    let file = "\(homes[0].path)/data/quran-vi/library.sqlite.credentials"
    let link = "\(homes[0].path)/link"
    try FileManager.default.linkItem(atPath: file, toPath: link)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: link)
    try one.type("s")
    try one.wait(for: "what is wrong") { $0.contains("! mã đăng nhập") }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: link)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    try one.wait(for: "the corner") { $0.isSynced }
    try one.close()
  }

  @Test(arguments: [Size(40, 12), Size(120, 40)])
  func theSyncStatusIsVisibleAtEverySize(_ size: Size) throws {
    let one = try open(0, size: size)
    for keys in ["4", "7", "S"] {
      try one.type(keys)
      // Another round may be running when the page is shown.
      _ = try one.settled()
      try one.wait(for: "the corner after \(keys)") { $0.isSynced }
    }
    try one.close()
  }
}

extension Screen {
  /// Whether the corner shows the time of the last sync.
  fileprivate var isSynced: Bool {
    rows.last { !$0.isEmpty }?.range(of: #"✓ \d\d:\d\d$"#, options: .regularExpression) != nil
  }
}
