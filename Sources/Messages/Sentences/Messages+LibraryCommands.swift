// The output of the commands that use the library, except import and export.
public import Library

extension Messages {
  public var noAyahNamed: String {
    pick("Chưa cho biết câu nào; ví dụ: 2:255.", "No ayah is named; for example: 2:255.")
  }

  // MARK: Favourites

  /// - Parameter ayahs: References such as `2:255-257, 36:1`.
  public func favoritesAdded(_ ayahs: String) -> String {
    pick("♥ Đã thêm vào yêu thích: \(ayahs)", "♥ Added to favourites: \(ayahs)")
  }
  public func favoritesAlready(_ ayahs: String) -> String {
    pick("Đã có trong yêu thích: \(ayahs)", "Favourites already: \(ayahs)")
  }
  public func favoritesRemoved(_ ayahs: String) -> String {
    pick("Đã bỏ khỏi yêu thích: \(ayahs)", "No longer favourites: \(ayahs)")
  }
  public func favoritesMissing(_ ayahs: String) -> String {
    pick("Không có trong yêu thích: \(ayahs)", "Not among the favourites: \(ayahs)")
  }
  public var noFavoritesThere: String {
    pick("Không có câu yêu thích nào ở đó.", "There are no favourites there.")
  }
  public var noFavoritesToList: String {
    pick(
      "Chưa có câu yêu thích nào; thêm bằng: quran-vi favorite add 2:255",
      "There are no favourites yet; add one with: quran-vi favorite add 2:255")
  }

  // MARK: Notes

  public func savedNote(_ id: String, _ ayah: String) -> String {
    pick("✎ Đã lưu ghi chú \(id) ở \(ayah)", "✎ Saved note \(id) on \(ayah)")
  }
  public func editedNote(_ id: String, _ ayah: String) -> String {
    pick("✎ Đã sửa ghi chú \(id) ở \(ayah)", "✎ Changed note \(id) on \(ayah)")
  }
  public func editedNoteBeside(_ id: String) -> String {
    pick(
      "Ghi chú vừa được sửa ở nơi khác; cả hai bản được giữ, bản này là \(id)",
      "The note was changed elsewhere meanwhile; both texts are kept, this one as \(id)")
  }
  public func removedNote(_ id: String, _ ayah: String) -> String {
    pick("Đã xóa ghi chú \(id) ở \(ayah)", "Removed note \(id) on \(ayah)")
  }
  public func restoredNote(_ id: String, _ ayah: String) -> String {
    pick("✎ Đã khôi phục ghi chú \(id) ở \(ayah)", "✎ Restored note \(id) on \(ayah)")
  }
  public var trashIsEmpty: String {
    pick(
      "Không có ghi chú nào bị máy khác xóa hay thay trong 90 ngày qua.",
      "No note was deleted or replaced by another device in the last 90 days.")
  }
  public var nothingChanged: String { pick("Không có gì thay đổi.", "Nothing changed.") }
  public func noteTextBelongsToOption(_ ayah: String) -> String {
    pick(
      "Nội dung ghi chú đứng sau -m: quran-vi note add \(ayah) -m '…'",
      "The note's text goes after -m: quran-vi note add \(ayah) -m '…'")
  }
  public var noteNeedsAyah: String {
    pick(
      "Ghi chú thuộc về đúng một câu; ví dụ: 2:255.",
      "A note belongs to exactly one ayah; for example: 2:255.")
  }
  public var whichNote: String {
    pick(
      "Chưa cho biết ghi chú nào; dùng mã của ghi chú hoặc câu, ví dụ: 2:255.",
      "Which note? Give its id or its ayah; for example: 2:255.")
  }
  public func noSuchNote(_ id: String) -> String {
    pick(
      "Không có ghi chú “\(id)”; xem: quran-vi note list",
      "There is no note “\(id)”; see: quran-vi note list")
  }
  public var noNotesThere: String {
    pick("Không có ghi chú nào ở đó.", "There are no notes there.")
  }
  public var noNotesToList: String {
    pick(
      "Chưa có ghi chú nào; viết bằng: quran-vi note add 2:255",
      "There are no notes yet; write one with: quran-vi note add 2:255")
  }
  /// - Parameter more: The number of further notes.
  public func severalNotes(_ text: String, _ notes: [String], more: Int) -> String {
    let list = notes.joined(separator: ", ")
    let rest = more == 0 ? "" : pick(" và \(more) ghi chú khác", " and \(more) more")
    return pick(
      "“\(text)” có thể là nhiều ghi chú, hãy dùng mã: \(list)\(rest).",
      "“\(text)” could be several notes, use an id: \(list)\(rest).")
  }
  public var textIsNotUTF8: String {
    pick("Văn bản không phải UTF-8.", "The text is not UTF-8.")
  }
  public var argumentIsNotUTF8: String {
    pick("Một đối số không phải UTF-8.", "An argument is not UTF-8.")
  }
  public func textIsKeptAt(_ path: String) -> String {
    pick("Phần đã viết còn ở \(path)", "What you wrote is at \(path)")
  }
  public func textIsUnfinishedNote(_ ayah: String) -> String {
    pick(
      "Phần đã viết được giữ làm ghi chú viết dở ở \(ayah); mở quran-vi để viết tiếp.",
      "What you wrote is kept as an unfinished note at \(ayah); open quran-vi to finish it.")
  }
  /// - Parameter code: The value of `errno`.
  public func editorNotStarted(_ name: String, _ code: Int32) -> String {
    pick(
      "Không mở được trình soạn thảo “\(name)” (\(systemError(code))); không có gì thay đổi.",
      "The editor “\(name)” could not be started (\(systemError(code))); nothing was changed.")
  }
  public func editorEnded(_ name: String, _ status: Int32) -> String {
    pick(
      "Trình soạn thảo “\(name)” kết thúc với mã \(status); không có gì thay đổi.",
      "The editor “\(name)” ended with status \(status); nothing was changed.")
  }

