// The import of dumps of the iOS app.
extension Messages {
  // MARK: Dumps that cannot be imported
  // The subject of each sentence is a name from `quoted`, or `keyContent`.

  public func quoted(_ name: String) -> String { "“\(name)”" }
  /// The subject of a sentence about the content of a key.
  public var keyContent: String { pick("nội dung", "its content") }

  public func dumpIsShortened(_ subject: String, _ key: String) -> String {
    pick(
      "\(subject) là kết quả của defaults read, trong đó “\(key)” bị cắt bớt. Hãy xuất lại bằng:"
        + " defaults export com.Donald.Quranvn tep.plist",
      "\(subject) is the output of defaults read, which cut “\(key)”. Export it again with:"
        + " defaults export com.Donald.Quranvn file.plist")
  }
  /// - Parameter found: The keys of the file, or nil if it has none.
  public func dumpHasNoKeys(_ subject: String, _ keys: [String], _ found: String?) -> String {
    let keys = keys.joined(separator: ", ")
    let none = pick(
      "\(subject) không có khóa nào của ứng dụng (\(keys))",
      "\(subject) has none of the app's keys (\(keys))")
    return none + (found.map { pick(", chỉ có: \($0).", ", only these: \($0).") } ?? ".")
  }
  public func dumpNotRecognised(_ subject: String) -> String {
    pick(
      "\(subject) không phải property list, JSON hay gzip của chúng.",
      "\(subject) is no property list, no JSON, nor gzip of these.")
  }
  /// - Parameters:
  ///   - subject: The subject of the sentence.
  ///   - container: The file format, such as “JSON”.
  ///   - offset: The number of bytes before the error, if it is known.
  public func dumpIsDamaged(_ subject: String, _ container: String, offset: Int?) -> String {
    let place = offset.map { pick(" ở byte \($0)", " at byte \($0)") } ?? ""
    return pick(
      "\(subject) (\(container)) hỏng\(place).", "\(subject) (\(container)) is broken\(place).")
  }
  public func dumpHasEncoding(_ subject: String, _ encoding: String) -> String {
    pick(
      "\(subject) dùng bảng mã \(encoding); chỉ đọc được UTF-8 và UTF-16.",
      "\(subject) is encoded in \(encoding); only UTF-8 and UTF-16 can be read.")
  }
  public func dumpIsTooLarge(_ subject: String, megabytes: Int) -> String {
    pick(
      "\(subject) quá lớn: tối đa \(megabytes) MB.",
      "\(subject) is too large: \(megabytes) MB is the most.")
  }
  public func dumpIsTooLargeUnpacked(_ subject: String, megabytes: Int) -> String {
    pick(
      "\(subject) giải nén ra quá lớn: tối đa \(megabytes) MB.",
      "\(subject) unpacks to too much: \(megabytes) MB is the most.")
  }
  public func dumpIsTooDeep(_ subject: String) -> String {
    pick("\(subject) lồng quá sâu.", "\(subject) is nested too deeply.")
  }
  public func dumpHasTooMuch(_ subject: String, _ limit: Int) -> String {
    pick(
      "\(subject) có quá nhiều giá trị: tối đa \(limit).",
      "\(subject) has too many values: \(limit) is the most.")
  }
  public func dumpHasEntities(_ subject: String) -> String {
    pick(
      "\(subject) khai báo thực thể XML, điều không property list nào làm; không đọc.",
      "\(subject) declares XML entities, as no property list does; it is not read.")
  }
  public func dumpIsCyclic(_ subject: String) -> String {
    pick("\(subject) có giá trị chứa chính nó.", "\(subject) has a value that holds itself.")
  }
  /// - Parameter keys: The keys with the reasons.
  public func dumpNotUnderstood(_ subject: String, _ keys: [String]) -> String {
    pick("Không hiểu được gì trong \(subject): ", "Nothing in \(subject) can be understood: ")
      + keys.joined(separator: "; ") + "."
  }
  public func dumpCancelled(_ subject: String) -> String {
    pick("Đã dừng đọc \(subject).", "Reading \(subject) was stopped.")
  }

  // MARK: Reasons why an entry is skipped

  public func reasonMalformedAyah(_ text: String) -> String {
    pick("“\(text)” không có dạng chương:câu", "“\(text)” is not of the form surah:ayah")
  }
  public func reasonNoSuchSurah(_ text: String) -> String {
    pick("không có chương “\(text)”", "there is no surah “\(text)”")
  }
  public func reasonMalformedSurah(_ text: String) -> String {
    pick("“\(text)” không phải số chương", "“\(text)” is no surah's number")
  }
  /// - Parameter kind: The actual type, such as `kindList`.
  public func reasonIsNot(_ kind: String) -> String {
    pick("sai kiểu: là \(kind)", "it is of the wrong type: \(kind)")
  }
  public func reasonNotANumber(_ text: String) -> String {
    pick("“\(text)” không phải số nguyên", "“\(text)” is no whole number")
  }
  public func reasonTooManyMarks(_ limit: Int) -> String {
    pick(
      "hơn \(limit) dấu chồng trên một chữ", "more than \(limit) marks stand on one letter")
  }
  public var reasonMissingValue: String { pick("thiếu giá trị", "its value is missing") }

  // MARK: Formats and types

  public var binaryPropertyList: String {
    pick("property list nhị phân", "binary property list")
  }
  /// - Parameter format: The name of the format, such as “XML”.
  public func propertyList(_ format: String) -> String {
    pick("property list \(format)", "\(format) property list")
  }
  public var shapeNative: String { pick("giá trị thường", "plain value") }
  public var shapeString: String { pick("chuỗi", "text") }
  public var shapeFlatArray: String { pick("danh sách khóa, giá trị", "keys and values in turn") }
  public var kindText: String { pick("văn bản", "a text") }
  public var kindNumber: String { pick("số", "a number") }
  public var kindData: String { pick("dữ liệu", "data") }
  public var kindList: String { pick("danh sách", "a list") }
  public var kindDictionary: String { pick("từ điển", "a dictionary") }
  public var kindDate: String { pick("ngày giờ", "a date") }
  public var kindNothing: String { pick("rỗng", "nothing") }
  public var kindTruth: String { pick("đúng/sai", "true or false") }
  public var kindReference: String { pick("tham chiếu", "a reference") }
}
