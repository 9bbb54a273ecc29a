public import FoundationEssentials

/// The fields of a record as storage keeps them.
///
/// Keys are in order and every value has its type, so equal fields are equal bytes, INT64 and
/// DOUBLE come back exactly, an empty list keeps its type, and U+0000 is written as an escape.
/// Reading what was written gives what it was, also for fields without a value:
///
///     CanonicalJSON.decode(CanonicalJSON.encode(fields)) == fields
public enum CanonicalJSON {
  /// - Throws: an `EncodingError` for a number that is not finite.
  public static func encode(_ fields: [String: Field]) throws -> Data {
    try Wire.encode(fields)
  }

  /// - Throws: a `BodyProblem` for anything that `encode` does not write.
  public static func decode(_ data: Data) throws(BodyProblem) -> [String: Field] {
    try Wire.decode([String: Field].self, from: data, as: .request, within: bounds)
  }

  /// Well above what a record of the largest size can become: a byte may be written as an
  /// escape of six, and a short reference as a dictionary.
  private static let bounds = JSONBounds(bytes: 64 * Limits.recordBytes, values: 4_000_000)
}
