/// Decodes the input that ncurses does not decode itself: multibyte characters, Alt, mouse reports,
/// pastes, `CSI u` and `modifyOtherKeys`.
///
/// Accepts any bytes. Bytes that are neither text nor a known sequence are skipped, and an invalid
/// sequence does not affect the input after it.
struct InputDecoder: Sendable {
  /// The maximum length of a control sequence, in bytes.
  static let longestSequence = 64
  /// The approximate maximum length of a paste event, in bytes. A longer paste becomes several
  /// events.
  static let longestPaste = 1 << 20

  private enum State {
    case keys
    case mouse
    case shortMouse
    case paste
  }

  private var state = State.keys
  /// The bytes of an incomplete sequence, character, mouse report or paste.
  private var bytes: [UInt8] = []

  /// Whether some input is incomplete: an Esc that may begin a sequence, a part of a character or
  /// of a mouse report, or a paste without its end.
  var isWaiting: Bool { !bytes.isEmpty || state != .keys }

  /// Whether a bracketed paste has begun and not ended.
  var isPasting: Bool { state == .paste }

  /// Whether the incomplete input is exactly one Esc.
  var isEscape: Bool { state == .keys && bytes == [0x1B] }

  /// Decodes a token.
  ///
  /// - Returns: The events that the token completes.
  mutating func take(_ token: InputToken) -> [Event] {
    switch (token, state) {
    case (.byte(let byte), _): return take(byte)
    // ncurses mistook a coordinate of the report for the backspace key (0x7F).
    case (.key(Key(.backspace)), .shortMouse): return take(0x7F)
    // Terminfo defines the backspace key as this single byte. After an Esc it is Alt with
    // backspace.
    case (.key(Key(.backspace)), .keys) where isEscape: return take(0x7F)
    // Recognized keys inside a paste are not text.
    case (.key, .paste), (.mouse, .paste), (.shortMouse, .paste), (.paste, .paste): return []
    case (.key(let key), _): return flush() + [.key(key)]
    case (.mouse, _): return begin(.mouse)
    case (.shortMouse, _): return begin(.shortMouse)
    case (.paste, _): return begin(.paste)
    case (.pasteEnd, _): return flush()
    }
  }

  private mutating func begin(_ new: State) -> [Event] {
    defer { state = new }
    return flush()
  }

  private mutating func take(_ byte: UInt8) -> [Event] {
    bytes.append(byte)
    switch state {
    case .keys: return keys()
    case .mouse: return mouse()
    case .shortMouse: return shortMouse()
    case .paste: return paste()
    }
  }

  /// Returns the events of incomplete input when no more input is expected soon: a lone Esc is the
  /// Esc key, for example.
  mutating func flush() -> [Event] {
    defer { (state, bytes) = (.keys, []) }
    switch state {
    case .mouse, .shortMouse: return []
    case .paste: return [.paste(String(decoding: bytes, as: UTF8.self))]
    case .keys:
      // Esc, or Alt with a key. A longer incomplete sequence is discarded.
      guard bytes.first == 0x1B, bytes.count <= 2 else { return [] }
      guard let second = bytes.dropFirst().first, second < 0x80 else {
        return [.key(Key(.escape))]
      }
      return [.key(Key(.character(Character(Unicode.Scalar(second))), .alt))]
    }
  }

  // MARK: Keys

  /// The result of parsing the first bytes of the input; the numbers are lengths in bytes.
  private enum Step {
    case event(Event, Int)
    case skip(Int)
    case incomplete
  }

