import FoundationEssentials

/// The encoding of a value that is sent in a form and comes back with it. A signature proves that
/// this server created the value, and for which purpose. The value is not encrypted and must not be
/// secret.
struct SignedFormState {
  let key: ServerKey

  /// The purpose of a form. A value that was signed for one purpose is not valid for another.
  enum Purpose: String {
    case signIn = "sign-in form"
    case registration = "registration form"
  }

  /// The maximum length of an encoded value in bytes.
  private static let limit = 16_384

  /// Encodes and signs a value.
  func sign(_ value: some Encodable, for purpose: Purpose) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let bytes = Array(try encoder.encode(value))
    return Base64URL.text(Data(bytes)) + "."
      + Base64URL.text(Data(key.seal(bytes, purpose: purpose.rawValue)))
  }

  /// Verifies the signature of a value, and decodes the value.
  ///
  /// - Returns: nil if this server did not sign it for the purpose.
  func verify<Value: Decodable>(
    _ state: String, as type: Value.Type, for purpose: Purpose
  ) -> Value? {
    guard state.utf8.count <= Self.limit else { return nil }
    let parts = state.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let bytes = Base64URL.bytes(parts[0]).map(Array.init),
      let seal = Base64URL.bytes(parts[1]).map(Array.init),
      key.isSeal(seal, of: bytes, purpose: purpose.rawValue)
    else { return nil }
    return try? JSONDecoder().decode(type, from: Data(bytes))
  }
}
