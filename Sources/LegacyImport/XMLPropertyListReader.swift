import Text

/// Reads XML property lists.
///
/// A document type declaration without an internal subset is skipped. If it has one, `hasEntities`
/// is thrown. External entities are never loaded. Foundation's parser is not used, because it
/// crashes on 10,000 nested lists.
struct XMLPropertyListReader {
  private var cursor: ByteCursor
  private var builder = TreeBuilder()
  private var isInPlist = false
  private var plistEnded = false

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
  /// - Throws: `damaged`, `unknownEncoding`, `hasEntities`, or an error of `Budget` if a limit is
  ///   exceeded or the import was cancelled.
  mutating func read(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    cursor.skipWhiteSpace()
    try parseDeclaration()
    while true {
      cursor.skipWhiteSpace()
      try budget.checkCancellation(after: cursor.bytesSinceLastCall())
      guard cursor.byte != nil else { break }
      if cursor.skip(ifAt: "<!--") {
        guard cursor.skip(past: "-->") else { throw damaged }
      } else if cursor.skip(ifAt: "<?") {
        guard cursor.skip(past: "?>") else { throw damaged }
      } else if cursor.skip(ifAt: "<!") {
        try parseDocumentType()
      } else if cursor.skip(ifAt: "</") {
        try parseEndTag(&budget)
      } else if cursor.skip(ifAt: "<") {
        try parseElement(&budget)
      } else {
        throw damaged
      }
    }
    guard let root = builder.root, !isInPlist else { throw damaged }
    return root
  }

  private var damaged: LegacyFailure { .damaged(.xmlPropertyList, offset: cursor.position) }

  // MARK: XML declaration and document type

  /// Parses the XML declaration, `<?xml … encoding="…"?>`. A UTF-16 document has already been
  /// converted to UTF-8, so its encoding is accepted, too.
  private mutating func parseDeclaration() throws(LegacyFailure) {
    guard cursor.isAt("<?xml") else { return }
    let start = cursor.position
    guard cursor.skip(past: "?>") else { throw damaged }
    let text = String(decoding: cursor.bytes[start..<cursor.position].prefix(1000), as: UTF8.self)
    let parts = text.split(separator: "encoding", maxSplits: 1)
    guard parts.count == 2 else { return }
    let name = parts[1].drop { $0 == "=" || $0.isWhitespace }
    guard let quote = name.first, "\"'".contains(quote) else { throw damaged }
    let encoding = name.dropFirst().prefix { $0 != quote }
    guard
      ["utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii"]
        .contains(encoding.lowercased())
    else { throw .unknownEncoding(String(encoding).cut) }
  }

