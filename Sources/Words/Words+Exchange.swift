// What is said of exports and imports.
extension Words {
  // MARK: Files

  public func noSuchFile(_ path: String) -> String {
    pick("Không có tệp “\(path)”.", "There is no file “\(path)”.")
  }
  /// - Parameter code: what `errno` was, as in the next.
  public func fileNotRead(_ path: String, _ code: Int32) -> String {
    pick("Không đọc được “\(path)” (lỗi \(code)).", "“\(path)” cannot be read (error \(code)).")
  }
  public func fileNotWritten(_ path: String, _ code: Int32) -> String {
    pick(
      "Không ghi được “\(path)” (lỗi \(code)).", "“\(path)” cannot be written (error \(code)).")
  }

  // MARK: Exports

  public func exported(_ path: String, favorites: Int, notes: Int) -> String {
    pick(
      "Đã xuất \(favorites) câu yêu thích, \(notes) ghi chú vào \(path)",
      "Exported \(favorites == 1 ? "1 favourite" : "\(favorites) favourites"),"
        + " \(notes == 1 ? "1 note" : "\(notes) notes") to \(path)")
  }
  /// - Parameter text: whose text stands beside notes.
  public func exportedOn(_ time: String, _ text: String) -> String {
    pick(
      "Câu yêu thích và ghi chú, xuất ngày \(time). Văn bản: \(text).",
      "Favourites and notes, exported on \(time). Text: \(text).")
  }
  public var nothingToExport: String {
    pick("Chưa có câu yêu thích hay ghi chú nào.", "There are no favourites and no notes yet.")
  }

  // MARK: Imports

  public var nothingToImport: String {
    pick(
      "Chưa cho biết tệp nào; ví dụ: quran-vi import thu-vien.json, hoặc - để đọc đầu vào.",
      "No file is named; for example: quran-vi import library.json, or - for the input.")
  }
  public func fileIsNoExport(_ name: String) -> String {
    pick("“\(name)” không phải bản xuất của quran-vi.", "“\(name)” is not an export of quran-vi.")
  }
  public func fileIsNewer(_ name: String, _ version: Int) -> String {
    pick(
      "“\(name)” là của phiên bản quran-vi mới hơn (định dạng \(version)); hãy cập nhật.",
      "“\(name)” is from a newer quran-vi (format \(version)); update the program.")
  }
  /// - Parameters:
  ///   - line: one-based.
  ///   - offset: bytes before the place.
  ///   - expected: as `expectedValue` and its like.
  public func fileIsBroken(
    _ name: String, line: Int, offset: Int, _ expected: String
  ) -> String {
    pick(
      "“\(name)” hỏng ở dòng \(line) (byte \(offset)): thiếu \(expected).",
      "“\(name)” is broken on line \(line) (byte \(offset)): \(expected) is missing.")
  }
  public func fileIsTooDeep(_ name: String, line: Int) -> String {
    pick(
      "“\(name)” lồng quá sâu ở dòng \(line).", "“\(name)” is nested too deeply on line \(line).")
  }
  public var expectedValue: String { pick("một giá trị", "a value") }
  public var expectedKey: String { pick("tên khóa trong ngoặc kép", "a key in quotation marks") }
  public var expectedStringCharacter: String {
    pick("một ký tự hợp lệ trong chuỗi", "a character that a string may hold")
  }
  public var expectedEscape: String { pick("phần sau của dấu \\", "the rest of an escape") }
  public var expectedEndOfString: String {
    pick("dấu ngoặc kép đóng", "the closing quotation mark")
  }
  public var expectedDigit: String { pick("một chữ số", "a digit") }
  public var expectedEnd: String { pick("chỗ kết thúc tệp", "the end of the file") }

  public func importedFrom(_ name: String) -> String {
    pick("\(name): bản xuất của quran-vi", "\(name): an export of quran-vi")
  }
  public func wouldImport(_ name: String) -> String {
    pick(
      "\(name): bản xuất của quran-vi – chỉ thử, chưa ghi gì",
      "\(name): an export of quran-vi – tried out, nothing is written")
  }
  public func importCounts(_ list: String, new: Int, old: Int, skipped: Int) -> String {
    var parts = [pick("\(new) mới", "\(new) new")]
    if old > 0 { parts.append(pick("\(old) đã có", "\(old) there already")) }
    if skipped > 0 { parts.append(pick("\(skipped) bỏ qua", "\(skipped) left out")) }
    return "\(list): \(parts.joined(separator: ", "))"
  }
  public var nothingInIt: String { pick("không có gì trong đó", "there is nothing in it") }
  /// - Parameter number: its place in the list, one-based; 0 for the list itself.
  public func skipped(_ list: String, _ number: Int, line: Int, _ reason: String) -> String {
    let place = number == 0 ? list : "\(list) \(number)"
    return pick(
      "bỏ qua \(place) (dòng \(line)): \(reason)", "left out \(place) (line \(line)): \(reason)")
  }
  /// - Parameter areListed: whether scripts are told of each.
  public func moreSkipped(_ count: Int, areListed: Bool) -> String {
    areListed
      ? pick("… và \(count) mục nữa (--json kể ra)", "… and \(count) more (--json lists them)")
      : pick("… và \(count) mục nữa", "… and \(count) more")
  }
  public func unknownKeys(_ keys: String) -> String {
    pick("không rõ nghĩa, bỏ qua: \(keys)", "not known, passed over: \(keys)")
  }

  // MARK: Lists of an export

  public var listFavorites: String { pick("yêu thích", "favourites") }
  public var listNotes: String { pick("ghi chú", "notes") }
  public var listProgress: String { pick("tiến độ", "progress") }
  public var listSettings: String { pick("cài đặt", "settings") }
  public var listReadingDays: String { pick("ngày đọc", "reading days") }
  public var listDrafts: String { pick("bản nháp", "drafts") }
  public var listCues: String { pick("dấu 1–9", "cues") }

  // MARK: Why something is left out

  public var reasonNotAList: String { pick("không phải danh sách", "it is no list") }
  /// - Parameter field: nil for the whole.
  public func reasonWrongType(_ field: String?) -> String {
    field.map { pick("“\($0)” sai kiểu", "“\($0)” is of the wrong type") }
      ?? pick("sai kiểu", "it is of the wrong type")
  }
  public func reasonMissing(_ field: String) -> String {
    pick("thiếu “\(field)”", "“\(field)” is missing")
  }
  public func reasonUnfit(_ field: String) -> String {
    pick("giá trị của “\(field)” không dùng được", "the value of “\(field)” cannot be used")
  }
  public func reasonNoSuchAyah(_ text: String) -> String {
    pick("không có câu “\(text)”", "there is no ayah “\(text)”")
  }
  public func reasonNoSuchSurah(_ number: Int) -> String {
    pick("không có chương \(number)", "there is no surah \(number)")
  }
  public func reasonBadID(_ text: String) -> String {
    pick("“\(text)” không phải mã ghi chú", "“\(text)” is no id of a note")
  }
  public var reasonTooLarge: String { pick("quá lớn", "it is too large") }
  public var reasonNotText: String {
    pick("có byte không phải văn bản", "some of it is not text")
  }
}
