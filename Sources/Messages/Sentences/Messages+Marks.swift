public import Library

// Favourites, notes, progress and settings in the full-screen reader.
extension Messages {
  public var tabFavorites: String { pick("Yêu thích", "Favourites") }
  public var tabNotes: String { pick("Ghi chú", "Notes") }
  public var tabProgress: String { pick("Tiến độ", "Progress") }
  public var tabSettings: String { pick("Cài đặt", "Settings") }
  public var groupMark: String { pick("Đánh dấu và ghi chú", "Marking and writing") }

  public var actFavorite: String { pick("yêu thích, bỏ yêu thích", "favourite on/off") }
  public var actNewNote: String { pick("ghi chú mới", "new note") }
  public var actEditNote: String { pick("sửa ghi chú", "edit the note") }
  public var actDeleteNote: String { pick("xóa ghi chú", "delete the note") }
  public var actNextNote: String { pick("ghi chú của câu này", "the notes of this ayah") }
  public var actPreviousNote: String { pick("ghi chú trước", "previous note") }
  public var actExternalEditor: String {
    pick("ghi chú bằng $VISUAL/$EDITOR", "write the note in $VISUAL/$EDITOR")
  }
  public var actMarkRead: String { pick("đã đọc đến đây", "read up to here") }
  public var actRestart: String { pick("đọc lại chương từ đầu", "read the surah again") }
  public var actBrowse: String { pick("xem lướt: không tính tiến độ", "browsing: nothing counts") }
  public var actUndo: String { pick("hoàn tác", "undo") }
  public var actRedo: String { pick("làm lại", "redo") }
  public var actJumpToCue: String {
    pick("đến dấu trang 1–9, hay ' chỗ vừa rời", "jump to cue 1–9, or ' to the ayah left last")
  }
  public var actSelect: String { pick("chọn nhiều câu", "select several ayahs") }
  public var hintCopy: String { pick("chép", "copy") }
  public var actSetCue: String { pick("đặt dấu trang 1–9 ở câu này", "set cue 1–9 here") }
  public var actFavorites: String { pick("các câu yêu thích", "the favourites") }
  public var actNotes: String { pick("các ghi chú", "the notes") }
  public var actProgress: String { pick("tiến độ đọc", "reading progress") }
  public var actSettings: String { pick("cài đặt", "settings") }

  // MARK: Results of actions

