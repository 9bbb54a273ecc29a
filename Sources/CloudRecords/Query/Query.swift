/// The conditions and the order of the records to fetch, all of one type.
///
///     Query("ReadingProgress", filters: [Filter("ownerRecordName", .equals, .string(user))],
///       sorts: [Sort("surahNumber")])
public struct Query: Hashable, Sendable {
  /// The name of the record type.
  public var recordType: String
  /// The conditions, all of which a record must meet.
  public var filters: [Filter]
  /// The sort order: each element orders the records that the previous elements consider equal.
  public var sorts: [Sort]

  /// Creates the query for the records of a type that meet all filters, in the order of the sorts.
  public init(_ recordType: String, filters: [Filter] = [], sorts: [Sort] = []) {
    self.recordType = recordType
    self.filters = filters
    self.sorts = sorts
  }
}

extension Query: Codable {
  private enum CodingKeys: String, CodingKey {
    case recordType
    case filters = "filterBy"
    case sorts = "sortBy"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    recordType = try container.decode(String.self, forKey: .recordType)
    filters = try container.decodeIfPresent([Filter].self, forKey: .filters) ?? []
    sorts = try container.decodeIfPresent([Sort].self, forKey: .sorts) ?? []
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(recordType, forKey: .recordType)
    if !filters.isEmpty { try container.encode(filters, forKey: .filters) }
    if !sorts.isEmpty { try container.encode(sorts, forKey: .sorts) }
  }
}
