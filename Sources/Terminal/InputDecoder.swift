/// Turns the bytes a terminal sends into events.
///
/// Any bytes are accepted: what is neither text nor a known sequence is passed
/// over, and a damaged sequence costs only itself.
///
///     var decoder = InputDecoder()
///     decoder.feed([0x1B, 0x5B, 0x41])   // ESC [ A
///     decoder.next()                     // .key(up)
///
/// Sequences: ECMA-48 CSI and SS3 as xterm and its kin send them, terminfo's own
/// for the rest; SGR 1006 and X10 mouse reports; bracketed paste; `CSI u`.
public struct InputDecoder: Sendable {
  /// The longest control sequence that is waited for, in bytes.
  static let longestSequence = 64
  /// About the longest paste that is one event, in bytes; a longer one is several.
  static let longestPaste = 1 << 20

  private var buffer: [UInt8] = []
  private var position = 0
  private var paste: [UInt8]?
  private let sequences: [[UInt8]: Key]
  /// Bytes of the longest of `sequences`.
  private let longestKnown: Int

  /// - Parameter sequences: what terminfo says of keys, beyond the common ones.
  public init(sequences: [[UInt8]: Key] = [:]) {
    self.sequences = sequences
    longestKnown = sequences.keys.map(\.count).max() ?? 0
  }

