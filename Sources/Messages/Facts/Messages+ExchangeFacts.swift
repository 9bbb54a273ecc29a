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
        "“\(name)” hỏng ở dòng \(line) (byte \(offset)): thiếu \(self.name(of: expected)).",
        "“\(name)” is broken on line \(line) (byte \(offset)): \(self.name(of: expected)) is"
          + " missing.")
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

  private func name(of expected: ExportDocument.Expected) -> String {
    switch expected {
    case .value: pick("một giá trị", "a value")
    case .key: pick("tên khóa trong ngoặc kép", "a key in quotation marks")
    case .colon: "“:”"
    case .commaOrBrace: "“,” / “}”"
    case .commaOrBracket: "“,” / “]”"
    case .character: pick("một ký tự hợp lệ trong chuỗi", "a character that a string may hold")
    case .escape, .surrogate: pick("phần sau của dấu \\", "the rest of an escape")
    case .endOfString: pick("dấu ngoặc kép đóng", "the closing quotation mark")
    case .digit: pick("một chữ số", "a digit")
    case .end: pick("chỗ kết thúc tệp", "the end of the file")
    }
  }

  /// Explains why an entry of an import was skipped.
  public func explain(_ reason: ImportReport.Reason) -> String {
    switch reason {
    case .notAList: pick("không phải danh sách", "it is no list")
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
        "“\(text.sanitizedLine)” is no id of a note")
    case .note(let problem): explain(problem)
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