  private mutating func keys() -> [Event] {
    var events: [Event] = []
    while !bytes.isEmpty {
      switch parse(bytes[...]) {
      case .event(let event, let count):
        bytes.removeFirst(count)
        events.append(event)
      case .skip(let count):
        bytes.removeFirst(count)
      case .incomplete:
        return events
      }
    }
    return events
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
    switch second {
    case UInt8(ascii: "["): return controlSequence(bytes)
    case UInt8(ascii: "O"):
      guard let final = bytes.dropFirst(2).first else { return .incomplete }
      // An unknown key (SS3), unless it is Alt with O followed by another key.
      return Self.canEnd(final) ? .skip(3) : .event(.key(Key(.character("O"), .alt)), 2)
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

  /// Decodes a UTF-8 scalar at the start of the bytes and returns it with its length in bytes. The
  /// scalar is nil if the bytes are invalid or encode a control character, and the length is then
  /// that of the bytes to skip. The result is nil if more bytes are needed.
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

  /// The key of a control character in US-ASCII, or nil if the byte is another character or Esc.
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

  /// Parses a control sequence (CSI) that ncurses does not know.
  private func controlSequence(_ bytes: ArraySlice<UInt8>) -> Step {
    let body = bytes.dropFirst(2)
    guard let first = body.first else { return .incomplete }
    if first == UInt8(ascii: "[") {
      // A function key of the Linux console.
      guard let letter = body.dropFirst().first else { return .incomplete }
      return .skip(Self.canEnd(letter) ? 4 : 3)
    }
    let parameterBytes = body.prefix(Self.longestSequence).prefix { (0x20...0x3F).contains($0) }
    guard parameterBytes.count < Self.longestSequence else {
      return .skip(2 + Self.longestSequence)
    }
    let end = parameterBytes.endIndex
    guard end < bytes.endIndex else { return .incomplete }
    let length = end - bytes.startIndex + 1
    guard Self.canEnd(bytes[end]) else { return .skip(length - 1) }
    let key = Self.key(final: bytes[end], Self.numbers(bytes[body.startIndex..<end]))
    return key.map { .event(.key($0), length) } ?? .skip(length)
  }

  /// Whether a byte can be the final byte of a control sequence (ECMA-48).
  private static func canEnd(_ byte: UInt8) -> Bool { (0x40...0x7E).contains(byte) }

  /// The parameters of a control sequence. A missing or invalid parameter is 0; the result is never
  /// empty.
  private static func numbers(_ parameters: ArraySlice<UInt8>) -> [Int] {
    parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)) ?? 0 }
  }

  /// The key of a `CSI u` or `modifyOtherKeys` sequence, or nil for any other sequence.
  private static func key(final: UInt8, _ parameters: [Int]) -> Key? {
    switch final {
    case UInt8(ascii: "u"):
      let modifiers = parameters.count > 1 ? KeySequences.modifiers(parameters[1]) : []
      return character(code: parameters[0], modifiers)
    case UInt8(ascii: "~") where parameters[0] == 27 && parameters.count == 3:
      var modifiers = KeySequences.modifiers(parameters[1])
      // xterm reports the character that Shift makes, such as `G` or `:`.
      if parameters[2] > 0x20, parameters[2] != 0x7F { modifiers.subtract(.shift) }
      return character(code: parameters[2], modifiers)
    default: return nil
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
    // Shift with a letter is the capital letter, as in the names of keys.
    return modifiers.intersection([.control, .shift]) == .shift ? key?.asReceived : key
  }

  // MARK: Mouse

  /// Parses an SGR mouse report.
  private mutating func mouse() -> [Event] {
    guard let last = bytes.last else { return [] }
    if (0x20...0x3F).contains(last), bytes.count < Self.longestSequence { return [] }
    let numbers = Self.numbers(bytes.dropLast())
    (state, bytes) = (.keys, [])
    // A byte that cannot end a report begins other input.
    guard Self.canEnd(last) else { return take(last) }
    guard numbers.count == 3, last == UInt8(ascii: "M") else { return [] }
    return press(numbers[0], column: numbers[1], row: numbers[2])
  }

  /// Parses an X10 mouse report.
  private mutating func shortMouse() -> [Event] {
    // xterm sends NUL for a coordinate that is too large for this encoding.
    if let last = bytes.last, (0x01...0x1F).contains(last) {
      (state, bytes) = (.keys, [])
      return take(last)
    }
    guard bytes.count == 3 else { return [] }
    let numbers = bytes.map { Int($0) - 32 }
    (state, bytes) = (.keys, [])
    return press(numbers[0], column: numbers[1], row: numbers[2])
  }

  /// Returns the event of a mouse report, or no event if the report is a release, a motion or
  /// invalid.
  ///
  /// - Parameters:
  ///   - code: The button and modifier bits as xterm encodes them.
  ///   - column: The column, counted from 1.
  ///   - row: The row, counted from 1.
  private func press(_ code: Int, column: Int, row: Int) -> [Event] {
    let button: Mouse.Button
    switch code & ~0b11100 {
    case 0: button = .left
    case 1: button = .middle
    case 2: button = .right
    case 64: button = .wheelUp
    case 65: button = .wheelDown
    default: return []
    }
    guard row > 0, column > 0, row < 10_000, column < 10_000 else { return [] }
    return [.mouse(Mouse(button, row: row - 1, column: column - 1))]
  }

  // MARK: Bracketed paste

  private static let pasteEnd: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]

  private mutating func paste() -> [Event] {
    if bytes.last == Self.pasteEnd.last, bytes.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] {
      bytes.removeLast(Self.pasteEnd.count)
      return flush()
    }
    // The paste is longer than the maximum for one event: split it. Wait for the start of a
    // character, but for at most four bytes, as the bytes may be invalid UTF-8.
    guard let last = bytes.last, bytes.count > Self.longestPaste,
      last & 0xC0 != 0x80 || bytes.count > Self.longestPaste + 4
    else { return [] }
    // Keep the last byte, which may begin a character, or the last bytes, if they may begin the end
    // marker.
    let rest = (2..<Self.pasteEnd.count).first { bytes.suffix($0) == Self.pasteEnd.prefix($0) } ?? 1
    let piece = bytes.dropLast(rest)
    bytes.removeFirst(piece.count)
    return [.paste(String(decoding: piece, as: UTF8.self))]
  }
}
