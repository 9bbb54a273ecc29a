/// A value that is not of a field's type. The names are those of error texts.
public struct TypeMismatch: Error, Hashable, Sendable {
  /// The type the value has, or seems to have: `STRING`.
  public let found: String
  public let defined: String
  /// Whether the value is encrypted and the field is not.
  public let isEncryption: Bool
}
