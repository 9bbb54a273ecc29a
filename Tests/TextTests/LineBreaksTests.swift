import Testing
import Text

struct LineBreaksTests {
  private func lines(_ text: String, _ width: Int) -> [String] {
    var lines: [String] = []
    var rest = text.startIndex
    for position in text.lineBreaks(width: width) {
      lines.append(String(text[rest..<position]))
      #expect(text[position] == " ")
      rest = text.index(after: position)
    }
    return lines + [String(text[rest...])]
  }

  @Test func linesBreakBetweenWords() {
    #expect(lines("một hai ba bốn", 7) == ["một hai", "ba bốn"])
    #expect(lines("một hai ba bốn", 6) == ["một", "hai ba", "bốn"])
    #expect(lines("漢字 漢字 漢字", 9) == ["漢字 漢字", "漢字"])
    #expect(lines("a b", 80) == ["a b"])
    #expect(lines("", 80) == [""])
  }

  @Test func aLongWordStaysWhole() {
    #expect(lines("a https://example.org/long b", 10) == ["a", "https://example.org/long", "b"])
  }

  @Test func spacesAreKept() {
    #expect(lines("2:255  một hai", 10) == ["2:255  một", "hai"])
    #expect(lines("  một", 80) == ["  một"])
    #expect(lines("một  ", 80) == ["một  "])
  }
}
