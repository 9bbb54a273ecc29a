// JSON that can be printed to a terminal: what a terminal would act on stands in it as
// an escape, so that the text is harmless and yet complete.
extension String {
  /// This text as a JSON string, with its quotation marks.
  public var asJSON: String {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    bytes.reserveCapacity(utf8.count + 2)
    var text = self
    text.withUTF8 { text in
      var start = 0
      for (index, byte) in text.enumerated() where Self.needsEscape(byte) {
        bytes += text[start..<index]
        switch byte {
        case 0x0A: bytes += Array("\\n".utf8)
        case 0x09: bytes += Array("\\t".utf8)
        case 0..<0x20: bytes += Unicode.Scalar(byte).jsonEscape.utf8
        default: bytes += [UInt8(ascii: "\\"), byte]
        }
        start = index + 1
      }
      bytes += text[start...]
    }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self).escapingControls
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// This JSON with DEL, C1 and bidirectional controls escaped, as C0 are in any JSON.
  public var escapingControls: String {
    // Their UTF-8 begins with one of these.
    let mayHaveSome = utf8.contains { $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }
    guard mayHaveSome, unicodeScalars.contains(where: \.isControlOfTerminals) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isControlOfTerminals {
        result += scalar.jsonEscape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// DEL, C1, or a control of the direction of text.
  fileprivate var isControlOfTerminals: Bool {
    (0x7F...0x9F).contains(value) || value >= 0x61C && isBidiControl
  }

  fileprivate var jsonEscape: String {
    let code = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - code.count) + code
  }
}
