/// One condition of a query.
public struct Filter: Hashable, Sendable {
  public var comparator: Comparator
  /// Nil with token comparators: every SEARCHABLE field then.
  public var field: QueryField?
  public var fieldValue: Field
  /// In metres, with NEAR.
  public var distance: Double?

  public init(
    _ field: QueryField?, _ comparator: Comparator, _ fieldValue: Field, distance: Double? = nil
  ) {
    self.comparator = comparator
    self.field = field
    self.fieldValue = fieldValue
    self.distance = distance
  }

  /// A condition on a field of the record type:
  ///
  ///     Filter("ownerRecordName", .equals, .string(user))
  public init(_ fieldName: String, _ comparator: Comparator, _ value: FieldValue) {
    self.init(QueryField(fieldName: fieldName), comparator, Field(value))
  }
}

extension Filter: Codable {
  private enum CodingKeys: CodingKey { case comparator, fieldValue, distance }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    comparator = try container.decode(Comparator.self, forKey: .comparator)
    field = try QueryField(from: decoder)
    fieldValue = try container.decode(Field.self, forKey: .fieldValue)
    distance = try container.decodeIfPresent(Double.self, forKey: .distance)
    guard field != nil || comparator.neededIndex == .searchable else {
      throw DecodingError.keyNotFound(
        QueryField.CodingKeys.fieldName,
        .init(codingPath: decoder.codingPath, debugDescription: ""))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(comparator, forKey: .comparator)
    try field?.encode(to: encoder)
    try container.encode(fieldValue, forKey: .fieldValue)
    try container.encodeIfPresent(distance, forKey: .distance)
  }
}