  // MARK: Progress

  public var progressNeedsAyah: String {
    pick(
      "Hãy cho biết đã đọc đến câu nào; ví dụ: quran-vi progress set 2:45",
      "Name the ayah that was read last; for example: quran-vi progress set 2:45")
  }
  public var progressNeedsSurah: String {
    pick(
      "Hãy cho biết cả chương; ví dụ: quran-vi progress reset 2",
      "Name a whole surah; for example: quran-vi progress reset 2")
  }
  /// - Parameter surah: The number and the name of the surah.
  public func surahReadUpTo(_ surah: String, _ last: Int, of count: Int) -> String {
    pick(
      "Chương \(surah): đã đọc đến câu \(last)/\(count)",
      "Surah \(surah): read up to ayah \(last) of \(count)")
  }
  public func surahBegunAgain(_ surah: String) -> String {
    pick("Chương \(surah): đọc lại từ đầu", "Surah \(surah): starts from the beginning")
  }
  public func overallLine(_ read: Int, of count: Int, _ bar: String) -> String {
    pick("Cả Kinh: \(bar), \(read)/\(count) câu", "The book: \(bar), \(read) of \(count) ayahs")
  }
  public func streakLine(_ days: Int, longest: Int, today: Int) -> String {
    pick(
      "\(days) ngày liền, dài nhất \(longest); hôm nay \(today) câu",
      "\(dayCount(days)) in a row, longest \(longest); \(ayahCount(today)) today")
  }
  public func khatmLine(_ days: Int, from start: String, to end: String) -> String {
    pick(
      "Kế hoạch khatm: \(days) ngày, từ \(start) đến \(end)",
      "Khatm plan: \(dayCount(days)), \(start) to \(end)")
  }
  /// - Parameters:
  ///   - left: The number of ayahs left to read on this day.
  ///   - ahead: The number of ayahs ahead of the plan; negative if behind it.
  public func khatmStatus(_ day: Int, done: Int, due: Int, left: Int, ahead: Int) -> String {
    let status =
      switch ahead {
      case 0 where left > 0: pick("hôm nay còn \(left) câu", "\(left) left today")
      case 0: pick("đúng kế hoạch", "on time")
      case 1...: pick("sớm \(ahead) câu", "\(ahead) ahead")
      default: pick("chậm \(-ahead) câu", "\(-ahead) behind")
      }
    return pick(
      "  ngày \(day): hết hôm nay cần \(due) câu, đã đọc \(done) – \(status)",
      "  day \(day): \(due) ayahs are due by the end of today, \(done) are read – \(status)")
  }
  public func khatmFinish(_ day: String) -> String {
    pick("  theo nhịp này sẽ đọc xong ngày \(day)", "  at this pace all is read on \(day)")
  }

