import FoundationEssentials

/// Base64 as it comes out of property lists and scripts: in lines, indented, with or
/// without the signs that fill up the end.
enum Base64 {
  /// Nil where it is none.
  static func decode<Text: Collection<UInt8>>(_ text: Text) -> [UInt8]? {
    var digits = text.filter { !$0.isWhiteSpace }
    if digits.count % 4 != 0, digits.last != UInt8(ascii: "=") {
      digits += Array(repeating: UInt8(ascii: "="), count: 4 - digits.count % 4)
    }
    return Data(base64Encoded: Data(digits)).map(Array.init)
  }
}
