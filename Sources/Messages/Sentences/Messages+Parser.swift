import Text

// Translations of the messages of the argument parser, which are in English.
extension Messages {
  /// Explains what is wrong with the arguments.
  ///
  /// - Parameter reason: The message of the argument parser.
  public func usageError(_ reason: String) -> String {
    pick("\(inVietnamese(reason)) – xem: quran-vi --help", "\(reason) – see: quran-vi --help")
  }

  public func unexpectedArgument(_ argument: String) -> String {
    usageError("Unexpected argument '\(argument)'")
  }

  private func inVietnamese(_ reason: String) -> String {
    for (english, vietnamese) in Self.sentences {
      guard let names = reason.names(between: english) else { continue }
      return zip(vietnamese, names + [""]).map { $0 + $1 }.joined()
    }
    let quoted = reason.split(separator: "'", omittingEmptySubsequences: false)
    return quoted.count > 2 ? "Không hiểu “\(quoted[1])”" : "Không hiểu các tham số này"
  }

  /// The parser's messages and their translations, split at the arguments that they quote.
  private static let sentences: [(english: [String], vietnamese: [String])] = [
    (
      ["Unknown option '", "'. Did you mean '", "'"],
      ["Không có tùy chọn “", "”; ý bạn là “", "”?"]
    ),
    (["Unknown option '", "'"], ["Không có tùy chọn “", "”"]),
    (["Missing value for '", "'"], ["Thiếu giá trị cho “", "”"]),
    (["Missing expected argument '", "'"], ["Thiếu “", "”"]),
    (["Unexpected argument '", "'"], ["Thừa tham số “", "”"]),
    (
      ["The value '", "' is invalid for '", "'. Please provide one of '", "' and '", "'"],
      ["Giá trị “", "” không hợp lệ cho “", "”; hãy chọn “", "” hoặc “", "”"]
    ),
    (["The value '", "' is invalid for '", "'"], ["Giá trị “", "” không hợp lệ cho “", "”"]),
    (["Can't generate completion scripts for '", "'"], ["Không có tự hoàn thành cho “", "”"]),
    (
      ["The option '", "' does not take any value, but '", "'"],
      ["Tùy chọn “", "” không nhận giá trị, mà có “", "”"]
    ),
  ]

  /// Translates the parser's help to the current language.
  public func help(_ text: String) -> String {
    guard language == .vietnamese else { return text }
    return Self.headings.reduce(text) { $0.replacing($1.english, with: $1.vietnamese) }
  }

  private static let headings: [(english: String, vietnamese: String)] = [
    ("OVERVIEW: ", ""),
    // Padded to the width of the original, because further lines are aligned with it.
    ("USAGE: ", "DÙNG:  "),
    ("\nARGUMENTS:\n", "\nTHAM SỐ:\n"),
    ("\nOPTIONS:\n", "\nTÙY CHỌN:\n"),
    ("\nSUBCOMMANDS:\n", "\nLỆNH:\n"),
    // Replaces the space, too, so that the column after it stays aligned.
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
  /// The parts of the string between the given strings, of which the first is a prefix and the
  /// others follow in order; nil if the string does not have this form.
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
