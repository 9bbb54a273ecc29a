/// Validates JSON in one pass.
///
/// The bytes are passed to each method because a `Span` cannot be stored. They must be valid UTF-8;
/// a byte of 0x80 or above is accepted anywhere in a string.
struct JSONScanner {
  private let bounds: JSONBounds
  private var offset = 0
  private var values = 0
  /// The open objects and arrays as a stack of bits, innermost in the lowest bit; 1 is an object.
  private var open: UInt64 = 0
  /// The number of open objects and arrays.
  private var opened = 0

  init(bounds: JSONBounds) {
    self.bounds = bounds
  }

  /// Checks that the bytes are a single JSON value.
  mutating func scan(_ text: Span<UInt8>) throws(JSONBounds.Problem) {
    repeat {
      try value(text)
    } while try goesOn(text)
    if next(text) != nil { throw expected(.end) }
  }

  /// Scans a scalar, or opens objects and arrays until it reaches a scalar or an empty object or
  /// array. `goesOn` closes what has been opened.
  private mutating func value(_ text: Span<UInt8>) throws(JSONBounds.Problem) {
    while true {
      guard let byte = next(text) else { throw expected(.value) }
      values += 1
      guard values <= bounds.values else {
        throw .tooManyValues(limit: bounds.values, offset: offset)
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = byte == UInt8(ascii: "{")
        guard opened < bounds.depth else { throw .tooDeep(limit: bounds.depth, offset: offset) }
        opened += 1
        open = open << 1 | (isObject ? 1 : 0)
        offset += 1
        // `goesOn` closes the empty object or array.
        if next(text) == UInt8(ascii: isObject ? "}" : "]") { return }
        if isObject { try key(text) }
        continue
      case UInt8(ascii: "\""): try string(text)
      case UInt8(ascii: "t"): try literal("true", text)
      case UInt8(ascii: "f"): try literal("false", text)
      case UInt8(ascii: "n"): try literal("null", text)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(text)
      default: throw expected(.value)
      }
      return
    }
  }

  /// Scans what follows a value: closing brackets, or a comma and the next key.
  ///
  /// - Returns: Whether another value follows.
  private mutating func goesOn(_ text: Span<UInt8>) throws(JSONBounds.Problem) -> Bool {
    while opened > 0 {
      let isObject = open & 1 == 1
      let byte = next(text)
      if byte == UInt8(ascii: ",") {
        offset += 1
        if isObject { try key(text) }
        return true
      }
      guard byte == UInt8(ascii: isObject ? "}" : "]") else {
        throw expected(isObject ? .commaOrBrace : .commaOrBracket)
      }
      offset += 1
      open >>= 1
      opened -= 1
    }
    return false
  }

  private mutating func key(_ text: Span<UInt8>) throws(JSONBounds.Problem) {
    guard next(text) == UInt8(ascii: "\"") else { throw expected(.key) }
    try string(text)
    guard next(text) == UInt8(ascii: ":") else { throw expected(.colon) }
    offset += 1
  }

  private mutating func string(_ text: Span<UInt8>) throws(JSONBounds.Problem) {
    offset += 1
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: "\""):
        offset += 1
        return
      case UInt8(ascii: "\\"): try escape(text)
      case 0..<0x20: throw expected(.escape)
      default: offset += 1
      }
    }
    throw expected(.endOfString)
  }

  private mutating func escape(_ text: Span<UInt8>) throws(JSONBounds.Problem) {
    offset += 1
    guard offset < text.count else { throw expected(.escape) }
    switch text[offset] {
    case UInt8(ascii: "u"):
      let unit = try hexadecimal(text)
      switch unit {
      case 0xD800..<0xDC00:
        guard offset + 1 < text.count, text[offset] == UInt8(ascii: "\\"),
          text[offset + 1] == UInt8(ascii: "u")
        else { throw expected(.surrogate) }
        offset += 1
        guard case 0xDC00..<0xE000 = try hexadecimal(text) else { throw expected(.surrogate) }
      case 0xDC00..<0xE000: throw expected(.surrogate)
      default: break
      }
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 1
    default: throw expected(.escape)
    }
  }

  /// Scans the four hexadecimal digits after `\u`. The offset must be that of the `u`.
  private mutating func hexadecimal(_ text: Span<UInt8>) throws(JSONBounds.Problem) -> UInt32 {
    offset += 1
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard offset < text.count else { throw expected(.escape) }
      switch text[offset] {
      case let byte where byte.isDigit: unit = unit << 4 | UInt32(byte - UInt8(ascii: "0"))
      case let byte where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20):
        unit = unit << 4 | UInt32((byte | 0x20) - UInt8(ascii: "a") + 10)
      default: throw expected(.escape)
      }
      offset += 1
    }
    return unit
  }

  private mutating func number(_ text: Span<UInt8>) throws(JSONBounds.Problem) {
    let start = offset
    if text[offset] == UInt8(ascii: "-") { offset += 1 }
    if offset < text.count, text[offset] == UInt8(ascii: "0") {
      offset += 1
    } else {
      try digits(text)
    }
    if offset < text.count, text[offset] == UInt8(ascii: ".") {
      offset += 1
      try digits(text)
    }
    if offset < text.count, text[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      if offset < text.count,
        text[offset] == UInt8(ascii: "+") || text[offset] == UInt8(ascii: "-")
      {
        offset += 1
      }
      try digits(text)
    }
    guard offset - start <= bounds.numberBytes else {
      throw .numberTooLong(limit: bounds.numberBytes, offset: start)
    }
  }

  private mutating func digits(_ text: Span<UInt8>) throws(JSONBounds.Problem) {
    guard offset < text.count, text[offset].isDigit else { throw expected(.digit) }
    while offset < text.count, text[offset].isDigit { offset += 1 }
  }

  private mutating func literal(
    _ word: StaticString, _ text: Span<UInt8>
  ) throws(JSONBounds.Problem) {
    for index in 0..<word.utf8CodeUnitCount {
      guard offset < text.count, text[offset] == word.utf8Start[index] else {
        throw expected(.value)
      }
      offset += 1
    }
  }

  /// Skips whitespace.
  ///
  /// - Returns: The next byte, which is not consumed; nil at the end.
  private mutating func next(_ text: Span<UInt8>) -> UInt8? {
    while offset < text.count {
      switch text[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      case let byte: return byte
      }
    }
    return nil
  }

  private func expected(_ expected: JSONBounds.Expected) -> JSONBounds.Problem {
    .syntax(expected, offset: offset)
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
