import Glibc

// Exports and imports.
extension Messages {
  // MARK: Files

  public func noSuchFile(_ path: String) -> String {
    pick("Không có tệp “\(path)”.", "There is no file “\(path)”.")
  }
  /// - Parameter code: The value of `errno`.
  public func fileNotRead(_ path: String, _ code: Int32) -> String {
    pick(
      "Không đọc được “\(path)” (\(systemError(code))).",
      "“\(path)” cannot be read (\(systemError(code))).")
  }
  public func fileIsDirectory(_ path: String) -> String {
    pick("“\(path)” là thư mục.", "“\(path)” is a directory.")
  }
  public func fileIsNotRegular(_ path: String) -> String {
    pick("“\(path)” không phải tệp thường.", "“\(path)” is not a regular file.")
  }
  public func fileExists(_ path: String) -> String {
    pick(
      "Đã có “\(path)”; hãy chọn tên khác.", "“\(path)” exists already; choose another name.")
  }
  /// The name of standard input.
  public var standardInputName: String { pick("đầu vào", "standard input") }
  public func isTheLibrary(_ path: String) -> String {
    pick(
      "“\(path)” là tệp của thư viện; hãy chọn tệp khác.",
      "“\(path)” belongs to the library; choose another file.")
  }
  public func fileNotWritten(_ path: String, _ code: Int32) -> String {
    // A file that does not exist is created, so only its folder can be missing.
    if code == ENOENT {
      return pick(
        "Không ghi được “\(path)”: thư mục đó không tồn tại.",
        "“\(path)” cannot be written: its folder does not exist.")
    }
    return pick(
      "Không ghi được “\(path)” (\(systemError(code))).",
      "“\(path)” cannot be written (\(systemError(code))).")
  }

  // MARK: In the reader

  public var actImport: String {
    pick("nhập dữ liệu từ một tệp", "import data from a file")
  }
  public func importing(_ path: String) -> String {
    pick("Đang nhập \(path) …", "Importing \(path) …")
  }
  public func exporting(_ path: String) -> String {
    pick("Đang xuất ra \(path) …", "Exporting to \(path) …")
  }
  public var askForFileName: String {
    pick("Gõ tên tệp; Tab để xem các tệp.", "Type the name of a file; Tab lists files.")
  }
  public var noFileBeginsSo: String {
    pick("Không có tệp nào bắt đầu như vậy.", "No file begins like that.")
  }
  public func withUndo(_ text: String, _ undo: String) -> String {
    pick("\(text) – \(undo) để hoàn tác", "\(text) – \(undo) undoes")
  }
  public func importOffer(_ path: String, _ key: String, submit: String) -> String {
    pick(
      "\(key) rồi \(submit): nhập dữ liệu ứng dụng cũ, \(path)",
      "\(key), then \(submit), imports the older app's data: \(path)")
  }
  public func plainImportOffer(_ path: String) -> String {
    pick(
      "Có dữ liệu của ứng dụng cũ. Gõ để nhập: import \(path)",
      "Here is data of the older app. Type this to import it: import \(path)")
  }
  public var importReportTitle: String { pick("Nhập dữ liệu", "Import") }

  // MARK: Exports

  /// - Parameter unfinished: The number of unfinished notes in the file.
  public func exported(
    _ path: String, favorites: Int, notes: Int, unfinished: Int
  ) -> String {
    let content =
      [favoriteCount(favorites), noteCount(notes)]
      + (unfinished > 0 ? [unfinishedNoteCount(unfinished)] : [])
    let list = content.joined(separator: ", ")
    return pick("Đã xuất \(list) vào \(path)", "Exported \(list) to \(path)")
  }
  public func unfinishedNotesLeftOut(_ count: Int) -> String {
    pick(
      "Không có trong bản xuất: \(unfinishedNoteCount(count)); --format json có tất cả.",
      "Left out: \(unfinishedNoteCount(count)); --format json has everything.")
  }
  public func unfinishedNotesNotListed(_ count: Int) -> String {
    pick(
      "Không liệt kê: \(unfinishedNoteCount(count)); mở quran-vi để viết tiếp.",
      "Not listed: \(unfinishedNoteCount(count)); open quran-vi to go on writing.")
  }
  public func unfinishedNotesNotSearched(_ count: Int) -> String {
    pick(
      "Không tìm trong: \(unfinishedNoteCount(count)); mở quran-vi để viết tiếp.",
      "Not searched: \(unfinishedNoteCount(count)); open quran-vi to go on writing.")
  }
  private func unfinishedNoteCount(_ count: Int) -> String {
    pick(
      "\(count) ghi chú viết dở", count == 1 ? "1 unfinished note" : "\(count) unfinished notes")
  }
  /// - Parameters:
  ///   - text: The title of the edition that is quoted.
  ///   - isSelection: Whether the user chose the ayahs.
  public func exportedOn(_ time: String, _ text: String, isSelection: Bool) -> String {
    let content =
      isSelection
      ? pick("Các câu", "Ayahs") : pick("Câu yêu thích và ghi chú", "Favourites and notes")
    return pick(
      "\(content), xuất ngày \(time). Bản văn: \(text).",
      "\(content), exported on \(time). Text: \(text).")
  }
  public var nothingToExport: String {
    pick("Chưa có câu yêu thích hay ghi chú nào.", "There are no favourites and no notes yet.")
  }

  // MARK: Imports

  public var nothingToImport: String {
    pick(
      "Chưa cho biết tệp nào; ví dụ: quran-vi import thu-vien.json, hoặc - để đọc đầu vào.",
      "No file is named; for example: quran-vi import library.json, or - for standard input.")
  }

