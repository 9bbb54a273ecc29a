import Foundation
import Library
import Quran
import Terminal
import Testing

@testable import Reader

/// Notes: read, written, drafted, saved.
@Suite struct WritingTests {
  private let throne: AyahID = AyahID("2:255")

  @Test func noteOfSeveralLinesWithAPasteIsSaved() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nCâu Ngai Vàng:<Enter>đọc mỗi tối<Enter>")
    story.send(.paste("một\r\nhai\r\n"))
    story.press("<C-s>")
    #expect(story.screen.contains("✎ đã lưu ghi chú – u để hoàn tác"))
    #expect(story.screen.contains("255   ✎") || story.screen.contains("255 ✎"))
    #expect(
      try story.library.notes(of: throne).map(\.text.text)
        == ["Câu Ngai Vàng:\nđọc mỗi tối\nmột\nhai\n"])
  }

  @Test func decomposedTypingIsSavedComposed() throws {
    var story = try Story(.medium, opening: throne)
    story.press("n" + "đức tin".decomposedStringWithCanonicalMapping + "<C-s>")
    let text = try #require(try story.library.notes(of: throne).first?.text.text)
    #expect(Array(text.unicodeScalars) == Array("đức tin".unicodeScalars))
  }

  @Test func escapeAsksOnlyIfTheNoteChanged() throws {
    var story = try Story(.medium, opening: throne)
    story.press("n<Esc>")
    #expect(!story.model.isWriting)
    story.press("nabc<Esc>")
    #expect(story.screen.contains("Ghi chú chưa lưu.  Ctrl-s lưu · Ctrl-x bỏ"))
    story.press("<Esc><Esc><C-x>")
    #expect(!story.model.isWriting)
    #expect(try story.stored().noteCount == 0)
    #expect(try story.stored().drafts.isEmpty)
    story.press("nabc<Esc><C-s>")
    #expect(try story.stored().noteCount == 1)
  }

  @Test func otherKeysGoOnWriting() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nabc<Esc>y<Esc>n<Esc>")
    story.send(.paste("đ"))
    #expect(story.model.overlay == nil && story.model.isWriting)
    story.press("<C-s>")
    #expect(try story.library.notes(of: throne).map(\.text.text) == ["abcynđ"])
  }

  @Test func discardIsUndoneFirst() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nmột<C-s>nhai<Esc><C-x>")
    #expect(story.screen.contains("Đã bỏ ghi chú đang viết – u để hoàn tác"))
    story.press("u")
    #expect(story.screen.contains("đã lấy lại ghi chú viết dở ở 2:255; e để viết tiếp"))
    #expect(try story.library.notes(of: throne).map(\.text.text) == ["một"])
    #expect(try story.stored().drafts.map(\.text) == ["hai"])
    story.press("e ba<C-s>")
    #expect(try story.library.notes(of: throne).map(\.text.text) == ["một", "hai ba"])
    #expect(try story.stored().drafts.isEmpty)
  }

  @Test func discardIsRedone() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nmột<C-s>")
    story.press("nhai")
    story.pause()
    story.press("<Esc><C-x>uu")
    #expect(story.screen.contains("Đã hoàn tác: ghi chú của 2:255 được bỏ đi"))
    story.press("<C-r><C-r>")
    #expect(story.screen.contains("Đã làm lại: ghi chú đang viết dở ở 2:255 được bỏ đi"))
    #expect(try story.library.notes(of: throne).map(\.text.text) == ["một"])
    #expect(try story.stored().drafts.isEmpty)
    story.press("j")
    #expect(!story.screen.contains("e để viết tiếp"))
  }

  /// What is thrown away of an edited note is its draft, not the note.
  @Test func discardedEditIsRestored() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nmột<C-s>e hai<Esc><C-x>u")
    #expect(try story.library.notes(of: throne).map(\.text.text) == ["một"])
    story.press("e<C-s>")
    #expect(try story.library.notes(of: throne).map(\.text.text) == ["một hai"])
  }

  @Test func discardedEditOfADeletedNoteIsRestored() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nmột<C-s>e hai")
    story.pause()
    story.press("<Esc><C-x>")
    let note = try #require(try story.library.notes(of: throne).first)
    try story.library.commit([.deleteNote(note.id, throne)], at: story.time)
    story.receive(.refreshed(try story.stored()))
    // What the second would undo is gone.
    story.press("uue")
    #expect(story.model.isWriting, "\(story.screen)")
    story.press("<C-s>")
    #expect(try story.library.notes(of: throne).map(\.text.text) == ["một hai"])
  }

  @Test func emptiedDraftIsRestored() throws {
    let draft = Draft(id: UUID(), noteID: UUID(), ayah: throne, base: nil, text: "dở", changedAt: 1)
    var story = try Story(.medium) { library, _ in try library.save(draft) }
    story.press("g2:255<Enter>n<BS><BS><Esc>")
    #expect(!story.model.isWriting)
    #expect(try story.stored().drafts.isEmpty)
    story.press("u")
    #expect(try story.stored().drafts.map(\.text) == ["dở"])
  }

  @Test func refusedDiscardReopensTheEditor() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nđọc mỗi tối")
    story.isAnswering = false
    story.press("<Esc><C-x>")
    story.refuse(.diskFull)
    #expect(story.model.isWriting)
    #expect(story.screen.contains("đọc mỗi tối"))
  }

  @Test func draftIsSavedAtTheFirstPauseAndOfferedAgain() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nviết dở")
    #expect(story.model.hasUnsavedChanges)
    story.pause()
    #expect(!story.model.hasUnsavedChanges)
    let draft = try #require(try story.library.snapshot().drafts.first)
    #expect(draft.text == "viết dở" && draft.ayah == throne && draft.base == nil)
    // Another start of the program.
    var next = try Story(.medium) { library, _ in try library.save(draft) }
    #expect(next.screen.contains("Ghi chú đang viết dở ở 2:255: e để viết tiếp"))
    next.press("e xong<C-s>")
    #expect(try next.library.notes(of: throne).map(\.text.text) == ["viết dở xong"])
    #expect(try next.library.snapshot().drafts.isEmpty)
  }

  @Test func newNoteResumesTheDraftOfItsAyah() throws {
    let draft = Draft(id: UUID(), noteID: UUID(), ayah: throne, base: nil, text: "dở", changedAt: 1)
    var story = try Story(.medium) { library, _ in try library.save(draft) }
    story.press("g2:255<Enter>n")
    #expect(story.screen.contains("dở"))
    story.press("<Esc><C-x>")
    #expect(try story.stored().drafts.isEmpty)
  }

  @Test func refusedNoteReopensTheEditor() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nđọc mỗi tối")
    story.isAnswering = false
    story.press("<C-s>")
    #expect(!story.model.isWriting)
    story.refuse(.diskFull)
    #expect(story.model.isWriting)
    #expect(story.screen.contains("đọc mỗi tối"))
    #expect(story.screen.contains("chưa lưu"))
    // Nor is it lost when the reader leaves now.
    story.isAnswering = true
    story.pause()
    #expect(try story.library.snapshot().drafts.map(\.text) == ["đọc mỗi tối"])
  }

  @Test func noteRefusedWhileAnotherIsWrittenBecomesADraft() throws {
    var story = try Story(.medium, opening: throne)
    story.isAnswering = false
    story.press("nmột<C-s>jnhai")
    story.refuse(.busy)
    #expect(story.model.isWriting && story.model.hasUnsavedChanges)
    story.isAnswering = true
    story.pause()
    #expect(Set(try story.library.snapshot().drafts.map(\.text)) == ["một", "hai"])
  }

  @Test func refusedDraftIsRetriedAfterAPause() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nviết")
    let requests = story.unkept()
    #expect(requests.count == 2)
    for request in requests { story.receive(.refused(request, .diskFull)) }
    #expect(story.screen.contains("Đĩa đã đầy"))
    #expect(story.model.hasUnsavedChanges)
    let patience = try #require(story.model.saveDelay(at: story.time))
    #expect(patience == 5000)
    story.time += 5000
    story.press("k")
    #expect(!story.screen.contains("Đĩa đã đầy"))
    for request in story.unkept() { story.receive(.refused(request, .diskFull)) }
    #expect(!story.screen.contains("Đĩa đã đầy"), "said once")
    #expect(story.model.saveDelay(at: story.time) == 10_000)
    story.pause()
    #expect(try story.library.snapshot().drafts.map(\.text) == ["viếtk"])
    #expect(story.model.saveDelay(at: story.time) == nil)
  }

  @Test func draftOfADeletedNoteIsOffered() throws {
    let draft = Draft(
      id: UUID(), noteID: UUID(), ayah: throne, base: try NoteText("còn"), text: "còn đây",
      changedAt: 1)
    var story = try Story(.medium) { library, _ in try library.save(draft) }
    story.press("e!<C-s>")
    #expect(try texts(&story) == ["còn đây!"])
  }

  @Test func draftIsOfferedOnceTheMessageLineIsFree() throws {
    let draft = Draft(id: UUID(), noteID: UUID(), ayah: throne, base: nil, text: "dở", changedAt: 1)
    var story = try Story(.medium, isOpen: false) { library, _ in try library.save(draft) }
    try story.open([.damaged])
    #expect(!story.screen.contains("viết dở"))
    story.press("j")
    #expect(story.screen.contains("Ghi chú đang viết dở ở 2:255"))
    story.press("E")
    guard case .edit(let edited) = story.effects.last else {
      Issue.record("no editor was asked for")
      return
    }
    #expect(edited.text == "dở")
  }

  @Test func keysTypedWhileTheNoteIsLoadedAreText() throws {
    var story = try Story(.medium, opening: throne) { library, now in
      try library.commit([.addNote(UUID(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    story.isAnswering = false
    story.press("e hai l")
    #expect(!story.screen.contains("Câu này"))
    story.isAnswering = true
    story.answer()
    story.press("<C-s>")
    #expect(try texts(&story) == ["một hai l"])
  }

  @Test func textOfAFailingEditorIsNotLost() throws {
    var story = try Story(.medium, opening: throne)
    story.press("E")
    story.edit(.failed(1, written: "viết rồi mới lỗi"))
    #expect(story.screen.contains("ed báo lỗi 1"))
    #expect(story.screen.contains("viết rồi mới lỗi"))
    story.pause()
    #expect(try story.library.snapshot().drafts.map(\.text) == ["viết rồi mới lỗi"])
    story.edit(.notText(path: "/tmp/x/note.txt"))
    #expect(story.screen.contains("/tmp/x/note.txt"))
  }

  @Test func savedDraftDoesNotReturnWithALateReply() throws {
    var story = try Story(.medium, opening: throne)
    story.press("nmột")
    let late = story.unkept()
    story.press("<C-s>")
    for request in late { story.receive(.done(request, Commit([]))) }
    story.press("n")
    #expect(story.screen.contains("Ghi chú mới"))
    #expect(!story.screen.contains("─ một"))
  }

  @Test func editingFromTheListReturnsToIt() throws {
    var story = try Story(.medium, place: AyahID("2:50")) { library, now in
      try library.commit([.addNote(UUID(), AyahID("114:2"), try NoteText("một"))], at: now)
    }
    story.press("4e hai<C-s>")
    #expect(story.screen.contains("một hai"))
    #expect(story.model.state.position == "2:50")
    story.press("<Tab>")
    #expect(story.screen.contains("Ghi chú 1/1 · 114:2"))
    story.press("<Esc>")
    #expect(story.screen.contains("1 ghi chú") && story.model.state.position == "2:50")
  }

  @Test func selectionStaysWithItsNote() throws {
    var story = try Story(.medium) { library, now in
      for ayah in ["1:5", "1:6", "1:7"] {
        let text = try NoteText("ở \(ayah)")
        try library.commit([.addNote(UUID(), AyahID(ayah)!, text)], at: now)
      }
    }
    story.press("4j")
    try story.library.commit(
      [.addNote(UUID(), AyahID("1:1"), try NoteText("mới"))], at: story.time)
    story.receive(.refreshed(try story.library.snapshot()))
    story.press("d")
    let left = try story.library.noteList().map(\.firstLine)
    #expect(left == ["mới", "ở 1:5", "ở 1:7"])
  }

  @Test func noteOneByteTooLongIsRefusedAndTheDraftKept() throws {
    var story = try Story(.medium, opening: throne)
    story.press("n")
    story.send(.paste(String(repeating: "a", count: NoteText.limit + 1)))
    #expect(story.screen.contains("900001/900000 byte"))
    story.press("<C-s>")
    #expect(story.screen.contains("dài quá 1 byte"))
    #expect(story.screen.contains("Bản nháp được giữ"))
    story.pause()
    #expect(try story.library.snapshot().drafts.first?.text.utf8.count == NoteText.limit + 1)
    story.press("<BS><C-s>")
    #expect(try story.library.notes(of: throne).first?.text.text.utf8.count == NoteText.limit)
  }

  @Test func emptyNoteIsNotSaved() throws {
    var story = try Story(.medium, opening: throne)
    story.press("n  <Enter> <C-s>")
    #expect(story.screen.contains("chưa có chữ nào"))
    #expect(story.model.isWriting)
  }

  @Test func tabGoesThroughTheNotesOfAnAyah() throws {
    var story = try twoNotes()
    story.press("<Tab>")
    #expect(story.screen.contains("Ghi chú 1/2 · 2:255"))
    #expect(story.screen.contains("thứ nhất"))
    story.press("<Tab>")
    #expect(story.screen.contains("Ghi chú 2/2 · 2:255"))
    #expect(story.screen.contains("thứ hai"))
    story.press("<Tab>")
    #expect(story.screen.contains("thứ nhất"))
    story.press("<S-Tab>e!<C-s>")
    #expect(try texts(&story) == ["thứ nhất", "thứ hai!"])
    story.press("<Tab><Tab>d")
    #expect(try texts(&story) == ["thứ nhất"])
    #expect(story.screen.contains("Ghi chú 1/1"))
    story.press("d")
    #expect(!story.screen.contains("Ghi chú 1/1"))
    story.press("uu")
    #expect(try texts(&story) == ["thứ nhất", "thứ hai!"])
  }

  @Test func deletingShowsTheNoteFirst() throws {
    var story = try twoNotes()
    story.press("d")
    #expect(try texts(&story).count == 2)
    story.press("d")
    #expect(try texts(&story) == ["thứ hai"])
  }

  @Test func onlyNoteIsEditedAtOnce() throws {
    var story = try Story(.medium, opening: throne) { library, now in
      try library.commit([.addNote(UUID(), AyahID("2:255"), try NoteText("một"))], at: now)
    }
    story.press("e hai<C-s>")
    #expect(try texts(&story) == ["một hai"])
    story.press("u")
    #expect(try texts(&story) == ["một"])
  }

  @Test func noteChangedElsewhereIsKeptAsASecondNote() throws {
    let id = UUID()
    var story = try Story(.medium, opening: throne) { library, now in
      try library.commit([.addNote(id, AyahID("2:255"), try NoteText("một"))], at: now)
    }
    story.press("e của tôi")
    try story.library.commit(
      [.editNote(id, throne, try NoteText("của họ"), basedOn: NoteText("một"))], at: story.time + 1)
    story.time += 10
    story.press("<C-s>")
    #expect(story.screen.contains("cả hai bản đều được giữ"))
    #expect(Set(try texts(&story)) == ["một của tôi", "của họ"])
  }

  @Test func noteChangedElsewhereInOtherLinesIsMerged() throws {
    let id = UUID()
    var story = try Story(.medium, opening: throne) { library, now in
      try library.commit([.addNote(id, AyahID("2:255"), try NoteText("một\n\nhai"))], at: now)
    }
    story.press("e ba")
    // Sync merged what another device changed; the time stays.
    let note = try #require(try story.library.note(id))
    let merged = Note(
      id: id, ayah: throne, text: try NoteText("MỘT\n\nhai"), createdAt: note.createdAt,
      modifiedAt: note.modifiedAt)
    try story.library.sync { try $0.apply(.note(merged), as: .note(id)) }
    story.pause()
    story.press("<C-s>")
    #expect(story.screen.contains("được ghép lại ở 2:255"))
    #expect(try texts(&story) == ["MỘT\n\nhai ba"])
  }

  @Test func aDraftWithoutItsNoteIsResumedBesideOtherNotes() throws {
    for count in 1...2 {
      var story = try Story(.medium, opening: throne)
      story.press("nmột<C-s>e hai")
      story.pause()
      story.press("<Esc><C-x>")
      let note = try #require(try story.library.notes(of: throne).first)
      try story.library.commit([.deleteNote(note.id, throne)], at: story.time)
      for number in 1...count {
        try story.library.commit(
          [.addNote(UUID(), throne, try NoteText("khác \(number)"))], at: story.time)
      }
      story.receive(.refreshed(try story.stored()))
      story.press("uue")
      #expect(story.model.isWriting && story.screen.contains("một hai"), "\(story.screen)")
      story.press("<C-s>")
      #expect(try texts(&story).contains("một hai"))
      #expect(try texts(&story).count == count + 1)
      // Then the others can be edited as usual.
      story.press("e")
      #expect(story.screen.contains("Ghi chú 1/\(count + 1) · 2:255"))
    }
  }

  @Test func allDraftsAreOffered() throws {
    var story = try Story(.medium) { library, _ in
      for (number, ayah) in ["1:1", "2:255", "3:3"].enumerated() {
        try library.save(
          Draft(
            id: UUID(), noteID: UUID(), ayah: try #require(AyahID(ayah)), base: nil,
            text: "dở \(number)", changedAt: Int64(number)))
      }
    }
    #expect(story.screen.contains("Ghi chú đang viết dở ở 3:3"))
    // Declined.
    story.press("jj")
    #expect(story.screen.contains("Ghi chú đang viết dở ở 2:255"))
    story.press("e xong<C-s>")
    #expect(try texts(&story) == ["dở 1 xong"])
    story.press("j")
    #expect(story.screen.contains("Ghi chú đang viết dở ở 1:1"))
    story.press("jj")
    #expect(!story.screen.contains("viết dở"))
    #expect(try story.stored().drafts.map(\.text) == ["dở 0", "dở 2"])
  }

  @Test func escapesInNotesAreHarmlessOnTheScreen() throws {
    let text = "\u{1B}]0;tiêu đề\u{07} \u{1B}[2J \u{202E}ngược\u{200F}\u{9B}31m 👨‍👩‍👧"
    var story = try Story(.medium, opening: throne) { library, now in
      try library.commit([.addNote(UUID(), AyahID("2:255"), try NoteText(text))], at: now)
    }
    for keys in ["<Tab>", "e", "<Esc>4"] {
      story.press(keys)
      let controls = story.screen.unicodeScalars.filter {
        ($0.properties.generalCategory == .control && $0 != "\n") || $0 == "\u{202E}"
      }
      #expect(controls.isEmpty, "\(keys)")
    }
    #expect(try texts(&story) == [text])
  }

  @Test func externalEditorWritesTheNote() throws {
    var story = try Story(.medium, opening: throne)
    story.press("E")
    guard case .edit(let draft) = story.effects.last else {
      Issue.record("no editor was asked for")
      return
    }
    #expect(draft.text.isEmpty)
    story.edit(.text("từ vi\n"))
    #expect(try texts(&story) == ["từ vi"])
    story.press("E")
    story.edit(.text("từ vi\n"))
    #expect(story.screen.contains("Ghi chú không đổi"))
    story.press("E")
    story.edit(.text(""))
    #expect(try texts(&story) == ["từ vi"])
    story.press("E")
    story.edit(.failed(127, written: nil))
    #expect(story.screen.contains("Không có ed"))
    #expect(try texts(&story) == ["từ vi"])
  }

  @Test func notesScreenListsEditsAndDeletes() throws {
    var story = try Story(.medium) { library, now in
      for index in 1...30 {
        let ayah = try #require(AyahID(index: index * 100))
        try library.commit(
          [.addNote(UUID(), ayah, try NoteText("ghi chú số \(index)"))], at: now)
      }
    }
    story.press("4")
    #expect(story.screen.contains("30 ghi chú"))
    #expect(story.screen.contains("ghi chú số 1"))
    story.press("Gd")
    #expect(try story.stored().noteCount == 29)
    #expect(!story.screen.contains("ghi chú số 30"))
    story.press("e nữa<C-s>")
    #expect(story.screen.contains("ghi chú số 29 nữa"))
    story.press("<Enter>")
    #expect(story.model.state.ayah == AyahID(index: 2900))
  }

  private func twoNotes() throws -> Story {
    try Story(.medium, opening: throne) { library, now in
      let ayah: AyahID = AyahID("2:255")
      try library.commit([.addNote(UUID(), ayah, try NoteText("thứ nhất"))], at: now)
      try library.commit([.addNote(UUID(), ayah, try NoteText("thứ hai"))], at: now + 1)
    }
  }

  private func texts(_ story: inout Story) throws -> [String] {
    try story.library.notes(of: throne).map(\.text.text)
  }
}
