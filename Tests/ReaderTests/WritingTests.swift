import Editions
import Foundation
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// Writing notes: saving, discarding, and drafts.
@Suite struct WritingTests {
  private let throneAyah: AyahID = AyahID("2:255")

  @Test func noteOfSeveralLinesWithAPasteIsSaved() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nCâu Ngai Vàng:<Enter>đọc mỗi tối<Enter>")
    driver.send(.paste("một\r\nhai\r\n"))
    driver.press("<C-s>")
    #expect(driver.screen.contains("✎ đã lưu ghi chú – u để hoàn tác"))
    #expect(driver.screen.contains("255   ✎") || driver.screen.contains("255 ✎"))
    #expect(
      try driver.library.notes(of: throneAyah).map(\.text.text)
        == ["Câu Ngai Vàng:\nđọc mỗi tối\nmột\nhai\n"])
  }

  @Test func theAyahStaysInViewAboveItsNote() throws {
    var driver = try ReaderDriver(.small, opening: AyahID("36:1"))
    let text = Edition.bundled.text(of: AyahID("36:1"))
    #expect(driver.rows[1].contains("Ya-Sin") && driver.screen.contains(text))
    driver.press("n")
    #expect(driver.screen.contains(text))
    driver.press("<Esc>")
    #expect(driver.rows[1].contains("Ya-Sin") && driver.screen.contains(text))
  }

  @Test func decomposedTypingIsSavedComposed() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("n" + "đức tin".decomposedStringWithCanonicalMapping + "<C-s>")
    let text = try #require(try driver.library.notes(of: throneAyah).first?.text.text)
    #expect(Array(text.unicodeScalars) == Array("đức tin".unicodeScalars))
  }

  @Test func escapeAsksOnlyIfTheNoteChanged() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("n<Esc>")
    #expect(!driver.model.isWriting)
    driver.press("nabc<Esc>")
    #expect(driver.screen.contains("Ghi chú chưa lưu.  Ctrl-s lưu · Ctrl-x bỏ"))
    driver.press("<Esc><Esc><C-x>")
    #expect(!driver.model.isWriting)
    #expect(try driver.stored().noteCount == 0)
    #expect(try driver.stored().drafts.isEmpty)
    driver.press("nabc<Esc><C-s>")
    #expect(try driver.stored().noteCount == 1)
  }

  @Test func otherKeysThanThoseOfTheDiscardQuestionContinueWriting() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nabc<Esc>y<Esc>n<Esc>")
    driver.send(.paste("đ"))
    #expect(driver.model.overlay == nil && driver.model.isWriting)
    driver.press("<C-s>")
    #expect(try driver.library.notes(of: throneAyah).map(\.text.text) == ["abcynđ"])
  }

  @Test func undoRestoresADiscardedNoteBeforeItUndoesASave() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nmột<C-s>nhai<Esc><C-x>")
    #expect(driver.screen.contains("Đã bỏ ghi chú đang viết – u để hoàn tác"))
    driver.press("u")
    #expect(driver.screen.contains("đã lấy lại ghi chú viết dở ở 2:255; e để viết tiếp"))
    #expect(try driver.library.notes(of: throneAyah).map(\.text.text) == ["một"])
    #expect(try driver.stored().drafts.map(\.text) == ["hai"])
    driver.press("e ba<C-s>")
    #expect(try driver.library.notes(of: throneAyah).map(\.text.text) == ["một", "hai ba"])
    #expect(try driver.stored().drafts.isEmpty)
  }

  @Test func discardIsRedone() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nmột<C-s>")
    driver.press("nhai")
    driver.pause()
    driver.press("<Esc><C-x>uu")
    #expect(driver.screen.contains("Đã hoàn tác: ghi chú của 2:255 được bỏ đi"))
    driver.press("<C-r><C-r>")
    #expect(driver.screen.contains("Đã làm lại: ghi chú đang viết dở ở 2:255 được bỏ đi"))
    #expect(try driver.library.notes(of: throneAyah).map(\.text.text) == ["một"])
    #expect(try driver.stored().drafts.isEmpty)
    driver.press("j")
    #expect(!driver.screen.contains("e để viết tiếp"))
  }

  /// Discarding the edit of a note deletes the draft, not the note.
  @Test func discardedEditIsRestored() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nmột<C-s>e hai<Esc><C-x>u")
    #expect(try driver.library.notes(of: throneAyah).map(\.text.text) == ["một"])
    driver.press("e<C-s>")
    #expect(try driver.library.notes(of: throneAyah).map(\.text.text) == ["một hai"])
  }

  @Test func discardedEditOfADeletedNoteIsRestored() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nmột<C-s>e hai")
    driver.pause()
    driver.press("<Esc><C-x>")
    let note = try #require(try driver.library.notes(of: throneAyah).first)
    try driver.library.commit([.deleteNote(note.id, throneAyah)], at: driver.time)
    driver.receive(.refreshed(try driver.stored()))
    // The second undo has no effect, as the note is deleted.
    driver.press("uue")
    #expect(driver.model.isWriting, "\(driver.screen)")
    driver.press("<C-s>")
    #expect(try driver.library.notes(of: throneAyah).map(\.text.text) == ["một hai"])
  }

  @Test func emptiedDraftIsRestored() throws {
    let draft = Draft(
      id: UUID(), noteID: UUID(), ayah: throneAyah, base: nil, text: "dở", changedAt: 1)
    var driver = try ReaderDriver(.medium) { library, _ in try library.save(draft) }
    driver.press("g2:255<Enter>n<BS><BS><Esc>")
    #expect(!driver.model.isWriting)
    #expect(try driver.stored().drafts.isEmpty)
    driver.press("u")
    #expect(try driver.stored().drafts.map(\.text) == ["dở"])
  }

  @Test func refusedDiscardReopensTheEditor() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nđọc mỗi tối")
    driver.isAnswering = false
    driver.press("<Esc><C-x>")
    driver.refuse(.diskFull)
    #expect(driver.model.isWriting)
    #expect(driver.screen.contains("đọc mỗi tối"))
  }

  @Test func draftIsSavedAtTheFirstPauseAndOfferedAgain() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nviết dở")
    #expect(driver.model.hasUnsavedChanges)
    driver.pause()
    #expect(!driver.model.hasUnsavedChanges)
    let draft = try #require(try driver.library.snapshot().drafts.first)
    #expect(draft.text == "viết dở" && draft.ayah == throneAyah && draft.base == nil)
    // Another start of the program.
    var next = try ReaderDriver(.medium) { library, _ in try library.save(draft) }
    #expect(next.screen.contains("Ghi chú đang viết dở ở 2:255: e để viết tiếp"))
    next.press("e xong<C-s>")
    #expect(try next.library.notes(of: throneAyah).map(\.text.text) == ["viết dở xong"])
    #expect(try next.library.snapshot().drafts.isEmpty)
  }

  @Test func newNoteResumesTheDraftOfItsAyah() throws {
    let draft = Draft(
      id: UUID(), noteID: UUID(), ayah: throneAyah, base: nil, text: "dở", changedAt: 1)
    var driver = try ReaderDriver(.medium) { library, _ in try library.save(draft) }
    driver.press("g2:255<Enter>n")
    #expect(driver.screen.contains("dở"))
    driver.press("!<Esc><C-x>")
    #expect(try driver.stored().drafts.isEmpty)
  }

  @Test func aResumedDraftThatIsUnchangedStaysUnfinished() throws {
    var driver = try driverWithADraft()
    driver.press("e<Esc>")
    #expect(!driver.model.isWriting && driver.model.overlay == nil)
    #expect(try driver.stored().drafts == [unfinished])
    driver.press("<C-s>")
    #expect(driver.screen.contains("phím này chưa gán lệnh"), "the note is not saved")
    driver.press("g1:3<Enter>ex<BS><Esc>")
    #expect(!driver.model.isWriting && driver.model.overlay == nil)
    #expect(try driver.stored().drafts.map(\.text) == [unfinished.text])
    driver.press("ex")
    driver.pause()
    driver.press("<BS><Esc>e!")
    driver.pause()
    #expect(try driver.stored().drafts.map(\.text) == [unfinished.text + "!"])
    driver.press("<Esc>")
    #expect(driver.model.overlay == .question(.unsavedNote))
  }

  @Test func theNotesOfAnAyahAreFollowedByItsUnfinishedOnes() throws {
    let ayah: AyahID = AyahID("1:3")
    var driver = try driverWithADraft()
    driver.press("g1:3<Enter><Tab>")
    #expect(driver.screen.contains("Ghi chú 1/1 · 1:3 (viết dở)"))
    #expect(driver.screen.contains("hai") && driver.rows.last?.contains("e viết tiếp") == true)
    driver.press("y")
    #expect(driver.effects.last == .copy(unfinished.text))
    driver.press("e xong")
    #expect(driver.model.editor?.area.text == "viết dở\nhai xong")
    driver.press("<BS><BS><BS><BS><BS><Esc>")
    try driver.library.commit([.addNote(UUID(), ayah, try NoteText("trước"))], at: driver.time)
    driver.receive(.refreshed(try driver.stored()))
    driver.press("<Tab>")
    #expect(driver.screen.contains("Ghi chú 1/2 · 1:3 ─") && driver.screen.contains("trước"))
    driver.press("<Tab>")
    #expect(driver.screen.contains("Ghi chú 2/2 · 1:3 (viết dở)"))
    driver.press("d")
    #expect(driver.screen.contains("Ghi chú 1/1 · 1:3 ─"))
    #expect(try driver.stored().drafts.isEmpty)
    driver.press("u")
    #expect(driver.screen.contains("Ghi chú 1/2 · 1:3 ─"))
  }

  @Test func anUnfinishedNoteIsDiscardedInItsPanel() throws {
    var driver = try driverWithADraft()
    driver.press("g1:3<Enter>d")
    #expect(driver.screen.contains("(viết dở)"))
    #expect(try driver.stored().drafts == [unfinished])
    driver.press("d")
    #expect(driver.model.overlay == nil && driver.screen.contains("u để hoàn tác"))
    #expect(try driver.stored().drafts.isEmpty)
    driver.press("d")
    #expect(driver.screen.contains(driver.model.messages.noNotes))
  }

  @Test func undoOfASaveBringsAResumedDraftBack() throws {
    var driver = try driverWithADraft()
    driver.press("e xong")
    driver.pause()
    driver.press("<C-s>u")
    let ayah: AyahID = AyahID("1:3")
    #expect(driver.screen.contains("đã lấy lại ghi chú viết dở ở 1:3; e để viết tiếp"))
    #expect(try driver.library.notes(of: ayah).isEmpty)
    #expect(try driver.stored().drafts.map(\.text) == ["viết dở\nhai xong"])
    driver.press("<C-r>")
    #expect(driver.screen.contains("Đã làm lại: ghi chú của 1:3 trở lại"))
    #expect(try driver.library.notes(of: ayah).map(\.text.text) == ["viết dở\nhai xong"])
    #expect(try driver.stored().drafts.isEmpty)
    driver.press("ue!<C-s>")
    #expect(try driver.library.notes(of: ayah).map(\.text.text) == ["viết dở\nhai xong!"])
    #expect(try driver.stored().drafts.isEmpty)
  }

  @Test func undoOfASavedEditBringsItsResumedDraftBack() throws {
    let (id, base) = (UUID(), try NoteText("một"))
    var driver = try ReaderDriver(.medium) { library, now in
      try library.commit([.addNote(id, throneAyah, base)], at: now)
      try library.save(
        Draft(
          id: UUID(), noteID: id, ayah: throneAyah, base: base, text: "một hai", changedAt: now))
    }
    driver.press("e ba<C-s>u")
    #expect(try texts(&driver) == ["một"])
    #expect(try driver.stored().drafts.map(\.text) == ["một hai ba"])
    driver.press("<C-r>")
    #expect(try texts(&driver) == ["một hai ba"])
    #expect(try driver.stored().drafts.isEmpty)
  }

  @Test func aRefusedSaveOfAResumedDraftKeepsItsUndo() throws {
    var driver = try driverWithADraft()
    driver.press("e xong")
    driver.isAnswering = false
    driver.press("<C-s>")
    driver.refuse(.diskFull)
    #expect(driver.model.isWriting)
    driver.isAnswering = true
    driver.press("<C-s>u")
    #expect(try driver.stored().drafts.map(\.text) == ["viết dở\nhai xong"])
  }

  @Test func refusedNoteReopensTheEditor() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nđọc mỗi tối")
    driver.isAnswering = false
    driver.press("<C-s>")
    #expect(!driver.model.isWriting)
    driver.refuse(.diskFull)
    #expect(driver.model.isWriting)
    #expect(driver.screen.contains("đọc mỗi tối"))
    #expect(driver.model.message?.text.contains("Dọn bớt chỗ, rồi Ctrl-s để lưu.") == true)
    // The text is not lost either if the user quits now.
    driver.isAnswering = true
    driver.pause()
    #expect(try driver.library.snapshot().drafts.map(\.text) == ["đọc mỗi tối"])
  }

  // MARK: Unfinished notes in the list

  private let unfinished = Draft(
    id: UUID(), noteID: UUID(), ayah: AyahID("1:3"), base: nil, text: "viết dở\nhai", changedAt: 0)

  private func driverWithADraft(_ size: Size = .medium) throws -> ReaderDriver {
    try ReaderDriver(size, opening: .first) { library, now in
      try library.commit([.addNote(UUID(), .first, try NoteText("một"))], at: now)
      try library.save(unfinished)
    }
  }

  @Test func anUnfinishedNoteIsMarkedAndListed() throws {
    for size in [Size.small, .medium] {
      var driver = try driverWithADraft(size)
      driver.press("jj")
      #expect(driver.screen.contains("✎…"))
      driver.press("m")
      #expect(driver.screen.contains("(3✎…)"))
      driver.press("<A-4>")
      #expect(driver.rows[1].contains("1 ghi chú · 1 viết dở"))
      #expect(driver.screen.contains("1:3") && driver.screen.contains("(viết dở) viết dở"))
      #expect(driver.screen.contains("một"))
    }
  }

  @Test func theNumberOfNotesIsShownBesideAnUnfinishedOne() throws {
    for (notes, mark) in [(0, "♥ ✎…"), (1, "♥✎1…"), (2, "♥✎2…")] {
      var driver = try ReaderDriver(.medium, opening: AyahID("1:3")) { library, now in
        for _ in 0..<notes {
          try library.commit([.addNote(UUID(), AyahID("1:3"), try NoteText("một"))], at: now)
        }
        try library.commit([.setFavorite(AyahID("1:3"), true)], at: now)
        try library.save(unfinished)
      }
      driver.press("j")
      #expect(driver.screen.contains("3 \(mark) "), "\(driver.screen)")
    }
  }

  /// Beside an ayah of one row, there is room for one column.
  @Test func anUnfinishedNoteOfAShortAyahDiffersFromANoteOnANarrowScreen() throws {
    let ayah: AyahID = AyahID("114:2")
    for isUnfinished in [false, true] {
      let driver = try ReaderDriver(.small, opening: ayah) { library, now in
        try library.commit([.addNote(UUID(), ayah, try NoteText("một"))], at: now)
        guard isUnfinished else { return }
        try library.save(
          Draft(id: UUID(), noteID: UUID(), ayah: ayah, base: nil, text: "dở", changedAt: now))
      }
      #expect(driver.screen.contains(isUnfinished ? " 2…" : " 2✎"), "\(driver.screen)")
    }
  }

  @Test func anUnfinishedNoteIsListedWithItsFirstLineThatHasText() throws {
    var driver = try ReaderDriver(.medium) { library, now in
      try library.save(
        Draft(
          id: UUID(), noteID: UUID(), ayah: throneAyah, base: nil, text: "\n \nmột\nhai",
          changedAt: now))
    }
    driver.press("4")
    #expect(driver.screen.contains("(viết dở) một"), "\(driver.screen)")
  }

  @Test func theListContinuesAnUnfinishedNote() throws {
    var driver = try driverWithADraft()
    driver.press("<A-4>ggk")
    driver.press("<Esc><A-4>k")
    #expect(driver.model.hints.contains("e viết tiếp"))
    driver.press("e xong<C-s>")
    #expect(try driver.stored().drafts.isEmpty)
    #expect(try driver.library.notes(of: AyahID("1:3")).map(\.text.text) == ["viết dở\nhai xong"])
    // The saved note is selected.
    #expect(driver.model.pane == .list && driver.model.selectedNote?.ayah == AyahID("1:3"))
  }

  @Test func anUnfinishedNoteIsDiscardedInTheListAndBroughtBack() throws {
    var driver = try driverWithADraft()
    driver.press("<A-4>kd")
    #expect(try driver.stored().drafts.isEmpty)
    #expect(driver.model.selectedNote?.firstLine == "một")
    driver.press("u")
    #expect(try driver.stored().drafts.map(\.text) == [unfinished.text])
    #expect(driver.model.selectedDraft?.text == unfinished.text)
  }

  /// The key has another meaning in the panel, so the message does not name it.
  @Test func aDraftThatIsBackBehindThePanelIsOfferedLater() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah) { library, now in
      try library.commit([.addNote(UUID(), throneAyah, try NoteText("một"))], at: now)
    }
    driver.press("nviết dở<Esc><C-x><Tab>u")
    #expect(driver.model.message?.text.hasSuffix("đã lấy lại ghi chú viết dở ở 2:255") == true)
    driver.press("<Esc>")
    #expect(driver.model.message?.text == "Ghi chú đang viết dở ở 2:255: e để viết tiếp")
  }

  // MARK: Errors

  /// The end of the sentence says what the key costs.
  @Test func theErrorOfAnUnsavedTextIsWholeOnANarrowScreen() throws {
    var model = try ReaderDriver(.small).model
    func text() -> String {
      let canvas = model.view()
      return (0..<canvas.size.rows).map {
        canvas.text(row: $0).trimmingCharacters(in: .whitespaces)
      }
      .joined(separator: " ")
    }
    let messages = Messages(.vietnamese)
    let error = messages.textIsNotSaved(messages.explain(LibraryFailure.diskFull), leave: "Ctrl-c")
    model.showError(error)
    #expect(text().contains(error), "\(text())")
    model.showError(String(repeating: "dài ", count: 100))
    #expect(text().contains("dài …"), "\(text())")
  }

  @Test func aNoteRefusedBehindAnOpenPaletteBecomesADraft() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nđọc mỗi tối")
    driver.isAnswering = false
    driver.press("<C-s><C-p>")
    driver.refuse(.diskFull)
    guard case .palette = driver.model.overlay else {
      Issue.record("\(driver.screen)")
      return
    }
    driver.isAnswering = true
    driver.press("ghi chu moi<Enter>hai")
    driver.pause()
    #expect(try Set(driver.library.snapshot().drafts.map(\.text)) == ["đọc mỗi tối", "hai"])
  }

  @Test func noteRefusedWhileAnotherIsWrittenBecomesADraft() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.isAnswering = false
    driver.press("nmột<C-s>jnhai")
    driver.refuse(.busy)
    #expect(driver.model.isWriting && driver.model.hasUnsavedChanges)
    driver.isAnswering = true
    driver.pause()
    #expect(Set(try driver.library.snapshot().drafts.map(\.text)) == ["một", "hai"])
  }

  @Test func refusedDraftIsRetriedAfterAPause() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nviết")
    let requests = driver.pendingSaveRequests()
    #expect(requests.count == 2)
    for request in requests { driver.receive(.refused(request, .diskFull)) }
    #expect(driver.screen.contains("Đĩa đã đầy"))
    #expect(driver.model.hasUnsavedChanges)
    let delay = try #require(driver.model.saveDelay(at: driver.time))
    #expect(delay == 5000)
    driver.time += 5000
    driver.press("k")
    #expect(!driver.screen.contains("Đĩa đã đầy"))
    for request in driver.pendingSaveRequests() { driver.receive(.refused(request, .diskFull)) }
    #expect(driver.screen.contains("Đĩa đã đầy"), "the draft is still not saved")
    #expect(driver.model.saveDelay(at: driver.time) == 10_000)
    driver.pause()
    #expect(try driver.library.snapshot().drafts.map(\.text) == ["viếtk"])
    #expect(driver.model.saveDelay(at: driver.time) == nil)
  }

  @Test func draftOfADeletedNoteIsOffered() throws {
    let draft = Draft(
      id: UUID(), noteID: UUID(), ayah: throneAyah, base: try NoteText("còn"), text: "còn đây",
      changedAt: 1)
    var driver = try ReaderDriver(.medium) { library, _ in try library.save(draft) }
    driver.press("e!<C-s>")
    #expect(try texts(&driver) == ["còn đây!"])
  }

  @Test func draftIsOfferedOnceTheMessageLineIsFree() throws {
    let draft = Draft(
      id: UUID(), noteID: UUID(), ayah: throneAyah, base: nil, text: "dở", changedAt: 1)
    var driver = try ReaderDriver(.medium, isOpen: false) { library, _ in try library.save(draft) }
    try driver.open([.damaged])
    #expect(!driver.screen.contains("viết dở"))
    driver.press("j")
    #expect(driver.screen.contains("Ghi chú đang viết dở ở 2:255"))
    driver.press("E")
    guard case .edit(let edited) = driver.effects.last else {
      Issue.record("no editor was asked for")
      return
    }
    #expect(edited.text == "dở")
  }

  @Test func aMessageReplacesTheOfferOfADraft() throws {
    let draft = Draft(
      id: UUID(), noteID: UUID(), ayah: throneAyah, base: nil, text: "dở", changedAt: 1)
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1")) { library, now in
      try library.save(draft)
      try library.commit([.addNote(UUID(), AyahID("1:4"), try NoteText("một"))], at: now)
    }
    #expect(driver.screen.contains("Ghi chú đang viết dở ở 2:255"))
    let row = try #require(driver.rows.firstIndex { $0.contains("Đấng làm Vua") })
    for _ in 0..<2 { driver.send(.mouse(Mouse(.left, row: row, column: 20))) }
    #expect(driver.screen.contains("♥") && !driver.screen.contains("viết dở"))
    driver.press("e")
    #expect(driver.model.editor?.draft.ayah == AyahID("1:4"))
    driver.press("<Esc>")
    #expect(try driver.stored().drafts.map(\.text) == ["dở"])
  }

  @Test func keysTypedForANoteThatCannotBeReadAreDiscarded() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah) { library, now in
      try library.commit([.addNote(UUID(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    driver.isAnswering = false
    driver.press("e hai")
    driver.refuse(.busy)
    driver.isAnswering = true
    driver.press("e!<C-s>")
    #expect(try texts(&driver) == ["một!"])
  }

  @Test func keysTypedWhileTheNoteIsLoadedAreText() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah) { library, now in
      try library.commit([.addNote(UUID(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    driver.isAnswering = false
    driver.press("e hai l")
    #expect(!driver.screen.contains("Câu này"))
    driver.isAnswering = true
    driver.answer()
    driver.press("<C-s>")
    #expect(try texts(&driver) == ["một hai l"])
  }

  @Test func textOfAFailingEditorIsNotLost() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("E")
    driver.edit(.failed(1, written: "viết rồi mới lỗi"))
    #expect(driver.screen.contains("ed báo lỗi 1"))
    #expect(driver.screen.contains("viết rồi mới lỗi"))
    driver.pause()
    #expect(try driver.library.snapshot().drafts.map(\.text) == ["viết rồi mới lỗi"])
    driver.edit(.notText(path: "/tmp/x/note.txt"))
    #expect(driver.screen.contains("/tmp/x/note.txt"))
  }

  @Test func savedDraftDoesNotReturnWithALateReply() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("nmột")
    let late = driver.pendingSaveRequests()
    driver.press("<C-s>")
    for request in late { driver.receive(.done(request, Commit([]))) }
    driver.press("n")
    #expect(driver.screen.contains("Ghi chú mới"))
    #expect(!driver.screen.contains("─ một"))
  }

  @Test func editingFromTheListReturnsToIt() throws {
    var driver = try ReaderDriver(.medium, place: AyahID("2:50")) { library, now in
      try library.commit([.addNote(UUID(), AyahID("114:2"), try NoteText("một"))], at: now)
    }
    driver.press("4e hai<C-s>")
    #expect(driver.screen.contains("một hai"))
    #expect(driver.model.state.position == "2:50")
    driver.press("<Tab>")
    #expect(driver.screen.contains("Ghi chú 1/1 · 114:2"))
    driver.press("<Esc>")
    #expect(driver.screen.contains("1 ghi chú") && driver.model.state.position == "2:50")
  }

  @Test func selectionStaysWithItsNote() throws {
    var driver = try ReaderDriver(.medium) { library, now in
      for ayah in ["1:5", "1:6", "1:7"] {
        let text = try NoteText("ở \(ayah)")
        try library.commit([.addNote(UUID(), AyahID(ayah)!, text)], at: now)
      }
    }
    driver.press("4j")
    try driver.library.commit(
      [.addNote(UUID(), AyahID("1:1"), try NoteText("mới"))], at: driver.time)
    driver.receive(.refreshed(try driver.library.snapshot()))
    driver.press("d")
    let left = try driver.library.noteList().map(\.firstLine)
    #expect(left == ["mới", "ở 1:5", "ở 1:7"])
  }

  @Test func noteOneByteTooLongIsRefusedAndTheDraftKept() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("n")
    driver.send(.paste(String(repeating: "a", count: NoteText.limit + 1)))
    #expect(driver.screen.contains("900001/900000 byte"))
    driver.press("<C-s>")
    #expect(driver.screen.contains("thừa 1 byte"))
    #expect(driver.screen.contains("Bản nháp được giữ"))
    driver.pause()
    #expect(try driver.library.snapshot().drafts.first?.text.utf8.count == NoteText.limit + 1)
    driver.press("<BS><C-s>")
    #expect(try driver.library.notes(of: throneAyah).first?.text.text.utf8.count == NoteText.limit)
  }

  @Test func emptyNoteIsNotSaved() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("n  <Enter> <C-s>")
    #expect(driver.screen.contains("chưa có chữ nào"))
    #expect(driver.model.isWriting)
  }

  @Test func tabCyclesThroughTheNotesOfAnAyah() throws {
    var driver = try twoNotes()
    driver.press("<Tab>")
    #expect(driver.screen.contains("Ghi chú 1/2 · 2:255"))
    #expect(driver.screen.contains("thứ nhất"))
    driver.press("<Tab>")
    #expect(driver.screen.contains("Ghi chú 2/2 · 2:255"))
    #expect(driver.screen.contains("thứ hai"))
    driver.press("<Tab>")
    #expect(driver.screen.contains("thứ nhất"))
    driver.press("<S-Tab>e!<C-s>")
    #expect(try texts(&driver) == ["thứ nhất", "thứ hai!"])
    driver.press("<Tab><Tab>d")
    #expect(try texts(&driver) == ["thứ nhất"])
    #expect(driver.screen.contains("Ghi chú 1/1"))
    driver.press("d")
    #expect(!driver.screen.contains("Ghi chú 1/1"))
    driver.press("uu")
    #expect(try texts(&driver) == ["thứ nhất", "thứ hai!"])
  }

  @Test func aNoteStaysScrolledWhenAnOlderOneArrives() throws {
    let lines = (1...40).map { "dòng \($0)" }.joined(separator: "\n")
    var driver = try ReaderDriver(.medium, opening: throneAyah) { library, now in
      try library.commit([.addNote(UUID(), AyahID("2:255"), try NoteText(lines))], at: now)
    }
    driver.press("<Tab>G")
    #expect(driver.screen.contains("Ghi chú 1/1") && driver.screen.contains("dòng 40"))
    let older = Note(
      id: UUID(), ayah: throneAyah, text: try NoteText("cũ"), createdAt: 1, modifiedAt: 1)
    let result = try driver.library.sync { try $0.apply(.note(older), as: .note(older.id)) }
    driver.receive(.changed(result.commit))
    #expect(driver.screen.contains("Ghi chú 2/2") && driver.screen.contains("dòng 40"))
  }

  @Test func deletingShowsTheNoteFirst() throws {
    var driver = try twoNotes()
    driver.press("d")
    #expect(try texts(&driver).count == 2)
    driver.press("d")
    #expect(try texts(&driver) == ["thứ hai"])
  }

  @Test func aSingleNoteIsEditedDirectly() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah) { library, now in
      try library.commit([.addNote(UUID(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    driver.press("e hai<C-s>")
    #expect(try texts(&driver) == ["một hai"])
    driver.press("u")
    #expect(try texts(&driver) == ["một"])
  }

  @Test func noteChangedElsewhereIsKeptAsASecondNote() throws {
    let id = UUID()
    var driver = try ReaderDriver(.medium, opening: throneAyah) { library, now in
      try library.commit([.addNote(id, AyahID("2:255"), try NoteText("một"))], at: now)
    }
    driver.press("e của tôi")
    try driver.library.commit(
      [.editNote(id, throneAyah, try NoteText("của họ"), basedOn: NoteText("một"))],
      at: driver.time + 1
    )
    driver.time += 10
    driver.press("<C-s>")
    #expect(driver.screen.contains("cả hai bản đều được giữ"))
    #expect(Set(try texts(&driver)) == ["một của tôi", "của họ"])
  }

  @Test func noteChangedElsewhereInOtherLinesIsMerged() throws {
    let id = UUID()
    var driver = try ReaderDriver(.medium, opening: throneAyah) { library, now in
      try library.commit([.addNote(id, AyahID("2:255"), try NoteText("một\n\nhai"))], at: now)
    }
    driver.press("e ba")
    // Sync merged a change of another device and kept the time of the note.
    let note = try #require(try driver.library.note(id))
    let merged = Note(
      id: id, ayah: throneAyah, text: try NoteText("MỘT\n\nhai"), createdAt: note.createdAt,
      modifiedAt: note.modifiedAt)
    try driver.library.sync { try $0.apply(.note(merged), as: .note(id)) }
    driver.pause()
    driver.press("<C-s>")
    #expect(driver.screen.contains("được ghép lại ở 2:255"))
    #expect(try texts(&driver) == ["MỘT\n\nhai ba"])
  }

  @Test func aDraftWithoutItsNoteIsResumedBesideOtherNotes() throws {
    for count in 1...2 {
      var driver = try ReaderDriver(.medium, opening: throneAyah)
      driver.press("nmột<C-s>e hai")
      driver.pause()
      driver.press("<Esc><C-x>")
      let note = try #require(try driver.library.notes(of: throneAyah).first)
      try driver.library.commit([.deleteNote(note.id, throneAyah)], at: driver.time)
      for number in 1...count {
        try driver.library.commit(
          [.addNote(UUID(), throneAyah, try NoteText("khác \(number)"))], at: driver.time)
      }
      driver.receive(.refreshed(try driver.stored()))
      driver.press("uue")
      #expect(driver.model.isWriting && driver.screen.contains("một hai"), "\(driver.screen)")
      driver.press("<C-s>")
      #expect(try texts(&driver).contains("một hai"))
      #expect(try texts(&driver).count == count + 1)
      // Then the other notes can be edited as usual.
      driver.press("e")
      #expect(driver.screen.contains("Ghi chú 1/\(count + 1) · 2:255"))
    }
  }

  @Test func onlyTheNewestDraftIsOfferedAndOnlyOnce() throws {
    var driver = try ReaderDriver(.medium) { library, _ in
      for (number, ayah) in ["1:1", "2:255", "3:3"].enumerated() {
        try library.save(
          Draft(
            id: UUID(), noteID: UUID(), ayah: try #require(AyahID(ayah)), base: nil,
            text: "dở \(number)", changedAt: Int64(number)))
      }
    }
    #expect(driver.screen.contains("Ghi chú đang viết dở ở 3:3"))
    // The user ignores the offer.
    for _ in 0..<4 {
      driver.press("j")
      #expect(!driver.screen.contains("viết dở"))
    }
    driver.press("g1:2<Enter>e")
    #expect(!driver.model.isWriting)
    #expect(try driver.stored().drafts.map(\.text) == ["dở 0", "dở 1", "dở 2"])
  }

  private func driverWithAPendingOffer() throws -> ReaderDriver {
    var driver = try ReaderDriver(.medium, opening: .first, isOpen: false) { library, now in
      try library.commit([.addNote(UUID(), .first, try NoteText("một"))], at: now)
      try library.save(unfinished)
    }
    try driver.open([.damaged])
    return driver
  }

  @Test func noDraftIsOfferedInTheEditor() throws {
    var driver = try driverWithAPendingOffer()
    driver.press("e")
    #expect(driver.model.editor?.draft.ayah == .first && driver.model.message == nil)
    driver.press("<Esc>")
    #expect(driver.model.message?.text == "Ghi chú đang viết dở ở 1:3: e để viết tiếp")
  }

  @Test func noDraftIsOfferedInTheListOfNotes() throws {
    var driver = try driverWithAPendingOffer()
    driver.press("<A-4>")
    #expect(driver.model.isNoteListFocused && driver.model.message == nil)
    driver.press("Ge")
    #expect(driver.model.editor?.draft.ayah == .first)
  }

  @Test func controlCharactersInNotesAreNotDrawn() throws {
    let text = "\u{1B}]0;tiêu đề\u{07} \u{1B}[2J \u{202E}ngược\u{200F}\u{9B}31m 👨‍👩‍👧"
    var driver = try ReaderDriver(.medium, opening: throneAyah) { library, now in
      try library.commit([.addNote(UUID(), AyahID("2:255"), try NoteText(text))], at: now)
    }
    for keys in ["<Tab>", "e", "<Esc>4"] {
      driver.press(keys)
      let controls = driver.screen.unicodeScalars.filter {
        ($0.properties.generalCategory == .control && $0 != "\n") || $0 == "\u{202E}"
      }
      #expect(controls.isEmpty, "\(keys)")
    }
    #expect(try texts(&driver) == [text])
  }

  @Test func externalEditorWritesTheNote() throws {
    var driver = try ReaderDriver(.medium, opening: throneAyah)
    driver.press("E")
    guard case .edit(let draft) = driver.effects.last else {
      Issue.record("no editor was asked for")
      return
    }
    #expect(draft.text.isEmpty)
    driver.edit(.text("từ vi\n"))
    #expect(try texts(&driver) == ["từ vi"])
    // The note is saved, so there is nothing to report.
    driver.press("<C-s>")
    #expect(driver.model.message == nil)
    driver.press("E")
    driver.edit(.text("từ vi\n"))
    #expect(driver.screen.contains("Ghi chú không đổi"))
    driver.press("E")
    driver.edit(.text(""))
    #expect(try texts(&driver) == ["từ vi"])
    driver.press("E")
    driver.edit(.failed(127, written: nil))
    #expect(driver.screen.contains("Không có ed"))
    #expect(try texts(&driver) == ["từ vi"])
  }

  @Test func notesScreenListsEditsAndDeletes() throws {
    var driver = try ReaderDriver(.medium) { library, now in
      for index in 1...30 {
        let ayah = try #require(AyahID(index: index * 100))
        try library.commit(
          [.addNote(UUID(), ayah, try NoteText("ghi chú số \(index)"))], at: now)
      }
    }
    driver.press("4")
    #expect(driver.screen.contains("30 ghi chú"))
    #expect(driver.screen.contains("ghi chú số 1"))
    driver.press("Gd")
    #expect(try driver.stored().noteCount == 29)
    #expect(!driver.screen.contains("ghi chú số 30"))
    driver.press("e nữa<C-s>")
    #expect(driver.screen.contains("ghi chú số 29 nữa"))
    driver.press("<Enter>")
    #expect(driver.model.state.ayah == AyahID(index: 2900))
  }

  private func twoNotes() throws -> ReaderDriver {
    try ReaderDriver(.medium, opening: throneAyah) { library, now in
      let ayah: AyahID = AyahID("2:255")
      try library.commit([.addNote(UUID(), ayah, try NoteText("thứ nhất"))], at: now)
      try library.commit([.addNote(UUID(), ayah, try NoteText("thứ hai"))], at: now + 1)
    }
  }

  private func texts(_ driver: inout ReaderDriver) throws -> [String] {
    try driver.library.notes(of: throneAyah).map(\.text.text)
  }
}
