// Problems in config.toml and their effects, for the status line.
extension Messages {
  /// - Parameter reason: The message of the TOML parser, in English.
  public func configurationSyntax(line: Int, reason: String) -> String {
    configurationSyntax(line: line, pick(inVietnamese(syntax: reason), shortened(reason, to: 100)))
  }
  /// - Parameter error: A description such as `missingTableName`.
  public func configurationSyntax(line: Int, _ error: String) -> String {
    pick(
      "config.toml, dòng \(line): \(error). Mọi cài đặt dùng mặc định.",
      "config.toml, line \(line): \(error). All defaults apply.")
  }
  public func unexpectedCharacter(_ character: String) -> String {
    pick("ký tự \(character) nằm sai chỗ", "unexpected '\(character)'")
  }
  public func nestedTooDeep(_ limit: Int) -> String {
    pick("lồng nhau quá sâu", "nested deeper than \(limit)")
  }
  public var missingTableName: String {
    pick("thiếu tên sau dấu [", "parsing table header: expected a name after '['")
  }
  public var incompleteTime: String {
    pick("thiếu giờ sau ngày", "parsing date-time: expected a time after the date")
  }
  public var nullCharacter: String {
    pick("không dùng được U+0000", "parsing string: U+0000 cannot be used")
  }
  /// - Parameter code: The value of `errno`.
  public func configurationUnreadable(code: Int32) -> String {
    pick(
      "Không đọc được config.toml (\(systemError(code))). Mọi cài đặt dùng mặc định.",
      "config.toml cannot be read (\(systemError(code))). All defaults apply.")
  }
  public var configurationNotUTF8: String {
    pick(
      "config.toml không phải văn bản UTF-8. Mọi cài đặt dùng mặc định.",
      "config.toml is not UTF-8 text. All defaults apply.")
  }
  public var configurationTooLarge: String {
    pick(
      "config.toml lớn hơn 1 MB nên không được đọc. Mọi cài đặt dùng mặc định.",
      "config.toml is larger than 1 MB and is not read. All defaults apply.")
  }
  public func configurationUnknownKey(_ key: String) -> String {
    pick(
      "config.toml: không có cài đặt “\(shortened(key))”; bỏ qua.",
      "config.toml: there is no setting “\(shortened(key))”; it is ignored.")
  }
  /// - Parameter expected: Valid values in TOML syntax.
  public func configurationBadValue(_ key: String, expected: [String]) -> String {
    let (key, values) = (shortened(key), expected.joined(separator: ", "))
    return pick(
      "config.toml: giá trị của \(key) không hợp lệ; hãy viết \(values). Tạm dùng mặc định.",
      "config.toml: bad value for \(key); write \(values). Its default applies.")
  }
}

// MARK: Keys

extension Messages {
  public func configurationUnknownAction(_ action: String) -> String {
    pick(
      "config.toml, [keys]: không có thao tác “\(shortened(action))”; bỏ qua.",
      "config.toml, [keys]: there is no action “\(shortened(action))”; it is ignored.")
  }
  public func configurationUnknownKeyName(_ key: String, action: String) -> String {
    let (key, action) = (shortened(key), shortened(action))
    return pick(
      "config.toml, [keys], \(action): không có phím “\(key)”; bỏ qua.",
      "config.toml, [keys], \(action): there is no key “\(key)”; it is ignored.")
  }
  /// - Parameters:
  ///   - key: The key.
  ///   - action: The action that has the key.
  ///   - other: The action that does not get it.
  public func configurationKeyTaken(
    _ key: String, by action: String, insteadOf other: String
  ) -> String {
    let (action, other) = (shortened(action), shortened(other))
    return pick(
      "config.toml, [keys]: phím \(key) đã dành cho \(action), nên không gán cho \(other).",
      "config.toml, [keys]: \(key) belongs to \(action), so \(other) goes without it.")
  }
  public func configurationFixedAction(_ action: String, keys: String) -> String {
    pick(
      "config.toml, [keys]: \(shortened(action)) không đổi được; vẫn là \(keys).",
      "config.toml, [keys]: \(shortened(action)) cannot be changed; it stays on \(keys).")
  }
}

// MARK: Messages of the parser

extension Messages {
  private func inVietnamese(syntax reason: String) -> String {
    Self.syntaxReasons.first { reason.contains($0.english) }?.vietnamese
      ?? shortened(reason, to: 100)
  }

  /// Parts of the messages of the TOML parser and their translations. The first match is used.
  private static let syntaxReasons: [(english: String, vietnamese: String)] = [
    ("could not determine value type", "không rõ giá trị; chữ phải nằm trong dấu nháy \"…\""),
    ("expected value-terminator", "không rõ giá trị; chữ phải nằm trong dấu nháy \"…\""),
    ("expected value,", "thiếu giá trị sau dấu ="),
    ("expected '=',", "thiếu dấu ="),
    ("cannot redefine existing", "khóa này đã có ở trên"),
    ("encountered end-of-file", "tệp hết giữa chừng"),
    ("control characters", "dấu nháy chưa đóng, hoặc có ký tự điều khiển"),
    ("expected comma or closing", "thiếu dấu phẩy hoặc dấu đóng ngoặc"),
    ("expected a comment or whitespace", "thừa chữ ở cuối dòng"),
    ("unknown escape sequence", "dấu \\ trong nháy phải viết là \\\\"),
    ("not representable in 64 bits", "số quá lớn"),
    ("parsing boolean", "hãy viết true hoặc false"),
  ]
}