  public mutating func feed(_ bytes: some Sequence<UInt8>) {
    if position > 0 {
      buffer.removeFirst(position)
      position = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Whether something came that is not yet whole: an Esc that may begin a
  /// sequence, part of a character, a paste without its end.
  public var isWaiting: Bool { position < buffer.count || paste != nil }

  public var isPasting: Bool { paste != nil }

  /// The next event, or nil where more bytes are needed.
  ///
  /// - Parameter flush: nothing more is coming soon: what waits is what it
  ///   looks like, an Esc the Esc key.
  public mutating func next(flush: Bool = false) -> Event? {
    while true {
      if paste != nil {
        if let event = nextOfPaste(flush: flush) { return event }
        if paste != nil { return nil }
      }
      guard position < buffer.count else { return nil }
      switch parse(buffer[position...]) {
      case .event(let event, let count):
        position += count
        return event
      case .skip(let count):
        position += count
      case .pasteStart(let count):
        position += count
        paste = []
      case .incomplete:
        guard flush else { return nil }
        return flushed()
      }
    }
  }

  /// What an unfinished sequence is when nothing follows it: Esc, or Alt with a
  /// key; the remains of a longer one are dropped.
  private mutating func flushed() -> Event? {
    let rest = buffer[position...]
    position = buffer.count
    guard rest.first == 0x1B, rest.count <= 2 else { return nil }
    guard let second = rest.dropFirst().first else { return .key(Key(.escape)) }
    guard second < 0x80 else { return .key(Key(.escape)) }
    return .key(Key(.character(Character(Unicode.Scalar(second))), .alt))
  }

  private enum Step {
    case event(Event, Int)
    case skip(Int)
    case pasteStart(Int)
    case incomplete
  }

  private func parse(_ bytes: ArraySlice<UInt8>) -> Step {
    let first = bytes[bytes.startIndex]
    guard first == 0x1B else {
      if let control = Self.control(first) { return .event(.key(control), 1) }
      return character(bytes).map { character, count in
        character.map { .event(.key(.character($0)), count) } ?? .skip(count)
      } ?? .incomplete
    }
    guard let second = bytes.dropFirst().first else { return .incomplete }
    for length in stride(from: min(longestKnown, bytes.count), through: 2, by: -1) {
      if let key = sequences[Array(bytes.prefix(length))] { return .event(.key(key), length) }
    }
    switch second {
    case UInt8(ascii: "["): return controlSequence(bytes)
    case UInt8(ascii: "O"):
      guard let final = bytes.dropFirst(2).first else { return .incomplete }
      if let code = Self.finals[final] { return .event(.key(Key(code)), 3) }
      return .event(.key(Key(.character("O"), .alt)), 2)
    case 0x1B: return .event(.key(Key(.escape)), 1)
    default:
      if var key = Self.control(second) {
        key.modifiers.insert(.alt)
        return .event(.key(key), 2)
      }
      guard let (character, count) = character(bytes.dropFirst()) else { return .incomplete }
      guard let character else { return .skip(1 + count) }
      return .event(.key(Key(.character(character), .alt)), 1 + count)
    }
  }

  // MARK: Characters

  /// One scalar of UTF-8 and its length; the scalar is nil where the bytes are
  /// none, the whole nil where the rest is still to come.
  private func character(_ bytes: ArraySlice<UInt8>) -> (Character?, Int)? {
    let first = bytes[bytes.startIndex]
    let length: Int
    switch first {
    case 0x20...0x7E: return (Character(Unicode.Scalar(first)), 1)
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return (nil, 1)
    }
    let given = bytes.prefix(length)
    if let wrong = given.dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) {
      return (nil, wrong - bytes.startIndex)
    }
    guard given.count == length else { return nil }
    guard let text = String(validating: given, as: UTF8.self),
      let scalar = text.unicodeScalars.first,
      scalar.properties.generalCategory != .control
    else { return (nil, length) }
    return (Character(scalar), length)
  }

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x0A, 0x0D: Key(.enter)
    case 0x09: Key(.tab)
    case 0x08, 0x7F: Key(.backspace)
    case 0x00: Key(.character(" "), .control)
    case 0x01...0x1A: Key(.character(Character(Unicode.Scalar(byte + 0x60))), .control)
    case 0x1C...0x1F: Key(.character(Character(Unicode.Scalar(byte + 0x40))), .control)
    default: nil
    }
  }

  // MARK: Control sequences

  private func controlSequence(_ bytes: ArraySlice<UInt8>) -> Step {
    let body = bytes.dropFirst(2)
    guard let first = body.first else { return .incomplete }
    if first == UInt8(ascii: "[") {
      // The Linux console's F1…F5.
      guard let letter = body.dropFirst().first else { return .incomplete }
      guard Self.canEnd(letter) else { return .skip(3) }
      guard (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(letter) else { return .skip(4) }
      return .event(.key(Key(.function(Int(letter - UInt8(ascii: "A")) + 1))), 4)
    }
    if first == UInt8(ascii: "M") {
      let report = body.dropFirst().prefix(3)
      // xterm says NUL of a place too far right to be said.
      if let end = report.firstIndex(where: { (0x01...0x1F).contains($0) }) {
        return .skip(end - bytes.startIndex)
      }
      guard report.count == 3 else { return .incomplete }
      let numbers = report.map { Int($0) - 32 }
      return mouse(numbers[0], column: numbers[1], row: numbers[2], length: 6)
    }
    let parameterBytes = body.prefix(Self.longestSequence).prefix { (0x20...0x3F).contains($0) }
    guard parameterBytes.count < Self.longestSequence else {
      return .skip(2 + Self.longestSequence)
    }
    let end = parameterBytes.endIndex
    guard end < bytes.endIndex else { return .incomplete }
    let length = end - bytes.startIndex + 1
    guard Self.canEnd(bytes[end]) else { return .skip(length - 1) }
    let isPrivate = first == UInt8(ascii: "<")
    let parameters = bytes[(body.startIndex + (isPrivate ? 1 : 0))..<end]
      .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)) ?? 0 }
    let final = bytes[end]
    if isPrivate {
      guard parameters.count == 3, final == UInt8(ascii: "M") else { return .skip(length) }
      return mouse(parameters[0], column: parameters[1], row: parameters[2], length: length)
    }
    if final == UInt8(ascii: "~"), parameters[0] == 200 { return .pasteStart(length) }
    guard var key = Self.key(final: final, parameters: parameters) else { return .skip(length) }
    if parameters.count > 1, final != UInt8(ascii: "~") || parameters[0] != 27 {
      key.modifiers.formUnion(Self.modifiers(parameters[1]))
    }
    return .event(.key(key), length)
  }

  /// Whether a byte can end a control sequence; any other begins something else.
  private static func canEnd(_ byte: UInt8) -> Bool { (0x40...0x7E).contains(byte) }

  private static let finals: [UInt8: Key.Code] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    UInt8(ascii: "M"): .enter, UInt8(ascii: "P"): .function(1), UInt8(ascii: "Q"): .function(2),
    UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4),
  ]

  private static let numbers: [Int: Key.Code] = [
    1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
    17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
    23: .function(11), 24: .function(12),
  ]

  /// - Parameter parameters: zero where one is missing or no number; never empty.
  private static func key(final: UInt8, parameters: [Int]) -> Key? {
    switch final {
    case UInt8(ascii: "Z"): return Key(.tab, .shift)
    case UInt8(ascii: "u"): return character(code: parameters[0], [])
    case UInt8(ascii: "~"):
      if parameters[0] == 27, parameters.count == 3 {
        return character(code: parameters[2], modifiers(parameters[1]))
      }
      return numbers[parameters[0]].map { Key($0) }
    // With parameters, M ends a mouse report of rxvt, and R tells where the cursor is.
    case UInt8(ascii: "M"): return nil
    case UInt8(ascii: "R") where parameters[0] > 1: return nil
    default: return finals[final].map { Key($0) }
    }
  }

  private static func character(code: Int, _ modifiers: Key.Modifiers) -> Key? {
    guard code > 0, let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init) else {
      return nil
    }
    if code == 27 { return Key(.escape, modifiers) }
    var key = code < 0x80 ? control(UInt8(code)) : nil
    key =
      key ?? (scalar.properties.generalCategory == .control ? nil : .character(Character(scalar)))
    key?.modifiers.formUnion(modifiers)
    return key
  }

  /// xterm's modifier parameter: one more than the sum of 1 for Shift, 2 for
  /// Alt, 4 for Ctrl.
  private static func modifiers(_ parameter: Int) -> Key.Modifiers {
    parameter > 1 ? Key.Modifiers(rawValue: UInt8(truncatingIfNeeded: parameter - 1) & 7) : []
  }

  private func mouse(_ code: Int, column: Int, row: Int, length: Int) -> Step {
    let button: Mouse.Button
    switch code & ~0b11100 {
    case 0: button = .left
    case 1: button = .middle
    case 2: button = .right
    case 64: button = .wheelUp
    case 65: button = .wheelDown
    default: return .skip(length)
    }
    guard row > 0, column > 0, row < 10_000, column < 10_000 else { return .skip(length) }
    return .event(.mouse(Mouse(button, row: row - 1, column: column - 1)), length)
  }

  // MARK: Bracketed paste

  private static let pasteEnd: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]

  /// Takes in pasted bytes; the paste when its end is there, or when `flush` says
  /// that no end will come, and a piece of it when it is longer than one may be.
  private mutating func nextOfPaste(flush: Bool) -> Event? {
    guard var text = paste else { return nil }
    var finished = flush
    while position < buffer.count {
      if buffer[position] == 0x1B {
        let rest = buffer[position...].prefix(Self.pasteEnd.count)
        if rest.elementsEqual(Self.pasteEnd) {
          position += Self.pasteEnd.count
          finished = true
          break
        }
        if !flush, Self.pasteEnd.starts(with: rest) { break }
      }
      // What follows is still no typing. No character is cut, unless there is none.
      let isWhole = buffer[position] & 0xC0 != 0x80 || text.count >= Self.longestPaste + 3
      if text.count >= Self.longestPaste, isWhole {
        paste = []
        return .paste(String(decoding: text, as: UTF8.self))
      }
      text.append(buffer[position])
      position += 1
    }
    paste = finished ? nil : text
    return finished ? .paste(String(decoding: text, as: UTF8.self)) : nil
  }
}
