/// Reads the tags and the text of an XML document in order.
///
/// The scanner supports the syntax that the files of publishers use: elements, attributes, CDATA
/// sections, comments, the five predefined entities and numeric character references. A document
/// type declaration is malformed, so that there are no other entities. Nothing is fetched, and the
/// depth of elements is limited.
struct XMLScanner {
  enum Event {
    case start(String, [String: String])
    case end(String)
    /// Text between tags. A text can be reported in several parts.
    case text(String, isCDATA: Bool)
    case comment(String)
  }

  /// The maximum depth of nested elements.
  static let depthLimit = 16
  private static let attributeLimit = 64

  private let bytes: [UInt8]
  private var position = 0
  /// The format that is reported in failures.
  var format = EditionFormat.tanzilXML
  /// The names of the open elements.
  private(set) var open: [String] = []
  /// The end of an empty element `<…/>`, reported after its start.
  private var pendingEnd: String?
  private var hasRoot = false

  init(_ text: SourceText) {
    bytes = text.bytes
  }

  /// Returns the next event, or nil at the end of the document.
  ///
  /// - Throws: `malformed` or `tooDeep`.
  mutating func next() throws(EditionFailure) -> Event? {
    if let name = pendingEnd {
      pendingEnd = nil
      open.removeLast()
      return .end(name)
    }
    while position < bytes.count {
      if bytes[position] != UInt8(ascii: "<") {
        let text = try decoded(upTo: UInt8(ascii: "<"))
        if !open.isEmpty { return .text(text, isCDATA: false) }
        guard text.allSatisfy(\.isWhitespace) else { throw malformed }
      } else if skip(ifAt: "<!--") {
        return .comment(String(decoding: try skip(past: "-->"), as: UTF8.self))
      } else if skip(ifAt: "<?") {
        _ = try skip(past: "?>")
      } else if !open.isEmpty, skip(ifAt: "<![CDATA[") {
        return .text(String(decoding: try skip(past: "]]>"), as: UTF8.self), isCDATA: true)
      } else if skip(ifAt: "</") {
        let name = try name()
        skipWhiteSpace()
        guard skip(ifAt: ">"), open.popLast() == name else { throw malformed }
        return .end(name)
      } else {
        position += 1
        return try startTag()
      }
    }
    guard open.isEmpty, hasRoot else { throw malformed }
    return nil
  }

  private mutating func startTag() throws(EditionFailure) -> Event {
    guard !open.isEmpty || !hasRoot else { throw malformed }
    hasRoot = true
    let name = try name()
    guard open.count < Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit) }
    open.append(name)
    var attributes: [String: String] = [:]
    while true {
      let hasSpace = skipWhiteSpace()
      if skip(ifAt: ">") { break }
      if skip(ifAt: "/>") {
        pendingEnd = name
        break
      }
      guard hasSpace, attributes.count < Self.attributeLimit else { throw malformed }
      let attribute = try self.name()
      skipWhiteSpace()
      guard skip(ifAt: "=") else { throw malformed }
      skipWhiteSpace()
      guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        throw malformed
      }
      position += 1
      let value = try decoded(upTo: quote, forbidden: UInt8(ascii: "<"))
      guard byte == quote, attributes.updateValue(value, forKey: attribute) == nil else {
        throw malformed
      }
      position += 1
    }
    return .start(name, attributes)
  }

  /// Returns the text up to a byte or the end of the document, with its references decoded.
  private mutating func decoded(
    upTo end: UInt8, forbidden: UInt8? = nil
  ) throws(EditionFailure) -> String {
    var text: [UInt8] = []
    var start = position
    while let byte, byte != end {
      guard byte != forbidden else { throw malformed }
      position += 1
      if byte == UInt8(ascii: "&") {
        text += bytes[start..<(position - 1)]
        text += String(try reference()).utf8
        start = position
      }
    }
    text += bytes[start..<position]
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes the rest of a reference such as `&amp;`, `&#38;` or `&#x26;`.
  private mutating func reference() throws(EditionFailure) -> Unicode.Scalar {
    guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw malformed
    }
    let name = bytes[position..<end].string
    let scalar: Unicode.Scalar?
    switch name {
    case "amp": scalar = "&"
    case "lt": scalar = "<"
    case "gt": scalar = ">"
    case "quot": scalar = "\""
    case "apos": scalar = "'"
    case _ where name.hasPrefix("#x"):
      scalar = UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    case _ where name.hasPrefix("#"):
      scalar = UInt32(name.dropFirst(), radix: 10).flatMap(Unicode.Scalar.init)
    default: scalar = nil
    }
    guard let scalar, !name.contains("+"), !name.contains("-") else { throw malformed }
    position = end + 1
    return scalar
  }

  private mutating func name() throws(EditionFailure) -> String {
    let start = position
    while let byte, byte.isNamePart, position - start < 64 { position += 1 }
    guard position > start else { throw malformed }
    return bytes[start..<position].string
  }

  /// The failure of a document that does not conform to its format at the current position.
  var malformed: EditionFailure { .malformed(format, line: bytes.line(at: position)) }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  @discardableResult
  private mutating func skipWhiteSpace() -> Bool {
    let start = position
    while let byte, byte.isBlank || byte == 0x0A { position += 1 }
    return position > start
  }

  /// Moves past the text if it is at the position, and returns whether it was.
  private mutating func skip(ifAt text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard count <= bytes.count - position else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    position += count
    return true
  }

  /// Moves past the next occurrence of the text, and returns the bytes before it.
  private mutating func skip(past text: StaticString) throws(EditionFailure) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count {
      let end = position
      if skip(ifAt: text) { return bytes[start..<end] }
      position += 1
    }
    throw malformed
  }
}

extension UInt8 {
  fileprivate var isNamePart: Bool {
    isDecimalDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
      || self >= 0x80 || "_-.:".utf8.contains(self)
  }
}
