import TestSupport
import Testing

@testable import Terminal

struct RandomInputTests {
  /// Parts of sequences, whole sequences, and text.
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

  /// Whether an event is text that holds a control character.
  private static func isControl(_ event: Event) -> Bool {
    guard case .key(let key) = event, case .character(let character) = key.code else {
      return false
    }
    return character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  @Test func randomBytesGiveNoControlCharacters() throws {
    var random = SeededGenerator(seed: 2)
    try TypedKeyboard.with { keyboard in
      var count = 0
      for _ in 0..<100 {
        let events = try keyboard.events(Self.bytes(5000, &random))
        for event in events {
          count += 1
          if Self.isControl(event) { Issue.record("\(event)") }
        }
        let next = try keyboard.events(Array("j".utf8))
        #expect(next == [.key("j")])
      }
      #expect(count > 0)
    }
  }

  @Test func manyKeysAtOnceAreAllDecoded() throws {
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
    try TypedKeyboard.with { keyboard in
      for _ in 0..<300 {
        let typed = (0..<40).map { _ in keys.randomElement(using: &random)! }
        let bytes = Array(typed.map(\.0).joined().utf8)
        let found = try keyboard.events(bytes, flush: false)
        if found != typed.map(\.1) { Issue.record("\(bytes): \(found)") }
      }
    }
  }
}
