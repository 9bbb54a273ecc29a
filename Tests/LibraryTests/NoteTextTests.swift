import Foundation
import Library
import Testing

struct NoteTextTests {
  private func problem(_ text: String) -> NoteText.Problem? {
    do throws(NoteText.Problem) {
      _ = try NoteText(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func textsAreNormalizedToNFC() throws {
    let composed = "Câu Ngai Vàng – Kursī ậ"
    let text = try NoteText(composed.decomposedStringWithCanonicalMapping).text
    #expect(Array(text.unicodeScalars) == Array(composed.unicodeScalars))
    #expect(Array(text.utf8) != Array(composed.decomposedStringWithCanonicalMapping.utf8))
  }

  @Test(arguments: [
    ("a\r\nb", "a\nb"), ("a\rb", "a\nb"), ("a\r\rb", "a\n\nb"), ("a\r\n\r\nb", "a\n\nb"),
    ("a\n\rb", "a\n\nb"), ("\r\n a\r", "\n a\n"), ("a\r\u{0}\nb", "a\n\nb"),
    ("a\n\n\nb", "a\n\n\nb"),
  ])
  func linesEndInLineFeeds(raw: String, text: String) throws {
    #expect(Array(try NoteText(raw).text.utf8) == Array(text.utf8))
  }

  @Test func nullCharactersAreRemoved() throws {
    #expect(try NoteText("a\u{0}b\u{0}").text == "ab")
    #expect(try NoteText("\u{0}e\u{301}").text == "é")
    #expect(problem("\u{0}") == .empty)
  }

  @Test(arguments: [
    " a ", "\ta", "a\n", "\u{1B}[31mđỏ\u{1B}[0m", "\u{7}\u{8}", "a\u{85}b\u{2028}c",
    "\u{200F}الله\u{200E} \u{2067}x\u{2069}", "👨‍👩‍👧‍👦🇻🇳", "\u{FEFF}a", "\u{FFFD}\u{FFFF}\u{10FFFF}",
    "نَصُّ ٱلتَّجْرِبَةِ", "\u{A0}a\u{3000}",
  ])
  func otherTextIsStoredUnchanged(text: String) throws {
    #expect(Array(try NoteText(text).text.utf8) == Array(text.utf8))
  }

  @Test func whiteSpaceAloneIsNoNote() {
    for text in ["", " ", "\n", "\r\n", "\t \u{A0}\u{3000}\n\n", "\u{2028}\u{85}"] {
      #expect(problem(text) == .empty, "\(text.unicodeScalars)")
    }
    #expect(problem("\u{200F}") == nil)
  }

  @Test func theLimitAppliesToTheStoredBytes() throws {
    #expect(NoteText.limit == 900_000)
    #expect(try NoteText(String(repeating: "a", count: 900_000)).text.utf8.count == 900_000)
    #expect(problem(String(repeating: "a", count: 900_001)) == .tooLong(excess: 1))
    let long = String(repeating: "ậ", count: 300_000)
    #expect(try NoteText(long).text.utf8.count == 900_000)
    #expect(problem(long + "b") == .tooLong(excess: 1))
    // The given text is longer than the stored one.
    #expect(problem(long.decomposedStringWithCanonicalMapping) == nil)
    #expect(problem(String(repeating: "a\r\n", count: 450_000)) == nil)
    #expect(problem(String(repeating: "\u{0}", count: 950_000) + "a") == nil)
    // Here the given text is shorter than the stored one: U+0958 is never composed.
    #expect(problem(String(repeating: "\u{958}", count: 300_000)) == .tooLong(excess: 900_000))
  }

  @Test func theFirstLineIsTheFirstOneThatIsNotBlank() throws {
    #expect(try NoteText("một\nhai").firstLine == "một")
    #expect(try NoteText("\n \t\n\n hai \nba").firstLine == " hai ")
    #expect(try NoteText("a").firstLine == "a")
    #expect(try NoteText("\u{301}\n\u{301}a").firstLine == "\u{301}")
  }
}
