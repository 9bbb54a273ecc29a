/// The declaration of a field in a schema.
public struct FieldDefinition: Hashable, Sendable {
  /// The type of the field's values.
  public var type: FieldType
  /// The indexes of the field.
  public var indexes: Indexes
  /// Whether the schema says that records must have the field. CloudKit does not enforce this.
  public var isRequired: Bool

  /// Creates the declaration of a field.
  public init(_ type: FieldType, _ indexes: Indexes = [], isRequired: Bool = false) {
    self.type = type
    self.indexes = indexes
    self.isRequired = isRequired
  }

  /// The word that marks a required field: the first one of a comment after the field's name.
  static let requiredWord = "required"
}

extension FieldDefinition: CustomStringConvertible {
  /// The declaration in the schema language, for example `STRING QUERYABLE SORTABLE`. A
  /// required field is marked with a comment, which CloudKit ignores.
  public var description: String {
    (indexes.isEmpty ? type.description : "\(type) \(indexes)")
      + (isRequired ? " /* \(Self.requiredWord) */" : "")
  }
}
