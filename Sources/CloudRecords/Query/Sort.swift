/// One criterion of a query's order.
public struct Sort: Hashable, Sendable {
  public var field: QueryField
  public var ascending: Bool
  /// Sorts a LOCATION by the distance from here.
  public var relativeLocation: Location?

  public init(_ field: QueryField, ascending: Bool = true, relativeLocation: Location? = nil) {
    self.field = field
    self.ascending = ascending
    self.relativeLocation = relativeLocation
  }

  public init(_ fieldName: String, ascending: Bool = true) {
    self.init(QueryField(fieldName: fieldName), ascending: ascending)
  }
}

extension Sort: Codable {
  private enum CodingKeys: CodingKey { case ascending, relativeLocation }

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
