// JSON that is safe to print to a terminal: control characters are escaped, so that the terminal
// does not interpret them and no data is lost.
extension String {
  /// The string as a JSON string literal, including its quotation marks.
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

  /// The JSON document with DEL, C1 and bidirectional controls escaped. The C0 controls are already
  /// escaped in any valid JSON string.
  public var escapingControls: String {
    // The UTF-8 encodings of these controls begin with one of these bytes.
    let mayHaveSome = utf8.contains { $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }
    guard mayHaveSome, unicodeScalars.contains(where: \.isUnsafeControl) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isUnsafeControl {
        result += scalar.jsonEscape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is DEL, a C1 control or a bidirectional control.
  fileprivate var isUnsafeControl: Bool {
    (0x7F...0x9F).contains(value) || value >= 0x61C && isBidiControl
  }

  fileprivate var jsonEscape: String {
    let code = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - code.count) + code
  }
}
