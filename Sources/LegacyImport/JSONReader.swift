import FoundationEssentials

/// Reads JSON (RFC 8259).
///
/// The walk is our own, so that depth and number of values are checked before anything is
/// made of them, and no member of a dictionary is lost that has a namesake; what the
/// escapes of a string stand for is told by `JSONDecoder`.
struct JSONReader {
  private var cursor: ByteCursor
  private var builder = TreeBuilder()
  private let decoder = JSONDecoder()

  /// - Parameter start: where the text begins, behind a byte order mark.
  init(_ bytes: [UInt8], from start: Int = 0) {
    cursor = ByteCursor(bytes: bytes, position: start)
  }

  mutating func read(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    while true {
      guard try value(&budget) else { continue }
      // A value ended: what encloses it goes on or ends, too.
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

  /// - Returns: whether it ended already, as lists and dictionaries with anything in them
  ///   do not.
  private mutating func value(_ budget: inout Budget) throws(LegacyFailure) -> Bool {
    skipWhiteSpace()
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
    case UInt8(ascii: "\""): try builder.add(try string(), &budget)
    case _ where cursor.take("true"): try builder.add(.bool(true), &budget)
    case _ where cursor.take("false"): try builder.add(.bool(false), &budget)
    case _ where cursor.take("null"): try builder.add(.null, &budget)
    default: try builder.add(try number(), &budget)
    }
    return true
  }

  /// A key and its colon.
  private mutating func key(_ budget: inout Budget) throws(LegacyFailure) {
    skipWhiteSpace()
    guard cursor.byte == UInt8(ascii: "\"") else { throw damaged }
    try builder.key(try string(), &budget)
    skipWhiteSpace()
    guard cursor.take(UInt8(ascii: ":")) else { throw damaged }
  }

  private mutating func string() throws(LegacyFailure) -> LegacyValue {
    let start = cursor.position
    cursor.position += 1
    var hasEscapes = false
    while true {
      _ = cursor.take { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      if cursor.take(UInt8(ascii: "\"")) { break }
      guard cursor.take(UInt8(ascii: "\\")) else { throw damaged }
      hasEscapes = true
      try skipEscape()
    }
    let end = cursor.position
    let text = cursor.bytes[start + 1..<end - 1]
    guard hasEscapes else { return LegacyValue(text: text) }
    let token = Data(cursor.bytes[start..<end])
    return (try? decoder.decode(String.self, from: token)).map(LegacyValue.string)
      ?? .notText(String(decoding: text.prefix(400), as: UTF8.self))
  }

  private mutating func skipEscape() throws(LegacyFailure) {
    switch cursor.byte {
    case UInt8(ascii: "u"):
      cursor.position += 1
      for _ in 0..<4 {
        guard cursor.byte?.hexValue != nil else { throw damaged }
        cursor.position += 1
      }
    case let byte? where Array("\"\\/bfnrt".utf8).contains(byte): cursor.position += 1
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
    let text = String(decoding: cursor.bytes[start..<cursor.position], as: UTF8.self)
    if isWhole, let number = Int(text) { return .integer(number) }
    return .real(Double(text) ?? .nan)
  }

  private mutating func digits() throws(LegacyFailure) {
    guard !cursor.take(while: \.isDigit).isEmpty else { throw damaged }
  }

  private mutating func skipWhiteSpace() {
    while let byte = cursor.byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { cursor.position += 1 }
  }
}