  // MARK: Settings

  public func noSuchSetting(_ key: String, _ keys: [String]) -> String {
    let list = keys.joined(separator: ", ")
    return pick(
      "Không có cài đặt “\(key)”; hãy chọn: \(list).",
      "There is no setting “\(key)”; choose one of: \(list).")
  }
  public func noSuchValue(_ value: String, of key: SettingKey) -> String {
    let choices = values(of: key).joined(separator: "|")
    return pick(
      "\(key.rawValue) không nhận “\(value)”; hãy chọn: \(choices).",
      "\(key.rawValue) cannot be “\(value)”; choose one of: \(choices).")
  }
  public func settingIsDefault(_ key: String) -> String {
    pick(
      "Cài đặt “\(key)” chưa được đặt; đây là mặc định.",
      "The setting “\(key)” is not set; this is the default.")
  }
  /// The values that a setting accepts; a range of numbers is one of them.
  public func values(of key: SettingKey) -> [String] {
    func range(_ numbers: ClosedRange<Int>) -> String {
      "\(numbers.lowerBound)–\(numbers.upperBound)"
    }
    return switch key {
    case .khatm: [range(KhatmPlan.days) + pick(" ngày", " days"), "off"]
    case .width: [range(TextWidth.columns)]
    default: key.values
    }
  }

  // MARK: Backups

  public var noLibraryYet: String {
    pick("Chưa có thư viện để sao lưu.", "There is no library to back up yet.")
  }
  public func backupMade(_ path: String) -> String {
    pick("Đã sao lưu vào \(path)", "Backed up to \(path)")
  }
  public var noBackups: String { pick("Chưa có bản sao lưu nào.", "There are no backups.") }
  public func noSuchBackup(_ name: String) -> String {
    pick(
      "Không có bản sao lưu “\(name)”; xem: quran-vi backup list",
      "There is no backup “\(name)”; see: quran-vi backup list")
  }
  public func askToRestore(_ name: String) -> String {
    pick(
      "Thay thư viện hiện tại bằng bản sao lưu \(name)?",
      "Replace the library with the backup \(name)?")
  }
  public var libraryIsOpenElsewhere: String {
    pick(
      "Thư viện đang mở ở nơi khác; hãy đóng quran-vi ở đó rồi thử lại. Không có gì thay đổi.",
      "The library is open elsewhere; close quran-vi there and try again. Nothing was changed.")
  }
  public var restoringNeedsConfirmation: String {
    pick(
      "Khôi phục sẽ thay thư viện hiện tại; hãy thêm --yes.",
      "Restoring replaces the library; add --yes.")
  }
  public func backupRestored(_ name: String) -> String {
    pick("Đã khôi phục \(name)", "Restored \(name)")
  }
  public func previousLibraryIsAt(_ path: String) -> String {
    pick("Thư viện trước đó nằm ở \(path)", "The former library is kept at \(path)")
  }
}
