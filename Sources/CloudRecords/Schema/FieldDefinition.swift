/// What a schema says of a field.
public struct FieldDefinition: Hashable, Sendable {
  public var type: FieldType
  public var indexes: Indexes

  public init(_ type: FieldType, _ indexes: Indexes = []) {
    self.type = type
    self.indexes = indexes
  }
}

extension FieldDefinition: CustomStringConvertible {
  /// As a schema has it: `STRING QUERYABLE SORTABLE`.
  public var description: String {
    indexes.isEmpty ? type.description : "\(type) \(indexes)"
  }
}