  /// - Parameter ayahs: The reference of several ayahs; nil for the ayah under the cursor.
  public func favoriteAdded(_ undo: String, ayahs: String? = nil) -> String {
    let heart = ayahs.map { "♥ \($0)" } ?? "♥"
    return pick(
      "\(heart) đã thêm vào yêu thích – \(undo) để hoàn tác",
      "\(heart) added to favourites – \(undo) undoes")
  }
  public func favoriteRemoved(_ ayah: String, _ undo: String) -> String {
    pick(
      "Đã bỏ \(ayah) khỏi yêu thích – \(undo) để hoàn tác",
      "\(ayah) is no longer a favourite – \(undo) undoes")
  }
  public func noteSaved(_ undo: String) -> String {
    pick("✎ đã lưu ghi chú – \(undo) để hoàn tác", "✎ note saved – \(undo) undoes")
  }
  public func noteKeptBeside(_ ayah: String) -> String {
    pick(
      "Ghi chú này đã đổi ở nơi khác: cả hai bản đều được giữ ở \(ayah).",
      "This note was changed elsewhere: both versions are kept at \(ayah).")
  }
  /// Says that a note was also changed elsewhere, and that both changes are in it.
  public func noteMerged(_ ayah: String) -> String {
    pick(
      "Ghi chú này đã đổi ở nơi khác: thay đổi của cả hai bên được ghép lại ở \(ayah).",
      "This note was changed elsewhere: both changes are merged at \(ayah).")
  }
  public func noteDeleted(_ undo: String) -> String {
    pick("Đã xóa ghi chú – \(undo) để hoàn tác", "Note deleted – \(undo) undoes")
  }
  public func markedRead(_ ayah: String, _ undo: String) -> String {
    pick("Đã đọc đến \(ayah) – \(undo) để hoàn tác", "Read up to \(ayah) – \(undo) undoes")
  }
  public func markedReadBack(_ ayah: String, from old: String, _ undo: String) -> String {
    pick(
      "Đã đọc đến \(ayah), trước đó \(old) – \(undo) để hoàn tác",
      "Read up to \(ayah), before that \(old) – \(undo) undoes")
  }
  public func alreadyRead(_ ayah: String) -> String {
    pick("Đã ghi là đọc đến \(ayah) rồi", "Read up to \(ayah) already")
  }
  public func askRestart(_ surah: String) -> String {
    pick(
      "Đọc lại \(surah) từ đầu? Tiến độ của chương về 0 %.",
      "Begin \(surah) again? Its progress returns to 0 %.")
  }
  public func restarted(_ surah: String, _ undo: String) -> String {
    pick("\(surah): đọc lại từ đầu – \(undo) để hoàn tác", "\(surah) begins again – \(undo) undoes")
  }
  public func notBegun(_ surah: String) -> String {
    pick("\(surah) chưa có tiến độ nào", "\(surah) has no progress yet")
  }
  public var browsingOn: String {
    pick("Xem lướt: lật xem không tính vào tiến độ", "Browsing: looking around does not count")
  }
  public var browsingOff: String { pick("Đọc: tiến độ được tính", "Reading: progress counts") }
  public func browsing(_ key: String) -> String {
    pick("xem lướt (\(key))", "browsing (\(key))")
  }
  /// Explains browsing when ayahs do not count for the first time.
  ///
  /// - Parameters:
  ///   - read: The key that counts reading from the ayah under the cursor.
  ///   - browse: The key that switches browsing on and off.
  public func browsingExplained(read: String, browse: String) -> String {
    pick(
      "Xem lướt: câu ở chỗ nhảy đến chưa tính vào tiến độ. \(read) tính từ đây, \(browse) bật/tắt.",
      "Browsing: after a jump nothing counts as read. \(read) counts from here, \(browse) on/off.")
  }
  public var actJumpBack: String {
    pick("lùi về chỗ trước khi nhảy", "back to the ayah before a jump")
  }
  public var actJumpForward: String {
    pick("tiến lại chỗ vừa lùi", "forward again")
  }
  /// Shown in the corner while the cursor is not at the place of reading.
  public func readingPlace(_ ayah: String) -> String {
    pick("chỗ đọc \(ayah)", "your place \(ayah)")
  }
  /// The same on a narrow screen.
  public var elsewhere: String { pick("chỗ khác", "elsewhere") }
  /// The same on a narrow screen with other words in the corner, which leave about four columns.
  public var elsewhereShort: String { pick("xem", "away") }
  public var hintMoreOfAyah: String { pick("xem tiếp", "more") }
  public func jumpBackHint(_ key: String, _ ayah: String) -> String {
    pick("\(key) về \(ayah)", "\(key) to \(ayah)")
  }
  public func plainElsewhere(_ ayah: String) -> String {
    pick("Chỗ đọc vẫn ở \(ayah).", "Your reading place is still \(ayah).")
  }
  public var noAyahToJumpBackTo: String {
    pick("Không còn chỗ nào trước đó", "There is no earlier ayah to go back to")
  }
  public var noAyahToJumpForwardTo: String {
    pick("Không còn chỗ nào phía sau", "There is no later ayah to go forward to")
  }
  public func cueSet(_ number: Int, _ ayah: String) -> String {
    pick("Dấu trang \(number) ở \(ayah)", "Cue \(number) is at \(ayah)")
  }
  public func noCue(_ number: Int, _ key: String) -> String {
    pick(
      "Chưa có dấu trang \(number); \(key)\(number) để đặt",
      "There is no cue \(number); \(key)\(number) sets it")
  }
  public var cuesTitle: String { pick("Đến dấu trang", "Jump to cue") }
  public var setCueTitle: String { pick("Đặt dấu trang", "Set cue") }
  public var noNotes: String { pick("Câu này chưa có ghi chú", "This ayah has no notes") }
  public func writeOne(_ key: String) -> String {
    pick("Câu này chưa có ghi chú; \(key) để viết", "This ayah has no notes; \(key) writes one")
  }
  public var nothingToUndo: String { pick("Không có gì để hoàn tác", "Nothing to undo") }
  public var nothingToRedo: String { pick("Chưa có gì để làm lại", "Nothing to redo") }
  public func undone(_ what: String) -> String { pick("Đã hoàn tác: \(what)", "Undone: \(what)") }
  public func redone(_ what: String) -> String {
    pick("Đã làm lại: \(what)", "Redone: \(what)")
  }
  public func favoriteIsThere(_ ayah: String) -> String {
    pick("\(ayah) là câu yêu thích", "\(ayah) is a favourite")
  }
  public func favoriteIsGone(_ ayah: String) -> String {
    pick("\(ayah) không còn là câu yêu thích", "\(ayah) is no longer a favourite")
  }
  public func noteIsThere(_ ayah: String) -> String {
    pick("ghi chú của \(ayah) trở lại", "the note of \(ayah) is back")
  }
  public func noteIsGone(_ ayah: String) -> String {
    pick("ghi chú của \(ayah) được bỏ đi", "the note of \(ayah) is removed")
  }
  public func noteIsChanged(_ ayah: String) -> String {
    pick("đổi chữ trong ghi chú của \(ayah)", "the text of the note of \(ayah) is changed")
  }
  public func progressIs(_ surah: String, _ percent: Int) -> String {
    pick("\(surah) đã đọc \(percent) %", "\(surah) is at \(percent) %")
  }
  public func things(_ count: Int) -> String { pick("\(count) thay đổi", "\(count) changes") }
  public var openingLibrary: String {
    pick(
      "Đang mở thư viện; phím vừa bấm chờ đến khi mở xong.",
      "Opening the library; the key waits until it is open.")
  }

