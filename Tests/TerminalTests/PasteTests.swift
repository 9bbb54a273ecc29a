import Testing

@testable import Terminal

struct PasteTests {
  private static let start = "\u{1B}[200~"
  private static let end = "\u{1B}[201~"

  @Test func aPasteIsOneEvent() throws {
    for text in ["", "j", "đức tin", "hai\r\ndòng\tq", "👨‍👩‍👧‍👦 日本", "e\u{302}\u{301}"] {
      try expect(Self.start + text + Self.end, are: [.paste(text)])
      try expect(
        "a" + Self.start + text + Self.end + "q", are: [.key("a"), .paste(text), .key("q")])
    }
  }

  @Test func keysInsideAPasteAreIgnoredAndDoNotEndIt() throws {
    for text in ["\u{1B}[A", "\u{1B}[200~", "\u{7F}"] {
      try expect(Self.start + text + "x" + Self.end + "j", are: [.paste("x"), .key("j")])
    }
    for text in ["\u{1B}", "\u{1B}\u{1B}", "\u{1B}[20", "\u{1B}[201"] {
      try expect(Self.start + text + "x" + Self.end, are: [.paste(text + "x")])
    }
  }

  @Test func invalidUTF8IsReplaced() throws {
    try expect(
      Array(Self.start.utf8) + [0xFF, 0x6A] + Array(Self.end.utf8), are: [.paste("\u{FFFD}j")])
  }

  @Test func anEndWithoutAStartIsIgnored() throws {
    try expectSkipped(Self.end)
  }

  private func take(_ bytes: some Sequence<UInt8>, _ decoder: inout InputDecoder) -> [Event] {
    bytes.flatMap { decoder.take(.byte($0)) }
  }

  @Test func anEndReceivedByteByByteIsRecognized() {
    var decoder = InputDecoder()
    #expect(decoder.take(.paste) == [])
    #expect(take("đi".utf8, &decoder) == [])
    #expect(take(Self.end.utf8, &decoder) == [.paste("đi")])
    #expect(take("j".utf8, &decoder) == [.key("j")])
  }

  @Test func anUnterminatedPasteEndsWhenNothingFollows() {
    var decoder = InputDecoder()
    #expect(decoder.take(.paste) == [])
    #expect(take("đức \u{1B}[20".utf8, &decoder) == [])
    #expect(decoder.isPasting && decoder.isWaiting)
    #expect(decoder.flush() == [.paste("đức \u{1B}[20")])
    #expect(!decoder.isPasting && !decoder.isWaiting)
    #expect(take("j".utf8, &decoder) == [.key("j")])
  }

  @Test func aLongPasteIsSplitIntoSeveralEvents() {
    // Three bytes a letter: the limit falls inside one.
    let text = String(repeating: "ế", count: InputDecoder.longestPaste * 2 / 3)
    var decoder = InputDecoder()
    var found = decoder.take(.paste)
    found += take((text + Self.end).utf8, &decoder)
    var pasted = ""
    for case .paste(let piece) in found {
      #expect(piece.utf8.count < InputDecoder.longestPaste + 4)
      pasted += piece
    }
    #expect(found.count > 1)
    #expect(found.allSatisfy { if case .paste = $0 { true } else { false } })
    #expect(pasted == text)
    #expect(take("j".utf8, &decoder) == [.key("j")])
  }
}