  public var kindExport: String { pick("bản xuất của quran-vi", "an export of quran-vi") }
  /// - Parameter formats: The file formats of the dump.
  public func kindLegacy(_ formats: String) -> String {
    pick("dữ liệu của ứng dụng cũ (\(formats))", "data of the older app (\(formats))")
  }
  /// - Parameter kind: `kindExport` or `kindLegacy`.
  public func importedFrom(_ name: String, _ kind: String) -> String { "\(name): \(kind)" }
  public func wouldImport(_ name: String, _ kind: String) -> String {
    pick(
      "\(name): \(kind) – chỉ thử, chưa ghi gì",
      "\(name): \(kind) – dry run, nothing is written")
  }
  public func importCounts(
    _ list: String, new: Int, replaced: Int, merged: Int, keptBoth: Int, old: Int, skipped: Int
  ) -> String {
    var parts = [pick("\(new) mới", "\(new) new")]
    parts += importChanges(replaced: replaced, merged: merged, keptBoth: keptBoth)
    if old > 0 { parts.append(pick("\(old) đã có", "\(old) there already")) }
    if skipped > 0 { parts.append(pick("\(skipped) bỏ qua", "\(skipped) left out")) }
    return "\(list): \(parts.joined(separator: ", "))"
  }
  public var nothingInIt: String { pick("không có gì trong đó", "there is nothing in it") }
  /// - Parameter element: The name of the list and the position in it.
  public func placeInExport(_ element: String, _ line: Int) -> String {
    pick("\(element) (dòng \(line))", "\(element) (line \(line))")
  }
  public func skipped(_ place: String, _ reason: String) -> String {
    pick("bỏ qua \(place): \(reason)", "left out \(place): \(reason)")
  }
  /// - Parameter areListed: Whether the JSON output lists all of them.
  public func moreSkipped(_ count: Int, areListed: Bool) -> String {
    areListed
      ? pick("… và \(count) mục nữa (--json kể ra)", "… and \(count) more (--json lists them)")
      : pick("… và \(count) mục nữa", "… and \(count) more")
  }
  public func unknownKeys(_ keys: String) -> String {
    pick("không rõ nghĩa, bỏ qua: \(keys)", "not known, left out: \(keys)")
  }

  public func archived(_ path: String) -> String {
    pick("đã chuyển tệp vào \(path)", "the file is now \(path)")
  }
  public func notArchived(_ path: String, _ code: Int32) -> String {
    pick(
      "Đã nhập xong, nhưng không chuyển được tệp vào \(path) (\(systemError(code))).",
      "The file was imported, but could not be moved to \(path) (\(systemError(code))).")
  }
  /// The effects of the import on existing entries.
  private func importChanges(replaced: Int, merged: Int, keptBoth: Int) -> [String] {
    [
      (replaced, pick("\(replaced) thay bản cũ", "\(replaced) replaced")),
      (merged, pick("\(merged) gộp", "\(merged) merged")),
      (keptBoth, pick("\(keptBoth) giữ cả hai bản", "\(keptBoth) kept both")),
    ].filter { $0.0 > 0 }.map(\.1)
  }
  /// - Parameters:
  ///   - all: The number of entries of all kinds that changed the library.
  ///   - replaced: The number of them that replaced an existing entry, as in `importCounts`.
  ///   - merged: The number of notes that were merged with an existing one.
  ///   - keptBoth: The number of notes that were added next to a differing one.
  ///   - skipped: The number of entries that were not imported.
  public func imported(
    favorites: Int, notes: Int, surahs: Int, all: Int, replaced: Int, merged: Int, keptBoth: Int,
    skipped: Int
  ) -> String {
    guard all > 0 else {
      return skipped == 0
        ? pick("Không có gì mới để nhập", "Nothing new to import")
        : pick(
          "Không có gì mới để nhập; bỏ qua \(skipped)",
          "Nothing new to import; left out \(skipped)")
    }
    var parts: [String] = []
    if favorites > 0 { parts.append(favoriteCount(favorites)) }
    if notes > 0 { parts.append(noteCount(notes)) }
    if surahs > 0 {
      parts.append(
        pick(
          "tiến độ \(surahs) chương",
          surahs == 1 ? "progress of 1 surah" : "progress of \(surahs) surahs"))
    }
    let others = all - favorites - notes - surahs
    if others > 0 {
      parts.append(
        pick("\(others) mục khác", others == 1 ? "1 other entry" : "\(others) other entries"))
    }
    var text = pick("Đã nhập ", "Imported ") + parts.joined(separator: ", ")
    let changes = importChanges(replaced: replaced, merged: merged, keptBoth: keptBoth)
    if !changes.isEmpty { text += " (\(changes.joined(separator: ", ")))" }
    return skipped == 0 ? text : text + pick("; bỏ qua \(skipped)", "; left out \(skipped)")
  }

  public func exportIsPacked(_ name: String) -> String {
    pick(
      "“\(name)” là bản xuất của quran-vi đã nén hoặc ở bảng mã khác; hãy đổi lại thành JSON"
        + " UTF-8 (ví dụ: gunzip).",
      "“\(name)” is an export of quran-vi, but gzipped or in another encoding; make it JSON in"
        + " UTF-8 again (with gunzip, say).")
  }
  public func importNotVerified(_ name: String) -> String {
    pick(
      "Không chắc thư viện đã có đủ “\(name)”: tệp được để yên; hãy nhập lại.",
      "The library does not seem to hold all of “\(name)”: the file stays; import it again.")
  }
  public var sameFileTwice: String {
    pick("--archive: một tệp được kể hai lần.", "--archive: a file is named twice.")
  }
  public var inputHasNoArchive: String {
    pick(
      "--archive cần một tệp, không phải đầu vào.", "--archive needs a file, not standard input.")
  }
}