  public var waitingForLibrary: String {
    pick(
      "Đang chờ thư viện mà một chương trình khác đang dùng …",
      "Waiting for the library, which another program is using …")
  }

  // MARK: Lists

  /// - Parameter key: The name of the key that adds a favourite.
  public func noFavorites(_ key: String) -> String {
    pick(
      "Chưa có câu yêu thích nào. Khi đọc, nhấn \(key) ở câu bạn yêu thích.",
      "No favourites yet. While reading, press \(key) on an ayah you cherish.")
  }
  public func favoriteCount(_ count: Int) -> String {
    pick("\(count) câu yêu thích", count == 1 ? "1 favourite" : "\(count) favourites")
  }
  /// - Parameter key: The name of the key that writes a note.
  public func noNotesYet(_ key: String) -> String {
    pick(
      "Chưa có ghi chú nào. Khi đọc, nhấn \(key) để viết về câu đang đọc.",
      "No notes yet. While reading, press \(key) to write about the ayah.")
  }
  public func noteCount(_ count: Int) -> String {
    pick("\(count) ghi chú", count == 1 ? "1 note" : "\(count) notes")
  }
  /// Marks an unfinished note in the list.
  public var unfinished: String { pick("viết dở", "unfinished") }
  public func unfinishedCount(_ count: Int) -> String {
    pick("\(count) viết dở", "\(count) unfinished")
  }
  public var loading: String { pick("đang tải …", "loading …") }
  public var hintUnfavorite: String { pick("bỏ yêu thích", "unmark") }
  public var hintNextNote: String { pick("sau", "next") }
  public var hintClose: String { pick("đóng", "close") }
  public var hintEdit: String { pick("sửa", "edit") }
  public var hintDelete: String { pick("xóa", "delete") }
  public var hintContinue: String { pick("viết tiếp", "go on") }
  public var hintDiscard: String { pick("bỏ", "discard") }
  public var hintRestart: String { pick("đọc lại", "begin again") }

  // MARK: Notes

