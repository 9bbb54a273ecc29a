import Text

/// Reads OpenStep property lists, the output format of `defaults read`.
///
/// The format has only strings, data, lists and dictionaries; numbers are strings. Data is accepted
/// in the classic form `<68656c6c 6f>` and in the form of newer systems, `{length = 5, bytes =
/// 0x68656c6c6f}`.
struct OpenStepReader {
  private var cursor: ByteCursor
  private var builder = TreeBuilder()

  /// Creates a reader at the beginning of a document.
  ///
  /// - Parameters:
  ///   - bytes: The document in UTF-8.
  ///   - start: The position after the byte order mark, if any.
  init(_ bytes: [UInt8], from start: Int = 0) {
    cursor = ByteCursor(bytes: bytes, position: start)
  }

  /// Parses the whole document.
  ///
  /// - Throws: `damaged` or a failure of the budget.
  mutating func read(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    while true {
      guard try value(&budget) else { continue }
      // After a complete value, the container around it either continues or ends.
      while let isDictionary = builder.isInDictionary {
        try skipSpace(&budget)
        let goesOn =
          isDictionary ? try nextMember(&budget) : try nextElement(&budget)
        if goesOn { break }
        builder.end(&budget)
      }
      if let root = builder.root {
        try skipSpace(&budget)
        guard cursor.byte == nil else { throw damaged }
        return root
      }
    }
  }

  private var damaged: LegacyFailure {
    .damaged(.openStepPropertyList, offset: cursor.position)
  }

  /// Skips white space and comments.
  private mutating func skipSpace(_ budget: inout Budget) throws(LegacyFailure) {
    while true {
      cursor.skipWhiteSpace()
      try budget.checkCancellation(after: cursor.bytesSinceLastCall())
      if cursor.skip(ifAt: "//") {
        _ = cursor.read { $0 != 0x0A && $0 != 0x0D }
      } else if cursor.skip(ifAt: "/*") {
        guard cursor.skip(past: "*/") else { throw damaged }
      } else {
        return
      }
    }
  }

  /// Parses a value.
  ///
  /// - Returns: Whether the value is complete; false if it is a list or dictionary that is not
  ///   empty.
  private mutating func value(_ budget: inout Budget) throws(LegacyFailure) -> Bool {
    try skipSpace(&budget)
    switch cursor.byte {
    case UInt8(ascii: "{"):
      if let data = try describedData(&budget) {
        try builder.add(data, &budget)
        return true
      }
      try builder.begin(dictionary: true, &budget)
      cursor.position += 1
      try skipSpace(&budget)
      guard try member(&budget) else {
        builder.end(&budget)
        return true
      }
      return false
    case UInt8(ascii: "("):
      try builder.begin(dictionary: false, &budget)
      cursor.position += 1
      try skipSpace(&budget)
      guard cursor.skip(ifAt: UInt8(ascii: ")")) else { return false }
      builder.end(&budget)
    case UInt8(ascii: "<"): try builder.add(try data(&budget), &budget)
    default: try builder.add(try string(&budget), &budget)
    }
    return true
  }

  /// Parses the `;` after a value, and the next key. Returns false at the end of the dictionary.
  private mutating func nextMember(_ budget: inout Budget) throws(LegacyFailure) -> Bool {
    guard cursor.skip(ifAt: UInt8(ascii: ";")) else { throw damaged }
    try skipSpace(&budget)
    return try member(&budget)
  }

  /// Parses keys up to one that is followed by a value. `key;` is short for `key = key;`.
  ///
  /// - Returns: False at the end of the dictionary.
  private mutating func member(_ budget: inout Budget) throws(LegacyFailure) -> Bool {
    while !cursor.skip(ifAt: UInt8(ascii: "}")) {
      let key = try string(&budget)
      try builder.key(key, &budget)
      try skipSpace(&budget)
      if cursor.skip(ifAt: UInt8(ascii: "=")) { return true }
      guard cursor.skip(ifAt: UInt8(ascii: ";")) else { throw damaged }
      try builder.add(key, &budget)
      try skipSpace(&budget)
    }
    return false
  }

  /// Parses the `,` after a value. Returns false at the end of the list, which can have a trailing
  /// comma.
  private mutating func nextElement(_ budget: inout Budget) throws(LegacyFailure) -> Bool {
    if cursor.skip(ifAt: UInt8(ascii: ",")) {
      try skipSpace(&budget)
      return !cursor.skip(ifAt: UInt8(ascii: ")"))
    }
    guard cursor.skip(ifAt: UInt8(ascii: ")")) else { throw damaged }
    return false
  }

  // MARK: Strings

