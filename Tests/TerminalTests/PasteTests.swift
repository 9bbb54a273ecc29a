import Testing

@testable import Terminal

struct PasteTests {
  private static let start = "\u{1B}[200~"
  private static let end = "\u{1B}[201~"

  @Test func aPasteIsOneEventHoweverItIsCut() {
    for text in ["", "j", "đức tin", "hai\r\ndòng\tq", "👨‍👩‍👧‍👦 日本", "e\u{302}\u{301}"] {
      expect(Self.start + text + Self.end, are: [.paste(text)])
      expect("a" + Self.start + text + Self.end + "q", are: [.key("a"), .paste(text), .key("q")])
    }
  }

  @Test func keysInsideAPasteAreText() {
    for text in ["\u{1B}[A", "\u{1B}", "\u{1B}\u{1B}", "\u{1B}[200~", "\u{1B}[20", "\u{1B}[201"] {
      expect(Self.start + text + "x" + Self.end, are: [.paste(text + "x")])
      expect(Self.start + text + Self.end, are: [.paste(text)])
    }
  }

  @Test func bytesThatAreNoUTF8AreReplaced() {
    expect(
      Array(Self.start.utf8) + [0xFF, 0x6A] + Array(Self.end.utf8), are: [.paste("\u{FFFD}j")])
  }

  @Test func anEndWithoutAStartIsNothing() {
    expectSkipped(Self.end)
  }

  @Test func aPasteThatIsNeverEndedEndsWhenNothingFollows() {
    var decoder = InputDecoder()
    decoder.feed((Self.start + "đức \u{1B}[20").utf8)
    #expect(decoder.next() == nil)
    #expect(decoder.isPasting)
    #expect(decoder.isWaiting)
    #expect(decoder.next(flush: true) == .paste("đức \u{1B}[20"))
    #expect(!decoder.isPasting)
    #expect(!decoder.isWaiting)
    decoder.feed("j".utf8)
    #expect(decoder.next() == .key("j"))
  }

  @Test func aPasteTooLongForOnePieceComesInSeveralAndIsNeverTyped() {
    // Three bytes a letter: the limit falls inside one.
    let text = String(repeating: "ế", count: InputDecoder.longestPaste * 2 / 3)
    let bytes = Array((Self.start + text + Self.end + "j").utf8)
    for step in [4096, 65_536, bytes.count] {
      let pieces = stride(from: 0, to: bytes.count, by: step).map {
        bytes[$0..<min($0 + step, bytes.count)]
      }
      let found = events(pieces)
      #expect(found.last == .key("j"))
      var pasted = ""
      for case .paste(let piece) in found {
        #expect(piece.utf8.count < InputDecoder.longestPaste + 4)
        pasted += piece
      }
      #expect(found.count > 2)
      #expect(found.dropLast().allSatisfy { if case .paste = $0 { true } else { false } })
      #expect(pasted == text)
    }
  }
}
