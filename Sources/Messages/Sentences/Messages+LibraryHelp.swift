// The help of the commands that use the library. Environment variables are mentioned only in the
// manual page, because users of the help may not know them.
extension Messages {
  public var helpLibraryPath: String {
    pick("Dùng thư viện trong tệp này.", "Use the library in this file.")
  }
  public var helpFileName: String { pick("tệp", "file") }

  public var helpFavorite: String { pick("Các câu yêu thích.", "Favourite ayahs.") }
  public var helpFavoriteAdd: String { pick("Thêm vào yêu thích.", "Add to the favourites.") }
  public var helpFavoriteRemove: String {
    pick("Bỏ khỏi yêu thích.", "Remove from the favourites.")
  }
  public var helpFavoriteList: String { pick("Liệt kê câu yêu thích.", "List the favourites.") }
  public var helpAyahs: String {
    pick("Các câu: 2:255, 2:255-257, 36.", "Ayahs: 2:255, 2:255-257, 36.")
  }
  public var helpOnlyThese: String { pick("Chỉ những câu này.", "Only these ayahs.") }

  public var helpNote: String { pick("Ghi chú về các câu.", "Notes about ayahs.") }
  public var helpNoteAdd: String {
    pick(
      "Viết ghi chú mới; không có -m hay đầu vào thì mở trình soạn thảo.",
      "Write a note; without -m or input, in your editor.")
  }
  public var helpNoteEdit: String {
    pick(
      "Sửa ghi chú; không có -m hay đầu vào thì mở trình soạn thảo.",
      "Change a note; without -m or input, in your editor.")
  }
  public var helpNoteRemove: String { pick("Xóa ghi chú.", "Remove a note.") }
  public var helpNoteRestore: String {
    pick(
      "Khôi phục ghi chú mà máy khác đã xóa hay thay; không có tên thì liệt kê.",
      "Restore a note that another device deleted or replaced; without a name, list them.")
  }
  public var helpNoteList: String { pick("Liệt kê ghi chú.", "List the notes.") }
  public var helpNoteText: String { pick("Nội dung ghi chú.", "The note's text.") }
  public var helpNoteAyah: String {
    pick("Câu cần ghi chú; thêm - để đọc đầu vào.", "The ayah; then - to read the input.")
  }
  public var helpNoteSubject: String {
    pick(
      "Mã ghi chú, phần đầu của mã (từ 4 ký tự), hoặc câu chỉ có một ghi chú.",
      "The note's id, its first 4 characters or more, or an ayah with one note.")
  }
  public var helpNoteName: String { pick("ghi chú", "note") }

  public var helpProgress: String { pick("Tiến độ đọc.", "Reading progress.") }
  public var helpProgressShow: String {
    pick("Cho biết đã đọc đến đâu.", "Show how far the book is read.")
  }
  public var helpProgressSet: String {
    pick("Đặt câu đã đọc đến.", "Set the ayah that a surah is read up to.")
  }
  public var helpProgressReset: String {
    pick("Đọc lại từ đầu.", "Start surahs from the beginning.")
  }
  public var helpSurahs: String { pick("Các chương: 2, yasin.", "Surahs: 2, yasin.") }

  public var helpSettings: String {
    pick("Cài đặt đồng bộ giữa các máy.", "Settings that are synced between devices.")
  }
  public var helpSettingsList: String { pick("Liệt kê cài đặt.", "List the settings.") }
  public var helpSettingsGet: String { pick("In một cài đặt.", "Print a setting.") }
  public var helpSettingsSet: String { pick("Đổi một cài đặt.", "Change a setting.") }
  public var helpSettingKey: String {
    "theme, layout, width, blankRows, marks, language, arabicNames, khatm."
  }
  public var helpKeyName: String { pick("tên", "key") }
  public var helpValueName: String { pick("giá trị", "value") }
  public var helpSettingValue: String {
    pick(
      "Giá trị; width nhận số cột, khatm số ngày để đọc trọn Kinh hoặc off.",
      "The value; width takes columns, khatm the days to read the book in, or off.")
  }

  public var helpExport: String {
    pick("Xuất thư viện ra tệp.", "Write the library to a file.")
  }
  public var helpExportFormat: String {
    pick(
      "json (mặc định) có tất cả để nhập lại; plist cho ứng dụng điện thoại, markdown để đọc,"
        + " không có ghi chú viết dở.",
      "json (the default) has everything and can be imported; plist for the phone app and markdown"
        + " to read leave out unfinished notes.")
  }
  public var helpExportOutput: String {
    pick("Ghi vào tệp này; không có thì in ra.", "Write to this file; else print.")
  }
  public var helpImport: String {
    pick("Nhập tệp vào thư viện.", "Merge files into the library.")
  }
  public var helpImportFiles: String {
    pick("Các tệp đã xuất; - là đầu vào.", "Exported files; - is the input.")
  }
  public var helpDryRun: String {
    pick("Chỉ cho biết sẽ nhập gì.", "Only tell what would be imported.")
  }
  public var helpAgain: String {
    pick(
      "Lấy lại cả những ghi chú đã nhập rồi xóa.",
      "Restore notes, too, that were imported and deleted since.")
  }
  public var helpArchive: String {
    pick(
      "Nhập xong thì cất tệp vào thư mục dữ liệu.",
      "Once everything is imported, put the file away in the data directory.")
  }

  public var helpBackup: String { pick("Sao lưu thư viện.", "Backups of the library.") }
  public var helpBackupMake: String { pick("Sao lưu ngay.", "Make a backup now.") }
  public var helpBackupList: String { pick("Liệt kê các bản sao lưu.", "List the backups.") }
  public var helpBackupRestore: String {
    pick(
      "Thay thư viện bằng một bản sao lưu.", "Replace the library with a backup.")
  }
  public var helpBackupName: String {
    pick("Tên bản sao lưu; mặc định là bản mới nhất.", "The backup's name; else the newest.")
  }
  public var helpCopyName: String { pick("tên", "name") }
  public var helpYes: String { pick("Không hỏi lại.", "Do not ask.") }
  public func badFormat(_ name: String) -> String {
    pick(
      "Không có định dạng “\(name)”; hãy chọn: json, plist, markdown.",
      "There is no format “\(name)”; choose one of: json, plist, markdown.")
  }
}