  /// Parses a document type declaration.
  ///
  /// - Throws: `hasEntities` if it has an internal subset.
  private mutating func parseDocumentType() throws(LegacyFailure) {
    guard cursor.skip(ifAt: "DOCTYPE"), builder.root == nil, builder.isInDictionary == nil else {
      throw cursor.isAt("ENTITY") ? .hasEntities : damaged
    }
    var quote: UInt8?
    while let byte = cursor.byte {
      cursor.position += 1
      switch byte {
      case quote: quote = nil
      case _ where quote != nil: continue
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "["), UInt8(ascii: "<"): throw .hasEntities
      case UInt8(ascii: ">"): return
      default: continue
      }
    }
    throw damaged
  }

  // MARK: Elements

  /// Parses the rest of an end tag.
  private mutating func parseEndTag(_ budget: inout Budget) throws(LegacyFailure) {
    let start = cursor.position
    let name = cursor.read(while: \.isLetter)
    cursor.skipWhiteSpace()
    let isComplete = cursor.skip(ifAt: UInt8(ascii: ">"))
    switch (String(decoding: name, as: UTF8.self), builder.isInDictionary) {
    case ("dict", true?) where isComplete && !builder.awaitsValue: builder.end(&budget)
    case ("array", false?) where isComplete: builder.end(&budget)
    case ("plist", nil) where isComplete && isInPlist:
      isInPlist = false
      plistEnded = true
    default:
      cursor.position = start
      throw damaged
    }
  }

  /// Parses the rest of a start tag and, if the element is a leaf, its content and end tag.
  private mutating func parseElement(_ budget: inout Budget) throws(LegacyFailure) {
    let start = cursor.position
    let name = String(decoding: cursor.read(while: \.isLetter), as: UTF8.self)
    let isEmpty = try parseAttributes()
    switch name {
    case "plist":
      guard !isInPlist, !plistEnded, builder.root == nil, builder.isInDictionary == nil, !isEmpty
      else { throw damaged(at: start) }
      isInPlist = true
      return
    case "key":
      guard builder.isInDictionary == true, !builder.awaitsValue else { throw damaged(at: start) }
      try builder.key(LegacyValue(text: try parseContent(of: "key", isEmpty, &budget)), &budget)
      return
    default: break
    }
    // Only one value is allowed at the top level, and one for each key of a dictionary.
    switch builder.isInDictionary {
    case nil where builder.root != nil || plistEnded: throw damaged(at: start)
    case true? where !builder.awaitsValue: throw damaged(at: start)
    default: break
    }
    if name == "dict" || name == "array" {
      try builder.begin(dictionary: name == "dict", &budget)
      if isEmpty { builder.end(&budget) }
    } else {
      try builder.add(try parseLeaf(name, isEmpty, at: start, &budget), &budget)
    }
  }

  /// Parses an element without nested elements.
  private mutating func parseLeaf(
    _ name: String, _ isEmpty: Bool, at start: Int, _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    switch name {
    case "string": return LegacyValue(text: try parseContent(of: "string", isEmpty, &budget))
    case "data":
      let text = try parseContent(of: "data", isEmpty, &budget)
      guard let bytes = Base64.decode(text) else { throw damaged(at: start) }
      return .data(bytes)
    case "integer":
      let text = try parseContent(of: "integer", isEmpty, &budget)
      guard let number = Self.integer(String(decoding: text, as: UTF8.self)) else {
        throw damaged(at: start)
      }
      return number
    case "real":
      let content = try parseContent(of: "real", isEmpty, &budget)
      let text = String(decoding: content, as: UTF8.self).trimmed
      guard text.utf8.count <= LegacyNumber.writtenLimit else { return .real(.nan) }
      guard let number = Double(text) else { throw damaged(at: start) }
      return .real(number)
    case "date":
      _ = try parseContent(of: "date", isEmpty, &budget)
      return .date
    case "true", "false":
      let isTrue = name == "true"
      let text = try parseContent(of: isTrue ? "true" : "false", isEmpty, &budget)
      guard text.allSatisfy(\.isWhiteSpace) else { throw damaged(at: start) }
      return .bool(isTrue)
    default: throw damaged(at: start)
    }
  }

  /// Parses the rest of a start tag; attributes are ignored.
  ///
  /// - Returns: Whether the element is empty (`<…/>`).
  private mutating func parseAttributes() throws(LegacyFailure) -> Bool {
    var quote: UInt8?
    while let byte = cursor.byte {
      cursor.position += 1
      switch byte {
      case quote: quote = nil
      case _ where quote != nil: continue
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "<"): throw damaged(at: cursor.position - 1)
      case UInt8(ascii: ">"): return cursor.bytes[cursor.position - 2] == UInt8(ascii: "/")
      default: continue
      }
    }
    throw damaged
  }

  /// Returns the text content of an element, and moves past its end tag.
  private mutating func parseContent(
    of name: StaticString, _ isEmpty: Bool, _ budget: inout Budget
  ) throws(LegacyFailure) -> [UInt8] {
    if isEmpty { return [] }
    var text: [UInt8] = []
    while true {
      let run = cursor.read(atMost: Budget.cancellationInterval) {
        $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&")
      }
      text += run
      try budget.checkCancellation(after: cursor.bytesSinceLastCall())
      if run.count == Budget.cancellationInterval {
        continue
      } else if cursor.skip(ifAt: "<![CDATA[") {
        let start = cursor.position
        guard cursor.skip(past: "]]>") else { throw damaged }
        text += cursor.bytes[start..<cursor.position - 3]
      } else if cursor.skip(ifAt: "<!--") {
        guard cursor.skip(past: "-->") else { throw damaged }
      } else if cursor.isAt("&") {
        try parseReference(into: &text)
      } else {
        let start = cursor.position
        guard cursor.skip(ifAt: "</"), cursor.skip(ifAt: name) else { throw damaged(at: start) }
        cursor.skipWhiteSpace()
        guard cursor.skip(ifAt: UInt8(ascii: ">")) else { throw damaged(at: start) }
        return text
      }
    }
  }

  /// Decodes a character reference: `&amp;`, `&#38;` or `&#x26;`.
  private mutating func parseReference(into text: inout [UInt8]) throws(LegacyFailure) {
    let start = cursor.position
    cursor.position += 1
    let name = cursor.read { $0 == UInt8(ascii: "#") || $0.isLetter || $0.isDigit }
    guard cursor.skip(ifAt: UInt8(ascii: ";")), name.count <= 10 else { throw damaged(at: start) }
    switch String(decoding: name, as: UTF8.self) {
    case "amp": text.append(UInt8(ascii: "&"))
    case "lt": text.append(UInt8(ascii: "<"))
    case "gt": text.append(UInt8(ascii: ">"))
    case "quot": text.append(UInt8(ascii: "\""))
    case "apos": text.append(UInt8(ascii: "'"))
    case let name where name.hasPrefix("#"):
      let code =
        name.hasPrefix("#x")
        ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst(), radix: 10)
      guard let code else { throw damaged(at: start) }
      // An invalid scalar makes only this string invalid, not the file.
      if !text.append(scalar: code) { text.append(0xFF) }
    default: throw damaged(at: start)
    }
  }

  private func damaged(at offset: Int) -> LegacyFailure {
    .damaged(.xmlPropertyList, offset: offset)
  }

  /// Parses a decimal integer, or a hexadecimal one after `0x`, as Apple's parser does.
  private static func integer(_ text: String) -> LegacyValue? {
    let text = text.trimmed
    let isNegative = text.hasPrefix("-")
    let digits = text.drop { $0 == "-" || $0 == "+" }
    guard text.utf8.count - digits.utf8.count <= 1 else { return nil }
    let isHex = digits.utf8.starts(with: "0x".utf8) || digits.utf8.starts(with: "0X".utf8)
    let magnitude = isHex ? digits.dropFirst(2) : digits
    guard let first = magnitude.utf8.first, first.hexadecimalDigit != nil else { return nil }
    if magnitude.utf8.count <= LegacyNumber.writtenLimit,
      let number = Int((isNegative ? "-" : "") + magnitude, radix: isHex ? 16 : 10)
    {
      return .integer(number)
    }
    // The number does not fit `Int`. Return one that is beyond all surah and ayah numbers;
    // `LegacyNumber.whole` clamps it.
    guard magnitude.utf8.allSatisfy(isHex ? { $0.hexadecimalDigit != nil } : \.isDigit) else {
      return nil
    }
    return .real(isNegative ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude)
  }
}

extension String {
  /// The string without leading and trailing ASCII white space.
  var trimmed: Substring {
    guard let first = utf8.firstIndex(where: { !$0.isWhiteSpace }),
      let last = utf8.lastIndex(where: { !$0.isWhiteSpace })
    else { return "" }
    return self[first...last]
  }
}
