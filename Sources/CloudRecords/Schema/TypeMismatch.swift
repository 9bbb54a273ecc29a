/// A value does not have the declared type of its field. The types are named as in error
/// messages, for example `STRING_LIST`.
public struct TypeMismatch: Error, Hashable, Sendable {
  /// The type of the value; for an untyped value, the type that its JSON suggests.
  public let found: String
  /// The declared type of the field.
  public let declared: String
  /// Whether the mismatch is that the value is encrypted and the field is not.
  public let isUnexpectedlyEncrypted: Bool
}
