import FoundationEssentials

/// Reads JSON (RFC 8259).
///
/// A parser of our own checks the depth and the number of values before it creates them, and
/// preserves duplicate keys of dictionaries. `JSONDecoder` decodes only the escape sequences of
/// strings.
struct JSONReader {
  private var cursor: ByteCursor
  private var builder = TreeBuilder()
  private let decoder = JSONDecoder()

  /// Creates a reader.
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
        skipWhiteSpace()
        if cursor.take(UInt8(ascii: ",")) {
          if isDictionary { try key(&budget) }
          break
        }
        guard cursor.take(UInt8(ascii: isDictionary ? "}" : "]")) else { throw damaged }
        builder.end(&budget)
      }
      if let root = builder.root {
        skipWhiteSpace()
        guard cursor.byte == nil else { throw damaged }
        return root
      }
    }
  }

  private var damaged: LegacyFailure { .damaged(.json, offset: cursor.position) }

  /// Parses a value.
  ///
  /// - Returns: Whether the value is complete; false if it is a list or dictionary that is not
  ///   empty.
  private mutating func value(_ budget: inout Budget) throws(LegacyFailure) -> Bool {
    skipWhiteSpace()
    try budget.checkCancellation(after: cursor.passed())
    switch cursor.byte {
    case UInt8(ascii: "{"):
      try builder.begin(dictionary: true, &budget)
      cursor.position += 1
      skipWhiteSpace()
      guard cursor.take(UInt8(ascii: "}")) else {
        try key(&budget)
        return false
      }
      builder.end(&budget)
    case UInt8(ascii: "["):
      try builder.begin(dictionary: false, &budget)
      cursor.position += 1
      skipWhiteSpace()
      guard cursor.take(UInt8(ascii: "]")) else { return false }
      builder.end(&budget)
    case UInt8(ascii: "\""): try builder.add(try string(&budget), &budget)
    case _ where cursor.take("true"): try builder.add(.bool(true), &budget)
    case _ where cursor.take("false"): try builder.add(.bool(false), &budget)
    case _ where cursor.take("null"): try builder.add(.null, &budget)
    default: try builder.add(try number(), &budget)
    }
    return true
  }

  /// Parses a key and the colon after it.
  private mutating func key(_ budget: inout Budget) throws(LegacyFailure) {
    skipWhiteSpace()
    guard cursor.byte == UInt8(ascii: "\"") else { throw damaged }
    try builder.key(try string(&budget), &budget)
    skipWhiteSpace()
    guard cursor.take(UInt8(ascii: ":")) else { throw damaged }
  }

  private mutating func string(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    cursor.position += 1
    let start = cursor.position
    var hasEscapes = false
    while !cursor.take(UInt8(ascii: "\"")) {
      if cursor.take(UInt8(ascii: "\\")) {
        hasEscapes = true
        try skipEscape()
      } else {
        let run = cursor.take(atMost: Budget.cancellationInterval) {
          $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard !run.isEmpty else { throw damaged }
      }
      try budget.checkCancellation(after: cursor.passed())
    }
    let text = cursor.bytes[start..<cursor.position - 1]
    guard hasEscapes else { return LegacyValue(text: text) }
    return try unescaped(text, &budget).map(LegacyValue.string)
      ?? .invalidUnicode(String(decoding: text.prefix(400), as: UTF8.self))
  }

  /// Decodes the escape sequences of a string. Returns nil if the string is invalid UTF-8 or
  /// contains half of a surrogate pair.
  private func unescaped(
    _ text: ArraySlice<UInt8>, _ budget: inout Budget
  ) throws(LegacyFailure) -> String? {
    var result = ""
    var rest = text
    // Decode in pieces, because `JSONDecoder` cannot be cancelled.
    while !rest.isEmpty {
      let end = Self.end(ofPieceOf: rest)
      let quote = Data([UInt8(ascii: "\"")])
      let token = quote + rest[..<end] + quote
      guard let piece = try? decoder.decode(String.self, from: token) else { return nil }
      result += piece
      try budget.checkCancellation(after: token.count)
      rest = rest[end...]
    }
    return result
  }

  /// The end of the next piece. It does not split a character, an escape sequence or a surrogate
  /// pair.
  private static func end(ofPieceOf text: ArraySlice<UInt8>) -> Int {
    var place = text.startIndex
    let wanted = place + Budget.cancellationInterval
    while place < min(wanted, text.endIndex) {
      guard text[place] == UInt8(ascii: "\\") else {
        place += 1
        continue
      }
      guard text[place + 1] == UInt8(ascii: "u") else {
        place += 2
        continue
      }
      // Keep the second half of a surrogate pair in the same piece. If another escape sequence
      // follows, the string is invalid anyway.
      let isFirst =
        text[place + 2] | 0x20 == UInt8(ascii: "d")
        && (8..<12).contains(text[place + 3].hexValue ?? 0)
      place += 6
      if isFirst, place < text.endIndex, text[place] == UInt8(ascii: "\\") {
        place += text[place + 1] == UInt8(ascii: "u") ? 6 : 2
      }
    }
    while place < text.endIndex, text[place] & 0xC0 == 0x80 { place += 1 }
    return place
  }

  private mutating func skipEscape() throws(LegacyFailure) {
    switch cursor.byte {
    case UInt8(ascii: "u"):
      cursor.position += 1
      for _ in 0..<4 {
        guard cursor.byte?.hexValue != nil else { throw damaged }
        cursor.position += 1
      }
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      cursor.position += 1
    default: throw damaged
    }
  }

  private mutating func number() throws(LegacyFailure) -> LegacyValue {
    let start = cursor.position
    _ = cursor.take(UInt8(ascii: "-"))
    if !cursor.take(UInt8(ascii: "0")) { try digits() }
    var isWhole = true
    if cursor.take(UInt8(ascii: ".")) {
      isWhole = false
      try digits()
    }
    if let byte = cursor.byte, byte | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      cursor.position += 1
      if !cursor.take(UInt8(ascii: "+")) { _ = cursor.take(UInt8(ascii: "-")) }
      try digits()
    }
    guard cursor.position - start <= LegacyNumber.writtenLimit else { return .real(.nan) }
    let text = String(decoding: cursor.bytes[start..<cursor.position], as: UTF8.self)
    if isWhole, let number = Int(text) { return .integer(number) }
    return .real(Double(text) ?? .nan)
  }

  private mutating func digits() throws(LegacyFailure) {
    guard !cursor.take(while: \.isDigit).isEmpty else { throw damaged }
  }

  private mutating func skipWhiteSpace() {
    while let byte = cursor.byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      cursor.position += 1
    }
  }
}
