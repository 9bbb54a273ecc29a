public import Library
import Text

extension Messages {
  /// Explains why a document cannot be imported.
  ///
  /// - Parameters:
  ///   - failure: The reason.
  ///   - name: The name of the file as the user gave it.
  public func explain(_ failure: ExportDocument.Failure, in name: String) -> String {
    let name = name.sanitizedLine
    return switch failure {
    case .syntax(let offset, let line, let expected):
      pick(
        "“\(name)” hỏng ở dòng \(line) (byte \(offset)): \(explain(expected)).",
        "“\(name)” is broken on line \(line) (byte \(offset)): \(explain(expected)).")
    case .tooDeep(_, let line):
      pick(
        "“\(name)” lồng quá sâu ở dòng \(line).", "“\(name)” is nested too deeply on line \(line).")
    case .notAnExport:
      pick(
        "“\(name)” không phải bản xuất của quran-vi, cũng không phải dữ liệu của ứng dụng cũ.",
        "“\(name)” is neither an export of quran-vi nor data of the older app.")
    case .newer(let version):
      pick(
        "“\(name)” là của phiên bản quran-vi mới hơn (định dạng \(version)); hãy cập nhật.",
        "“\(name)” is from a newer quran-vi (format \(version)); update the program.")
    }
  }

  /// Explains why a text is not JSON, for use within a sentence.
  private func explain(_ expected: ExportDocument.Expected) -> String {
    func missing(_ vietnamese: String, _ english: String) -> String {
      pick("thiếu \(vietnamese)", "\(english) is missing")
    }
    return switch expected {
    case .value: missing("một giá trị", "a value")
    case .key: missing("tên khóa trong ngoặc kép", "a key in quotation marks")
    case .colon: missing("“:”", "“:”")
    case .commaOrBrace: missing("“,” / “}”", "“,” / “}”")
    case .commaOrBracket: missing("“,” / “]”", "“,” / “]”")
    case .character:
      pick("chuỗi có ký tự không hợp lệ", "a string has a character that is not allowed")
    case .escape, .surrogate: missing("phần sau của dấu \\", "the rest of an escape")
    case .endOfString: missing("dấu ngoặc kép đóng", "the closing quotation mark")
    case .digit: missing("một chữ số", "a digit")
    case .end: pick("còn thừa chữ sau phần kết thúc", "there is more text after the end")
    }
  }

  /// Explains why an entry of an import was skipped.
  public func explain(_ reason: ImportReport.Reason) -> String {
    switch reason {
    case .notAList: pick("không phải danh sách", "it is not a list")
    case .wrongType(let field?):
      pick("“\(field.sanitizedLine)” sai kiểu", "“\(field.sanitizedLine)” is of the wrong type")
    case .wrongType(nil): pick("sai kiểu", "it is of the wrong type")
    case .missing(let field): reasonMissing(field.sanitizedLine)
    case .invalidValue(let field):
      pick(
        "giá trị của “\(field.sanitizedLine)” không dùng được",
        "the value of “\(field.sanitizedLine)” cannot be used")
    case .noSuchAyah(let text): reasonNoSuchAyah(text.sanitizedLine)
    case .noSuchSurah(let number): reasonNoSuchSurah("\(number)")
    case .badID(let text):
      pick(
        "“\(text.sanitizedLine)” không phải mã ghi chú",
        "“\(text.sanitizedLine)” is not the ID of a note")
    case .note(let problem): clause(explain(problem))
    case .tooLarge: pick("quá lớn", "it is too large")
    case .notText: reasonNotText
    }
  }

  // Reasons that an export and a legacy dump share.

  func reasonMissing(_ field: String) -> String {
    pick("thiếu “\(field)”", "“\(field)” is missing")
  }
  func reasonNoSuchAyah(_ text: String) -> String {
    pick("không có câu “\(text)”", "there is no ayah “\(text)”")
  }
  func reasonNoSuchSurah(_ text: String) -> String {
    pick("không có chương \(text)", "there is no surah \(text)")
  }
  var reasonNotText: String {
    pick("có byte không phải văn bản", "some of it is not text")
  }

  /// Returns the name of a list of an export.
  public func name(of list: ExportDocument.List) -> String {
    switch list {
    case .favorites: pick("yêu thích", "favourites")
    case .notes: pick("ghi chú", "notes")
    case .progress: pick("tiến độ", "progress")
    case .settings: pick("cài đặt", "settings")
    case .readingDays: pick("ngày đọc", "reading days")
    case .drafts: pick("bản nháp", "drafts")
    case .cues: pick("dấu trang 1–9", "cues")
    }
  }
}
