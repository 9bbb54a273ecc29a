// The user's library: favourites, notes, progress and settings.
extension Messages {
  public var libraryHasNoPlace: String {
    pick(
      "Không có thư mục nhà (HOME) nên không có chỗ cho thư viện; --library chỉ ra một tệp.",
      "There is no home directory (HOME) to keep the library in; --library names a file.")
  }
  public var libraryIsReadOnly: String {
    pick(
      "Không ghi được vào chỗ của thư viện, nên chỉ đọc, không thay đổi được gì.",
      "The library's place cannot be written, so it can be read but not changed.")
  }
  /// - Parameter code: The value of `errno`.
  public func libraryIsUnreadable(_ path: String, _ code: Int32) -> String {
    pick(
      "Không đọc được \(path) (\(systemError(code))).",
      "\(path) cannot be read (\(systemError(code))).")
  }
  public var libraryDiskIsFull: String {
    pick(
      "Đĩa đã đầy nên không lưu được; những gì đã lưu vẫn còn nguyên.",
      "The disk is full, so this was not saved; what was saved before is safe.")
  }
  public var libraryIsBusy: String {
    pick(
      "Một tiến trình khác đang giữ thư viện; hãy thử lại.",
      "Another process is holding the library; try again.")
  }
  public func libraryIsNewer(_ path: String) -> String {
    pick(
      "\(path) là của phiên bản quran-vi mới hơn; tệp được để nguyên. Hãy cập nhật chương trình.",
      "\(path) is from a newer quran-vi, and was left as it is. Update the program.")
  }
  public func libraryIsForeign(_ path: String) -> String {
    pick(
      "\(path) không phải là thư viện của quran-vi; tệp được để nguyên.",
      "\(path) is not a quran-vi library, and was left as it is.")
  }
  public func libraryHasStrangeSchema(_ path: String) -> String {
    pick(
      "\(path) có những bảng không phải của quran-vi nên không được mở; tệp được để nguyên."
        + " Để lấy lại một bản sao lưu: quran-vi backup restore",
      "\(path) has tables that are not quran-vi's, so it was not opened, and left as it is."
        + " To bring back a backup: quran-vi backup restore")
  }
  public func libraryIsDamagedBehindLink(_ path: String) -> String {
    pick(
      "\(path) bị hỏng và được mở qua một liên kết, nên được để nguyên."
        + " Để cứu dữ liệu: quran-vi --library \(path)",
      "\(path) is damaged and was opened through a symbolic link, so it was left as it is."
        + " To salvage it: quran-vi --library \(path)")
  }
  public func libraryIsDamagedInUse(_ path: String) -> String {
    pick(
      "\(path) bị hỏng và đang được mở ở nơi khác; hãy đóng hết quran-vi rồi mở lại.",
      "\(path) is damaged and open elsewhere; close every quran-vi, then start again.")
  }
  public func libraryIsDamaged(_ path: String) -> String {
    pick(
      "\(path) bị hỏng; mở lại quran-vi để cứu dữ liệu, hoặc dùng: quran-vi backup restore",
      "\(path) is damaged; start quran-vi again to salvage it, or use: quran-vi backup restore")
  }
  /// - Parameter thing: The name of the thing, such as `theFavorite`.
  public func libraryChangedMeanwhile(_ thing: String) -> String {
    pick(
      "Không hoàn tác được: \(thing) đã thay đổi sau đó.",
      "Not undone: \(thing) was changed since.")
  }
  public func libraryHasNo(_ thing: String) -> String {
    pick("Không còn nữa: \(thing).", "No longer there: \(thing).")
  }
  public var noteIsEmpty: String {
    pick("Ghi chú chưa có chữ nào.", "The note has no text.")
  }
  public func noteIsTooLong(excess: Int, limit: Int) -> String {
    pick(
      "Ghi chú dài quá \(excess) byte; tối đa \(limit) byte.",
      "The note is \(excess) bytes too long; at most \(limit) fit.")
  }
  /// - Parameters:
  ///   - code: The result code of SQLite.
  ///   - message: The error message of SQLite.
  public func libraryFailed(_ code: Int32, _ message: String) -> String {
    pick(
      "Cơ sở dữ liệu báo lỗi \(code): \(message)", "The database reports error \(code): \(message)")
  }
}

// MARK: Names of things, for use within a sentence

extension Messages {
  public func theFavorite(_ ayah: String) -> String {
    pick("dấu yêu thích ở \(ayah)", "the favourite \(ayah)")
  }
  public var theNote: String { pick("ghi chú đó", "the note") }
  public func theProgress(ofSurah surah: Int) -> String {
    pick("tiến độ chương \(surah)", "the progress of surah \(surah)")
  }
  public func theSetting(_ key: String) -> String {
    pick("cài đặt “\(key)”", "the setting “\(key)”")
  }
}

// MARK: Notices

extension Messages {
  /// - Parameter salvaged: The number of rows that were recovered.
  public func librarySetAside(_ path: String, salvaged: Int, hasBackup: Bool) -> String {
    pick(
      "Thư viện bị hỏng, được giữ nguyên ở \(path); cứu được \(salvaged) mục.",
      "The library was damaged; it lies untouched at \(path), and \(salvaged) entries were saved"
        + " from it.")
      + (hasBackup ? backupHint : "")
  }
  /// - Parameter wal: The path of the WAL file that has the newest changes, or nil if there is
  ///   none.
  public func libraryGone(_ wal: String?, hasBackup: Bool) -> String {
    let changes =
      wal.map {
        pick(" Những thay đổi mới nhất được giữ ở \($0).", " Its newest changes are in \($0).")
      } ?? ""
    return pick(
      "Tệp thư viện đã mất; một thư viện mới đã được tạo.\(changes)",
      "The library's file is gone; a new library was made.\(changes)")
      + (hasBackup ? backupHint : "")
  }
  private var backupHint: String {
    pick(" Có bản sao lưu: quran-vi backup restore", " There is a backup: quran-vi backup restore")
  }
  public func libraryWALSetAside(_ path: String) -> String {
    pick(
      "Tệp thư viện đã bị thay bằng một tệp khác; những thay đổi mới nhất của tệp cũ được giữ ở"
        + " \(path).",
      "The library's file was replaced by another; the newest changes of the former one are in"
        + " \(path).")
  }
  public func libraryWasReplaced(_ former: String?) -> String {
    let fate =
      former.map { pick(" Thư viện cũ được giữ ở \($0).", " The former library lies at \($0).") }
      ?? pick(
        " Không giữ lại được dữ liệu của thư viện cũ.",
        " The data of the former library could not be kept.")
    return pick(
      "Tệp thư viện vừa bị thay bằng một tệp khác, nay đang mở.",
      "The library's file was just replaced by another, which is open now.") + fate
  }
  public var libraryWasRemoved: String {
    pick(
      "Tệp thư viện vừa bị xóa khi đang mở; nó đã được ghi lại.",
      "The library's file was just removed while it was open; it was written again.")
  }
  public func libraryIsReplaced(_ path: String) -> String {
    pick(
      "\(path) đã bị thay hoặc bị xóa khi đang mở; hãy thử lại.",
      "\(path) was replaced or removed while it was open; try again.")
  }
  public var libraryCheckFoundDamage: String {
    pick(
      "Kiểm tra thấy thư viện bị hỏng; lần mở sau sẽ cứu dữ liệu.",
      "A check found the library damaged; the next start will salvage it.")
  }
}
