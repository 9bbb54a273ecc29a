import Editions
import Foundation
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// Favourites, progress, cues, undo, and the replies of the library.
@Suite struct MarkingTests {
  // MARK: Favourites

  @Test func favoriteIsShownImmediatelyAndSaved() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.isAnswering = false
    driver.press("f")
    #expect(driver.screen.contains("255 ♥"))
    #expect(driver.screen.contains("♥ đã thêm vào yêu thích – u để hoàn tác"))
    #expect(try driver.library.snapshot().favoriteCount == 0)
    driver.answer()
    #expect(try driver.library.snapshot().favoritedAt(AyahID("2:255")) == driver.time)
    #expect(driver.screen.contains("255 ♥"))
  }

  @Test func refusedFavoriteIsRevertedWithTheReason() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.isAnswering = false
    driver.press("f")
    driver.refuse(.diskFull)
    #expect(!driver.screen.contains("255 ♥"))
    #expect(driver.screen.contains("Đĩa đã đầy"))
  }

  @Test func aNoteWhoseDeletionIsRefusedReturnsToTheList() throws {
    var driver = try ReaderDriver(.medium) { library, time in
      try library.commit([.addNote(UUID(), .first, try NoteText("một ghi chú"))], at: time)
    }
    driver.press("4")
    #expect(driver.screen.contains("một ghi chú"))
    driver.isAnswering = false
    driver.press("d")
    #expect(!driver.screen.contains("một ghi chú"))
    driver.refuse(.diskFull)
    driver.answer()
    #expect(driver.screen.contains("một ghi chú") && driver.screen.contains("Đĩa đã đầy"))
  }

  @Test func favoriteSetElsewhereKeepsPendingChanges() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.isAnswering = false
    driver.press("f")
    let other = try Library.inMemory()
    try other.commit([.setFavorite(AyahID("2:256"), true)], at: 1)
    driver.receive(.refreshed(try other.snapshot()))
    #expect(driver.screen.contains("255 ♥"))
    #expect(driver.screen.contains("256 ♥"))
  }

  @Test func changesOfSyncAreShownBesidePendingChanges() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.isAnswering = false
    driver.press("f")
    let ayah = try #require(AyahID("2:256"))
    let (_, commit) = try driver.library.sync {
      try $0.apply(.favorite(Favorite(ayah, favoritedAt: 1)), as: .favorite(ayah))
    }
    driver.receive(.changed(commit))
    #expect(driver.screen.contains("255 ♥"))
    #expect(driver.screen.contains("256 ♥"))
  }

  @Test func undoAndRedoCoverFavoritesNotesAndProgress() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.press("fnNgai Vàng<C-s>r")
    #expect(try driver.stored().noteCount == 1)
    driver.press("u")
    #expect(driver.screen.contains("Đã hoàn tác: Al-Baqarah đã đọc 0 %"))
    driver.press("u")
    #expect(driver.screen.contains("Đã hoàn tác: ghi chú của 2:255 được bỏ đi"))
    driver.press("u")
    #expect(driver.screen.contains("Đã hoàn tác: 2:255 không còn là câu yêu thích"))
    driver.press("u")
    #expect(driver.screen.contains("Không có gì để hoàn tác"))
    let empty = try driver.stored()
    #expect(empty.favoriteCount == 0 && empty.noteCount == 0 && empty.readCount == 0)
    driver.press("<C-r><C-r><C-r>")
    let full = try driver.stored()
    #expect(full.favoriteCount == 1 && full.noteCount == 1)
    #expect(full.lastReadAyah(of: AyahID("2:255").surah) == 255)
    driver.press("<C-r>")
    #expect(driver.screen.contains("Chưa có gì để làm lại"))
  }

  @Test func themesAreNotUndone() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.press("ftu")
    #expect(driver.screen.contains("Đã hoàn tác: 2:255 không còn là câu yêu thích"))
    #expect(try driver.stored().string(.theme) == "light")
  }

  @Test func undoOfAnEntryChangedElsewhereIsRefused() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.press("f")
    try driver.library.commit([.setFavorite(AyahID("2:255"), false)], at: 5)
    driver.press("u")
    #expect(driver.screen.contains("Không hoàn tác được"))
  }

  @Test func doubleClickTogglesTheFavorite() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1"))
    let row = try #require(driver.rows.firstIndex { $0.contains("Đấng làm Vua") })
    driver.send(.mouse(Mouse(.left, row: row, column: 20)))
    driver.time += 100
    driver.send(.mouse(Mouse(.left, row: row, column: 20)))
    #expect(try driver.stored().isFavorite(AyahID("1:4")))
  }

  @Test func flowLayoutShowsMarksWithTheNumbers() throws {
    var driver = try ReaderDriver(.medium, layout: .flow, opening: AyahID("2:255"))
    driver.press("f")
    #expect(driver.screen.contains("(255♥)"))
    driver.press("u")
    #expect(!driver.screen.contains("(255♥)"))
  }

  // MARK: Progress

  @Test func readingForwardAdvancesProgressAndBackKeepsIt() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("<Enter>jjj")
    #expect(try driver.stored().lastReadAyah(of: .first) == 3)
    driver.press("kkk")
    #expect(try driver.stored().lastReadAyah(of: .first) == 3)
    #expect(try driver.stored().readingDays.values.first == 3)
  }

  @Test func readingOnIntoTheNextSurahCompletesTheFirst() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("<Enter>")
    driver.press("j", times: 8)
    let stored = try driver.stored()
    #expect(stored.progress(of: .first)?.isComplete == true)
    #expect(stored.lastReadAyah(of: AyahID("2:1").surah) == 1)
  }

  @Test func jumpingDoesNotCountAsReading() throws {
    for arrival in ["g2:255<Enter>", "5dâng<Enter>", "2jj<Enter>"] {
      var driver = try ReaderDriver(.large, place: .first)
      driver.press(arrival + "jj")
      #expect(try driver.stored().readCount == 0, "\(arrival)")
      #expect(driver.screen.contains("xem lướt"), "\(arrival)")
    }
  }

  @Test func readingCountsAgainAfterTheLastReadAyah() throws {
    let surah = AyahID("2:1").surah
    var driver = try ReaderDriver(.medium) { library, now in
      try library.commit([.setProgress(surah, to: 44)], at: now)
    }
    driver.press("g2:43<Enter>j")
    #expect(try driver.stored().lastReadAyah(of: surah) == 44)
    driver.press("jj")
    #expect(try driver.stored().lastReadAyah(of: surah) == 45)
    #expect(!driver.screen.contains("xem lướt"))
  }

  @Test func theDeleteKeyOfTheFavoritesKeepsTheNote() throws {
    let ayah = try #require(AyahID("2:255"))
    var driver = try ReaderDriver(.medium) { library, now in
      try library.commit(
        [.setFavorite(ayah, true), .addNote(UUID(), ayah, try NoteText("một"))], at: now)
    }
    driver.press("3dd")
    #expect(try driver.stored().favoriteCount == 0 && driver.stored().noteCount == 1)
  }

  @Test func theBrowsingKeyTogglesBrowsing() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.press("bj")
    #expect(try driver.stored().lastReadAyah(of: AyahID("2:1").surah) == 255)
    driver.press("bjjg2:256<Enter>j")
    #expect(try driver.stored().lastReadAyah(of: AyahID("2:1").surah) == 255)
    driver.press("bg2:256<Enter>j")
    #expect(try driver.stored().lastReadAyah(of: AyahID("2:1").surah) == 256)
  }

  @Test func markReadMovesProgressBothWaysAndRestartAsks() throws {
    let surah = AyahID("2:1").surah
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.press("r")
    #expect(try driver.stored().lastReadAyah(of: surah) == 255)
    driver.press("Rn")
    #expect(try driver.stored().lastReadAyah(of: surah) == 255)
    driver.press("R")
    #expect(driver.screen.contains("Đọc lại Al-Baqarah từ đầu?"))
    driver.press("y")
    #expect(try driver.stored().lastReadAyah(of: surah) == 0)
    driver.press("u")
    #expect(try driver.stored().lastReadAyah(of: surah) == 255)
  }

  @Test func continueReadingPrefersThePlaceOfThisDevice() throws {
    var driver = try ReaderDriver(.medium) { library, now in
      try library.commit([.setProgress(AyahID("36:1").surah, to: 20)], at: now)
      try library.commit([.setProgress(AyahID("2:1").surah, to: 5)], at: now - 10)
    }
    #expect(driver.screen.contains("Đọc tiếp  ▸ 36:20"))
    driver = try ReaderDriver(.medium, place: AyahID("18:10")) { library, now in
      try library.commit([.setProgress(AyahID("36:1").surah, to: 20)], at: now)
    }
    #expect(driver.screen.contains("Đọc tiếp  ▸ 18:10"))
  }

  @Test func libraryThatOpensLateDoesNotMoveTheCursor() throws {
    var driver = try ReaderDriver(.medium, place: AyahID("18:10"), isOpen: false)
    driver.press("g2:255<Enter>")
    try driver.open()
    #expect(driver.model.state.position == "2:255")
  }

  @Test func restartingASurahResetsItsProgress() throws {
    var driver = try ReaderDriver(.medium) { library, now in
      try library.commit([.setProgress(AyahID("2:1").surah, to: 12)], at: now)
    }
    driver.press("g2:13<Enter>jRy")
    #expect(driver.model.state.position == "2:1")
    #expect(try driver.stored().lastReadAyah(of: AyahID("2:1").surah) == 0)
    driver.press("j")
    #expect(try driver.stored().lastReadAyah(of: AyahID("2:1").surah) == 1)
  }

  @Test func undoneProgressDoesNotReturnByReadingOn() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:100"))
    driver.press("ruj")
    #expect(try driver.stored().readCount == 0)
  }

  @Test func markReadIsNotOverriddenByEarlierReading() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("g2:1<Enter>")
    driver.press("j", times: 9)
    driver.press("kkkkr")
    #expect(try driver.stored().lastReadAyah(of: AyahID("2:1").surah) == 6)
    driver.press("jju")
    #expect(try driver.stored().lastReadAyah(of: AyahID("2:1").surah) != 6)
  }

  @Test func clickOnAnAyahDoesNotCountAsReading() throws {
    var driver = try ReaderDriver(.large, place: AyahID("1:2"))
    driver.press("1G")
    let row = try #require(
      driver.rows.firstIndex { $0.contains("│   6 ") || $0.contains("│    6") })
    driver.send(.mouse(Mouse(.left, row: row, column: 70)))
    driver.press("j")
    #expect(try driver.stored().readCount == 0)
  }

  @Test func readingDaysAreCountedAcrossMidnight() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("<Enter>jjj")
    driver.time += 86_400_000
    driver.press("Rhjk<Enter>Ryjj")
    #expect(try driver.stored().readingDays.count == 2)
  }

  @Test func rereadingACompletedSurahCountsForTheDay() throws {
    var driver = try ReaderDriver(.medium) { library, now in
      try library.commit([.setProgress(AyahID("67:1").surah, to: 30)], at: now)
    }
    driver.press("g67<Enter>jj")
    #expect(try driver.stored().readingDays.values.reduce(0, +) == 2)
  }

  @Test func favoritesSetElsewhereShowInFlowLayout() throws {
    var driver = try ReaderDriver(.medium, layout: .flow, opening: AyahID("1:1"))
    try driver.library.commit([.setFavorite(AyahID("1:2"), true)], at: 1)
    driver.receive(.refreshed(try driver.library.snapshot()))
    #expect(driver.screen.contains("(2♥)"))
  }

  @Test func theDaysOfARunningPlanAreChangedInItsRow() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("7jjjjjjjj<Enter>45<Enter><Enter>")
    #expect(driver.rows.last == ":set khatm" && driver.screen.contains("1–3650 ngày, off"))
    driver.press("<Esc>")
    #expect(try driver.stored().khatmPlan?.days == 45)
    driver.press("<Enter>60<Enter>")
    #expect(try driver.stored().khatmPlan?.days == 60)
    driver.press("<Enter>off<Enter>")
    #expect(try driver.stored().khatmPlan == nil)
  }

  @Test func onlyWhatWasTypedInThePromptOfAPlanIsDeletedAtFirst() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("7jjjjjjjj<Enter>x<Enter>")
    #expect(driver.rows.last == ":set khatm x", "the value is refused")
    driver.press("<C-u>")
    #expect(driver.rows.last == ":set khatm")
    driver.press("30<Enter>")
    #expect(try driver.stored().khatmPlan?.days == 30)
    driver.press("<Enter><C-u>")
    #expect(driver.rows.last == ":")
  }

  // MARK: Cues

  @Test func cuesAreSetAndJumpedTo() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.press("M3g36:1<Enter>'")
    #expect(driver.screen.contains("3  2:255 Al-Baqarah"))
    driver.press("3")
    #expect(driver.model.state.position == "2:255")
    #expect(try driver.stored().cue(3) == AyahID("2:255"))
    driver.press("'4")
    #expect(driver.screen.contains("Chưa có dấu trang 4; M4 để đặt"))
  }

  // MARK: Without a library

  @Test(arguments: ["f", "n", "r", "M", "u", "R", "e"])
  func withoutALibraryEveryChangeIsRefusedWithTheReason(_ keys: String) throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"), isOpen: false)
    driver.receive(.unavailable(.newer(path: "/home/an/library.sqlite")))
    #expect(driver.screen.contains("phiên bản quran-vi mới hơn"))
    driver.press("j")
    #expect(!driver.screen.contains("phiên bản"))
    driver.press(keys)
    #expect(driver.screen.contains("phiên bản quran-vi mới hơn"))
    #expect(driver.requests.isEmpty && !driver.screen.contains("♥"))
    #expect(driver.model.hasNothingToSave)
  }

  @Test func inputWaitsWhileAnotherProcessHoldsTheLibrary() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"), isOpen: false)
    driver.receive(.unavailable(.busy))
    driver.press("nquân q<C-s>")
    #expect(driver.screen.contains("đang giữ thư viện") && driver.effects.isEmpty)
    try driver.open()
    let ayah = try #require(AyahID("2:255"))
    #expect(try driver.library.notes(of: ayah).map(\.text.text) == ["quân q"])
  }

  @Test func waitingInputCanBeCancelled() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"), isOpen: false)
    driver.receive(.unavailable(.busy))
    driver.press("f<Esc>j")
    #expect(driver.model.state.position == "2:256")
    try driver.open()
    #expect(try driver.stored().favoriteCount == 0)
  }

  @Test func inputIsPerformedOnceTheLibraryIsOpen() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"), isOpen: false)
    driver.press("jk")
    #expect(!driver.screen.contains("Đang mở thư viện"))
    driver.press("f")
    #expect(driver.screen.contains("Đang mở thư viện"))
    // The text of a note; outside of the editor it would be keys, of which `q` quits.
    driver.press("nquân q<C-s>")
    #expect(!driver.screen.contains("255 ♥") && driver.effects.isEmpty)
    try driver.open()
    #expect(driver.screen.contains("255 ♥"))
    let ayah = try #require(AyahID("2:255"))
    #expect(try driver.library.notes(of: ayah).map(\.text.text) == ["quân q"])
  }

  /// Whether there are notes and cues is not known before the library is open.
  @Test(arguments: [
    ("<Tab>", "Ghi chú 1/1"), ("d", "Ghi chú 1/1"), ("'4", "Chưa có dấu trang 4"),
  ])
  func keysThatNeedTheContentsWaitForTheLibrary(_ keys: String, _ shown: String) throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"), isOpen: false) {
      library, now in
      try library.commit([.addNote(UUID(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    driver.press(keys)
    #expect(driver.screen.contains("Đang mở thư viện") && !driver.screen.contains("hưa có"))
    try driver.open()
    #expect(driver.screen.contains(shown), "\(driver.screen)")
  }

  @Test func waitingMenuActionIsPerformedOnce() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"), isOpen: false)
    driver.press("<Enter>f")
    try driver.open()
    #expect(try driver.stored().favorites.map(\.ayah) == [AyahID("2:255")])
    #expect(driver.screen.contains("255 ♥"))
  }

  @Test func waitingInputIsRefusedIfTheLibraryDoesNotOpen() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"), isOpen: false)
    // Outside of the editor the text of the note would be keys, of which `q` quits.
    driver.press("nq")
    driver.receive(.unavailable(.newer(path: "/home/an/library.sqlite")))
    #expect(driver.screen.contains("phiên bản quran-vi mới hơn") && driver.effects.isEmpty)
    driver.press("j")
    #expect(driver.model.state.position == "2:256")
  }

  @Test func quittingWorksWhileTheLibraryOpens() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"), isOpen: false)
    driver.press("f<C-c>")
    #expect(driver.effects == [.quit])
  }

  @Test func noticesAreShownOnTheFirstScreen() throws {
    var driver = try ReaderDriver(.medium, isOpen: false)
    try driver.open([.setAside(path: "/tmp/alt.sqlite", salvaged: 12, hasBackup: true)])
    #expect(driver.screen.contains("cứu được 12 mục"))
    #expect(driver.screen.contains("quran-vi backup restore"))
  }

  @Test func readOnlyLibraryShowsItsContent() throws {
    var driver = try ReaderDriver(.medium, isOpen: false) { library, now in
      try library.commit([.setFavorite(AyahID("1:2"), true)], at: now)
    }
    try driver.open([.unchangeable(.readOnly)])
    #expect(driver.screen.contains("♥ 1"))
    driver.press("<Enter>jf")
    #expect(driver.screen.contains("chỉ đọc"))
    #expect(driver.screen.contains("2 ♥"))
  }

  @Test func settingsOfAReadOnlyLibraryAreForOneRun() throws {
    var driver = try ReaderDriver(.medium, isOpen: false)
    try driver.open([.unchangeable(.readOnly)])
    for keys in ["t", "7", "jjjjj<Enter>", ":set arabic off<Enter>"] {
      driver.press(keys)
      let remark = driver.model.messages.forThisRunOnly("")
      let isSaid = driver.model.message?.text.hasSuffix(remark) ?? false
      #expect(isSaid == (keys != "7"), "\(keys)")
    }
    #expect(driver.model.messages.language == .english)
    #expect(driver.screen.contains("Language           English"))
    #expect(!driver.screen.contains("as the system"))
    #expect(driver.requests.isEmpty && driver.library.refusal == nil)
    #expect(try driver.library.snapshot().settings.isEmpty)
  }

  @Test func anUnfinishedNoteOfAReadOnlyLibraryIsRead() throws {
    var driver = try ReaderDriver(.medium, isOpen: false) { library, now in
      try library.save(
        Draft(
          id: UUID(), noteID: UUID(), ayah: AyahID("1:3"), base: nil, text: "một\nhai",
          changedAt: now))
    }
    try driver.open([.unchangeable(.readOnly)])
    driver.press("4<Enter>")
    #expect(driver.screen.contains("Ghi chú 1/1 · 1:3 (viết dở)"))
    #expect(driver.screen.contains("hai"))
    driver.press("<Esc>")
    #expect(driver.model.pane == .list && driver.model.tab == .notes)
  }

  /// Nothing can be typed that could not be saved.
  @Test func readOnlyLibraryOffersNoEditing() throws {
    var driver = try ReaderDriver(.large, isOpen: false) { library, now in
      try library.commit(
        [.setFavorite(AyahID("1:2"), true), .addNote(UUID(), .first, try NoteText("một"))], at: now)
      try library.save(
        Draft(
          id: UUID(), noteID: UUID(), ayah: AyahID("1:3"), base: nil, text: "dở", changedAt: now))
    }
    try driver.open([.unchangeable(.readOnly)])
    let messages = driver.model.messages
    let editing = [
      messages.hintFavorite, messages.hintNote, messages.hintUnfavorite, messages.hintEdit,
      messages.hintDelete, messages.hintContinue, messages.hintRestart,
    ]
    for keys in ["<Enter>j", "<A-3>", "<A-4>", "G", "<A-6>GG", "<A-1>gg<Enter><Tab>"] {
      driver.press(keys)
      for hint in driver.model.hints {
        #expect(!editing.contains { hint.hasSuffix(" \($0)") }, "\(hint) after \(keys)")
      }
    }
    driver.press("<Esc>")
    for keys in ["n", "e", "E", "M", "I", "f", "<A-4>e", "d"] {
      driver.press(keys)
      #expect(driver.screen.contains("chỉ đọc"), "\(keys)")
      #expect(driver.model.overlay == nil && !driver.model.isWriting, "\(keys)")
    }
  }

  // MARK: The lists after undo

  @Test func undoSelectsTheNoteThatIsBack() throws {
    var driver = try ReaderDriver(.medium) { library, now in
      for ayah in ["1:1", "1:2", "1:3"] {
        try library.commit(
          [.addNote(UUID(), try #require(AyahID(ayah)), try NoteText(ayah))], at: now)
      }
    }
    driver.press("4jd")
    #expect(driver.model.selectedNote?.firstLine == "1:3")
    driver.press("u")
    #expect(driver.model.selectedNote?.firstLine == "1:2")
    driver.press("d")
    #expect(driver.model.lists.notes?.map(\.firstLine) == ["1:1", "1:3"])
  }

  @Test func undoSelectsTheFavoriteThatIsBack() throws {
    var driver = try ReaderDriver(.medium) { library, now in
      try library.commit(
        ["1:1", "1:2", "1:3"].map { .setFavorite(try #require(AyahID($0)), true) }, at: now)
    }
    driver.press("3jd")
    #expect(driver.model.selectedAyah == AyahID("1:3"))
    driver.press("u")
    #expect(driver.model.selectedAyah == AyahID("1:2"))
  }

  @Test(arguments: [Size.medium, .large], ["3", "4"])
  func nothingIsMarkedAsReadInAList(_ size: Size, _ tab: String) throws {
    var driver = try ReaderDriver(size) { library, now in
      let ayah: AyahID = AyahID("50:40")
      try library.commit(
        [.setFavorite(ayah, true), .addNote(UUID(), ayah, try NoteText("một"))], at: now)
    }
    driver.press("\(tab)r")
    #expect(try driver.stored().progress.isEmpty)
    #expect(driver.screen.contains("Hãy mở một câu trước."))
  }
}

extension Model {
  fileprivate var hasNothingToSave: Bool {
    var copy = self
    return copy.saveRequests().isEmpty
  }
}