  private mutating func string(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    if let quote = cursor.byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      return try quoted(quote, &budget)
    }
    let text = cursor.read {
      $0.isLetter || (UInt8(ascii: "-")...UInt8(ascii: ":")).contains($0)
        || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "$")
    }
    guard !text.isEmpty else { throw damaged }
    return LegacyValue(text: text)
  }

  private mutating func quoted(
    _ quote: UInt8, _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    cursor.position += 1
    var text: [UInt8] = []
    while true {
      let run = cursor.read(atMost: Budget.cancellationInterval) {
        $0 != quote && $0 != UInt8(ascii: "\\")
      }
      text += run
      try budget.checkCancellation(after: cursor.bytesSinceLastCall())
      if run.count == Budget.cancellationInterval { continue }
      if cursor.skip(ifAt: quote) { return LegacyValue(text: text) }
      guard cursor.skip(ifAt: UInt8(ascii: "\\")), let byte = cursor.byte else { throw damaged }
      switch byte {
      case UInt8(ascii: "U"):
        cursor.position += 1
        try codeUnit(into: &text)
      case UInt8(ascii: "0")...UInt8(ascii: "7"): octal(into: &text)
      default:
        cursor.position += 1
        text.append(Self.escapes[byte] ?? byte)
      }
    }
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10,
    UInt8(ascii: "v"): 11, UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13,
  ]

  /// A byte that is not valid UTF-8, so that only the string that contains it becomes invalid.
  private static let noText: UInt8 = 0xFF

  /// Decodes the digits of an escape sequence such as `\U1ea7`. Two escape sequences can form a
  /// surrogate pair.
  private mutating func codeUnit(into text: inout [UInt8]) throws(LegacyFailure) {
    let unit = try fourDigits()
    guard (0xD800..<0xDC00).contains(unit) else {
      if !text.append(scalar: unit) { text.append(Self.noText) }
      return
    }
    let start = cursor.position
    if cursor.skip(ifAt: "\\U"), let low = try? fourDigits(), (0xDC00..<0xE000).contains(low) {
      _ = text.append(scalar: 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    } else {
      cursor.position = start
      text.append(Self.noText)
    }
  }

  private mutating func fourDigits() throws(LegacyFailure) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = cursor.byte?.hexadecimalDigit else { throw damaged }
      unit = unit << 4 | UInt32(digit)
      cursor.position += 1
    }
    return unit
  }

  /// Decodes an escape sequence of up to three octal digits. Codes above 127 are in the NeXTSTEP
  /// encoding, which is obsolete and not supported.
  private mutating func octal(into text: inout [UInt8]) {
    var code = 0
    for _ in 0..<3 {
      guard let byte = cursor.byte, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else {
        break
      }
      code = code << 3 | Int(byte - UInt8(ascii: "0"))
      cursor.position += 1
    }
    text.append(code < 128 ? UInt8(code) : Self.noText)
  }

  // MARK: Data

  /// Parses data of the form `<68656c6c 6f>`.
  private mutating func data(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    cursor.position += 1
    guard let bytes = try hexDigits(&budget) else { return .shortened }
    guard cursor.skip(ifAt: UInt8(ascii: ">")) else { throw damaged }
    return .data(bytes)
  }

  /// Parses data of the form `{length = 5, bytes = 0x68656c6c6f}`. A dictionary never matches,
  /// because it has a semicolon after each value.
  ///
  /// - Returns: Nil if the text does not have this form; the cursor then does not move.
  private mutating func describedData(
    _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue? {
    let start = cursor.position
    cursor.position += 1
    guard skipToken("length"), skipToken("=") else {
      cursor.position = start
      return nil
    }
    let digits = cursor.read(while: \.isDigit)
    guard skipToken(","), skipToken("bytes"), skipToken("="), cursor.skip(ifAt: "0x") else {
      cursor.position = start
      return nil
    }
    guard let length = Int(String(decoding: digits, as: UTF8.self)) else { throw damaged }
    guard let bytes = try hexDigits(&budget) else {
      guard skipToken("}") else { throw damaged }
      return .shortened
    }
    guard cursor.skip(ifAt: UInt8(ascii: "}")), bytes.count <= length else { throw damaged }
    return bytes.count < length ? .shortened : .data(bytes)
  }

  /// Moves past a token of `describedData` and the white space around it.
  private mutating func skipToken(_ token: StaticString) -> Bool {
    cursor.skipWhiteSpace()
    guard cursor.skip(ifAt: token) else { return false }
    cursor.skipWhiteSpace()
    return true
  }

  /// Decodes hexadecimal digits.
  ///
  /// - Returns: Nil if `...` replaces some of the digits; the cursor is then behind all of them.
  private mutating func hexDigits(
    _ budget: inout Budget
  ) throws(LegacyFailure) -> [UInt8]? {
    var bytes: [UInt8] = []
    var isShortened = false
    var high: UInt8?
    while let byte = cursor.byte {
      if cursor.position % Budget.cancellationInterval == 0 {
        try budget.checkCancellation(after: cursor.bytesSinceLastCall())
      }
      if let digit = byte.hexadecimalDigit {
        if let first = high {
          bytes.append(first << 4 | digit)
          high = nil
        } else {
          high = digit
        }
        cursor.position += 1
      } else if byte.isWhiteSpace {
        cursor.position += 1
      } else if cursor.skip(ifAt: "...") || cursor.skip(ifAt: "…") {
        isShortened = true
      } else {
        break
      }
    }
    if isShortened {
      _ = cursor.skip(ifAt: UInt8(ascii: ">"))
      return nil
    }
    guard high == nil else { throw damaged }
    return bytes
  }
}
