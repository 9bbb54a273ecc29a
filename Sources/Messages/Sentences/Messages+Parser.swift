import Text

// The argument parser speaks English only: its sentences, and ours for them.
extension Messages {
  /// What is wrong with the arguments.
  ///
  /// - Parameter reason: what the argument parser says.
  public func usageError(_ reason: String) -> String {
    pick("\(inVietnamese(reason)) – xem: quran-vi --help", "\(reason) – see: quran-vi --help")
  }

  private func inVietnamese(_ reason: String) -> String {
    for (theirs, ours) in Self.sentences {
      guard let names = reason.names(between: theirs) else { continue }
      return zip(ours, names + [""]).map { $0 + $1 }.joined()
    }
    let quoted = reason.split(separator: "'", omittingEmptySubsequences: false)
    return quoted.count > 2 ? "Không hiểu “\(quoted[1])”" : "Không hiểu các tham số này"
  }

  /// The parser's sentences, as the texts around the names in them, and ours.
  private static let sentences: [(theirs: [String], ours: [String])] = [
    (
      ["Unknown option '", "'. Did you mean '", "'"],
      ["Không có tùy chọn “", "”; ý bạn là “", "”?"]
    ),
    (["Unknown option '", "'"], ["Không có tùy chọn “", "”"]),
    (["Missing value for '", "'"], ["Thiếu giá trị cho “", "”"]),
    (["Missing expected argument '", "'"], ["Thiếu “", "”"]),
    (["Unexpected argument '", "'"], ["Thừa tham số “", "”"]),
    (["The value '", "' is invalid for '", "'"], ["Giá trị “", "” không hợp lệ cho “", "”"]),
    (["Can't generate completion scripts for '", "'"], ["Không có tự hoàn thành cho “", "”"]),
    (
      ["The option '", "' does not take any value, but '", "'"],
      ["Tùy chọn “", "” không nhận giá trị, mà có “", "”"]
    ),
  ]

  /// The parser's help in the reader's language.
  public func help(_ text: String) -> String {
    guard language == .vietnamese else { return text }
    return Self.headings.reduce(text) { $0.replacing($1.theirs, with: $1.ours) }
  }

  private static let headings: [(theirs: String, ours: String)] = [
    ("OVERVIEW: ", ""),
    // As wide as theirs, for what stands below.
    ("USAGE: ", "DÙNG:  "),
    ("\nARGUMENTS:\n", "\nTHAM SỐ:\n"),
    ("\nOPTIONS:\n", "\nTÙY CHỌN:\n"),
    ("\nSUBCOMMANDS:\n", "\nLỆNH:\n"),
    // With a space less, for what stands beside.
    ("(default) ", "(mặc định)"),
    ("Show the version.", "In số phiên bản."),
    ("Show help information.", "In trợ giúp."),
    ("Show subcommand help information.", "In trợ giúp về một lệnh."),
    ("See 'quran-vi help", "Xem 'quran-vi help"),
    ("' for detailed help.", "' để biết thêm."),
    ("<subcommand>", "<lệnh>"),
  ]
}

extension String {
  /// What stands between these texts, which follow each other from the start of this
  /// one; nil where they do not.
  fileprivate func names(between texts: [String]) -> [String]? {
    guard hasPrefix(texts[0]) else { return nil }
    var rest = dropFirst(texts[0].count)
    var names: [String] = []
    for text in texts.dropFirst() {
      guard let range = rest.ranges(of: text).last else { return nil }
      names.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return names
  }
}
