/// The declaration of a field in a schema.
public struct FieldDefinition: Hashable, Sendable {
  /// The type of the field's values.
  public var type: FieldType
  /// The indexes of the field.
  public var indexes: Indexes

  public init(_ type: FieldType, _ indexes: Indexes = []) {
    self.type = type
    self.indexes = indexes
  }
}

extension FieldDefinition: CustomStringConvertible {
  /// The declaration in the schema language, for example `STRING QUERYABLE SORTABLE`.
  public var description: String {
    indexes.isEmpty ? type.description : "\(type) \(indexes)"
  }
}
