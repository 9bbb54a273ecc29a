import TestSupport
import Testing

@testable import Terminal

struct RandomInputTests {
  /// Parts of sequences, whole ones, and text.
  private static let parts: [[UInt8]] =
    [
      "\u{1B}", "\u{1B}[", "\u{1B}O", "\u{1B}[<", "\u{1B}[M", "\u{1B}[[", "\u{1B}[200~",
      "\u{1B}[201~", "\u{1B}[20", "1~", "M", "m", "u", "~", "A", ";", ":", "5", "27;5;", "97", "-",
      "?", "$", "j", "đ", "ế", "👍", "\r", "\u{7F}", "\u{0}", "\u{85}", "\u{9B}31m", "\u{1B}]0;",
      String(repeating: "1;", count: 40),
    ].map { Array($0.utf8) } + [[0xC4], [0xE1, 0xBA], [0xF0, 0x9F], [0x80], [0xFF]]

  private static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      if Bool.random(using: &random) {
        bytes.append(UInt8.random(in: 0...255, using: &random))
      } else {
        bytes += parts.randomElement(using: &random)!
      }
    }
    return bytes
  }

  private static func pieces(
    of bytes: [UInt8], upTo longest: Int, _ random: inout SeededGenerator
  ) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var start = 0
    while start < bytes.count {
      let end = min(start + Int.random(in: 1...longest, using: &random), bytes.count)
      pieces.append(bytes[start..<end])
      start = end
    }
    return pieces
  }

  /// Whether an event is text that holds a control character.
  private static func isControl(_ event: Event) -> Bool {
    guard case .key(let key) = event, case .character(let character) = key.code else {
      return false
    }
    return character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  @Test(arguments: [2, 17, 300, 65_536])
  func anyBytesAreTakenAndNoControlCharacterIsText(longest: Int) {
    var random = SeededGenerator(seed: UInt64(longest))
    var decoder = InputDecoder(sequences: [Array("\u{1B}[224z".utf8): Key(.function(1))])
    var count = 0
    for piece in Self.pieces(of: Self.bytes(512_000, &random), upTo: longest, &random) {
      decoder.feed(piece)
      while let event = decoder.next() {
        count += 1
        if Self.isControl(event) { Issue.record("\(event)") }
      }
      guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
      while let event = decoder.next(flush: true) {
        count += 1
        if Self.isControl(event) { Issue.record("\(event)") }
      }
      if decoder.isWaiting || decoder.isPasting { Issue.record("something waits after \(piece)") }
    }
    #expect(count > 0)
  }

  @Test func anyBytesAreTheSameEventsHoweverTheyAreCut() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<1000 {
      let bytes = Self.bytes(100, &random)
      let whole = events([bytes], flush: true)
      for longest in [1, 3, 40] {
        let cut = events(Self.pieces(of: bytes, upTo: longest, &random), flush: true)
        if cut != whole { Issue.record("\(bytes): \(cut) but whole \(whole)") }
      }
    }
  }

  @Test func keysAreTheSameHoweverTheyAreCut() {
    let keys: [(String, Event)] = [
      ("j", .key("j")), ("ế", .key("ế")), ("👍", .key("👍")), ("\r", .key(Key(.enter))),
      ("\u{4}", .key(.control("d"))), ("\u{1B}[A", .key(Key(.up))),
      ("\u{1B}OB", .key(Key(.down))), ("\u{1B}[6~", .key(Key(.pageDown))),
      ("\u{1B}[1;5C", .key(Key(.right, .control))), ("\u{1B}[[B", .key(Key(.function(2)))),
      ("\u{1B}[97;5u", .key(.control("a"))), ("\u{1B}g", .key(Key(.character("g"), .alt))),
      ("\u{1B}[27;5;98~", .key(.control("b"))), ("\u{1B}[Z", .key(Key(.tab, .shift))),
      ("\u{1B}[<64;3;4M", .mouse(Mouse(.wheelUp, row: 3, column: 2))),
      ("\u{1B}[M !!", .mouse(Mouse(.left, row: 0, column: 0))),
      ("\u{1B}[200~đi\nq\u{1B}[201~", .paste("đi\nq")),
    ]
    var random = SeededGenerator(seed: 11)
    for _ in 0..<300 {
      let typed = (0..<40).map { _ in keys.randomElement(using: &random)! }
      let bytes = Array(typed.map(\.0).joined().utf8)
      for longest in [1, 2, 7, 200] {
        let found = events(Self.pieces(of: bytes, upTo: longest, &random))
        if found != typed.map(\.1) { Issue.record("\(bytes)") }
      }
    }
  }
}
