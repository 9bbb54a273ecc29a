/// A condition of a query.
public struct Filter: Hashable, Sendable {
  /// The comparison between the field and the value.
  public var comparator: Comparator
  /// The field to compare. With a token comparator, nil searches all SEARCHABLE fields.
  public var field: QueryField?
  /// The value that the field is compared with.
  public var fieldValue: Field
  /// The maximum distance in meters, with NEAR.
  public var distance: Double?

  /// Creates a condition on a field.
  ///
  /// - Parameters:
  ///   - field: nil to search all SEARCHABLE fields, with a token comparator.
  ///   - distance: The maximum distance in meters, with NEAR.
  public init(
    _ field: QueryField?, _ comparator: Comparator, _ fieldValue: Field, distance: Double? = nil
  ) {
    self.comparator = comparator
    self.field = field
    self.fieldValue = fieldValue
    self.distance = distance
  }

  /// Creates a condition on a field by its name.
  ///
  ///     Filter("ownerRecordName", .equals, .string(user))
  ///
  /// - Parameter fieldName: As in `QueryField(fieldName:)`.
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
