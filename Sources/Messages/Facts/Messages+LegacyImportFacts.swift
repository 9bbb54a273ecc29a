public import LegacyImport
import Library
import Text

extension Messages {
  /// Explains why a dump of the iOS app, or one of its keys, cannot be imported.
  ///
  /// - Parameters:
  ///   - failure: The reason.
  ///   - name: The name of the file as the user gave it.
  public func explain(_ failure: LegacyFailure, in name: String) -> String {
    explain(failure, of: "“\(name.sanitizedLine)”")
  }

  /// - Parameter subject: The subject of the sentence: a quoted file name, or “its content”.
  private func explain(_ failure: LegacyFailure, of subject: String) -> String {
    switch failure {
    case .shortened(let key):
      pick(
        "\(subject) là kết quả của defaults read, trong đó “\(key.rawValue)” bị cắt bớt."
          + " Hãy xuất lại bằng: defaults export com.Donald.Quranvn tep.plist",
        "\(subject) is the output of defaults read, which cut “\(key.rawValue)”."
          + " Export it again with: defaults export com.Donald.Quranvn file.plist")
    case .noLegacyKeys(let found):
      pick(
        "\(subject) không có khóa nào của ứng dụng (\(Self.knownKeys))",
        "\(subject) has none of the app's keys (\(Self.knownKeys))")
        + (Self.list(found).map { pick(", chỉ có: \($0).", ", only these: \($0).") } ?? ".")
    case .unknownFormat:
      pick(
        "\(subject) không phải property list, JSON hay gzip của chúng.",
        "\(subject) is not a property list or JSON, compressed with gzip or not.")
    case .damaged(let format, let offset):
      pick(
        "\(subject) (\(name(of: format))) hỏng", "\(subject) (\(name(of: format))) is broken")
        + (offset.map { pick(" ở byte \($0)", " at byte \($0)") } ?? "") + "."
    case .unknownEncoding(let encoding):
      pick(
        "\(subject) dùng bảng mã \(encoding.sanitizedLine); chỉ đọc được UTF-8 và UTF-16.",
        "\(subject) is encoded in \(encoding.sanitizedLine); only UTF-8 and UTF-16 can be read.")
    case .tooLarge(let limit):
      pick(
        "\(subject) quá lớn: tối đa \(limit >> 20) MB.",
        "\(subject) is too large: the limit is \(limit >> 20) MB.")
    case .tooLargeUnpacked(let limit):
      pick(
        "\(subject) giải nén ra quá lớn: tối đa \(limit >> 20) MB.",
        "\(subject) is too large when decompressed: the limit is \(limit >> 20) MB.")
    case .tooDeep: pick("\(subject) lồng quá sâu.", "\(subject) is nested too deeply.")
    case .tooManyValues(let limit):
      pick(
        "\(subject) có quá nhiều giá trị: tối đa \(limit).",
        "\(subject) has too many values: the limit is \(limit).")
    case .hasEntities:
      pick(
        "\(subject) khai báo thực thể XML, điều không property list nào làm; không đọc.",
        "\(subject) declares XML entities, which no property list needs; it was not read.")
    case .cyclic:
      pick("\(subject) có giá trị chứa chính nó.", "\(subject) has a value that contains itself.")
    case .nothingUnderstood(let problems):
      pick("Không hiểu được gì trong \(subject): ", "Nothing in \(subject) can be understood: ")
        + problems.prefix(LegacyKey.allCases.count).map {
          "\($0.key.rawValue) – \(explain($0.reason))"
        }.joined(separator: "; ") + "."
    case .cancelled: pick("Đã dừng đọc \(subject).", "Reading \(subject) was stopped.")
    }
  }

  /// Explains why an entry of a dump was skipped.
  public func explain(_ reason: LegacyProblem.Reason) -> String {
    switch reason {
    case .noSuchAyah(let text): reasonNoSuchAyah(text.sanitizedLine)
    case .malformedAyah(let text):
      pick(
        "“\(text.sanitizedLine)” không có dạng chương:câu",
        "“\(text.sanitizedLine)” is not of the form surah:ayah")
    case .noSuchSurah(let text): reasonNoSuchSurah("“\(text.sanitizedLine)”")
    case .malformedSurah(let text):
      pick(
        "“\(text.sanitizedLine)” không phải số chương",
        "“\(text.sanitizedLine)” is not the number of a surah")
    case .wrongType(let kind):
      pick("sai kiểu: là \(name(of: kind))", "it is of the wrong type: \(name(of: kind))")
    case .note(let problem): clause(explain(problem))
    case .tooManyMarks(let limit):
      pick(
        "hơn \(limit) dấu chồng trên một chữ", "more than \(limit) marks stand on one letter")
    case .missingField(let field): reasonMissing(field.sanitizedLine)
    case .notANumber(let text):
      pick(
        "“\(text.sanitizedLine)” không phải số nguyên",
        "“\(text.sanitizedLine)” is not a whole number")
    case .missingValue: pick("thiếu giá trị", "its value is missing")
    case .invalidUnicode: reasonNotText
    case .unreadable(let failure): clause(explain(failure, of: pick("nội dung", "its content")))
    }
  }

  /// Removes the full stop of a sentence, for use in a list or after a place.
  func clause(_ sentence: String) -> String {
    sentence.utf8.last == UInt8(ascii: ".") ? String(sentence.dropLast()) : sentence
  }

  /// Returns the name of the encoding of a key.
  public func name(of shape: LegacyDump.Shape) -> String {
    shape.steps.isEmpty
      ? pick("giá trị thường", "plain value")
      : shape.steps.map { name(of: $0) }.joined(separator: " › ")
  }

  /// Returns the name of a file format or an encoding.
  public func name(of step: LegacyDump.Step) -> String {
    switch step {
    case .data: "Data"
    case .string: pick("chuỗi", "text")
    case .base64: "Base64"
    case .gzip: "gzip"
    case .utf16: "UTF-16"
    case .json: "JSON"
    case .xmlPropertyList: propertyList("XML")
    case .binaryPropertyList: binaryPropertyList
    case .openStepPropertyList: propertyList("OpenStep")
    case .keyedArchive: "NSKeyedArchiver"
    case .flatArray: pick("danh sách khóa, giá trị", "keys and values in turn")
    }
  }

  private func name(of kind: LegacyProblem.Kind) -> String {
    switch kind {
    case .text: pick("văn bản", "a text")
    case .number: pick("số", "a number")
    case .data: pick("dữ liệu", "data")
    case .list: pick("danh sách", "a list")
    case .dictionary: pick("từ điển", "a dictionary")
    case .date: pick("ngày giờ", "a date")
    case .nothing: pick("rỗng", "nothing")
    case .boolean: pick("đúng/sai", "true or false")
    case .reference: pick("tham chiếu", "a reference")
    }
  }

  private var binaryPropertyList: String {
    pick("property list nhị phân", "binary property list")
  }

  /// - Parameter format: The name of the format, such as “XML”.
  private func propertyList(_ format: String) -> String {
    pick("property list \(format)", "\(format) property list")
  }

  private static var knownKeys: String {
    LegacyKey.allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// Returns the first five keys, separated by commas, or nil if there are none.
  private static func list(_ keys: [String]) -> String? {
    guard !keys.isEmpty else { return nil }
    let shown = keys.prefix(5).map(\.sanitizedLine).joined(separator: ", ")
    return keys.count > 5 ? shown + ", …" : shown
  }
}
