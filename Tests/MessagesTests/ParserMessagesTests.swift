import Messages
import Testing
import Text

/// Translation of the messages of the argument parser into Vietnamese.
struct ParserMessagesTests {
  private let messages = Messages(.vietnamese)

  @Test(arguments: [
    ("Unknown option '--plian'", "Không có tùy chọn “--plian”"),
    (
      "Unknown option '--plian'. Did you mean '--plain'?",
      "Không có tùy chọn “--plian”; ý bạn là “--plain”?"
    ),
    ("Unknown option '--it's'", "Không có tùy chọn “--it's”"),
    ("Missing value for '--limit <n>'", "Thiếu giá trị cho “--limit <n>”"),
    ("Unexpected argument 'foo'", "Thừa tham số “foo”"),
    ("The value '0' is invalid for '--limit <n>'", "Giá trị “0” không hợp lệ cho “--limit <n>”"),
    (
      "The value 'fr' is invalid for '--lang <vi|en>'. Please provide one of 'vi' and 'en'",
      "Giá trị “fr” không hợp lệ cho “--lang <vi|en>”; hãy chọn “vi” hoặc “en”"
    ),
    (
      "The option '--json' does not take any value, but '3' was specified",
      "Tùy chọn “--json” không nhận giá trị, mà có “3”"
    ),
    ("2 unexpected arguments: 'foo', 'bar'", "Không hiểu “foo”"),
    ("Internal error", "Không hiểu các tham số này"),
    ("", "Không hiểu các tham số này"),
  ])
  func usageErrorsAreTranslated(_ reason: String, _ expected: String) {
    #expect(messages.usageError(reason) == "\(expected) – xem: quran-vi --help")
    #expect(Messages(.english).usageError(reason) == "\(reason) – see: quran-vi --help")
  }

  @Test func helpHasItsHeadingsInVietnamese() {
    let help = "OVERVIEW: a\n\nUSAGE: b\n       c\n\nOPTIONS:\n  -h  Show help information.\n"
    #expect(messages.help(help) == "a\n\nDÙNG:  b\n       c\n\nTÙY CHỌN:\n  -h  In trợ giúp.\n")
    #expect(Messages(.english).help(help) == help)
  }
}
