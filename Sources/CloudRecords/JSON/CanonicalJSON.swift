public import FoundationEssentials
import Text

/// The JSON form in which the fields of a record are stored.
///
/// The form is unique: keys are sorted and every value has its type, so equal fields have equal
/// bytes. The exact values of INT64 and DOUBLE fields, the types of empty lists, U+0000 in strings
/// and null fields are preserved:
///
///     CanonicalJSON.decode(CanonicalJSON.encode(fields)) == fields
public enum CanonicalJSON {
  /// Encodes fields.
  ///
  /// - Throws: An `EncodingError` if a number is not finite.
  public static func encode(_ fields: [String: Field]) throws -> Data {
    var page = PageWriter(encoder: Wire.encoder())
    try page.canonical(fields)
    return Data(page.bytes)
  }

  /// Decodes fields that were encoded by `encode`.
  ///
  /// - Throws: A `BodyDecodingError` if the data is not the encoded form of fields.
  public static func decode(_ data: Data) throws(BodyDecodingError) -> [String: Field] {
    try Wire.decode([String: Field].self, from: data, as: .request, within: bounds)
  }

  /// Whether encoded fields may contain an asset. They do not contain one if this is false.
  public static func mayHaveAssets(_ data: Data) -> Bool {
    data.withUnsafeBytes { text in
      text.indices.dropLast(assetType.count - 1).contains { index in
        text[index] == assetType[0] && text[index + 1] == assetType[1]
          && text[index...].starts(with: assetType)
      }
    }
  }

  /// The beginning of the types ASSETID and ASSETID_LIST, as they are encoded.
  private static let assetType = Array(#""ASSETID"#.utf8)

  /// Checks that data is well-formed JSON within the bounds of the fields of a record.
  ///
  /// - Throws: A `BodyDecodingError` if it is not.
  static func check(_ data: Data) throws(BodyDecodingError) {
    do { try bounds.check(data.span) } catch { throw .json(error) }
  }

  /// Returns only some of encoded fields, without decoding them.
  ///
  /// - Returns: nil if the data is not the encoded form of fields.
  static func selecting(_ names: Set<String>, from data: Data) -> Data? {
    var tokenizer = JSONTokenizer()
    var result = Data("{".utf8)
    // The offset of the member that is being read, if it is selected; otherwise nil.
    var start: Int?
    do {
      while let token = try tokenizer.next(in: data.span) {
        let isKey = token == .key && tokenizer.depth == 1
        guard isKey || token == .endObject && tokenizer.depth == 0 else { continue }
        let offset = tokenizer.tokenOffset
        if let first = start {
          // Copy the member without the comma that separates it from the next key. Canonical JSON
          // has no white space.
          if result.count > 1 { result.append(UInt8(ascii: ",")) }
          result += data.dropFirst(first).prefix((isKey ? offset - 1 : offset) - first)
        }
        // No field name contains a character that needs an escape sequence.
        guard isKey, !tokenizer.tokenHasEscapes else { return isKey ? nil : result + [0x7D] }
        let key = data.dropFirst(offset + 1).prefix(tokenizer.tokenSize - 2)
        start = names.contains(String(decoding: key, as: UTF8.self)) ? offset : nil
      }
    } catch {}
    return nil
  }

  /// Returns encoded fields with the values of INT64 and DOUBLE fields as strings, in the form in
  /// which `Wire` encodes them.
  ///
  /// - Returns: nil if the data is not well-formed JSON.
  static func quotingNumbers(in data: Data) -> [UInt8]? {
    var tokenizer = JSONTokenizer()
    var result: [UInt8] = []
    result.reserveCapacity(data.count)
    var copied = 0
    // The type of the field that is being read. Keys are sorted, so it precedes the value.
    var type: ValueType.Kind?
    return data.withUnsafeBytes { text in
      do {
        while let token = try tokenizer.next(in: data.span) {
          switch token {
          case .key where tokenizer.depth == 1: type = nil
          case .string where tokenizer.depth == 2 && type == nil:
            let name = text[tokenizer.tokenRange].dropFirst().dropLast()
            type = ValueType(name: String(decoding: name, as: UTF8.self))?.kind
          case .number where type == .int64 || type == .double:
            let number = text[tokenizer.tokenRange]
            result += text[copied..<number.startIndex]
            copied = number.endIndex
            result.append(UInt8(ascii: "\""))
            result += number
            // As a number, a whole DOUBLE is encoded as `5`, but as a string it is `5.0`.
            if type == .double, !number.contains(where: isPointOrExponent) { result += ".0".utf8 }
            result.append(UInt8(ascii: "\""))
          default: break
          }
        }
      } catch {
        return nil
      }
      return tokenizer.depth == 0 ? result + text[copied...] : nil
    }
  }

  private static func isPointOrExponent(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e")
  }

  /// These bounds are larger than the encoded form of any record of the maximum size, in which one
  /// byte may become an escape sequence of six bytes, and a short reference becomes an object.
  private static let bounds = JSONBounds(bytes: 64 * Limits.recordBytes, values: 4_000_000)
}