  public func newNoteTitle(_ ayah: String) -> String {
    pick("Ghi chú mới · \(ayah)", "New note · \(ayah)")
  }
  public func editNoteTitle(_ ayah: String) -> String {
    pick("Sửa ghi chú · \(ayah)", "Editing a note · \(ayah)")
  }
  public func noteTitle(
    _ ayah: String, _ number: Int, of count: Int, isUnfinished: Bool = false
  ) -> String {
    pick("Ghi chú \(number)/\(count) · \(ayah)", "Note \(number) of \(count) · \(ayah)")
      + (isUnfinished ? " (\(unfinished))" : "")
  }
  public var hintSave: String { pick("lưu", "saves") }
  public var hintLeave: String { pick("hủy", "cancels") }
  public var hintExternalEditor: String { pick("mở $EDITOR", "opens $EDITOR") }
  public var hintUndo: String { pick("hoàn tác", "undoes") }
  public func noteBytes(_ count: Int, of limit: Int) -> String {
    pick("\(count)/\(limit) byte", "\(count)/\(limit) bytes")
  }
  public func askLeaveNote(save: String, discard: String, cancel: String) -> String {
    question(
      pick("Ghi chú chưa lưu.", "The note is not saved."),
      [
        (save, pick("lưu", "save")), (discard, pick("bỏ", "discard")),
        (cancel, pick("viết tiếp", "go on writing")),
      ])
  }
  public func noteDiscarded(_ undo: String) -> String {
    pick(
      "Đã bỏ ghi chú đang viết – \(undo) để hoàn tác", "The note was discarded – \(undo) undoes it")
  }
  /// - Parameter key: The key that continues the draft; nil to name none.
  public func draftIsThere(_ ayah: String, _ key: String?) -> String {
    pick("đã lấy lại ghi chú viết dở ở \(ayah)", "the unfinished note at \(ayah) is back")
      + (key.map { pick("; \($0) để viết tiếp", "; \($0) goes on with it") } ?? "")
  }
  public func draftIsGone(_ ayah: String) -> String {
    pick(
      "ghi chú đang viết dở ở \(ayah) được bỏ đi", "the unfinished note at \(ayah) was discarded")
  }
  public var noteUnchanged: String { pick("Ghi chú không đổi", "The note is as it was") }
  public func draftOffer(_ ayah: String, _ key: String) -> String {
    pick(
      "Ghi chú đang viết dở ở \(ayah): \(key) để viết tiếp",
      "Unfinished note at \(ayah): \(key) continues it")
  }
  public func draftKept(_ reason: String) -> String {
    pick("\(reason) Bản nháp được giữ.", "\(reason) The draft is kept.")
  }
  public func noteStillHere(_ reason: String) -> String {
    pick("\(reason) Chữ vẫn còn ở đây, chưa lưu.", "\(reason) The text is still here, not saved.")
  }
  /// Says that the disk is full.
  ///
  /// - Parameter save: The name of the key that saves the note.
  public func noteNeedsRoom(save: String) -> String {
    pick(
      "Đĩa đã đầy nên ghi chú chưa được lưu; chữ vẫn còn ở đây. Dọn bớt chỗ, rồi \(save) để lưu.",
      "The disk is full, so the note is not saved; its text is still here. Make room, then \(save) "
        + "saves it.")
  }
  public func unfinishedNoteTitle(_ ayah: String) -> String {
    pick("Ghi chú viết dở · \(ayah)", "Unfinished note · \(ayah)")
  }
  /// - Parameter interrupt: The name of the key that leaves without waiting.
  public func keeping(_ interrupt: String) -> String {
    pick("Đang lưu … (\(interrupt): không chờ)", "Saving … (\(interrupt) does not wait)")
  }
  /// - Parameters:
  ///   - reason: The reason, as a sentence.
  ///   - leave: The name of the key that leaves nevertheless.
  public func textIsNotSaved(_ reason: String, leave: String) -> String {
    pick(
      "\(reason) Chữ đang viết chưa được lưu; \(leave) lần nữa thì thoát và mất.",
      "\(reason) What is being written is not saved; \(leave) again leaves and loses it.")
  }
  /// - Parameter status: The exit status as a shell reports it; 127 if the program does not exist.
  public func editorFailed(_ name: String, _ status: Int32) -> String {
    status == 127
      ? pick(
        "Không có \(name); đặt $VISUAL hoặc $EDITOR. Ghi chú giữ nguyên.",
        "There is no \(name); set $VISUAL or $EDITOR. The note is as it was.")
      : editorEnded(name, status)
  }
  public func editorFailedAfterWriting(_ name: String, _ status: Int32) -> String {
    pick(
      "\(name) báo lỗi \(status); chữ đã viết ở đây, chưa lưu.",
      "\(name) ended with status \(status); what was written is here, not saved.")
  }
  public func editorWroteNoText(_ name: String, _ path: String) -> String {
    pick(
      "\(name) không ghi UTF-8; tệp được giữ ở \(path).",
      "\(name) did not write UTF-8; the file is kept at \(path).")
  }
  // MARK: Progress

