import Editions
import Foundation
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// Favourites, progress, cues, undo, and what the library answers.
@Suite struct MarkingTests {
  // MARK: Favourites

  @Test func favoriteIsShownImmediatelyAndSaved() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.isAnswering = false
    story.press("f")
    #expect(story.screen.contains("255 ♥"))
    #expect(story.screen.contains("♥ đã thêm vào yêu thích – u để hoàn tác"))
    #expect(try story.library.snapshot().favoriteCount == 0)
    story.answer()
    #expect(try story.library.snapshot().favoritedAt(AyahID("2:255")) == story.time)
    #expect(story.screen.contains("255 ♥"))
  }

  @Test func refusedFavoriteIsRevertedWithTheReason() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.isAnswering = false
    story.press("f")
    story.refuse(.diskFull)
    #expect(!story.screen.contains("255 ♥"))
    #expect(story.screen.contains("Đĩa đã đầy"))
  }

  @Test func aNoteThatTheLibraryKeepsReturnsToTheList() throws {
    var story = try Story(.medium) { library, time in
      try library.commit([.addNote(UUID(), .first, try NoteText("một ghi chú"))], at: time)
    }
    story.press("4")
    #expect(story.screen.contains("một ghi chú"))
    story.isAnswering = false
    story.press("d")
    #expect(!story.screen.contains("một ghi chú"))
    story.refuse(.diskFull)
    story.answer()
    #expect(story.screen.contains("một ghi chú") && story.screen.contains("Đĩa đã đầy"))
  }

  @Test func favoriteSetElsewhereKeepsPendingChanges() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.isAnswering = false
    story.press("f")
    let other = try Library.inMemory()
    try other.commit([.setFavorite(AyahID("2:256"), true)], at: 1)
    story.receive(.refreshed(try other.snapshot()))
    #expect(story.screen.contains("255 ♥"))
    #expect(story.screen.contains("256 ♥"))
  }

  @Test func changesOfSyncAreShownBesidePendingChanges() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.isAnswering = false
    story.press("f")
    let ayah = try #require(AyahID("2:256"))
    let (_, commit) = try story.library.sync {
      try $0.apply(.favorite(Favorite(ayah, favoritedAt: 1)), as: .favorite(ayah))
    }
    story.receive(.changed(commit))
    #expect(story.screen.contains("255 ♥"))
    #expect(story.screen.contains("256 ♥"))
  }

  @Test func undoAndRedoCoverFavoritesNotesAndProgress() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.press("fnNgai Vàng<C-s>r")
    #expect(try story.stored().noteCount == 1)
    story.press("u")
    #expect(story.screen.contains("Đã hoàn tác: Al-Baqarah đã đọc 0 %"))
    story.press("u")
    #expect(story.screen.contains("Đã hoàn tác: ghi chú của 2:255 được bỏ đi"))
    story.press("u")
    #expect(story.screen.contains("Đã hoàn tác: 2:255 không còn là câu yêu thích"))
    story.press("u")
    #expect(story.screen.contains("Không có gì để hoàn tác"))
    let empty = try story.stored()
    #expect(empty.favoriteCount == 0 && empty.noteCount == 0 && empty.readCount == 0)
    story.press("<C-r><C-r><C-r>")
    let full = try story.stored()
    #expect(full.favoriteCount == 1 && full.noteCount == 1)
    #expect(full.lastReadAyah(of: AyahID("2:255").surah) == 255)
    story.press("<C-r>")
    #expect(story.screen.contains("Chưa có gì để làm lại"))
  }

  @Test func themesAreNotUndone() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.press("ftu")
    #expect(story.screen.contains("Đã hoàn tác: 2:255 không còn là câu yêu thích"))
    #expect(try story.stored().string(.theme) == "light")
  }

  @Test func undoOfAnEntryChangedElsewhereIsReported() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.press("f")
    try story.library.commit([.setFavorite(AyahID("2:255"), false)], at: 5)
    story.press("u")
    #expect(story.screen.contains("Không hoàn tác được"))
  }

  @Test func doubleClickTogglesTheFavorite() throws {
    var story = try Story(.medium, opening: AyahID("1:1"))
    let row = try #require(story.rows.firstIndex { $0.contains("Đấng làm Vua") })
    story.send(.mouse(Mouse(.left, row: row, column: 20)))
    story.time += 100
    story.send(.mouse(Mouse(.left, row: row, column: 20)))
    #expect(try story.stored().isFavorite(AyahID("1:4")))
  }

  @Test func flowLayoutShowsMarksWithTheNumbers() throws {
    var story = try Story(.medium, layout: .flow, opening: AyahID("2:255"))
    story.press("f")
    #expect(story.screen.contains("(255♥)"))
    story.press("u")
    #expect(!story.screen.contains("(255♥)"))
  }

  // MARK: Progress

  @Test func readingForwardCountsAndGoingBackKeepsIt() throws {
    var story = try Story(.medium)
    story.press("<Enter>jjj")
    #expect(try story.stored().lastReadAyah(of: .first) == 3)
    story.press("kkk")
    #expect(try story.stored().lastReadAyah(of: .first) == 3)
    #expect(try story.stored().readingDays.values.first == 3)
  }

  @Test func readingOnIntoTheNextSurahCompletesTheFirst() throws {
    var story = try Story(.medium)
    story.press("<Enter>")
    story.press("j", times: 8)
    let stored = try story.stored()
    #expect(stored.progress(of: .first)?.isComplete == true)
    #expect(stored.lastReadAyah(of: AyahID("2:1").surah) == 1)
  }

  @Test func jumpingDoesNotCountAsReading() throws {
    for arrival in ["g2:255<Enter>", "5dâng<Enter>", "2jj<Enter>"] {
      var story = try Story(.large, place: .first)
      story.press(arrival + "jj")
      #expect(try story.stored().readCount == 0, "\(arrival)")
      #expect(story.screen.contains("xem lướt"), "\(arrival)")
    }
  }

  @Test func readingCountsAgainAfterTheLastReadAyah() throws {
    let surah = AyahID("2:1").surah
    var story = try Story(.medium) { library, now in
      try library.commit([.setProgress(surah, to: 44)], at: now)
    }
    story.press("g2:43<Enter>j")
    #expect(try story.stored().lastReadAyah(of: surah) == 44)
    story.press("jj")
    #expect(try story.stored().lastReadAyah(of: surah) == 45)
    #expect(!story.screen.contains("xem lướt"))
  }

  @Test func theKeyThatDeletesRemovesAFavourite() throws {
    let ayah = try #require(AyahID("2:255"))
    var story = try Story(.medium) { library, now in
      try library.commit(
        [.setFavorite(ayah, true), .addNote(UUID(), ayah, try NoteText("một"))], at: now)
    }
    story.press("3dd")
    #expect(try story.stored().favoriteCount == 0 && story.stored().noteCount == 1)
  }

  @Test func browsingIsSwitchedByItsKey() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.press("bj")
    #expect(try story.stored().lastReadAyah(of: AyahID("2:1").surah) == 255)
    story.press("bjjg2:256<Enter>j")
    #expect(try story.stored().lastReadAyah(of: AyahID("2:1").surah) == 255)
    story.press("bg2:256<Enter>j")
    #expect(try story.stored().lastReadAyah(of: AyahID("2:1").surah) == 256)
  }

  @Test func markReadMovesProgressBothWaysAndRestartAsks() throws {
    let surah = AyahID("2:1").surah
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.press("r")
    #expect(try story.stored().lastReadAyah(of: surah) == 255)
    story.press("Rn")
    #expect(try story.stored().lastReadAyah(of: surah) == 255)
    story.press("R")
    #expect(story.screen.contains("Đọc lại Al-Baqarah từ đầu?"))
    story.press("y")
    #expect(try story.stored().lastReadAyah(of: surah) == 0)
    story.press("u")
    #expect(try story.stored().lastReadAyah(of: surah) == 255)
  }

  @Test func continueReadingPrefersThePlaceOfThisDevice() throws {
    var story = try Story(.medium) { library, now in
      try library.commit([.setProgress(AyahID("36:1").surah, to: 20)], at: now)
      try library.commit([.setProgress(AyahID("2:1").surah, to: 5)], at: now - 10)
    }
    #expect(story.screen.contains("Đọc tiếp  ▸ 36:20"))
    story = try Story(.medium, place: AyahID("18:10")) { library, now in
      try library.commit([.setProgress(AyahID("36:1").surah, to: 20)], at: now)
    }
    #expect(story.screen.contains("Đọc tiếp  ▸ 18:10"))
  }

  @Test func libraryThatOpensLateDoesNotMoveTheCursor() throws {
    var story = try Story(.medium, place: AyahID("18:10"), isOpen: false)
    story.press("g2:255<Enter>")
    try story.open()
    #expect(story.model.state.position == "2:255")
  }

  @Test func restartedSurahStaysRestarted() throws {
    var story = try Story(.medium) { library, now in
      try library.commit([.setProgress(AyahID("2:1").surah, to: 12)], at: now)
    }
    story.press("g2:13<Enter>jRy")
    #expect(story.model.state.position == "2:1")
    #expect(try story.stored().lastReadAyah(of: AyahID("2:1").surah) == 0)
    story.press("j")
    #expect(try story.stored().lastReadAyah(of: AyahID("2:1").surah) == 1)
  }

  @Test func undoneProgressDoesNotReturnByReadingOn() throws {
    var story = try Story(.medium, opening: AyahID("2:100"))
    story.press("ruj")
    #expect(try story.stored().readCount == 0)
  }

  @Test func markReadIsNotOverriddenByEarlierReading() throws {
    var story = try Story(.medium)
    story.press("g2:1<Enter>")
    story.press("j", times: 9)
    story.press("kkkkr")
    #expect(try story.stored().lastReadAyah(of: AyahID("2:1").surah) == 6)
    story.press("jju")
    #expect(try story.stored().lastReadAyah(of: AyahID("2:1").surah) != 6)
  }

  @Test func clickOnAnAyahDoesNotCountAsReading() throws {
    var story = try Story(.large, place: AyahID("1:2"))
    story.press("1G")
    let row = try #require(story.rows.firstIndex { $0.contains("│   6 ") || $0.contains("│    6") })
    story.send(.mouse(Mouse(.left, row: row, column: 70)))
    story.press("j")
    #expect(try story.stored().readCount == 0)
  }

  @Test func readingDaysAreCountedAcrossMidnight() throws {
    var story = try Story(.medium)
    story.press("<Enter>jjj")
    story.time += 86_400_000
    story.press("Rhjk<Enter>Ryjj")
    #expect(try story.stored().readingDays.count == 2)
  }

  @Test func rereadingACompletedSurahCountsForTheDay() throws {
    var story = try Story(.medium) { library, now in
      try library.commit([.setProgress(AyahID("67:1").surah, to: 30)], at: now)
    }
    story.press("g67<Enter>jj")
    #expect(try story.stored().readingDays.values.reduce(0, +) == 2)
  }

  @Test func favoritesSetElsewhereShowInFlowLayout() throws {
    var story = try Story(.medium, layout: .flow, opening: AyahID("1:1"))
    try story.library.commit([.setFavorite(AyahID("1:2"), true)], at: 1)
    story.receive(.refreshed(try story.library.snapshot()))
    #expect(story.screen.contains("(2♥)"))
  }

  @Test func runningPlanIsDroppedOnlyAfterAQuestion() throws {
    var story = try Story(.medium)
    story.press("7jjjjjjjj<Enter><C-u>set khatm 45<Enter>")
    #expect(try story.stored().khatmPlan?.days == 45)
    story.press("<Enter>")
    #expect(story.screen.contains("Bỏ kế hoạch khatm đang theo?"))
    story.press("n")
    #expect(try story.stored().khatmPlan?.days == 45)
    story.press("<Enter>y")
    #expect(try story.stored().khatmPlan == nil)
  }

  // MARK: Cues

  @Test func cuesAreSetAndJumpedTo() throws {
    var story = try Story(.medium, opening: AyahID("2:255"))
    story.press("M3g36:1<Enter>'")
    #expect(story.screen.contains("3  2:255 Al-Baqarah"))
    story.press("3")
    #expect(story.model.state.position == "2:255")
    #expect(try story.stored().cue(3) == AyahID("2:255"))
    story.press("'4")
    #expect(story.screen.contains("Chưa có dấu trang 4; M4 để đặt"))
  }

  // MARK: Without a library

  @Test(arguments: ["f", "n", "r", "M1", "u", "R", "e"])
  func withoutALibraryEveryChangeIsRefusedWithTheReason(_ keys: String) throws {
    var story = try Story(.medium, opening: AyahID("2:255"), isOpen: false)
    story.receive(.unavailable(.newer(path: "/home/an/library.sqlite")))
    #expect(story.screen.contains("phiên bản quran-vi mới hơn"))
    story.press("j")
    #expect(!story.screen.contains("phiên bản"))
    story.press(keys)
    #expect(story.screen.contains("phiên bản quran-vi mới hơn"))
    #expect(story.requests.isEmpty && !story.screen.contains("♥"))
    #expect(story.model.hasNothingToKeep)
  }

  @Test func inputWaitsWhileAnotherProcessHoldsTheLibrary() throws {
    var story = try Story(.medium, opening: AyahID("2:255"), isOpen: false)
    story.receive(.unavailable(.busy))
    story.press("nquân q<C-s>")
    #expect(story.screen.contains("đang giữ thư viện") && story.effects.isEmpty)
    try story.open()
    let ayah = try #require(AyahID("2:255"))
    #expect(try story.library.notes(of: ayah).map(\.text.text) == ["quân q"])
  }

  @Test func waitingInputCanBeCancelled() throws {
    var story = try Story(.medium, opening: AyahID("2:255"), isOpen: false)
    story.receive(.unavailable(.busy))
    story.press("f<Esc>j")
    #expect(story.model.state.position == "2:256")
    try story.open()
    #expect(try story.stored().favoriteCount == 0)
  }

  @Test func inputIsPerformedOnceTheLibraryIsOpen() throws {
    var story = try Story(.medium, opening: AyahID("2:255"), isOpen: false)
    story.press("jk")
    #expect(!story.screen.contains("Đang mở thư viện"))
    story.press("f")
    #expect(story.screen.contains("Đang mở thư viện"))
    // The text of a note, with keys that mean something else where no note is written.
    story.press("nquân q<C-s>")
    #expect(!story.screen.contains("255 ♥") && story.effects.isEmpty)
    try story.open()
    #expect(story.screen.contains("255 ♥"))
    let ayah = try #require(AyahID("2:255"))
    #expect(try story.library.notes(of: ayah).map(\.text.text) == ["quân q"])
  }

  @Test func waitingMenuActionIsPerformedOnce() throws {
    var story = try Story(.medium, opening: AyahID("2:255"), isOpen: false)
    story.press("<Enter>f")
    try story.open()
    #expect(try story.stored().favorites.map(\.ayah) == [AyahID("2:255")])
    #expect(story.screen.contains("255 ♥"))
  }

  @Test func waitingInputIsRefusedIfTheLibraryDoesNotOpen() throws {
    var story = try Story(.medium, opening: AyahID("2:255"), isOpen: false)
    // The text of a note means something else where no note is written.
    story.press("nq")
    story.receive(.unavailable(.newer(path: "/home/an/library.sqlite")))
    #expect(story.screen.contains("phiên bản quran-vi mới hơn") && story.effects.isEmpty)
    story.press("j")
    #expect(story.model.state.position == "2:256")
  }

  @Test func quittingWorksWhileTheLibraryOpens() throws {
    var story = try Story(.medium, opening: AyahID("2:255"), isOpen: false)
    story.press("f<C-c>")
    #expect(story.effects == [.quit])
  }

  @Test func noticesAreShownOnTheFirstScreen() throws {
    var story = try Story(.medium, isOpen: false)
    try story.open([.setAside(path: "/tmp/alt.sqlite", salvaged: 12, hasBackup: true)])
    #expect(story.screen.contains("cứu được 12 mục"))
    #expect(story.screen.contains("quran-vi backup restore"))
  }

  @Test func readOnlyLibraryShowsItsContent() throws {
    var story = try Story(.medium, isOpen: false) { library, now in
      try library.commit([.setFavorite(AyahID("1:2"), true)], at: now)
    }
    try story.open([.unchangeable(.readOnly)])
    #expect(story.screen.contains("♥ 1"))
    story.press("<Enter>jf")
    #expect(story.screen.contains("chỉ đọc"))
    #expect(story.screen.contains("2 ♥"))
  }
}

extension Model {
  fileprivate var hasNothingToKeep: Bool {
    var copy = self
    return copy.saveRequests().isEmpty
  }
}

/// Keys that the reader's configuration changed.
@Suite struct RemappedKeysTests {
  @Test func remappedKeyTypesInAPrompt() throws {
    let (keys, problems) = KeyTable.standard.remapped(["suspend": ["x"], "undo": []])
    #expect(problems.isEmpty)
    var model = Model(edition: .bundled, messages: Messages(.english), size: .medium, keys: keys)
    #expect(model.update(.key("x"), at: 0) == [.suspend])
    _ = model.update(.key("/"), at: 0)
    #expect(model.update(.key("x"), at: 0).isEmpty)
    // What has no key is in the palette.
    #expect(model.key(.undo) == "Ctrl-p")
  }
}
