public import FoundationEssentials

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
    try Wire.encode(fields)
  }

  /// Decodes fields that were encoded by `encode`.
  ///
  /// - Throws: A `BodyDecodingError` if the data is not the encoded form of fields.
  public static func decode(_ data: Data) throws(BodyDecodingError) -> [String: Field] {
    try Wire.decode([String: Field].self, from: data, as: .request, within: bounds)
  }

  /// These bounds are larger than the encoded form of any record of the maximum size, in which one
  /// byte may become an escape sequence of six bytes, and a short reference becomes an object.
  private static let bounds = JSONBounds(bytes: 64 * Limits.recordBytes, values: 4_000_000)
}
