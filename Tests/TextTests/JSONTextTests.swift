import Foundation
import Testing
import Text

struct JSONTextTests {
  private let texts = [
    "", "Câu Ngai Vàng", "\"\\/", "a\nb\tc\rd", "\u{0}\u{1F}\u{7F}\u{80}\u{9F}\u{A0}",
    "\u{61C}\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}", "\u{2028}\u{2029}", "👩‍👩‍👧 🇻🇳",
    "بِسۡمِ ٱللَّهِ", "\u{FEFF}\u{FFFF}\u{10FFFF}", "e\u{301}",
  ]

  @Test func everyTextIsDecodedAgain() throws {
    for text in texts {
      let decoded = try JSONDecoder().decode(String.self, from: Data(text.asJSON.utf8))
      #expect(Array(decoded.utf8) == Array(text.utf8), "\(text.asJSON)")
    }
  }

  @Test func controlAndBidiCharactersAreEscaped() {
    for json in texts.map(\.asJSON) + texts.map({ $0.filter { $0 > "\u{1F}" }.escapingControls }) {
      #expect(
        !json.unicodeScalars.contains {
          $0.properties.generalCategory == .control || $0.properties.isBidiControl
        })
    }
  }

  @Test func onlyNecessaryCharactersAreEscaped() {
    #expect("Đấng \u{2028}/é🕋".asJSON == "\"Đấng \u{2028}/é🕋\"")
    #expect("a\n\t\u{1}\u{1B}\"\\".asJSON == #""a\n\t\u0001\u001b\"\\""#)
    #expect("\u{7F}\u{9B}\u{202E}".asJSON == #""\u007f\u009b\u202e""#)
    #expect("[\"\u{9B}31m\"]".escapingControls == #"["\u009b31m"]"#)
    #expect("[\"Đấng\"]".escapingControls == "[\"Đấng\"]")
  }
}
