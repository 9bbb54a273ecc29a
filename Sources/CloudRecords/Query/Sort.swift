/// A sort descriptor of a query.
public struct Sort: Hashable, Sendable {
  /// The field by which the records are sorted.
  public var field: QueryField
  /// Whether the smallest value comes first.
  public var ascending: Bool
  /// Sorts by the distance of a LOCATION field from this location; nil to sort by the value.
  public var relativeLocation: Location?

  /// Creates a sort by a field's value or, if `relativeLocation` is not nil, by the distance from
  /// it.
  public init(_ field: QueryField, ascending: Bool = true, relativeLocation: Location? = nil) {
    self.field = field
    self.ascending = ascending
    self.relativeLocation = relativeLocation
  }

  /// Creates a sort by a field's value.
  ///
  /// - Parameters:
  ///   - fieldName: The name of a field of the schema, or of a system field.
  ///   - ascending: Whether the smallest value comes first.
  public init(_ fieldName: String, ascending: Bool = true) {
    self.init(QueryField(fieldName: fieldName), ascending: ascending)
  }
}

extension Sort: Codable {
  private enum CodingKeys: CodingKey { case ascending, relativeLocation }

  /// Decodes a sort. It is ascending unless the data says otherwise.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let field = try QueryField(from: decoder) else {
      throw DecodingError.keyNotFound(
        QueryField.CodingKeys.fieldName,
        .init(codingPath: decoder.codingPath, debugDescription: ""))
    }
    self.field = field
    ascending = try container.decodeIfPresent(Bool.self, forKey: .ascending) ?? true
    relativeLocation = try container.decodeIfPresent(Location.self, forKey: .relativeLocation)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try field.encode(to: encoder)
    try container.encode(ascending, forKey: .ascending)
    try container.encodeIfPresent(relativeLocation, forKey: .relativeLocation)
  }
}