  public func overall(_ read: Int, of count: Int) -> String {
    pick("\(read)/\(count) câu", "\(read) of \(count) ayahs")
  }
  public var wholeBook: String { pick("Cả Kinh", "The book") }
  public var juzGrid: String { pick("30 juz", "The 30 juz") }
  public var juzLegend: String {
    pick("· chưa  ░▒▓ đang đọc  █ hết", "· none  ░▒▓ some  █ all")
  }
  public var calendar: String { pick("Ngày đọc", "Reading days") }
  public var calendarLegend: String {
    pick("░▒▓█ ít–nhiều  • hôm nay", "░▒▓█ few–many  • today")
  }
  public func streak(_ days: Int) -> String {
    pick("\(days) ngày liền", "\(dayCount(days)) in a row")
  }
  func dayCount(_ days: Int) -> String {
    pick("\(days) ngày", days == 1 ? "1 day" : "\(days) days")
  }
  public func longestStreak(_ days: Int) -> String {
    pick("dài nhất \(days)", "longest \(days)")
  }
  public func readToday(_ count: Int) -> String {
    pick("hôm nay \(count) câu", "\(ayahCount(count)) today")
  }
  public var weekdays: [String] {
    pick("T2 T3 T4 T5 T6 T7 CN", "Mo Tu We Th Fr Sa Su").split(separator: " ").map(String.init)
  }
  public var plan: String { pick("Kế hoạch khatm", "Khatm plan") }
  public var planOff: String { pick("chưa đặt", "none") }
  public func planUnset(_ key: String) -> String {
    pick("chưa đặt; \(key) để đặt", "none; \(key) sets one")
  }
  /// The length of a plan and its last day.
  public func description(of plan: KhatmPlan) -> String {
    "\(dayCount(plan.days)) (\(plan.end))"
  }
  public func planDue(_ day: Int, of days: Int, left: Int) -> String {
    pick(
      "ngày \(day)/\(days): hôm nay còn \(left) câu",
      "day \(day) of \(days): \(ayahCount(left)) left today")
  }
  public func planDone(_ day: Int, of days: Int) -> String {
    pick("ngày \(day)/\(days): hôm nay đã xong", "day \(day) of \(days): today's part is done")
  }
  public func planAhead(_ count: Int) -> String {
    pick("sớm \(count) câu", "\(ayahCount(count)) ahead")
  }
  public func planBehind(_ count: Int) -> String {
    pick("chậm \(count) câu", "\(ayahCount(count)) behind")
  }
  public var planFinished: String { pick("đã đọc trọn Kinh", "the whole book is read") }

  // MARK: Settings

  public var settingTheme: String { pick("Bộ màu", "Theme") }
  public var actPreviousValue: String {
    pick("cài đặt: giá trị trước", "settings: previous value")
  }
  /// - Parameter leave: The key that leaves the settings.
  public func noPreviousValue(leave: String) -> String {
    pick(
      "Dòng này không có giá trị trước; \(leave): rời cài đặt",
      "This row has no previous value; \(leave) leaves the settings")
  }
  /// - Parameter change: The name of a setting and its new value.
  public func forThisRunOnly(_ change: String) -> String {
    pick(
      "\(change) – chỉ trong lần chạy này, không lưu được",
      "\(change) – for this run only, as it cannot be saved")
  }
  public var noColors: String {
    pick(
      "Ở đây không có màu (NO_COLOR hoặc loại terminal); bộ màu nào cũng vậy.",
      "There are no colours here (NO_COLOR or the terminal); all themes look alike.")
  }
  public var settingLayout: String { pick("Trình bày", "Layout") }
  public var settingWidth: String { pick("Độ rộng chữ", "Text width") }
  public var settingBlankRows: String { pick("Dòng trống", "Blank rows") }
  public var settingMarks: String { pick("Mốc trong chữ", "Marks in text") }
  public func columns(_ count: Int) -> String { pick("\(count) cột", "\(count) columns") }
  public func marks(_ marks: DivisionMarks) -> String {
    switch marks {
    case .off: off
    case .juz: "juz, hizb"
    case .page: pick("juz, hizb, trang", "juz, hizb, page")
    }
  }
  public var settingLanguage: String { pick("Ngôn ngữ", "Language") }
  public var settingArabicNames: String { pick("Tên Ả Rập", "Arabic names") }
  public var settingArabicDisplay: String { pick("Chữ Ả Rập", "Arabic") }
  public var on: String { pick("bật", "on") }
  public var off: String { pick("tắt", "off") }
  public var languageName: String { pick("Tiếng Việt", "English") }
  public var languageAutomatic: String { pick("theo hệ thống", "as the system") }
  public var settingLibrary: String { pick("Thư viện", "Library") }
  public var settingConfig: String { pick("Tệp cấu hình", "Configuration") }
  public func settingsHint(_ key: String) -> String { pick("\(key) đổi", "\(key) changes") }

  // MARK: The plain mode

  public var plainIsFavorite: String { pick("yêu thích", "favourite") }
  public func plainDraft(_ ayah: String) -> String {
    pick(
      "Có ghi chú đang viết dở ở \(ayah); mở trên màn hình thường để viết tiếp.",
      "A note at \(ayah) was not finished; the usual screen goes on with it.")
  }
}
